import MeshCore
import Planning
import Store

/// The requests of a run: how they begin, how they are sent, and to which part of the run their answers belong.
extension RunSwitchboard {
    /// Starts a step when the turn of its node has come.
    func start(_ step: Int) {
        if keepsWayBack(of: step) { return }
        switch ledger.steps[step].work {
        case .configure(let node, let action):
            // The outcome of an earlier attempt at the same step must not remove the new intent.
            if ledger.journal.isSettling(ledger.subject(of: step)), !commitEarly() { return }
            carryOut(steps.start(step, action, on: node, &ledger))
        case .edit: carryOut(steps.edit(step, &ledger, doubts, key: context.key))
        case .provision(let order): carryOut(devices.work.provision(step, order, &ledger, routes, at: now))
        case .configureWhenKnown(let deferred): growth.grow(step, deferred, &ledger)
        case .readBack(let node): carryOut(readBacks.begin(step, node, options, &ledger))
        }
    }

    /// Whether a step must not start now, because it would take away what others need before somebody else does it.
    private func keepsWayBack(of step: Int) -> Bool {
        guard let (node, _) = ledger.steps[step].work.takenWay else { return false }
        let surroundings = WayBack.Surroundings(
            client: driver.client,
            canScan: driver.scanError == nil,
            now: now
        )
        switch wayBack.judge(step, &ledger, surroundings) {
        case .free: return false
        case .held(let outputs): carryOut(outputs)
        case .postponed(let change): ledger.postpone(step, change, on: node)
        }
        return true
    }

    /// Looks again at the steps that wait for others.
    func reconsiderHeld() {
        for step in wayBack.takeHeld() { start(step) }
    }

    // MARK: Sending

    /// Hands a request to the client.
    func transmit(_ job: Job) {
        // A new request makes the client look for a link again.
        linkFailure = nil
        switch job {
        case .candidate(let uuid, _):
            guard let key = devices.work.findingOut.key(of: uuid),
                let pending = ledger.network.header.pendingProvisioning(of: uuid)
            else { return }
            driver.client.set(pending, deviceKey: key)
            return send(job, to: pending.address, in: [pending.netKeyIndex])
        case .server(let uuid, _):
            guard let node = ledger.network.node(uuid) else { return }
            // A node gets one request at a time; a step comes first.
            guard !driver.client.isAsking(node.unicastAddress) else {
                return devices.servers.search.postpone(node.unicastAddress, at: now)
            }
            return send(job, to: node.unicastAddress, in: ledger.network.subnets(of: node))
        case .ivIndex: carryOut(devices.servers.endAsking(job.node, ledger, at: now))
        case .step, .doubt, .identity, .heir, .meshOf, .afterReset:
            carryOut(devices.servers.endAsking(job.node, ledger, at: now))
            if devices.work.hasSoughtIVIndex, ledger.network.node(job.node) != nil {
                carryOut([DeviceWork.endOfSeekingIVIndex])
            }
        }
        guard let node = ledger.network.node(job.node) else { return }
        let subnets = ledger.network.subnets(of: node, for: job.action)
        let missing = node.netKeys.filter { !$0.isUpdated }.map(\.index)
        send(job, to: node.unicastAddress, in: subnets, withOldKey: missing)
    }

    private func send(
        _ job: Job,
        to address: UnicastAddress,
        in subnets: [NetKeyIndex],
        withOldKey missing: [NetKeyIndex] = []
    ) {
        let (identifier, outputs) = driver.request(
            job.inquiry,
            to: address,
            subnets: subnets,
            withOldKey: missing,
            throughMesh: job.isThroughMesh,
            deadline: job.deadline(options.retry),
            at: now
        )
        requests.set(job, as: identifier)
        if case .server(let uuid, _) = job { devices.servers.ask(uuid, identifier) }
        perform(outputs)
    }

    /// A request was sent; `transmissions` counts from 1.
    func countSent(_ identifier: RequestIdentifier, _ transmissions: Int) {
        recap.messagesSent += 1
        if transmissions > 1 { recap.retries += 1 }
        guard let job = requests[identifier] else { return }
        if case .step(var request) = job, request.phase == .request {
            if transmissions == 1, request.round == 1 { context.emit(.stepSent(step: request.step)) }
            request.mayHaveArrived = true
            requests.set(.step(request), as: identifier)
        }
        if transmissions > 1, let step = job.step {
            context.emit(.stepRetried(step: step, transmissions: transmissions))
        }
    }

    // MARK: Answers

    /// A node answered.
    func settle(_ job: Job, _ verdict: ConfigurationVerdict) {
        switch job {
        case .step(let request) where readBacks.isReading(request.node):
            carryOut(readBacks.settle(request, verdict, &ledger))
        case .step(let request): carryOut(steps.settle(request, verdict, &ledger))
        case .doubt(let request): carryOut(doubts.settle(request, verdict, &ledger))
        case .candidate(let uuid, let question):
            carryOut(devices.work.settleCandidate(uuid, question.answer(verdict) ?? nil, &ledger))
        // The question has found its proxy, whose beacon came first.
        case .ivIndex: break
        case .server(let uuid, _): carryOut(devices.servers.settle(uuid, isAnswered: true, ledger, at: now))
        case .identity(let uuid, let question):
            links.settleIdentity(uuid, isRunning: question.answer(verdict) == true, &ledger, at: now)
        case .heir(let uuid, _), .meshOf(heir: let uuid, asking: _, _): wayBack.settle(uuid, isAnswered: true, at: now)
        case .afterReset(let uuid, _): carryOut(resets.answered(uuid, &ledger, at: now))
        }
    }

