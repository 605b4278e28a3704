import MeshCore
import Planning
import Store

/// What becomes of requests whose outcome an earlier run left in doubt.
extension ExecutionRun {
    /// Clears up what is in doubt about a node, one request after another, then begins its step.
    func proceed(with node: DeviceUUID, to step: Int?) {
        guard !unreachable.contains(node) else {
            suspend(node)
            return
        }
        while let doubt = doubts[node]?.first {
            if let job = readBack(doubt, for: step) {
                outbox.append(job)
                return
            }
            // The node is gone, or nobody can tell any more what was asked: there is nothing to be read back.
            journal.settle(doubt, .skipped)
            forget(doubt)
        }
        if let step { start(step) }
    }

    /// The request that reads a doubt back; nil if there is none to be made.
    private func readBack(_ doubt: JournalIntent, for step: Int?) -> Job? {
        guard let action = try? ConfigurationAction(decoding: doubt.action), let node = network.node(doubt.node),
            node.deviceKey != nil, !network.subnets(of: node, for: action).isEmpty
        else { return nil }
        let inquiries = ActionInquiries(action, node: node.unicastAddress, network: network.header)
        guard let inquiry = try? inquiries.readBack() else { return nil }
        return Job(node: doubt.node, step: step, action: action, stage: .doubt(doubt), inquiry: inquiry)
    }

    /// A node answered what reads a doubt back.
    func settle(_ doubt: JournalIntent, _ job: Job, _ verdict: ConfigurationVerdict) {
        var tookEffect = true
        switch verdict {
        case .holds(.resetNode):
            retire(job.node)
            journal.settle(doubt, .succeeded)
        case .holds(let action):
            let header = network.header
            network.update(job.node, at: context.now()) { $0.record(action, in: header, at: context.now()) }
            tellClient(of: job.node)
            journal.settle(doubt, .succeeded)
        case .composition(let composition) where network.objection(to: composition, of: job.node) != nil:
            // Whoever reads it again is told.
            tookEffect = false
            journal.settle(doubt, .skipped)
        case .composition(let composition):
            network.update(job.node, at: context.now()) { node in
                node.record(composition)
                node.observedAt = context.now()
            }
            journal.settle(doubt, .succeeded)
        case .doesNotHold, .differs, .relayRetransmit, .report, .reports, .attention, .page, .pollTimeout,
            .solicitationsCleared, .remoteLink, .identity, .odd:
            tookEffect = false
            journal.settle(doubt, .skipped)
        case .continues(let position): return askFurther(job, from: position)
        case .refused(let status):
            tookEffect = false
            journal.settle(doubt, .failed(status: status.rawValue))
        case .featureNotSupported:
            tookEffect = false
            network.update(job.node, at: context.now()) { $0.recordMissingFeature(of: job.action, at: context.now()) }
            journal.settle(doubt, .failed(status: ConfigStatusCode.featureNotSupported.rawValue))
        }
        forget(doubt)
        announce(.doubtResolved(job.node, job.action, tookEffect: tookEffect))
        guard !isInterrupted else { return putBack(job) }
        proceed(with: job.node, to: job.step)
    }

    private func forget(_ doubt: JournalIntent) {
        doubts[doubt.node]?.removeFirst()
        if doubts[doubt.node]?.isEmpty == true { doubts[doubt.node] = nil }
    }
}
