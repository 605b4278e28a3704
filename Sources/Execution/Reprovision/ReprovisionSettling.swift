import MeshCore
import Planning
import Store

/// Finds out what became of reprovisionings, and makes it durable.
struct ReprovisionSettling {
    private let access: MeshAccess

    /// Questions over the bearer of an executor.
    init(_ access: MeshAccess) {
        self.access = access
    }

    /// Finds out the result of an unfinished reprovisioning.
    ///
    /// - Returns: nil if that node has no pending reprovisioning.
    func resolve(_ node: DeviceUUID) -> ReprovisionOutcome? {
        do throws(ExecutionStop) {
            return try resolve(node, in: try access.snapshot())
        } catch {
            return .stopped(error.ending)
        }
    }

    /// Finds out the result of an unfinished reprovisioning in a snapshot of the present database.
    ///
    /// - Returns: nil if that node has no pending reprovisioning.
    func resolve(
        _ uuid: DeviceUUID,
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
        var conversation = try access.conversation(with: node, of: snapshot)
        let inquiry = ReprovisionInquiry(
            node,
            pending,
            subnets: subnets,
            deadline: access.options.retry.readBackDeadline
        )
        let finding = inquiry.finding(in: &conversation)
        conversation.end()
        return try record(finding, of: uuid, authentication: nil, conversation: &conversation)
    }

    /// Makes the findings about a node durable.
    func record(
        _ finding: ReprovisionFinding,
        of uuid: DeviceUUID,
        authentication: NodeAuthentication?,
        conversation: inout Conversation
    ) throws(ExecutionStop) -> ReprovisionOutcome {
        var network = try access.snapshot().network
        var changes = StoreChanges()
        let outcome: ReprovisionOutcome
        switch finding {
        case .reprovisioned(let composition, let relay):
            let count = network.pendingReprovisions[uuid].map { Int($0.elementCount) }
            let credible = composition.flatMap { $0.elements.count == count ? $0 : nil }
            let hadDrift = network.drifts[uuid] != nil
            guard var result = network.completeReprovision(of: uuid, composition: credible, at: access.context.now())
            else {
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
            outcome = .reprovisioned(result, authentication: authentication)
        case .unchanged(let composition):
            network.dropReprovision(of: uuid)
            changes.removedPendingReprovisions = [uuid]
            if let composition, let index = network.nodes.firstIndex(where: { $0.uuid == uuid }),
                composition.elements.count == network.nodes[index].elements.count
            {
                network.nodes[index].record(composition)
                network.nodes[index].observedAt = access.context.now()
                changes.nodes = [network.nodes[index]]
            }
            outcome = .unchanged(.earlierAttempt)
        case .unanswered: outcome = .unresolved(reason: nil, hint: nil)
        case .unreachable(let reason, let hint): outcome = .unreachable(reason, hint: hint)
        case .stopped(let ending): outcome = .stopped(ending)
        }
        changes.replay = conversation.takeReplayEntries()
        if !changes.removedPendingReprovisions.isEmpty { changes.network = network }
        try access.commit(changes)
        return outcome
    }
}
