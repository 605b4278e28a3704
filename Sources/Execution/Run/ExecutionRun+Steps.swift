import MeshCore
import Planning
import Store

/// How steps begin and end.
extension ExecutionRun {
    /// Makes a database edit.
    func edit(_ step: Int) {
        guard case .edit(let edit) = steps[step].work else { return }
        if case .refreshKeys(let index, let stage, replacing: _) = edit,
            let objection = network.objection(to: stage, of: index)
        {
            return fail(step, .unmakeable("the key refresh cannot go on: \(objection)"))
        }
        do throws(ExecutionContext.KeyError) {
            let isChange = try network.apply(edit, key: context.key)
            if isChange { takeKeys(of: edit) }
            schedule.succeed(step)
            announce(isChange ? .stepSucceeded(step: step, byReadBack: false) : .stepSkipped(step: step))
        } catch {
            fail(step, .keyUnavailable(error.message))
        }
    }

    /// Lets the client use a new key.
    private func takeKeys(of edit: DatabaseEdit) {
        switch edit {
        case .createNetKey(let index, name: _, source: _):
            if let key = network.header.netKeys.first(where: { $0.index == index }) { driver.client.set(key) }
        case .createAppKey(let index, name: _, boundTo: _, source: _):
            if let key = network.header.appKeys.first(where: { $0.index == index }) { driver.client.set(key) }
        case .refreshKeys(let index, _, replacing: _):
            for key in network.header.netKeys where key.index == index { driver.client.set(key) }
            for key in network.header.appKeys where key.boundNetKey == index { driver.client.set(key) }
        case .exclude(let uuid): tellClient(of: uuid)
        default: break
        }
    }

    /// Begins a step that the schedule has handed out.
    func begin(_ step: Int) {
        guard let node = steps[step].node else { return }
        greet(step)
        proceed(with: node, to: step)
    }

    /// Announces that a node's first step begins.
    func greet(_ step: Int) {
        if let node = steps[step].node, startedNodes.insert(node).inserted { announce(.nodeStarted(node)) }
    }

    /// Starts a step when the turn of its node has come.
    func start(_ step: Int) {
        switch steps[step].work {
        case .configure(let node, let action): start(step, action, on: node)
        case .edit: edit(step)
        case .provision(let order): provision(step, order)
        case .configureWhenKnown(let deferred): grow(step, deferred)
        case .readBack(let node): readBack(step, node)
        }
    }

    private func start(_ step: Int, _ action: ConfigurationAction, on uuid: DeviceUUID) {
        guard let node = network.node(uuid) else {
            if action == .resetNode {
                // An earlier run has done it, or has just turned out to have done it.
                schedule.succeed(step)
                announce(.stepSkipped(step: step))
                finishNode(uuid)
                return
            }
            fail(step, .unmakeable("the database has no such node"))
            return
        }
        guard node.deviceKey != nil else {
            fail(step, .unmakeable("the database has no device key of the node"))
            return
        }
        guard !network.subnets(of: node, for: action).isEmpty else {
            fail(step, .unmakeable("the node has no network key that the database has"))
            return
        }
        if network.hasEffect(action, on: node) || isNeedless(action, on: node) {
            // It was there already, and is managed from now on.
            let appKeys = network.header.appKeys
            let sharing = network.header.sharedLists(of: node)
            network.update(uuid, at: context.now()) { $0.apply(action, appKeys: appKeys, sharing: sharing) }
            schedule.succeed(step)
            announce(.stepSkipped(step: step))
            finishNode(uuid)
            return
        }
        do throws(StepFailure) {
            let inquiries = ActionInquiries(action, node: node.unicastAddress, network: network.header)
            let prelude = inquiries.prelude
            let inquiry = if let prelude { prelude } else { try inquiries.request() }
            let phase = prelude == nil ? StepRequest.Phase.request : .prelude
            // The outcome of an earlier attempt at the same step must not remove the new intent.
            if journal.isSettling(subject(of: step)), !commitEarly() { return }
            journal.intend(subject(of: step), action, node: uuid)
            outbox.append(
                .step(StepRequest(node: uuid, step: step, action: action, phase: phase, inquiry: inquiry))
            )
        } catch {
            fail(step, error)
        }
    }

