import MeshCore
import Planning
import Store

/// How nodes leave: a Node Reset is confirmed by its status, or by the device advertising as unprovisioned.
extension ExecutionRun {
    /// Whether the outcome of a reset is awaited, so that advertisements are of use.
    var isResetting: Bool { jobs.values.contains { $0.action == .resetNode } }

    /// A node is one no more.
    func settleReset(_ job: Job) {
        retire(job.node)
        guard let step = job.step else { return }
        let isByReadBack = if case .request = job.stage { false } else { true }
        journal.settle(subject(of: step), .succeeded)
        schedule.succeed(step)
        announce(.stepSucceeded(step: step, byReadBack: isByReadBack))
        finishNode(job.node)
    }

    /// Takes a node that was reset out of the network.
    func retire(_ uuid: DeviceUUID) {
        guard let node = network.node(uuid) else { return }
        network.retire(uuid, reason: .reset, at: context.now())
        client.remove(node: node.unicastAddress)
        forgetServer(node.unicastAddress)
    }

    /// A device advertises as unprovisioned: a reset that was sent has taken effect.
    func heardReset(_ uuid: DeviceUUID) {
        guard let address = network.node(uuid)?.unicastAddress else { return }
        for identifier in jobs.keys.sorted() {
            guard let job = jobs[identifier], job.node == uuid, job.action == .resetNode,
                job.mayHaveArrived || job.isDoubt
            else {
                continue
            }
            jobs[identifier] = nil
            perform(client.cancel(address, at: bearer.now))
            settle(job, .holds(.resetNode))
        }
    }
}
