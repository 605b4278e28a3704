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
    /// The node does not answer, and the request may be why: it may hear, while its answers do not arrive.
    case mayHaveSilenced
}

/// What a run does about requests whose outcome an earlier run left in doubt.
///
/// The run reads first, and the plan that follows asks again for what it still wants. Asking again at once could repeat
/// what nobody wants any more, and ``WayBack`` would not judge a request that takes a way away. Where reading tells
/// nothing, the record says so and the plan asks all the same: reading alone settles nothing.
///
/// A doubt never blocks for ever: the run asks about it for a bounded time, and only where the answer can matter. If
/// the node answers, but not this question, the value stays unknown and the run goes on. If the node is silent, the
/// doubt stays and the node's own steps wait; other nodes do not. Only where the request itself may have silenced the
/// node would asking never end: there the value becomes unknown, so that the plan sets it again, which heals. The value
/// has no input or output of its own.
struct DoubtWork {
    /// In-doubt requests of earlier runs, oldest first.
    private var open: [DeviceUUID: [JournalIntent]] = [:]
    /// Nodes that have in-doubt requests and no step, in reverse order.
    private var nodes: [DeviceUUID] = []
    /// Whether the outcome of a request still matters to the plan.
    private let matters: (DeviceUUID, ConfigurationAction) -> Bool
    /// Whether the run leaves doubts alone that no step waits for, because there is no proxy.
    private(set) var areLeft: Bool
    /// Since when requests have been waiting for a link; nil if there is a link, or no request.
    private var linkWaitBegan: Instant?

    /// How long the run waits for a link if it only needs it for old doubts.
    private static let linkPatience: Duration = .seconds(8)

    /// The doubts that earlier runs left.
    ///
    /// - Parameters:
    ///   - schedule: tells which nodes have steps.
    ///   - areLeft: whether those are left alone that no step waits for.
    ///   - matters: whether the outcome of a request still matters to the plan.
    init(
        _ doubts: [JournalIntent],
        _ schedule: StepSchedule,
        areLeft: Bool,
        matters: @escaping (DeviceUUID, ConfigurationAction) -> Bool
    ) {
        self.areLeft = areLeft
        self.matters = matters
        for doubt in doubts {
            if open[doubt.node] == nil, schedule.lane(of: doubt.node) == nil { nodes.append(doubt.node) }
            open[doubt.node, default: []].append(doubt)
        }
        nodes.reverse()
    }

    var isEmpty: Bool { open.isEmpty }

    /// All doubts, in no order.
    var intents: [JournalIntent] { open.values.flatMap(\.self) }

    func concern(_ node: DeviceUUID) -> Bool { open[node] != nil }

    /// The nodes of which nobody knows what became of this request.
    func nodes(doubting action: ConfigurationAction) -> [DeviceUUID] {
        intents.filter { $0.action == action.encoded }.map(\.node)
    }

    // MARK: Whether to ask

    /// Whether a node waits to be asked that has no step. It is asked as long as a link may come about.
    func hasNext(isLinkReady: Bool) -> Bool { !nodes.isEmpty && (!areLeft || isLinkReady) }

    /// The next node to ask that has no step; nil if there is none.
    mutating func takeNext(isLinkReady: Bool) -> DeviceUUID? {
        hasNext(isLinkReady: isLinkReady) ? nodes.popLast() : nil
    }

    /// No proxy is in reach that could carry the questions. They stay in doubt, and nothing waits for them.
    ///
    /// - Parameter asked: the nodes to which questions were open, as often as there were any.
    mutating func leave(_ asked: [DeviceUUID]) {
        areLeft = true
        nodes += asked
    }

    /// A wait of the run is over.
    ///
    /// - Parameter isForLink: whether requests wait for a link.
    mutating func waited(isForLink: Bool, until now: Instant) {
        linkWaitBegan = isForLink ? linkWaitBegan ?? now : nil
    }

    /// Whether requests have been waiting for a link for longer than doubts are worth.
    func isWaitOver(at now: Instant) -> Bool {
        linkWaitBegan.map { $0.duration(to: now) >= Self.linkPatience } ?? false
    }

    // MARK: Doubts without a question

    /// Ends the doubts that need no question, before the run asks anything.
    mutating func settleNeedless(_ ledger: inout RunLedger) -> [RunOutput] {
        var outputs: [RunOutput] = []
        for uuid in open.keys.sorted() { outputs += settleNeedless(of: uuid, &ledger) }
        nodes.removeAll { open[$0] == nil }
        return outputs
    }

