import MeshCore
import Planning
import Store

/// Nobody is provisioned before the IV index is known: a device that is given a wrong one may never understand the
/// others, who are too far ahead for it to follow (Mesh Protocol 3.11.6).
extension ExecutionRun {
    /// Has a proxy looked for that tells the IV index if devices wait for it, and gives them up if none does.
    func learnIVIndex() {
        guard !driver.client.isIVIndexKnown, !queue.isEmpty else { return }
        if linkFailure == nil {
            // Any request makes the client look for a proxy, whose beacon comes before all else.
            guard jobs.isEmpty, outbox.isEmpty else { return }
            if !hasSoughtIVIndex {
                hasSoughtIVIndex = true
                if let job = inquiryForIVIndex() {
                    outbox.append(job)
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

    /// Gives the question up: the index is known, or the node is to be asked something else.
    func endSeekingIVIndex() {
        outbox.removeAll(where: \.isForIVIndex)
        guard let (identifier, job) = jobs.first(where: \.value.isForIVIndex) else { return }
        jobs[identifier] = nil
        guard let address = network.node(job.node)?.unicastAddress else { return }
        perform(driver.client.cancel(address, at: bearer.now))
    }

    /// Something that can be asked of some node and changes nothing.
    private func inquiryForIVIndex() -> Job? {
        let others = Set(network.header.provisioners.map(\.uuid))
        let action = ConfigurationAction.setDefaultTTL(0)
        for node in network.nodes where !others.contains(node.uuid) && !node.isExcluded && node.deviceKey != nil {
            guard !network.subnets(of: node, for: action).isEmpty, !unreachable.contains(node.uuid) else { continue }
            let inquiry = ConfigurationInquiry(ConfigDefaultTTLGet()) { _ in .doesNotHold }
            return Job(node: node.uuid, step: nil, action: action, stage: .ivIndex, inquiry: inquiry)
        }
        return nil
    }
}
