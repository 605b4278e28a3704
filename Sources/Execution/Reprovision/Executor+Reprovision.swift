package import MeshCore
package import Planning
import Store

/// Reprovisions nodes over their Node Provisioning Protocol Interface (Mesh Protocol 1.1, 3.11.8).
///
/// Before the node gets its provisioning data, its next DeviceKey and addresses are durable beside the present ones.
/// Once the node has answered under them, one commit replaces the present ones. Until then both are kept, unless the
/// node has answered as before and can no longer change.
extension Executor {
    /// Carries out one reprovisioning, and finds out its result.
    ///
    /// - Parameter identifier: names the run in the journal, 16 random octets.
    package func reprovision(_ plan: ReprovisionPlan, identifier: Octets16) -> ReprovisionOutcome {
        do throws(ExecutionStop) {
            let snapshot = try stopping { () throws(StoreError) in try database.snapshot() }
            guard let node = snapshot.network.nodes.first(where: { $0.uuid == plan.node }),
                node.addresses == plan.before,
                snapshot.network.pendingReprovisions[plan.node] == nil
            else { return .unchanged(.outdated) }
            let run = try stopping { () throws(StoreError) in
                try database.begin(
                    plan: identifier,
                    user: context.user,
                    host: context.host,
                    at: context.now(),
                    with: lease
                )
            }
            var work = ReprovisionWork(executor: self, snapshot: snapshot, node: node, plan: plan, run: run)
            var conversation = try conversation(with: node, of: snapshot)
            var outcome: ReprovisionOutcome
            do throws(ExecutionStop) {
                outcome = try work.carryOut(in: &conversation)
            } catch {
                outcome = work.isStored ? .unresolved(reason: nil, hint: nil) : .stopped(error.ending)
            }
            conversation.end()
            do throws(ExecutionStop) {
                try work.finish(outcome, conversation: &conversation)
            } catch {
                if case .reprovisioned = outcome {} else { outcome = .stopped(error.ending) }
            }
            return outcome
        } catch {
            return .stopped(error.ending)
        }
    }

    /// Finds out the result of an unfinished reprovisioning.
    ///
    /// - Returns: nil if that node has no pending reprovisioning.
    package func resolveReprovision(of node: DeviceUUID) -> ReprovisionOutcome? {
        do throws(ExecutionStop) {
            let snapshot = try stopping { () throws(StoreError) in try database.snapshot() }
            return try resolveReprovision(of: node, in: snapshot)
        } catch {
            return .stopped(error.ending)
        }
    }

    /// Finds out the results of all unfinished reprovisionings, before anything else is sent to these nodes. This
    /// executor does not talk to nodes whose result stays unknown.
    ///
    /// - Throws: ``ExecutionStop`` if the database cannot be read or written, or a conversation was stopped.
    func resolveReprovisions() throws(ExecutionStop) {
        let snapshot = try stopping { () throws(StoreError) in try database.snapshot() }
        var isReachable = true
        for pending in snapshot.network.sortedPendingReprovisions where !isSilent(pending.uuid) {
            guard let node = snapshot.network.nodes.first(where: { $0.uuid == pending.uuid }) else { continue }
            // The run does not talk to excluded nodes, and finds out about devices that were reset in another way.
            if node.isExcluded || node.unprovisionedSeenAt != nil { continue }
            guard isReachable else {
                leaveSilent(pending.uuid)
                continue
            }
            let outcome = try resolveReprovision(of: pending.uuid, in: snapshot)
            switch outcome {
            case .reprovisioned: context.emit(.reprovisionSettled(pending.uuid, pending.procedure, tookEffect: true))
            case .unchanged: context.emit(.reprovisionSettled(pending.uuid, pending.procedure, tookEffect: false))
            case .stopped(let ending): throw ExecutionStop(ending)
            case .unresolved, .unreachable, .unanswered, nil:
                if case .unreachable = outcome { isReachable = false }
                leaveSilent(pending.uuid)
                context.emit(.reprovisionSettled(pending.uuid, pending.procedure, tookEffect: nil))
            }
        }
    }