    // MARK: Answers

    /// A node answered.
    func settle(_ job: Job, _ verdict: ConfigurationVerdict) {
        switch job {
        case .step(let request): settle(request, verdict)
        case .doubt(let request): settle(request, verdict)
        case .candidate(let node, let question): settleCandidate(node, question.answer(verdict) ?? nil)
        // The question has found its proxy, whose beacon came first.
        case .ivIndex: break
        case .server(let node, _): settleServer(node, isAnswered: true)
        case .identity(let node, let question): settleIdentity(node, isRunning: question.answer(verdict) == true)
        case .afterReset(let node, _): answersAfterReset(node)
        }
    }

    private func settle(_ request: StepRequest, _ verdict: ConfigurationVerdict) {
        if case .probe = request.phase { return leaveUnknown(request) }
        let (step, uuid) = (request.step, request.node)
        if readBacks.isReading(uuid), let answer = ReadBackWork.Answer(verdict, to: request.readings) {
            return settle(request, reading: answer)
        }
        switch verdict {
        case .report(.subscriptions(let model, let list)): settle(request, list: list, of: model)
        case .refused where request.action.isReading: endReading(request)
        case .holds(.resetNode): watchReset(of: request)
        case .holds(let action): succeed(request) { $0.record(action, in: $1, at: $2) }
        case .composition(let composition):
            if let objection = network.objection(to: composition, of: uuid) {
                journal.settle(subject(of: step), .failed(status: ConfigStatusCode.unspecifiedError.rawValue))
                return fail(step, .contradicts(objection))
            }
            succeed(request) { node, _, now in
                node.record(composition)
                node.observedAt = now
                node.unprovisionedSeenAt = nil
            }
            considerServer(uuid)
        case .relayRetransmit(let retransmit): continueRelay(request, retransmit)
        case .doesNotHold: repeatRequest(request)
        case .odd(let answer): settleOdd(request, answer)
        case .refused(let status) where request.mayHaveNewKey(status): askForPhase(request, status)
        case .refused(let status) where request.action.isRemoval: settleRemoval(request, refusedWith: status)
        case .refused(let status):
            if status == .insufficientResources { network.learnCapacity(from: request.action, refusedBy: uuid) }
            journal.settle(subject(of: step), .failed(status: status.rawValue))
            fail(step, .refused(status))
        case .featureNotSupported:
            network.update(uuid, at: context.now()) { $0.recordMissingFeature(of: request.action, at: context.now()) }
            journal.settle(subject(of: step), .failed(status: ConfigStatusCode.featureNotSupported.rawValue))
            fail(step, .featureNotSupported)
        case .differs(let report):
            journal.settle(subject(of: step), .failed(status: ConfigStatusCode.unspecifiedError.rawValue))
            fail(step, .differs(report))
        case .continues(let position):
            guard let inquiry = furtherInquiry(request.action, to: uuid, from: position) else { return }
            var further = request
            further.inquiry = inquiry
            outbox.append(.step(further))
        // No step asks for this.
        case .report, .reports, .told: break
        }
    }

    /// The next question when a list comes in parts and this part did not contain the answer.
    func furtherInquiry(
        _ action: ConfigurationAction,
        to uuid: DeviceUUID,
        from position: UInt16
    ) -> ConfigurationInquiry? {
        guard let node = network.node(uuid) else { return nil }
        let inquiries = ActionInquiries(action, node: node.unicastAddress, network: network.header)
        return try? inquiries.readBack(from: position)
    }

    /// An interrupt ends a request that had no effect: its step does not start in this run.
    func putBack(_ request: StepRequest) {
        journal.settle(subject(of: request.step), .skipped)
        schedule.putBack(request.step)
    }

    /// The node's relay retransmit is known. Now the relay state can be set without changing it.
    private func continueRelay(_ request: StepRequest, _ retransmit: TransmitParameters) {
        guard case .setRelay(let isOn, _) = request.action else { return }
        guard !isInterrupted else { return putBack(request) }
        var request = request
        request.action = .setRelay(isOn, retransmit)
        request.phase = .request
        resend(request) { inquiries throws(StepFailure) in try inquiries.request() }
    }