    /// The node was replaced by the device that it was before: these doubts were about a node that no longer exists.
    mutating func skip(of uuid: DeviceUUID, _ ledger: inout RunLedger) {
        for doubt in open.removeValue(forKey: uuid) ?? [] { ledger.journal.settle(doubt, .skipped) }
    }

    private mutating func settleNeedless(of uuid: DeviceUUID, _ ledger: inout RunLedger) -> [RunOutput] {
        var outputs: [RunOutput] = []
        for doubt in open[uuid] ?? [] {
            let action = try? ConfigurationAction(decoding: doubt.action)
            if action == .resetNode, ledger.network.node(uuid)?.unprovisionedSeenAt != nil {
                // A device was seen unprovisioned whose reset was in doubt.
                outputs += ledger.retire(uuid)
                resolve(doubt, .resetNode, .succeeded, tookEffect: true, &ledger)
            } else if let end = needlessness(of: doubt, action, ledger) {
                abandon(doubt, action, because: end, &ledger)
            }
        }
        return outputs
    }

    /// Why the run need not or cannot ask about a doubt; nil if it can.
    private func needlessness(
        of doubt: JournalIntent,
        _ action: ConfigurationAction?,
        _ ledger: RunLedger
    ) -> DoubtEnd? {
        guard let action, let node = ledger.network.node(doubt.node), node.deviceKey != nil,
            !ledger.network.subnets(of: node, for: action).isEmpty
        else { return .isGone }
        if node.unprovisionedSeenAt != nil { return .wasReset }
        if node.isExcluded { return .isExcluded }
        if let model = action.model, node.isCompositionKnown, node.place(of: model) == nil { return .partIsMissing }
        return matters(doubt.node, action) ? nil : .isNotDeclared
    }

    // MARK: Questions

    /// Asks about the doubts about a node one after another, then begins its step.
    ///
    /// - Parameter step: nil where the node has only doubts.
    mutating func proceed(with node: DeviceUUID, to step: Int?, _ ledger: inout RunLedger) -> [RunOutput] {
        guard !ledger.unreachable.contains(node) else { return [.suspend(node)] }
        while let doubt = open[node]?.first {
            if let request = readBack(doubt, for: step, ledger) { return [.ask(.doubt(request))] }
            abandon(doubt, try? ConfigurationAction(decoding: doubt.action), because: .isGone, &ledger)
        }
        return step.map { [.start($0)] } ?? []
    }

    /// The request that reads a doubt back; nil if there is none.
    private func readBack(_ doubt: JournalIntent, for step: Int?, _ ledger: RunLedger) -> DoubtRequest? {
        guard let action = try? ConfigurationAction(decoding: doubt.action),
            let node = try? ledger.reachableNode(doubt.node, for: action)
        else { return nil }
        let inquiries = ActionInquiries(action, node: node.unicastAddress, network: ledger.network.header)
        guard let inquiry = try? inquiries.readBack() else { return nil }
        return DoubtRequest(intent: doubt, action: action, step: step, inquiry: inquiry)
    }

    // MARK: Answers

    /// A node answered the read-back of a doubt, or the question whether it answers at all.
    mutating func settle(
        _ request: DoubtRequest,
        _ verdict: ConfigurationVerdict,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        if case .probe = request.phase { return askAgain(request, &ledger) }
        var result = JournalResult.succeeded
        var outputs: [RunOutput] = []
        switch verdict {
        case .holds(.resetNode): outputs = ledger.retire(request.node)
        case .holds(let action):
            let header = ledger.network.header
            ledger.update(request.node) { $0.record(action, in: header, at: $1) }
            outputs = [.changed(request.node)]
        case .composition(let composition):
            // The next step that reads the composition reports what is wrong with it.
            if ledger.network.objection(to: composition, of: request.node) == nil {
                ledger.record(composition, of: request.node)
            } else {
                result = .skipped
            }
        case .doesNotHold, .differs, .relayRetransmit, .report, .reports, .told: result = .skipped
        case .odd:
            abandon(request.intent, request.action, because: .answersOtherwise, &ledger)
            return goOn(after: request, &ledger)
        case .continues(let position):
            guard let inquiry = ledger.furtherInquiry(request.action, to: request.node, from: position) else {
                return []
            }
            var further = request
            further.inquiry = inquiry
            return [.ask(.doubt(further))]
        case .refused(let status): result = .failed(status: status.rawValue)
        case .featureNotSupported:
            ledger.update(request.node) { $0.recordMissingFeature(of: request.action, at: $1) }
            result = .failed(status: ConfigStatusCode.featureNotSupported.rawValue)
        }
        resolve(request.intent, request.action, result, tookEffect: result == .succeeded, &ledger)
        return outputs + goOn(after: request, &ledger)
    }

