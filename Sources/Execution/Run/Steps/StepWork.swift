import DefinitionModel
import MeshCore
import Planning
import Store

/// The steps that edit the database or ask a node for a change: how they begin, what each answer means, and how they
/// end.
///
/// A request that was not answered is read back; a request whose read-back is not answered either leaves its step in
/// doubt. The value has no input or output of its own: what it decides stands in the ledger or is returned.
struct StepWork {
    /// How often a change is requested before its step fails.
    let maximumRounds: Int
    /// Nodes of which a step has begun.
    private(set) var begun: Set<DeviceUUID> = []
    private var witnesses = SharedListSearch()

    init(maximumRounds: Int) {
        self.maximumRounds = maximumRounds
    }

    // MARK: The beginning

    /// Announces that a node's first step begins.
    mutating func greet(_ step: Int, _ ledger: inout RunLedger) {
        if let node = ledger.steps[step].node, begun.insert(node).inserted { ledger.announce(.nodeStarted(node)) }
    }

    /// Makes a database edit.
    ///
    /// - Parameter key: makes or reads a key.
    func edit(
        _ step: Int,
        _ ledger: inout RunLedger,
        _ doubts: DoubtWork,
        key: (KeySource) throws(ExecutionContext.KeyError) -> KeyMaterial
    ) -> [RunOutput] {
        guard case .edit(let edit) = ledger.steps[step].work else { return [] }
        if case .refreshKeys(let index, let stage, replacing: _) = edit,
            let objection = ledger.network.objection(
                to: stage,
                of: index,
                doubtful: doubts.nodes(doubting: .addNetKey(index))
            )
        {
            ledger.fail(step, .unmakeable("the key refresh cannot go on: \(objection)"))
            return []
        }
        do throws(ExecutionContext.KeyError) {
            guard try ledger.network.apply(edit, key: key) else {
                ledger.skip(step)
                return []
            }
            ledger.succeed(step)
            return edit.news(in: ledger.network.header)
        } catch {
            ledger.fail(step, .keyUnavailable(error.message))
            return []
        }
    }

    /// Begins to ask a node for a change. The intent must be durable before the request is sent.
    func start(
        _ step: Int,
        _ action: ConfigurationAction,
        on uuid: DeviceUUID,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        if action == .resetNode, ledger.network.node(uuid) == nil {
            // An earlier run has done it, or has just turned out to have done it.
            ledger.skip(step)
            return []
        }
        do throws(StepFailure) {
            let node = try ledger.reachableNode(uuid, for: action)
            guard !ledger.network.hasEffect(action, on: node), !ledger.network.header.isNeedless(action, on: node)
            else {
                // It was there already, and is managed from now on.
                let appKeys = ledger.network.header.appKeys
                let sharing = ledger.network.header.sharedLists(of: node)
                ledger.update(uuid) { node, _ in node.apply(action, appKeys: appKeys, sharing: sharing) }
                ledger.skip(step)
                return []
            }
            let begun = action.begun(
                on: node,
                step: step,
                of: ledger.journal.run?.rawValue ?? 0,
                at: ledger.now
            )
            let inquiries = ActionInquiries(begun, node: node.unicastAddress, network: ledger.network.header)
            let prelude = inquiries.prelude
            let inquiry = if let prelude { prelude } else { try inquiries.request() }
            let phase = prelude == nil ? StepRequest.Phase.request : .prelude
            ledger.journal.intend(ledger.subject(of: step), begun, node: uuid)
            return [.ask(.step(StepRequest(node: uuid, step: step, action: begun, phase: phase, inquiry: inquiry)))]
        } catch {
            ledger.fail(step, error)
            return []
        }
    }

    // MARK: Answers

