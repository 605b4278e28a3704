import MeshCore
import Planning
import Store

/// How a doubt ended without an answer to it: nobody knows what became of the request, and nobody will.
package enum DoubtEnd: Hashable, Sendable {
    /// The node was reset since, or is another one by now.
    case wasReset
    /// The database has no such node any more, or nothing to ask it with.
    case isGone
    /// The node is excluded, so that nobody speaks to it.
    case isExcluded
    /// The node has no such model or element.
    case partIsMissing
    /// The definition does not name the node or the model any more.
    case isNotDeclared
    /// The node answers, only not to this.
    case answersOtherwise
}

/// What becomes of requests whose outcome an earlier run left in doubt.
///
/// A doubt is never a dead end: it is asked about for a bounded time, and only where the answer can matter. A node that
/// answers, but not to this, leaves the value not known, and goes on. A node that is silent leaves the doubt as it is, and
/// its own steps waiting; nobody else waits for it.
extension ExecutionRun {
    /// Ends the doubts that need no question, before anything is asked.
    func settleNeedlessDoubts() {
        for uuid in doubts.keys.sorted() { settleNeedlessDoubts(of: uuid) }
        doubtfulNodes.removeAll { doubts[$0] == nil }
    }

    /// Ends the doubts about a node that need no question.
    func settleNeedlessDoubts(of uuid: DeviceUUID) {
        for doubt in doubts[uuid] ?? [] {
            let action = try? ConfigurationAction(decoding: doubt.action)
            if action == .resetNode, network.node(uuid)?.unprovisionedSeenAt != nil {
                confirmReset(doubt)
            } else if let end = needlessness(of: doubt, action) {
                abandon(doubt, action, because: end)
            }
        }
    }

    /// Why a doubt need not or cannot be asked about; nil if it can.
    private func needlessness(of doubt: JournalIntent, _ action: ConfigurationAction?) -> DoubtEnd? {
        guard let action, let node = network.node(doubt.node), node.deviceKey != nil,
            !network.subnets(of: node, for: action).isEmpty
        else { return .isGone }
        if node.unprovisionedSeenAt != nil { return .wasReset }
        if node.isExcluded { return .isExcluded }
        if let model = action.model, node.isCompositionKnown, node.place(of: model) == nil { return .partIsMissing }
        return isDoubtOfInterest(doubt.node, action) ? nil : .isNotDeclared
    }

    /// A device was seen unprovisioned of which it was in doubt whether it was reset.
    private func confirmReset(_ doubt: JournalIntent) {
        retire(doubt.node)
        journal.settle(doubt, .succeeded)
        forget(doubt)
        announce(.doubtResolved(doubt.node, .resetNode, tookEffect: true))
    }

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
            abandon(doubt, try? ConfigurationAction(decoding: doubt.action), because: .isGone)
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
            .solicitationsCleared, .remoteLink, .identity:
            tookEffect = false
            journal.settle(doubt, .skipped)
        case .odd:
            abandon(doubt, job.action, because: .answersOtherwise)
            guard !isInterrupted else { return putBack(job) }
            return proceed(with: job.node, to: job.step)
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

    /// Nobody knows what became of a request, and it is asked about no more. The value is not known from now on, so that
    /// a plan that wants it sends it again.
    private func abandon(_ doubt: JournalIntent, _ action: ConfigurationAction?, because end: DoubtEnd) {
        journal.settle(doubt, .notKnown)
        if let action, network.node(doubt.node) != nil, end == .answersOtherwise || end == .isNotDeclared {
            network.update(doubt.node, at: context.now()) { $0.leaveUnknown(action) }
        }
        forget(doubt)
        announce(.doubtAbandoned(doubt.node, action, end))
    }

    private func forget(_ doubt: JournalIntent) {
        doubts[doubt.node]?.removeAll { $0 == doubt }
        if doubts[doubt.node]?.isEmpty == true { doubts[doubt.node] = nil }
    }

    // MARK: No answer

    /// A node did not tell what became of an earlier request: it is asked whether it answers at all, and if it does, once
    /// more.
    func settleUnanswered(_ doubt: JournalIntent, _ job: Job) {
        guard job.isKnownAlive else {
            // What reads a reset back is a question of that kind.
            guard job.action != .resetNode, !isInterrupted else { return suspend(job.node) }
            return probe(job, doubt)
        }
        abandon(doubt, job.action, because: .answersOtherwise)
        guard !isInterrupted else { return putBack(job) }
        proceed(with: job.node, to: job.step)
    }

    /// Asks a node whether it answers anything at all.
    func probe(_ job: Job, _ doubt: JournalIntent?) {
        var job = job
        job.stage = .probe(doubt)
        job.inquiry = .probe(besides: job.action)
        outbox.append(job)
    }

    /// A node answers that did not tell what became of a request.
    func settleProbe(_ job: Job, _ doubt: JournalIntent?) {
        guard let doubt else {
            guard let step = job.step else { return }
            return leaveUnknown(step, job)
        }
        guard var again = readBack(doubt, for: job.step) else {
            abandon(doubt, job.action, because: .isGone)
            return proceed(with: job.node, to: job.step)
        }
        guard !isInterrupted else { return putBack(job) }
        again.isKnownAlive = true
        outbox.append(again)
    }

    /// A node answers, but neither to a request of this run nor to the question what became of it: the value is not
    /// known, its step has failed, and the node's other steps go on.
    private func leaveUnknown(_ step: Int, _ job: Job) {
        network.update(job.node, at: context.now()) { $0.leaveUnknown(job.action) }
        journal.settle(subject(of: step), .notKnown)
        fail(step, .notKnown)
    }

    // MARK: No proxy

    /// Whether the doubts may be asked about that no step waits for: as long as there may be a link.
    var mayAskDoubts: Bool { !leavesDoubts || driver.client.isLinkReady }

    /// Nobody is in reach who could carry the questions: they stay in doubt, and nothing waits for them.
    func leaveOptional() {
        for uuid in findingOut.keys.sorted() { endFindingOut(uuid) }
        leavesDoubts = true
        outbox.removeAll(where: \.isOptional)
        for identifier in jobs.keys.sorted() {
            guard let job = jobs[identifier], job.isOptional else { continue }
            jobs[identifier] = nil
            if job.isAfterReset { endWatch(job.node, .notSeen) }
            guard let address = network.node(job.node)?.unicastAddress else { continue }
            perform(driver.client.cancel(address, at: bearer.now))
            if job.isDoubt { doubtfulNodes.append(job.node) }
        }
    }

    /// Whether the questions that nothing waits for have waited for a link for too long.
    var isTiredOfWaiting: Bool {
        guard queue.isEmpty, !jobs.isEmpty, !driver.client.isLinkReady, jobs.values.allSatisfy(\.isOptional),
            !schedule.hasStartableWork
        else { return false }
        return linkWaitBegan.map { $0.duration(to: bearer.now) >= Self.linkPatience } ?? false
    }

    /// How long a link is awaited for nothing but old doubts.
    private static let linkPatience: Duration = .seconds(8)
}

extension ConfigurationInquiry {
    /// A Get that every node answers, and that is another one than reads the action back; whatever the node says is an
    /// answer.
    static func probe(besides action: ConfigurationAction) -> ConfigurationInquiry {
        var inquiry =
            if case .setDefaultTTL = action {
                ConfigurationInquiry(ConfigBeaconGet()) { _ in .doesNotHold }
            } else {
                ConfigurationInquiry(ConfigDefaultTTLGet()) { _ in .doesNotHold }
            }
        inquiry.otherAnswer = .doesNotHold
        return inquiry
    }
}
