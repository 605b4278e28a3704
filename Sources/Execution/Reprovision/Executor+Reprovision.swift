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
            let snapshot = try access.snapshot()
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
            var work = ReprovisionWork(access, snapshot: snapshot, node: node, plan: plan, run: run)
            var conversation = try access.conversation(with: node, of: snapshot)
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
        ReprovisionSettling(access).resolve(node)
    }

    /// Finds out the results of all unfinished reprovisionings, before anything else is sent to these nodes. This
    /// executor does not talk to nodes whose result stays unknown.
    func resolveReprovisions() throws(ExecutionStop) {
        let snapshot = try access.snapshot()
        var isReachable = true
        for pending in snapshot.network.sortedPendingReprovisions where !isSilent(pending.uuid) {
            guard let node = snapshot.network.nodes.first(where: { $0.uuid == pending.uuid }) else { continue }
            // The run does not talk to excluded nodes, and finds out about devices that were reset in another way.
            if node.isExcluded || node.unprovisionedSeenAt != nil { continue }
            guard isReachable else {
                leaveSilent(pending.uuid)
                continue
            }
            let outcome = try ReprovisionSettling(access).resolve(pending.uuid, in: snapshot)
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
}
