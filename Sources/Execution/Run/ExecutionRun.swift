import MeshCore
import Planning
import Store

/// One run: the reactor between schedule, client, bearer and database.
///
/// A turn has five parts: start what may start, make it durable in one transaction, send, wait for one event, process
/// what follows from it. Nothing is sent before its intent is durable, and no step starts before the outcomes that it
/// depends on are durable.
///
/// The run decides when something happens. What happens is decided by the parts that its ``RunSwitchboard`` joins.
final class ExecutionRun {
    let board: RunSwitchboard
    /// An estimator for the network as it was when the run began.
    let estimatorAtStart: PlanEstimator
    private var interrupts = 0
    private var began = Instant.zero
    /// When the run tells how far it is.
    private var figuresDue = Instant.zero
    /// How long to find out about devices that no step names; nil for not at all.
    private let searchDuration: Duration?

    init(
        journal: RunJournal,
        bearer: any Bearer,
        options: ExecutionOptions,
        context: ExecutionContext,
        client: MeshClient,
        network: MeshNetwork,
        steps: [Step],
        changeCount: Int,
        schedule: StepSchedule,
        claims: Claims = Claims(),
        reservations: [AddressReservation] = [],
        doubts: [JournalIntent],
        unreachable: Set<DeviceUUID>,
        leavesDoubts: Bool = false,
        isDoubtOfInterest: @escaping (DeviceUUID, ConfigurationAction) -> Bool = { _, _ in true },
        searchingFor duration: Duration? = nil
    ) {
        let orders = steps.compactMap { if case .provision(let order) = $0.work { order } else { nil } }
        var record = NetworkRecord(network, orders: orders, reservations: reservations)
        record.apply(claims)
        let ledger = RunLedger(
            network: record,
            journal: journal,
            schedule: schedule,
            steps: steps,
            unreachable: unreachable,
            calendar: context.now
        )
        board = RunSwitchboard(
            driver: ClientDriver(client, over: bearer, scanning: .shared),
            options: options,
            context: context,
            ledger: ledger,
            doubts: DoubtWork(doubts, schedule, areLeft: leavesDoubts, matters: isDoubtOfInterest),
            wayBack: WayBack(steps, in: network),
            changeCount: changeCount
        )
        let estimator = PlanEstimator(
            profile: .office,
            connections: options.proxy == nil ? min(options.maximumConnections, bearer.maximumLinks) : 1,
            window: options.maximumWindow
        )
        estimatorAtStart = estimator.relaying(in: network)
        searchDuration = duration
    }

    var driver: ClientDriver { board.driver }
    var bearer: any Bearer { driver.bearer }
    /// Nodes that do not answer.
    var unreachable: Set<DeviceUUID> { board.ledger.unreachable }
    /// Whether the run has left doubts alone, because there is no proxy.
    var leavesDoubts: Bool { board.doubts.areLeft }

    /// Whether the user wants no new messages.
    private var isInterrupted: Bool { board.ledger.isInterrupted }

    func perform() -> Recap {
        let start = bearer.now
        (began, figuresDue) = (start, start.advanced(by: .seconds(1)))
        let inDoubt = board.doubts.intents.count
        board.context.emit(.runStarted(steps: board.ledger.steps.count, inDoubt: inDoubt))
        if let searchDuration {
            let end = start.advanced(by: searchDuration)
            board.carryOut(board.devices.work.findOutAboutAll(until: end, board.ledger, at: start))
        }
        for node in board.ledger.network.nodes { board.devices.servers.consider(node.uuid, board.ledger, at: start) }
        board.carryOut(board.doubts.settleNeedless(&board.ledger))
        do throws(ExecutionStop) {
            while try turn() {}
        } catch {
            board.stop = error.ending
        }
        board.recap.duration = start.duration(to: bearer.now)
        finish()
        board.recap.duration = start.duration(to: bearer.now)
        board.context.emit(.runFinished(board.recap))
        return board.recap
    }

    // MARK: A turn