    private func resolveReprovision(
        of uuid: DeviceUUID,
        in snapshot: Snapshot
    ) throws(ExecutionStop) -> ReprovisionOutcome? {
        guard let pending = snapshot.network.pendingReprovisions[uuid] else { return nil }
        guard let node = snapshot.network.nodes.first(where: { $0.uuid == uuid }) else { return nil }
        let subnets = node.netKeys.map(\.index).filter { index in
            snapshot.network.netKeys.contains { $0.index == index }
        }
        guard !subnets.isEmpty else {
            return .unresolved(reason: "the node has no network key that the database has", hint: nil)
        }
        var conversation = try conversation(with: node, of: snapshot)
        let inquiry = ReprovisionInquiry(node, pending, subnets: subnets, deadline: options.retry.readBackDeadline)
        let finding = inquiry.finding(in: &conversation)
        conversation.end()
        return try record(finding, of: uuid, isAuthenticated: nil, conversation: &conversation)
    }

    /// Makes the findings about a node durable.
    func record(
        _ finding: ReprovisionFinding,
        of uuid: DeviceUUID,
        isAuthenticated: Bool?,
        conversation: inout Conversation
    ) throws(ExecutionStop) -> ReprovisionOutcome {
        var network = try stopping { () throws(StoreError) in try database.snapshot() }.network
        var changes = StoreChanges()
        let outcome: ReprovisionOutcome
        switch finding {
        case .reprovisioned(let composition, let relay):
            let count = network.pendingReprovisions[uuid].map { Int($0.elementCount) }
            let credible = composition.flatMap { $0.elements.count == count ? $0 : nil }
            let hadDrift = network.drifts[uuid] != nil
            guard var result = network.completeReprovision(of: uuid, composition: credible, at: context.now()) else {
                return .unchanged(.outdated)
            }
            if let relay {
                result.node.features.relay = relay.state
                if relay.state != .notSupported { result.node.relayRetransmit = relay.retransmit }
            }
            changes.nodes = [result.node]
            changes.retiredNodes = [result.former]
            changes.removedPendingReprovisions = [uuid]
            if hadDrift { changes.removedDrifts = [uuid] }
            outcome = .reprovisioned(result, isAuthenticated: isAuthenticated)
        case .unchanged(let composition):
            network.dropReprovision(of: uuid)
            changes.removedPendingReprovisions = [uuid]
            if let composition, let place = network.nodes.firstIndex(where: { $0.uuid == uuid }),
                composition.elements.count == network.nodes[place].elements.count
            {
                network.nodes[place].record(composition)
                network.nodes[place].observedAt = context.now()
                changes.nodes = [network.nodes[place]]
            }
            outcome = .unchanged(.earlierAttempt)
        case .unanswered: outcome = .unresolved(reason: nil, hint: nil)
        case .unreachable(let reason, let hint): outcome = .unreachable(reason, hint: hint)
        case .stopped(let ending): outcome = .stopped(ending)
        }
        changes.replay = conversation.takeReplayEntries()
        if !changes.removedPendingReprovisions.isEmpty { changes.network = network }
        if !changes.isEmpty { _ = try stopping { () throws(StoreError) in try database.commit(changes, with: lease) } }
        return outcome
    }

    /// A conversation with a node of a snapshot.
    ///
    /// - Throws: ``ExecutionStop`` if the database cannot be read, or lacks our own node or the required proxy.
    func conversation(with node: Node, of snapshot: Snapshot) throws(ExecutionStop) -> Conversation {
        Conversation(
            with: node.unicastAddress,
            bearer: bearer,
            client: try client(of: snapshot),
            interrupts: context.interrupts,
            store: { self.store($0, isCorrection: $1) }
        )
    }
}