    /// No answer came within the deadline.
    func settleUnanswered(_ job: Job) {
        switch job {
        case .step(let request) where readBacks.isReading(request.node):
            carryOut(readBacks.settleUnanswered(request, &ledger))
        case .step(let request): carryOut(steps.settleUnanswered(request, &ledger))
        case .doubt(let request): carryOut(doubts.settleUnanswered(request, &ledger))
        case .candidate, .ivIndex, .server, .identity, .heir, .meshOf, .afterReset: settleInVain(job)
        }
    }

    /// No proxy reaches the node. Asking again, or reading back, would not help.
    func settle(_ job: Job, unreachable failure: LinkFailure) {
        switch job {
        case .candidate, .ivIndex, .server, .identity, .heir, .meshOf, .afterReset: return settleInVain(job)
        case .doubt: context.emit(.nodeUnreachable(job.node, reason: failure.reason))
        case .step(let request):
            context.emit(.nodeUnreachable(job.node, reason: failure.reason))
            ledger.settle(request.step, request.resultIfLeft)
        }
        suspend(job.node)
    }

    /// A request could not be sent.
    func settle(_ job: Job, unsendable error: StackError) {
        let isRunOver = if case .sequenceNumbers = error { true } else { false }
        if isRunOver { stop = stop ?? .sendingFailed(error.explanation) }
        switch job {
        case .step(let request) where isRunOver || request.mayHaveArrived:
            ledger.settle(request.step, request.resultIfLeft)
        case .doubt(let request) where isRunOver:
            if let step = request.step { ledger.schedule.putBack(step) }
        case .step, .doubt:
            guard let step = job.step else { break }
            ledger.settle(step, .skipped)
            if case .readBack(let node) = ledger.steps[step].work { carryOut(readBacks.end(node, &ledger)) }
            ledger.fail(step, .unmakeable("the request cannot be sent: \(error)"))
        case .candidate, .ivIndex, .server, .identity, .heir, .meshOf, .afterReset: settleInVain(job)
        }
    }

    /// A question that belongs to no step and no doubt got no answer, for any reason.
    private func settleInVain(_ job: Job) {
        switch job {
        case .step, .doubt, .ivIndex: break
        case .candidate(let uuid, _): devices.work.findingOut.unanswered(uuid)
        case .server(let uuid, _): carryOut(devices.servers.settle(uuid, isAnswered: false, ledger, at: now))
        case .identity(let uuid, _): links.settleIdentity(uuid, isRunning: false, &ledger, at: now)
        case .heir(let uuid, _), .meshOf(heir: let uuid, asking: _, _): wayBack.settle(uuid, isAnswered: false, at: now)
        case .afterReset(let uuid, _): carryOut(resets.end(uuid, .notSeen, &ledger))
        }
    }

    // MARK: Giving up

    /// A node does not answer: the run sends it nothing more.
    func suspend(_ uuid: DeviceUUID) {
        ledger.unreachable.insert(uuid)
        carryOut(readBacks.end(uuid, &ledger))
        if let address = ledger.network.node(uuid)?.unicastAddress { carryOut(devices.forgetServer(address)) }
        ledger.suspend(uuid)
    }

    /// Gives up the requests that are meant.
    ///
    /// - Parameter address: where they went; nil for the address that the record has.
    func withdraw(from address: UnicastAddress? = nil, _ matches: (Job) -> Bool) {
        for job in requests.withdraw(where: matches) {
            guard let address = address ?? ledger.network.node(job.node)?.unicastAddress else { continue }
            perform(driver.client.cancel(address, at: now))
        }
    }

    /// No proxy is in reach that could carry questions on which nothing depends. Doubts stay, and nothing waits for
    /// them.
    func leaveOptional() {
        carryOut(devices.work.endAllFindingOut(ledger))
        var doubtful: [DeviceUUID] = []
        for job in requests.withdraw(where: \.isOptional) {
            if let address = ledger.network.node(job.node)?.unicastAddress {
                perform(driver.client.cancel(address, at: now))
                if case .doubt = job { doubtful.append(job.node) }
            }
            if case .afterReset(let uuid, _) = job { carryOut(resets.end(uuid, .notSeen, &ledger)) }
            switch job {
            case .heir(let uuid, _), .meshOf(heir: let uuid, asking: _, _):
                wayBack.settle(uuid, isAnswered: false, at: now)
            default: break
            }
        }
        doubts.leave(doubtful)
    }

    /// The run ends: gives up all requests. Those that may have arrived stay in doubt.
    func leaveAll() {
        for job in requests.takeUnsent() + requests.closeAll(where: { _ in true }) {
            guard case .step(let request) = job else { continue }
            ledger.settle(request.step, request.resultIfLeft)
        }
    }
}