    /// Runs one turn; returns false when there is nothing left to do.
    private func turn() throws(ExecutionStop) -> Bool {
        noticeInterrupts()
        if interrupts < 2 { fill() }
        divideLinks()
        let isCarried = driver.client.carriedCount > 0
        board.carryOut(board.devices.work.endOldSearches(isCarried: isCarried, board.ledger, at: bearer.now))
        guard board.stop == nil else { return false }
        try board.commit()
        // What is in flight finishes; what still waits for a link does not begin.
        let canFinish = driver.client.carriedCount > 0 || driver.client.isLinkReady && !board.requests.hasNothingToSend
        guard interrupts < 2, !isInterrupted || canFinish || board.devices.isProvisioning else { return false }
        board.carryOut(board.devices.sendDurableData())
        for job in board.requests.takeUnsent() { board.transmit(job) }
        updateScan()
        // An outcome of sending, such as a message that could not be sent, becomes durable before the run waits for
        // anything.
        guard board.stop == nil, faceMissingLink() else { return true }
        tellFigures()
        guard isWaiting else { return board.ledger.hasAnnouncements || !isInterrupted && hasWork }
        try wait()
        return true
    }

    /// Tells how far the run is, once a second.
    private func tellFigures() {
        let now = bearer.now
        guard figuresDue <= now else { return }
        figuresDue = now.advanced(by: .seconds(1))
        let figures = RunFigures(
            elapsed: began.duration(to: now),
            messages: board.recap.messagesSent,
            retries: board.recap.retries,
            links: driver.client.readyLinkCount,
            asked: board.requests.askedNodes
        )
        board.context.emit(.figures(figures))
    }

    /// Whether anything may be started now.
    private var hasWork: Bool {
        board.ledger.schedule.hasStartableWork || board.doubts.hasNext(isLinkReady: driver.client.isLinkReady)
    }

    /// Whether anything that was begun has not ended.
    private var isWaiting: Bool {
        !board.requests.openJobs.isEmpty || board.devices.isProvisioning || !board.devices.work.findingOut.isEmpty
            || !isInterrupted && (board.links.isAwaiting || board.wayBack.isHolding) || !board.resets.isEmpty
    }

    /// Gives up what waits for a link in vain; false if that ends the run.
    private func faceMissingLink() -> Bool {
        guard board.devices.work.queue.isEmpty else { return true }
        if board.linkFailure != nil { board.carryOut(board.devices.abandonRemoteLinks()) }
        let open = board.requests.openJobs
        guard !open.isEmpty else { return true }
        let areOptional = open.allSatisfy(\.isOptional)
        if let failure = board.linkFailure {
            guard areOptional else {
                board.stop = .linkFailed(failure.reason, hint: failure.hint)
                return false
            }
            // A missing link decides nothing about doubts.
            board.leaveOptional()
        } else if areOptional, !driver.client.isLinkReady, !board.ledger.schedule.hasStartableWork,
            board.doubts.isWaitOver(at: bearer.now),
            open.contains(where: { if case .doubt = $0 { true } else { false } })
        {
            board.leaveOptional()
        }
        return true
    }

    /// Waits for an event and processes everything that has come.
    private func wait() throws(ExecutionStop) {
        // Short enough to notice an interrupt that came just before the wait.
        let pause: Duration = .milliseconds(board.devices.work.queue.awaitsAnswer ? 50 : 500)
        var deadline = bearer.now.advanced(by: pause)
        let dues = [
            driver.client.nextDeadline, board.devices.work.queue.nextDeadline, board.devices.remoteDeadline,
            board.resets.nextDeadline,
        ]
        for due in dues { if let due { deadline = min(deadline, due) } }
        for _ in 0..<ExecutionRun.eventsPerTurn {
            let event: BearerEvent?
            do throws(BearerError) {
                event = try bearer.next(until: deadline)
            } catch {
                throw ExecutionStop(Recap.Ending(error))
            }
            guard let event else { break }
            board.take(event)
            deadline = bearer.now
        }
        advance()
    }

    /// Bounds a turn, so that the run keeps deadlines however much comes in.
    private static let eventsPerTurn = 64

