import MeshCore
import Planning
import Store

/// No device is provisioned before the IV index is known. A device with a wrong one may never understand the other
/// nodes if they are too far ahead for it to follow (Mesh Protocol 3.11.6).
extension ExecutionRun {
    /// Looks for a proxy that tells the IV index if devices wait for it, and gives the devices up if there is none.
    func learnIVIndex() {
        guard !driver.client.isIVIndexKnown, !queue.isEmpty else { return }
        if linkFailure == nil {
            // Any request makes the client look for a proxy, whose beacon comes first.
            guard jobs.isEmpty, outbox.isEmpty else { return }
            if !hasSoughtIVIndex {
                hasSoughtIVIndex = true
                if let node = nodeToAsk {
                    outbox.append(.ivIndex(node, Question(ConfigDefaultTTLGet())))
                    return
                }
            }
        }
        endSeekingIVIndex()
        for (uuid, step) in provisionSteps.sorted(by: { $0.value < $1.value }) {
            perform(queue.remove(uuid))
            endFindingOut(uuid)
            provisionSteps[uuid] = nil
            fail(step, .provisioning(.ivIndexUnknown))
        }
    }

    /// Cancels the question: the index is known, or the node is to be asked something else.
    func endSeekingIVIndex() {
        let isForIVIndex = { (job: Job) in if case .ivIndex = job { true } else { false } }
        outbox.removeAll(where: isForIVIndex)
        guard let (identifier, job) = jobs.first(where: { isForIVIndex($0.value) }) else { return }
        jobs[identifier] = nil
        guard let address = network.node(job.node)?.unicastAddress else { return }
        perform(driver.client.cancel(address, at: bearer.now))
    }

    /// Any node that can be asked something.
    private var nodeToAsk: DeviceUUID? {
        let others = Set(network.header.provisioners.map(\.uuid))
        return network.nodes.first { node in
            !others.contains(node.uuid) && !node.isExcluded && node.deviceKey != nil
                && !network.subnets(of: node).isEmpty && !unreachable.contains(node.uuid)
        }?.uuid
    }
}
