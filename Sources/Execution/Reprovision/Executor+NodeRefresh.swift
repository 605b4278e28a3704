package import MeshCore
package import Planning
import Store

/// Refreshes nodes over their Node Provisioning Protocol Interface (Mesh Protocol 1.1, 3.11.8).
///
/// Before the node gets its provisioning data, its next DeviceKey and addresses are durable beside the present ones.
/// Once the node has answered under them, one commit replaces the present ones. Until then both are kept, unless the
/// node has answered as before and can no longer change.
extension Executor {
    /// Carries out one refresh, and finds out its result.
    ///
    /// - Parameter identifier: names the run in the journal, 16 random octets.
    package func refresh(_ plan: NodeRefreshPlan, identifier: Octets16) -> NodeRefreshOutcome {
        do throws(ExecutionStop) {
            let snapshot = try stopping { () throws(StoreError) in try database.snapshot() }
            guard let node = snapshot.network.nodes.first(where: { $0.uuid == plan.node }),
                node.addresses == plan.before,
                snapshot.network.pendingRefreshes[plan.node] == nil
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
            var work = NodeRefreshWork(executor: self, snapshot: snapshot, node: node, plan: plan, run: run)
            var conversation = try conversation(with: node, of: snapshot)
            var outcome: NodeRefreshOutcome
            do throws(ExecutionStop) {
                outcome = try work.perform(in: &conversation)
            } catch {
                outcome = work.isStored ? .unresolved(reason: nil, hint: nil) : .stopped(error.ending)
            }
            conversation.end()
            do throws(ExecutionStop) {
                try work.finish(outcome, conversation: &conversation)
            } catch {
                if case .refreshed = outcome {} else { outcome = .stopped(error.ending) }
            }
            return outcome
        } catch {
            return .stopped(error.ending)
        }
    }

    /// Finds out the result of an unfinished refresh.
    ///
    /// - Returns: nil if that node has no pending refresh.
    package func settleRefresh(of node: DeviceUUID) -> NodeRefreshOutcome? {
        do throws(ExecutionStop) {
            let snapshot = try stopping { () throws(StoreError) in try database.snapshot() }
            return try settleRefresh(of: node, in: snapshot)
        } catch {
            return .stopped(error.ending)
        }
    }

    /// Finds out the results of all unfinished refreshes, before anything else is sent to these nodes. This executor
    /// does not talk to nodes whose result stays unknown.
    ///
    /// - Throws: ``ExecutionStop`` if the database cannot be read or written, or a conversation was stopped.
    func settleRefreshes() throws(ExecutionStop) {
        let snapshot = try stopping { () throws(StoreError) in try database.snapshot() }
        var isReachable = true
        for pending in snapshot.network.sortedPendingRefreshes where !isSilent(pending.uuid) {
            guard let node = snapshot.network.nodes.first(where: { $0.uuid == pending.uuid }) else { continue }
            // The run does not talk to excluded nodes, and finds out about devices that were reset in another way.
            if node.isExcluded || node.unprovisionedSeenAt != nil { continue }
            guard isReachable else {
                leaveSilent(pending.uuid)
                continue
            }
            let outcome = try settleRefresh(of: pending.uuid, in: snapshot)
            switch outcome {
            case .refreshed: context.emit(.refreshSettled(pending.uuid, pending.procedure, tookEffect: true))
            case .unchanged: context.emit(.refreshSettled(pending.uuid, pending.procedure, tookEffect: false))
            case .stopped(let ending): throw ExecutionStop(ending)
            case .unresolved, .unreachable, .unanswered, nil:
                if case .unreachable = outcome { isReachable = false }
                leaveSilent(pending.uuid)
                context.emit(.refreshSettled(pending.uuid, pending.procedure, tookEffect: nil))
            }
        }
    }

    private func settleRefresh(
        of uuid: DeviceUUID,
        in snapshot: Snapshot
    ) throws(ExecutionStop) -> NodeRefreshOutcome? {
        guard let pending = snapshot.network.pendingRefreshes[uuid] else { return nil }
        guard let node = snapshot.network.nodes.first(where: { $0.uuid == uuid }) else { return nil }
        let subnets = node.netKeys.map(\.index).filter { index in
            snapshot.network.netKeys.contains { $0.index == index }
        }
        guard !subnets.isEmpty else {
            return .unresolved(reason: "the node has no network key that the database has", hint: nil)
        }
        var conversation = try conversation(with: node, of: snapshot)
        let inquiry = NodeRefreshInquiry(node, pending, subnets: subnets, deadline: options.retry.readBackDeadline)
        let finding = inquiry.perform(in: &conversation)
        conversation.end()
        return try record(finding, of: uuid, isAuthenticated: nil, conversation: &conversation)
    }

    /// Makes the findings about a node durable.
    func record(
        _ finding: NodeRefreshFinding,
        of uuid: DeviceUUID,
        isAuthenticated: Bool?,
        conversation: inout Conversation
    ) throws(ExecutionStop) -> NodeRefreshOutcome {
        var network = try stopping { () throws(StoreError) in try database.snapshot() }.network
        var changes = StoreChanges()
        let outcome: NodeRefreshOutcome
        switch finding {
        case .refreshed(let composition, let relay):
            let count = network.pendingRefreshes[uuid].map { Int($0.elementCount) }
            let credible = composition.flatMap { $0.elements.count == count ? $0 : nil }
            let hadDrift = network.drifts[uuid] != nil
            guard var result = network.completeRefresh(of: uuid, composition: credible, at: context.now()) else {
                return .unchanged(.outdated)
            }
            if let relay {
                result.node.features.relay = relay.state
                if relay.state != .notSupported { result.node.relayRetransmit = relay.retransmit }
            }
            changes.nodes = [result.node]
            changes.retiredNodes = [result.former]
            changes.removedPendingRefreshes = [uuid]
            if hadDrift { changes.removedDrifts = [uuid] }
            outcome = .refreshed(result, isAuthenticated: isAuthenticated)
        case .unchanged(let composition):
            network.dropRefresh(of: uuid)
            changes.removedPendingRefreshes = [uuid]
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
        if !changes.removedPendingRefreshes.isEmpty { changes.network = network }
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