    private func advance() {
        board.perform(driver.advance())
        board.carryOut(board.devices.advanceQueue())
        if let due = board.devices.remoteDeadline, due <= bearer.now { advanceRemote() }
        if let due = board.resets.nextDeadline, due <= bearer.now {
            let (canScan, isLinkReady) = (driver.scanError == nil, driver.client.isLinkReady)
            board.carryOut(
                board.resets.advance(to: bearer.now, canScan: canScan, isLinkReady: isLinkReady, &board.ledger)
            )
        }
        board.carryOut(board.devices.takeAnswer())
        let isForLink = !driver.client.isLinkReady && !board.requests.openJobs.isEmpty
        board.doubts.waited(isForLink: isForLink, until: bearer.now)
    }

    /// Time has passed for servers and their links.
    private func advanceRemote() {
        let now = bearer.now
        board.devices.servers.hears(at: now)
        for server in board.devices.servers.linked {
            board.carryOut([.remote(board.devices.servers.advance(server, to: now), through: server)])
        }
        board.devices.chooseServers()
    }

    private func noticeInterrupts() {
        let count = board.context.interrupts()
        if count > 0, interrupts == 0 { board.context.emit(.interrupted(immediately: false)) }
        if count > 1, interrupts < 2 { board.context.emit(.interrupted(immediately: true)) }
        let isFirst = interrupts == 0 && count > 0
        interrupts = count
        board.ledger.isInterrupted = count > 0
        guard isFirst else { return }
        board.carryOut(board.devices.interrupt(&board.ledger))
        board.carryOut(board.resets.endAll(&board.ledger))
    }

    // MARK: Starting

    /// Starts steps as far as the window allows, and asks what else is to be asked.
    private func fill() {
        if driver.client.isIVIndexKnown, board.devices.work.hasSoughtIVIndex {
            board.carryOut([DeviceWork.endOfSeekingIVIndex])
        }
        guard !isInterrupted, board.stop == nil else { return }
        shareLinks()
        board.reconsiderHeld()
        startSteps()
        board.carryOut(
            board.devices.work.learnIVIndex(
                isKnown: driver.client.isIVIndexKnown,
                mayBeLinked: board.linkFailure == nil,
                isIdle: board.requests.isEmpty,
                &board.ledger
            )
        )
        let room = board.window.size - board.requests.count
        board.carryOut(board.devices.work.askCandidates(board.ledger, board.routes, room: room))
        let mayAsk = board.linkFailure == nil
        board.carryOut(board.devices.seekRemotely(mayAsk: mayAsk, window: board.window.size, board.ledger))
    }

    private func shareLinks() {
        let surroundings = LinkShare.Surroundings(
            requests: board.requests,
            window: board.window.size,
            begun: board.steps.begun,
            isTaken: { [board] in board.devices.servers.isAsking($0) || board.doubts.concern($0) }
        )
        board.carryOut(board.links.assign(&board.ledger, &driver.client, among: surroundings, at: bearer.now))
    }

    /// Starts steps one after another. The edit of a key or the growth of the plan may let others start.
    private func startSteps() {
        while true {
            let hasRoom = board.links.meshLoad(of: board.requests) + board.readBacks.load < board.window.size
            switch board.ledger.schedule.startNext(hasRoom: hasRoom) {
            case .edit(let step): board.start(step)
            case .local(let step):
                board.steps.greet(step, &board.ledger)
                board.start(step)
            case .request(let step): begin(step)
            case nil:
                let isLinkReady = driver.client.isLinkReady
                guard hasRoom, let node = board.doubts.takeNext(isLinkReady: isLinkReady) else { return }
                board.carryOut(board.doubts.proceed(with: node, to: nil, &board.ledger))
            }
        }
    }

    /// Begins a step that asks a node for something, after the doubts about the node.
    private func begin(_ step: Int) {
        guard let node = board.ledger.steps[step].node else { return }
        board.steps.greet(step, &board.ledger)
        board.carryOut(board.doubts.proceed(with: node, to: step, &board.ledger))
    }
}

