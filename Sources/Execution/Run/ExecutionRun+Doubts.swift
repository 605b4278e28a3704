import MeshCore
import Planning
import Store

/// How a doubt ended without an answer: nobody knows, or will know, what the request did.
package enum DoubtEnd: Hashable, Sendable {
    /// The node was reset since, or has been replaced by another.
    case wasReset
    /// The database no longer has the node, or has nothing to ask it with.
    case isGone
    /// The node is excluded, so the run does not talk to it.
    case isExcluded
    /// The node has no such model or element.
    case partIsMissing
    /// The definition no longer names the node or the model.
    case isNotDeclared
    /// The node answers, but not this question.
    case answersOtherwise
}

/// What the run does about requests whose outcome an earlier run left in doubt.
///
/// A doubt never blocks for ever: the run asks about it for a bounded time, and only where the answer can matter. If
/// the node answers, but not this question, the value stays unknown and the run goes on. If the node is silent, the
/// doubt stays and the node's own steps wait; other nodes do not.
extension ExecutionRun {
    /// Ends the doubts that need no question, before the run asks anything.
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

    /// Why the run need not or cannot ask about a doubt; nil if it can.
    private func needlessness(of doubt: JournalIntent, _ action: ConfigurationAction?) -> DoubtEnd? {
        guard let action, let node = network.node(doubt.node), node.deviceKey != nil,
            !network.subnets(of: node, for: action).isEmpty
        else { return .isGone }
        if node.unprovisionedSeenAt != nil { return .wasReset }
        if node.isExcluded { return .isExcluded }
        if let model = action.model, node.isCompositionKnown, node.place(of: model) == nil { return .partIsMissing }
        return isDoubtOfInterest(doubt.node, action) ? nil : .isNotDeclared
    }

    /// A device was seen unprovisioned whose reset was in doubt.
    private func confirmReset(_ doubt: JournalIntent) {
        retire(doubt.node)
        journal.settle(doubt, .succeeded)
        forget(doubt)
        announce(.doubtResolved(doubt.node, .resetNode, tookEffect: true))
    }

    /// Resolves the doubts about a node one after another, then begins its step.
    func proceed(with node: DeviceUUID, to step: Int?) {
        guard !unreachable.contains(node) else {
            suspend(node)
            return
        }
        while let doubt = doubts[node]?.first {
            if let request = readBack(doubt, for: step) {
                outbox.append(.doubt(request))
                return
            }
            abandon(doubt, try? ConfigurationAction(decoding: doubt.action), because: .isGone)
        }
        if let step { start(step) }
    }

    /// The request that reads a doubt back; nil if there is none.
    private func readBack(_ doubt: JournalIntent, for step: Int?) -> DoubtRequest? {
        guard let action = try? ConfigurationAction(decoding: doubt.action), let node = network.node(doubt.node),
            node.deviceKey != nil, !network.subnets(of: node, for: action).isEmpty
        else { return nil }
        let inquiries = ActionInquiries(action, node: node.unicastAddress, network: network.header)
        guard let inquiry = try? inquiries.readBack() else { return nil }
        return DoubtRequest(intent: doubt, action: action, step: step, inquiry: inquiry)
    }

    /// A node answered the read-back of a doubt, or the question whether it answers at all.
    func settle(_ request: DoubtRequest, _ verdict: ConfigurationVerdict) {
        if case .probe = request.phase { return askAgain(request) }
        let (doubt, uuid) = (request.intent, request.node)
        var tookEffect = true
        switch verdict {
        case .holds(.resetNode):
            retire(uuid)
            journal.settle(doubt, .succeeded)
        case .holds(let action):
            let header = network.header
            network.update(uuid, at: context.now()) { $0.record(action, in: header, at: context.now()) }
            tellClient(of: uuid)
            journal.settle(doubt, .succeeded)
        case .composition(let composition) where network.objection(to: composition, of: uuid) != nil:
            // The next step that reads the composition reports what is wrong with it.
            tookEffect = false
            journal.settle(doubt, .skipped)
        case .composition(let composition):
            network.update(uuid, at: context.now()) { node in
                node.record(composition)
                node.observedAt = context.now()
            }
            journal.settle(doubt, .succeeded)
        case .doesNotHold, .differs, .relayRetransmit, .report, .reports, .told:
            tookEffect = false
            journal.settle(doubt, .skipped)
        case .odd:
            abandon(doubt, request.action, because: .answersOtherwise)
            return goOn(after: request)
        case .continues(let position):
            guard let inquiry = furtherInquiry(request.action, to: uuid, from: position) else { return }
            var further = request
            further.inquiry = inquiry
            outbox.append(.doubt(further))
            return
        case .refused(let status):
            tookEffect = false
            journal.settle(doubt, .failed(status: status.rawValue))
        case .featureNotSupported:
            tookEffect = false
            network.update(uuid, at: context.now()) { $0.recordMissingFeature(of: request.action, at: context.now()) }
            journal.settle(doubt, .failed(status: ConfigStatusCode.featureNotSupported.rawValue))
        }
        forget(doubt)
        announce(.doubtResolved(uuid, request.action, tookEffect: tookEffect))
        goOn(after: request)
    }