    /// A node answered.
    mutating func settle(
        _ request: StepRequest,
        _ verdict: ConfigurationVerdict,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        if case .probe = request.phase {
            leaveUnknown(request, as: .notKnown, &ledger)
            return []
        }
        switch verdict {
        case .report(.subscriptions(let model, let list)):
            witnesses.heard(list, of: model, on: request.node, &ledger)
            endReading(request, &ledger)
        case .refused where request.action.isReading: endReading(request, &ledger)
        case .holds(.resetNode): return [.watchReset(request)]
        case .holds(let action): return succeed(request, &ledger) { $0.record(action, in: $1, at: $2) }
        case .composition(let composition): return take(composition, for: request, &ledger)
        case .relayRetransmit(let retransmit): return continueRelay(request, retransmit, &ledger)
        case .doesNotHold: return repeatRequest(request, &ledger)
        case .odd(let answer): return settleOdd(request, answer, &ledger)
        case .refused(let status) where request.mayHaveNewKey(status): return askForPhase(request, status, &ledger)
        case .refused(let status) where request.action.isRemoval:
            return settleRemoval(request, refusedWith: status, &ledger)
        case .refused(let status):
            if status == .insufficientResources {
                ledger.network.learnCapacity(from: request.action, refusedBy: request.node)
            }
            end(request, status: status, .refused(status), &ledger)
        case .featureNotSupported:
            ledger.update(request.node) { $0.recordMissingFeature(of: request.action, at: $1) }
            end(request, status: .featureNotSupported, .featureNotSupported, &ledger)
        case .differs(let report, let told):
            let header = ledger.network.header
            if let told { ledger.update(request.node) { $0.record(told, in: header, at: $1) } }
            end(request, status: .unspecifiedError, .differs(report), &ledger)
        case .continues(let position): return continueList(request, from: position, ledger)
        // No step asks for this.
        case .report, .reports, .told: break
        }
        return []
    }

    /// A node told its composition.
    private mutating func take(
        _ composition: Composition,
        for request: StepRequest,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        if let objection = ledger.network.objection(to: composition, of: request.node) {
            end(request, status: .unspecifiedError, .contradicts(objection), &ledger)
            return []
        }
        let outputs = succeed(request, &ledger) { node, _, now in
            node.record(composition)
            node.observedAt = now
            node.unprovisionedSeenAt = nil
        }
        return outputs + [.composed(request.node)]
    }

    /// A list comes in parts, and this part did not contain the answer.
    private func continueList(_ request: StepRequest, from position: UInt16, _ ledger: RunLedger) -> [RunOutput] {
        guard let inquiry = ledger.furtherInquiry(request.action, to: request.node, from: position) else {
            return []
        }
        var further = request
        further.inquiry = inquiry
        return [.ask(.step(further))]
    }

    /// The node's relay retransmit is known. Now the relay state can be set without changing it.
    private func continueRelay(
        _ request: StepRequest,
        _ retransmit: TransmitParameters,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        guard case .setRelay(let isOn, _) = request.action else { return [] }
        guard !ledger.isInterrupted else { return putBack(request, &ledger) }
        var request = request
        request.action = .setRelay(isOn, retransmit)
        request.phase = .request
        return resend(request, &ledger) { inquiries throws(StepFailure) in try inquiries.request() }
    }

    /// A node refuses a new NetKey; another tool may have given it one.
    private func askForPhase(
        _ request: StepRequest,
        _ status: ConfigStatusCode,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        guard !ledger.isInterrupted else { return putBack(request, &ledger) }
        var request = request
        request.refusal = status
        request.phase = .readBack
        let isOnlySubnet = ledger.network.node(request.node)?.netKeys.count == 1
        return resend(request, &ledger) { inquiries throws(StepFailure) in
            try inquiries.inquiry(afterRefusal: status, isOnlySubnet: isOnlySubnet)
        }
    }

    /// A read-back says that the request has not taken effect.
    private func repeatRequest(_ request: StepRequest, _ ledger: inout RunLedger) -> [RunOutput] {
        if let status = request.refusal {
            end(request, status: status, request.action.isRemoval ? .refused(status) : .otherNewKey, &ledger)
            return []
        }
        guard request.round < maximumRounds else {
            ledger.settle(request.step, .skipped)
            ledger.fail(request.step, .withoutEffect(rounds: request.round))
            return []
        }
        guard !ledger.isInterrupted else { return putBack(request, &ledger) }
        var request = request
        request.phase = .request
        request.round += 1
        return resend(request, &ledger) { inquiries throws(StepFailure) in try inquiries.request() }
    }

    // MARK: No answer

    /// No answer came within the deadline.
    func settleUnanswered(_ request: StepRequest, _ ledger: inout RunLedger) -> [RunOutput] {
        let step = request.step
        switch request.phase {
        case .prelude:
            ledger.settle(step, .skipped)
            return [.suspend(request.node)]
        case .request:
            // Reading changes nothing, so nothing is in doubt.
            switch request.action {
            case .readComposition, .read, .holdState:
                ledger.settle(step, .skipped)
                return [.suspend(request.node)]
            default: break
            }
            ledger.announce(.stepUnknown(step: step))
            return readBack(request, &ledger)
        case .readBack where request.action != .resetNode && !ledger.isInterrupted:
            var probe = request
            probe.phase = .probe
            probe.inquiry = Question(whetherThere: request.action).inquiry
            return [.ask(.step(probe))]
        case .readBack, .probe:
            ledger.settle(step, .unknown)
            return [.suspend(request.node)]
        }
    }