/// How a run ends, for any reason.
extension ExecutionRun {
    /// Gives up what is in progress, closes what is open, and makes the last outcomes durable.
    func finish() {
        board.carryOut(board.resets.endAll(&board.ledger))
        board.leaveAll()
        for uuid in board.readBacks.nodes { board.carryOut(board.readBacks.end(uuid, &board.ledger)) }
        board.carryOut(board.devices.shutDown(&board.ledger))
        board.carryOut(board.devices.abandonRemoteLinks())
        board.perform(driver.client.shutDown(at: bearer.now))
        updateScan()
        let isAllDone = board.ledger.schedule.isFinished && board.doubts.isEmpty
        if board.stop == nil, board.ledger.isInterrupted, !isAllDone { board.stop = .interrupted }
        board.recap.ending = board.stop ?? .completed
        let isBroken = if case .storeFailed = board.recap.ending { true } else { false }
        // Nobody can tell what a broken store still accepts; the journal says what is in doubt.
        if !isBroken {
            do throws(ExecutionStop) {
                try board.commit(isLast: true)
            } catch {
                board.recap.ending = error.ending
            }
        }
        board.recap.conclude(board.ledger, doubts: board.doubts.intents)
        if case .storeFailed = board.recap.ending { return }
        do throws(StoreError) {
            let timing = RunTiming(board.recap, of: board.ledger.steps, by: estimatorAtStart)
            let recap = board.recap
            try board.ledger.journal.end(
                recap.outcome,
                failed: recap.failed.count,
                at: board.ledger.now,
                timing: timing
            )
        } catch {
            board.recap.ending = .storeFailed(error.description)
        }
    }
}

/// Divides the bearer's links and its scan among the client and the provisioning queue.
extension ExecutionRun {
    /// Divides the links: one is kept for the mesh once there is a node to talk to; the others provision.
    func divideLinks() {
        let most = max(1, min(board.options.maximumConnections, bearer.maximumLinks))
        let isMeshBusy = board.devices.servers.isBusy || board.linkFailure == nil && !board.requests.isEmpty
        guard !board.devices.work.queue.isEmpty else { return giveClient(most) }
        if most == 1 {
            // They take turns: finishing nodes comes before beginning many.
            giveClient(isMeshBusy && board.devices.work.queue.linkCount == 0 ? 1 : 0)
            if !isMeshBusy, driver.client.linkCount == 0 { startProvisioning(limit: 1) }
            if board.devices.work.queue.linkCount == 0 { startRemoteProvisioning() }
            return
        }
        let isMeshThere = board.ledger.network.count > 1
        // Devices take free links first. The client gets the rest, and relies on no more than that.
        startProvisioning(limit: isMeshThere ? most - max(1, driver.client.linkCount) : most)
        giveClient(min(max(1, most / 2), most - board.devices.work.queue.linkCount))
        startRemoteProvisioning()
    }

    private func giveClient(_ count: Int) {
        board.perform(driver.client.setMaximumLinks(count, at: bearer.now))
    }

    private func startProvisioning(limit: Int) {
        guard !board.ledger.isInterrupted, driver.client.isIVIndexKnown else { return }
        board.carryOut(board.devices.work.queue.start(limit: limit, at: bearer.now))
    }

    private func startRemoteProvisioning() {
        guard !board.ledger.isInterrupted, driver.client.isIVIndexKnown else { return }
        board.carryOut(board.devices.work.queue.startRemote(at: bearer.now))
    }

    /// Lets the bearer scan as long as any part of the run needs it.
    func updateScan() {
        let isResetting = !board.resets.isEmpty || board.requests.openJobs.contains { $0.action == .resetNode }
        do throws(BearerError) {
            try driver.scan(alsoForOthers: board.devices.work.wantsScan || isResetting || board.wayBack.isListening)
        } catch {
            // The user has interrupted.
            guard !error.isInterruption else {
                board.stop = board.stop ?? .interrupted
                return
            }
            // Nodes can still find other devices.
            board.carryOut(board.devices.work.failLost(error, &board.ledger, board.routes))
            board.perform(driver.endClientScan())
        }
    }
}