    /// A node refuses a new NetKey; another tool may have given it one.
    private func askForPhase(_ request: StepRequest, _ status: ConfigStatusCode) {
        guard !isInterrupted else { return putBack(request) }
        var request = request
        request.refusal = status
        request.phase = .readBack
        let isOnlySubnet = network.node(request.node)?.netKeys.count == 1
        resend(request) { inquiries throws(StepFailure) in
            try inquiries.inquiry(afterRefusal: status, isOnlySubnet: isOnlySubnet)
        }
    }

    /// A read-back says that the request has not taken effect.
    private func repeatRequest(_ request: StepRequest) {
        let step = request.step
        if let status = request.refusal {
            journal.settle(subject(of: step), .failed(status: status.rawValue))
            return fail(step, request.action.isRemoval ? .refused(status) : .otherNewKey)
        }
        guard request.round < options.retry.maximumRounds else {
            journal.settle(subject(of: step), .skipped)
            return fail(step, .withoutEffect(rounds: request.round))
        }
        guard !isInterrupted else { return putBack(request) }
        var request = request
        request.phase = .request
        request.round += 1
        resend(request) { inquiries throws(StepFailure) in try inquiries.request() }
    }

    /// Sends another request for a step whose intent is durable.
    func resend(
        _ request: StepRequest,
        _ inquiry: (ActionInquiries) throws(StepFailure) -> ConfigurationInquiry
    ) {
        guard let node = network.node(request.node) else { return }
        var request = request
        do throws(StepFailure) {
            request.inquiry = try inquiry(
                ActionInquiries(request.action, node: node.unicastAddress, network: network.header)
            )
            outbox.append(.step(request))
        } catch {
            journal.settle(subject(of: request.step), .skipped)
            fail(request.step, error)
        }
    }

    /// No answer came within the deadline.
    func settleUnanswered(_ job: Job) {
        switch job {
        case .step(let request): settleUnanswered(request)
        case .doubt(let request): settleUnanswered(request)
        case .candidate, .ivIndex, .server, .identity, .afterReset: settleInVain(job)
        }
    }

    /// A question that belongs to no step and no doubt got no answer, for any reason.
    func settleInVain(_ job: Job) {
        switch job {
        case .step, .doubt, .ivIndex: break
        case .candidate(let node, _): findingOut.unanswered(node)
        case .server(let node, _): settleServer(node, isAnswered: false)
        case .identity(let node, _): settleIdentity(node, isRunning: false)
        case .afterReset(let node, _): endWatch(node, .notSeen)
        }
    }

    private func settleUnanswered(_ request: StepRequest) {
        let step = request.step
        switch request.phase {
        case .prelude:
            journal.settle(subject(of: step), .skipped)
            suspend(request.node)
        case .request:
            guard request.readings.isEmpty else { return settle(request, reading: .noSequence) }
            // Reading changes nothing, so nothing is in doubt.
            switch request.action {
            case .read where readBacks.isReading(request.node): return settleUnansweredReading(request)
            case .readComposition, .read:
                journal.settle(subject(of: step), .skipped)
                return suspend(request.node)
            default: break
            }
            announce(.stepUnknown(step: step))
            guard !isInterrupted else { return journal.settle(subject(of: step), .unknown) }
            var request = request
            request.phase = .readBack
            resend(request) { inquiries throws(StepFailure) in try inquiries.readBack() }
        case .readBack where request.action != .resetNode && !isInterrupted:
            var probe = request
            probe.phase = .probe
            probe.inquiry = Question(whetherThere: request.action).inquiry
            outbox.append(.step(probe))
        case .readBack, .probe:
            journal.settle(subject(of: step), .unknown)
            suspend(request.node)
        }
    }