    /// The outcome of a request is unknown: the node is asked for it, unless the user wants no new messages.
    func readBack(_ request: StepRequest, _ ledger: inout RunLedger) -> [RunOutput] {
        guard !ledger.isInterrupted else {
            ledger.settle(request.step, .unknown)
            return []
        }
        var request = request
        request.phase = .readBack
        return resend(request, &ledger) { inquiries throws(StepFailure) in try inquiries.readBack() }
    }

    /// A node answers, but neither a request of this run nor the question about its outcome. The value is unknown, the
    /// step has failed, and the node's other steps go on.
    func leaveUnknown(_ request: StepRequest, as failure: StepFailure, _ ledger: inout RunLedger) {
        ledger.update(request.node) { node, _ in node.leaveUnknown(request.action) }
        ledger.settle(request.step, .notKnown)
        ledger.fail(request.step, failure)
    }

    /// An interrupt ends a request that had no effect: its step does not start in this run.
    func putBack(_ request: StepRequest, _ ledger: inout RunLedger) -> [RunOutput] {
        ledger.settle(request.step, .skipped)
        ledger.schedule.putBack(request.step)
        return []
    }

    /// Sends another request for a step whose intent is durable.
    func resend(
        _ request: StepRequest,
        _ ledger: inout RunLedger,
        _ inquiry: (ActionInquiries) throws(StepFailure) -> ConfigurationInquiry
    ) -> [RunOutput] {
        guard let node = ledger.network.node(request.node) else { return [] }
        var request = request
        do throws(StepFailure) {
            request.inquiry = try inquiry(
                ActionInquiries(request.action, node: node.unicastAddress, network: ledger.network.header)
            )
            return [.ask(.step(request))]
        } catch {
            ledger.settle(request.step, .skipped)
            ledger.fail(request.step, error)
            return []
        }
    }

    // MARK: Outcomes

    /// A step has reached its aim.
    ///
    /// - Parameter record: records what is known now.
    mutating func succeed(
        _ request: StepRequest,
        _ ledger: inout RunLedger,
        _ record: (inout Node, MeshNetwork, Timestamp) -> Void
    ) -> [RunOutput] {
        let (step, node) = (request.step, request.node)
        if let status = request.refusal, request.action.isRemoval {
            ledger.announce(.removalFoundNothing(step: step, status))
        }
        let header = ledger.network.header
        ledger.update(node) { record(&$0, header, $1) }
        ledger.network.checkCapacity(after: request.action, on: node)
        witnesses.confirmed(request.action, by: node)
        ledger.settle(step, .succeeded)
        ledger.succeed(step, byReadBack: request.phase == .readBack)
        return [.changed(node)]
    }

    /// A node has refused a request for good.
    func end(
        _ request: StepRequest,
        status: ConfigStatusCode,
        _ failure: StepFailure,
        _ ledger: inout RunLedger
    ) {
        ledger.settle(request.step, .failed(status: status.rawValue))
        ledger.fail(request.step, failure)
    }

    /// A reading is over, with or without a meaningful answer.
    func endReading(_ request: StepRequest, _ ledger: inout RunLedger) {
        ledger.settle(request.step, .succeeded)
        ledger.succeed(request.step)
    }
}

extension DatabaseEdit {
    /// What the client must know of an edit that was made: keys that are new or were changed, and the node that the
    /// network has excluded.
    fileprivate func news(in network: MeshNetwork) -> [RunOutput] {
        switch self {
        case .createNetKey(let index, name: _, source: _):
            [.keys(network.netKeys.filter { $0.index == index }, [])]
        case .createAppKey(let index, name: _, boundTo: _, source: _):
            [.keys([], network.appKeys.filter { $0.index == index })]
        case .refreshKeys(let index, _, replacing: _):
            [.keys(network.netKeys.filter { $0.index == index }, network.appKeys.filter { $0.boundNetKey == index })]
        case .exclude(let uuid): [.changed(uuid)]
        default: []
        }
    }
}

extension StepRequest {
    /// Whether the refusal may mean that the node has the new NetKey already.
    fileprivate func mayHaveNewKey(_ status: ConfigStatusCode) -> Bool {
        guard refusal == nil, phase == .request, case .updateNetKey = action else { return false }
        return status == .cannotUpdate || status == .keyIndexAlreadyStored
    }
}

extension ConfigurationAction {
    /// Whether the action changes nothing.
    fileprivate var isReading: Bool {
        if case .read = self { true } else { false }
    }
}