    /// A doubt is resolved: the next one of the node follows, then the step that waits.
    private func goOn(after request: DoubtRequest) {
        guard !isInterrupted else {
            if let step = request.step { schedule.putBack(step) }
            return
        }
        proceed(with: request.node, to: request.step)
    }

    /// The outcome of a request stays unknown, and the run stops asking. The recorded value becomes unknown, so that a
    /// plan that needs it sends it again.
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

    /// A node did not tell the outcome of an earlier request. The run asks whether it answers at all, and if so, asks
    /// once more.
    func settleUnanswered(_ request: DoubtRequest) {
        if case .probe = request.phase { return suspend(request.node) }
        guard request.isKnownAlive else {
            // The read-back of a reset already asks whether the node answers at all.
            guard request.action != .resetNode, !isInterrupted else { return suspend(request.node) }
            var probe = request
            probe.phase = .probe
            probe.inquiry = Question(whetherThere: request.action).inquiry
            outbox.append(.doubt(probe))
            return
        }
        abandon(request.intent, request.action, because: .answersOtherwise)
        goOn(after: request)
    }

    /// A node that did not tell the outcome of a request does answer: it is asked once more.
    private func askAgain(_ request: DoubtRequest) {
        guard var again = readBack(request.intent, for: request.step) else {
            abandon(request.intent, request.action, because: .isGone)
            return proceed(with: request.node, to: request.step)
        }
        guard !isInterrupted else { return goOn(after: request) }
        again.isKnownAlive = true
        outbox.append(.doubt(again))
    }

    /// A node answers, but neither a request of this run nor the question about its outcome. The value is unknown, the
    /// step has failed, and the node's other steps go on.
    func leaveUnknown(_ request: StepRequest) {
        network.update(request.node, at: context.now()) { $0.leaveUnknown(request.action) }
        journal.settle(subject(of: request.step), .notKnown)
        fail(request.step, .notKnown)
    }

    // MARK: No proxy

    /// Whether to ask about doubts that no step waits for: as long as a link may come about.
    var mayAskDoubts: Bool { !leavesDoubts || driver.client.isLinkReady }

    /// No proxy is in reach that could carry the questions. They stay in doubt, and nothing waits for them.
    func leaveOptional() {
        for uuid in findingOut.devices { endFindingOut(uuid) }
        leavesDoubts = true
        outbox.removeAll(where: \.isOptional)
        for identifier in jobs.keys.sorted() {
            guard let job = jobs[identifier], job.isOptional else { continue }
            jobs[identifier] = nil
            if case .afterReset(let node, _) = job { endWatch(node, .notSeen) }
            guard let address = network.node(job.node)?.unicastAddress else { continue }
            perform(driver.client.cancel(address, at: bearer.now))
            if case .doubt(let request) = job { doubtfulNodes.append(request.node) }
        }
    }

    /// Whether questions that nothing depends on have waited too long for a link.
    var isTiredOfWaiting: Bool {
        guard queue.isEmpty, !jobs.isEmpty, !driver.client.isLinkReady, jobs.values.allSatisfy(\.isOptional),
            !schedule.hasStartableWork
        else { return false }
        return linkWaitBegan.map { $0.duration(to: bearer.now) >= Self.linkPatience } ?? false
    }

    /// How long the run waits for a link if it only needs it for old doubts.
    private static let linkPatience: Duration = .seconds(8)
}