    /// A node did not tell the outcome of an earlier request. The run asks whether it answers at all, and if so, asks
    /// once more.
    mutating func settleUnanswered(_ request: DoubtRequest, _ ledger: inout RunLedger) -> [RunOutput] {
        if case .probe = request.phase {
            guard let node = ledger.network.node(request.node), request.action.maySilence(node) else {
                return [.suspend(request.node)]
            }
            abandon(request.intent, request.action, because: .mayHaveSilenced, &ledger)
            return goOn(after: request, &ledger)
        }
        guard request.isKnownAlive else {
            // The read-back of a reset already asks whether the node answers at all.
            guard request.action != .resetNode, !ledger.isInterrupted else { return [.suspend(request.node)] }
            var probe = request
            probe.phase = .probe
            probe.inquiry = Question(whetherThere: request.action).inquiry
            return [.ask(.doubt(probe))]
        }
        abandon(request.intent, request.action, because: .answersOtherwise, &ledger)
        return goOn(after: request, &ledger)
    }

    /// A node that did not tell the outcome of a request does answer: it is asked once more.
    private mutating func askAgain(_ request: DoubtRequest, _ ledger: inout RunLedger) -> [RunOutput] {
        guard var again = readBack(request.intent, for: request.step, ledger) else {
            abandon(request.intent, request.action, because: .isGone, &ledger)
            return proceed(with: request.node, to: request.step, &ledger)
        }
        guard !ledger.isInterrupted else { return goOn(after: request, &ledger) }
        again.isKnownAlive = true
        return [.ask(.doubt(again))]
    }

    /// A doubt is resolved: the next one of the node follows, then the step that waits.
    private mutating func goOn(after request: DoubtRequest, _ ledger: inout RunLedger) -> [RunOutput] {
        guard !ledger.isInterrupted else {
            if let step = request.step { ledger.schedule.putBack(step) }
            return []
        }
        return proceed(with: request.node, to: request.step, &ledger)
    }

    // MARK: Ends

    private mutating func resolve(
        _ doubt: JournalIntent,
        _ action: ConfigurationAction,
        _ result: JournalResult,
        tookEffect: Bool,
        _ ledger: inout RunLedger
    ) {
        ledger.journal.settle(doubt, result)
        forget(doubt)
        ledger.announce(.doubtResolved(doubt.node, action, tookEffect: tookEffect))
    }

    /// The outcome of a request stays unknown, and the run stops asking. The recorded value becomes unknown, so that a
    /// plan that needs it sends it again.
    private mutating func abandon(
        _ doubt: JournalIntent,
        _ action: ConfigurationAction?,
        because end: DoubtEnd,
        _ ledger: inout RunLedger
    ) {
        ledger.journal.settle(doubt, .notKnown)
        switch end {
        case .answersOtherwise, .isNotDeclared, .mayHaveSilenced:
            guard let action, ledger.network.node(doubt.node) != nil else { break }
            ledger.update(doubt.node) { node, _ in node.leaveUnknown(action) }
        case .wasReset, .isGone, .isExcluded, .partIsMissing: break
        }
        forget(doubt)
        ledger.announce(.doubtAbandoned(doubt.node, action, end))
    }

    private mutating func forget(_ doubt: JournalIntent) {
        open[doubt.node]?.removeAll { $0 == doubt }
        if open[doubt.node]?.isEmpty == true { open[doubt.node] = nil }
    }
}

extension ConfigurationAction {
    /// Whether a node that has taken it may hear everything, while its answers no longer arrive: they leave with its
    /// Default TTL.
    fileprivate func maySilence(_ node: Node) -> Bool {
        guard case .setDefaultTTL(let ttl) = self else { return false }
        return node.defaultTTL.map { ttl < $0 } ?? true
    }
}