    /// A request could not be sent.
    func settle(_ job: Job, unsendable error: StackError) {
        let isRunOver = if case .sequenceNumbers = error { true } else { false }
        if case .sequenceNumbers(let reason) = error { endSending(reason.explanation) }
        switch job {
        case .step(let request) where isRunOver || request.mayHaveArrived:
            journal.settle(subject(of: request.step), request.resultIfLeft)
        case .doubt(let request) where isRunOver:
            if let step = request.step { schedule.putBack(step) }
        case .step, .doubt:
            guard let step = job.step else { break }
            journal.settle(subject(of: step), .skipped)
            fail(step, .unmakeable("the request cannot be sent: \(error)"))
        case .candidate, .ivIndex, .server, .identity, .afterReset: settleInVain(job)
        }
    }

    // MARK: Outcomes

    func succeed(_ request: StepRequest, _ record: (inout Node, MeshNetwork, Timestamp) -> Void) {
        let (step, node) = (request.step, request.node)
        let isByReadBack = request.phase == .readBack
        if let status = request.refusal, request.action.isRemoval { announce(.removalFoundNothing(step: step, status)) }
        let header = network.header
        network.update(node, at: context.now()) { record(&$0, header, context.now()) }
        network.checkCapacity(after: request.action, on: node)
        listWitnesses[node]?.confirmed(request.action)
        tellClient(of: node)
        journal.settle(subject(of: step), .succeeded)
        schedule.succeed(step)
        announce(.stepSucceeded(step: step, byReadBack: isByReadBack))
        finishNode(node)
    }

    func fail(_ step: Int, _ failure: StepFailure) {
        if case .readBack(let node) = steps[step].work { endReadBack(node) }
        let blocked = schedule.fail(step)
        announce(.stepFailed(step: step, failure))
        announceBlocked(blocked, besides: schedule.lane(ofStep: step))
        if case .edit = steps[step].work { return }
        if let node = steps[step].node { finishNode(node) }
    }

    /// A node does not answer: the run sends it nothing more.
    func suspend(_ node: DeviceUUID) {
        unreachable.insert(node)
        endReadBack(node)
        if let address = network.node(node)?.unicastAddress { forgetServer(address) }
        guard let lane = schedule.lane(of: node) else {
            announce(.nodePending(node, steps: 0))
            return
        }
        let (pending, blocked) = schedule.suspend(lane: lane)
        announce(.nodePending(node, steps: pending.count))
        announceBlocked(blocked)
    }

    /// Announces which steps are blocked, and which nodes are finished because of that.
    ///
    /// - Parameter own: the lane whose end the caller announces.
    func announceBlocked(_ blocked: [Int], besides own: Int? = nil) {
        var lanes: Set<Int> = []
        var ended: [Int] = []
        for step in blocked {
            if case .blocked(let cause) = schedule.states[step] { announce(.stepBlocked(step: step, by: cause)) }
            guard let lane = schedule.lane(ofStep: step), lane != own, lanes.insert(lane).inserted else { continue }
            if schedule.isLaneFinished(lane) { ended.append(lane) }
        }
        for lane in ended { announce(.nodeFinished(schedule.node(ofLane: lane))) }
    }

    func finishNode(_ node: DeviceUUID) {
        guard let lane = schedule.lane(of: node), schedule.isLaneFinished(lane) else { return }
        announce(.nodeFinished(node))
    }
}

extension StepRequest {
    /// Whether the refusal may mean that the node has the new NetKey already.
    fileprivate func mayHaveNewKey(_ status: ConfigStatusCode) -> Bool {
        guard refusal == nil, phase == .request, case .updateNetKey = action else { return false }
        return status == .cannotUpdate || status == .keyIndexAlreadyStored
    }
}

extension StackError {
    /// A sentence without a full stop.
    var explanation: String {
        if case .sequenceNumbers(let reason) = self { reason.explanation } else { "\(self)" }
    }
}

extension SequenceNumberError {
    /// A sentence without a full stop.
    var explanation: String {
        switch self {
        case .exhausted(let source): "all sequence numbers of \(source) under this IV index are used"
        case .notDurable(let reason): "sequence numbers cannot be reserved: \(reason)"
        case .ivIndexWentBack(let source, let reached):
            "sequence numbers of \(source) were used under IV index \(reached) before; the database is an old copy"
        }
    }
}

extension ConfigurationAction {
    /// Whether the action changes nothing.
    var isReading: Bool {
        if case .read = self { true } else { false }
    }
}
