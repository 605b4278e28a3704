import MeshCore
import Planning
import Store

/// What becomes of steps.
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

    /// Tells that a node's first step begins.
    func greet(_ step: Int) {
        if let node = steps[step].node, startedNodes.insert(node).inserted { announce(.nodeStarted(node)) }
    }

    /// Starts what the node's turn has come for.
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
                // An earlier run has done it, or found out just now that it had.
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
            let stage = prelude == nil ? Stage.request : .prelude
            // The outcome of an earlier attempt at the same step must not take the new intent with it.
            if journal.isSettling(subject(of: step)), !commitEarly() { return }
            journal.intend(subject(of: step), action, node: uuid)
            outbox.append(Job(node: uuid, step: step, action: action, stage: stage, inquiry: inquiry))
        } catch {
            fail(step, error)
        }
    }

    // MARK: Answers

    /// A node answered.
    func settle(_ job: Job, _ verdict: ConfigurationVerdict) {
        if case .doubt(let doubt) = job.stage {
            settle(doubt, job, verdict)
            return
        }
        if job.isCandidate { return settleCandidate(job, verdict) }
        if job.isForServer { return settleServer(job, isAnswered: true) }
        if job.isForIdentity { return settleIdentity(job, isRunning: verdict == .identity(isRunning: true)) }
        if job.isAfterReset { return answersAfterReset(job.node) }
        if case .probe(let doubt) = job.stage { return settleProbe(job, doubt) }
        guard let step = job.step else { return }
        switch verdict {
        case .report(let report) where readBacks[job.node] != nil: settle(step, job, report)
        case .reports(let answers): settle(step, job, answers)
        case .report(.subscriptions(let model, let list)): settle(step, job, list: list, of: model)
        case .refused where readBacks[job.node] != nil: settleRefusedReading(step, job)
        case .refused where job.action.isReading: endReading(step, job)
        case .holds(.resetNode): watchReset(of: job)
        case .holds(let action): succeed(step, job) { $0.record(action, in: $1, at: $2) }
        case .composition(let composition):
            if let objection = network.objection(to: composition, of: job.node) {
                journal.settle(subject(of: step), .failed(status: ConfigStatusCode.unspecifiedError.rawValue))
                return fail(step, .contradicts(objection))
            }
            succeed(step, job) { node, _, now in
                node.record(composition)
                node.observedAt = now
                node.unprovisionedSeenAt = nil
            }
            considerServer(job.node)
        case .relayRetransmit(let retransmit): continueRelay(step, job, retransmit)
        case .doesNotHold: repeatRequest(step, job)
        case .odd(let answer): settleOdd(step, job, answer)
        case .refused(let status) where job.mayHaveNewKey(status): askForPhase(step, job, status)
        case .refused(let status) where job.action.isRemoval: settleRemoval(step, job, refusedWith: status)
        case .refused(let status):
            if status == .insufficientResources { network.learnCapacity(from: job.action, refusedBy: job.node) }
            journal.settle(subject(of: step), .failed(status: status.rawValue))
            fail(step, .refused(status))
        case .featureNotSupported:
            network.update(job.node, at: context.now()) { $0.recordMissingFeature(of: job.action, at: context.now()) }
            journal.settle(subject(of: step), .failed(status: ConfigStatusCode.featureNotSupported.rawValue))
            fail(step, .featureNotSupported)
        case .differs(let report):
            journal.settle(subject(of: step), .failed(status: ConfigStatusCode.unspecifiedError.rawValue))
            fail(step, .differs(report))
        case .continues(let position): askFurther(job, from: position)
        // No step asks for it.
        case .report, .attention, .page, .pollTimeout, .solicitationsCleared, .remoteLink, .identity: break
        }
    }

    /// A list that reads a request back comes in parts, and this was one without the answer.
    func askFurther(_ job: Job, from position: UInt16) {
        guard let node = network.node(job.node) else { return }
        var job = job
        let inquiries = ActionInquiries(job.action, node: node.unicastAddress, network: network.header)
        guard let inquiry = try? inquiries.readBack(from: position) else { return }
        job.inquiry = inquiry
        outbox.append(job)
    }

    /// The step of a job does not start in this run.
    func putBack(_ job: Job) {
        if let step = job.step { schedule.putBack(step) }
    }

    /// The node's relay retransmit is known: now the relay state can be set without changing it.
    private func continueRelay(_ step: Int, _ job: Job, _ retransmit: TransmitParameters) {
        guard case .setRelay(let isOn, _) = job.action else { return }
        guard !isInterrupted else {
            journal.settle(subject(of: step), .skipped)
            return putBack(job)
        }
        var job = job
        job.action = .setRelay(isOn, retransmit)
        job.stage = .request
        resend(job, step) { inquiries throws(StepFailure) in try inquiries.request() }
    }

    /// A node that refuses a new NetKey may have been given it by another tool.
    private func askForPhase(_ step: Int, _ job: Job, _ status: ConfigStatusCode) {
        guard !isInterrupted else {
            journal.settle(subject(of: step), .skipped)
            return putBack(job)
        }
        var job = job
        job.refusal = status
        job.stage = .readBack
        let isOnlySubnet = network.node(job.node)?.netKeys.count == 1
        resend(job, step) { inquiries throws(StepFailure) in
            try inquiries.inquiry(afterRefusal: status, isOnlySubnet: isOnlySubnet)
        }
    }

    /// A read-back says that the request has not taken effect.
    private func repeatRequest(_ step: Int, _ job: Job) {
        if let status = job.refusal {
            journal.settle(subject(of: step), .failed(status: status.rawValue))
            return fail(step, job.action.isRemoval ? .refused(status) : .otherNewKey)
        }
        guard job.round < options.retry.maximumRounds else {
            journal.settle(subject(of: step), .skipped)
            return fail(step, .withoutEffect(rounds: job.round))
        }
        guard !isInterrupted else {
            journal.settle(subject(of: step), .skipped)
            return putBack(job)
        }
        var job = job
        job.stage = .request
        job.round += 1
        resend(job, step) { inquiries throws(StepFailure) in try inquiries.request() }
    }

    /// Sends something else for a step whose intent is durable.
    func resend(
        _ job: Job,
        _ step: Int,
        _ inquiry: (ActionInquiries) throws(StepFailure) -> ConfigurationInquiry
    ) {
        guard let node = network.node(job.node) else { return }
        var job = job
        do throws(StepFailure) {
            job.inquiry = try inquiry(
                ActionInquiries(job.action, node: node.unicastAddress, network: network.header)
            )
            outbox.append(job)
        } catch {
            journal.settle(subject(of: step), .skipped)
            fail(step, error)
        }
    }

    /// No answer came within the deadline.
    func settleUnanswered(_ job: Job) {
        switch job.stage {
        case .doubt(let doubt): settleUnanswered(doubt, job)
        case .probe(let doubt):
            if doubt == nil, let step = job.step { journal.settle(subject(of: step), .unknown) }
            suspend(job.node)
        case .afterReset: endWatch(job.node, .notSeen)
        case .candidate: settleUnansweredCandidate(job)
        case .ivIndex: break
        case .server: settleServer(job, isAnswered: false)
        case .identity: settleIdentity(job, isRunning: false)
        case .prelude:
            if let step = job.step { journal.settle(subject(of: step), .skipped) }
            suspend(job.node)
        case .request:
            guard let step = job.step else { return }
            guard job.readings.isEmpty else { return settleUnansweredSequence(step, job) }
            // Reading changes nothing, so there is nothing to be in doubt about.
            switch job.action {
            case .read where readBacks[job.node] != nil: return settleUnansweredReading(step, job)
            case .readComposition, .read:
                journal.settle(subject(of: step), .skipped)
                return suspend(job.node)
            default: break
            }
            announce(.stepUnknown(step: step))
            guard !isInterrupted else { return journal.settle(subject(of: step), .unknown) }
            var job = job
            job.stage = .readBack
            resend(job, step) { inquiries throws(StepFailure) in try inquiries.readBack() }
        case .readBack where job.action == .resetNode || isInterrupted:
            if let step = job.step { journal.settle(subject(of: step), .unknown) }
            suspend(job.node)
        case .readBack: probe(job, nil)
        }
    }

    /// A request could not be sent.
    func settle(_ job: Job, unsendable error: StackError) {
        if case .sequenceNumbers(let reason) = error {
            endSending(reason.explanation)
        } else if let step = job.step, !job.mayHaveArrived {
            journal.settle(subject(of: step), .skipped)
            return fail(step, .unmakeable("the request cannot be sent: \(error)"))
        }
        guard let step = job.step else {
            if job.isCandidate { settleUnansweredCandidate(job) }
            if job.isForServer { settleServer(job, isAnswered: false) }
            if job.isForIdentity { settleIdentity(job, isRunning: false) }
            if job.isAfterReset { endWatch(job.node, .notSeen) }
            return
        }
        if job.isDoubt { return putBack(job) }
        journal.settle(subject(of: step), job.mayHaveArrived ? .unknown : .skipped)
    }

    // MARK: Outcomes

    func succeed(_ step: Int, _ job: Job, _ record: (inout Node, MeshNetwork, Timestamp) -> Void) {
        let isByReadBack = if case .readBack = job.stage { true } else { false }
        if let status = job.refusal, job.action.isRemoval { announce(.removalFoundNothing(step: step, status)) }
        let header = network.header
        network.update(job.node, at: context.now()) { record(&$0, header, context.now()) }
        network.checkCapacity(after: job.action, on: job.node)
        listWitnesses[job.node]?.confirmed(job.action)
        tellClient(of: job.node)
        journal.settle(subject(of: step), .succeeded)
        schedule.succeed(step)
        announce(.stepSucceeded(step: step, byReadBack: isByReadBack))
        finishNode(job.node)
    }

    func fail(_ step: Int, _ failure: StepFailure) {
        if case .readBack(let node) = steps[step].work { endReadBack(node) }
        let blocked = schedule.fail(step)
        announce(.stepFailed(step: step, failure))
        announceBlocked(blocked, besides: schedule.lane(ofStep: step))
        if case .edit = steps[step].work { return }
        if let node = steps[step].node { finishNode(node) }
    }

    /// A node does not answer: nothing more is sent to it in this run.
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

    /// Tells which steps are blocked, and which nodes have nothing left to do for it.
    ///
    /// - Parameter own: the lane whose end the caller tells.
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

extension ExecutionRun.Job {
    /// Whether the refusal may mean that the node has the new NetKey already.
    fileprivate func mayHaveNewKey(_ status: ConfigStatusCode) -> Bool {
        guard refusal == nil, case .request = stage, case .updateNetKey = action else { return false }
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
    /// Whether it changes nothing.
    var isReading: Bool {
        if case .read = self { true } else { false }
    }
}
