import MeshCore
import Planning
import Store

/// One run: the reactor between schedule, client, bearer and database.
///
/// A turn has five parts: start what may start, make it durable in one transaction, send, wait for one event, process
/// what follows from it. Nothing is sent before its intent is durable, and no step starts before the outcomes that it
/// depends on are durable.
final class ExecutionRun {
    /// The client and the bearer.
    let driver: ClientDriver
    let options: ExecutionOptions
    let context: ExecutionContext
    /// The steps of the plan, then those by which it grew.
    var steps: [Step]
    /// The number of steps of the plan itself. Steps by which it grew have no number that another run could rely on.
    let plannedCount: Int
    var journal: RunJournal
    var network: NetworkRecord
    var schedule: StepSchedule
    /// What nodes have told so far during their read-back.
    var readBacks = ReadBackWork()
    /// In which known ways nodes depart from the specification, as already announced.
    var habits: [DeviceUUID: Set<KnownHabit>] = [:]
    /// What nodes told of their subscription lists, to find out which of them are shared.
    var listWitnesses: [DeviceUUID: ListWitness] = [:]
    /// An estimator for the network as it was when the run began.
    let estimatorAtStart: PlanEstimator
    /// How many nodes have a deferred configuration, and the products of which one node was already asked for its
    /// composition.
    var waitingConfigurations = 0
    var inquiredProducts: Set<Node.Product> = []
    /// In-doubt requests of earlier runs, oldest first.
    var doubts: [DeviceUUID: [JournalIntent]] = [:]
    /// Nodes that have in-doubt requests and no step, in reverse order.
    var doubtfulNodes: [DeviceUUID] = []
    /// Whether the outcome of a request still matters to the plan.
    let isDoubtOfInterest: (DeviceUUID, ConfigurationAction) -> Bool
    /// Whether the run leaves doubts alone that no step waits for, because there is no proxy.
    var leavesDoubts: Bool
    /// Since when requests have been waiting for a link; nil if there is a link, or no request.
    var linkWaitBegan: Instant?
    /// Nodes that have answered a Node Reset and are looked for.
    var resetWatches = ResetWatches()
    var unreachable: Set<DeviceUUID>
    var jobs: [RequestIdentifier: Job] = [:]
    /// Requests that are sent after the next commit.
    var outbox: [Job] = []
    var startedNodes: Set<DeviceUUID> = []
    /// The number of changes of the plan and of its growth.
    var changeCount: Int
    /// Devices that are to become nodes.
    var queue: ProvisioningQueue
    /// The step of each of them.
    var provisionSteps: [DeviceUUID: Int] = [:]
    /// The provisioning data that is about to be sent.
    var candidates: [DeviceUUID: ProvisioningConversation.Candidate] = [:]
    /// The devices whose data is sent after the next commit.
    var storing: [DeviceUUID] = []
    /// Devices that an earlier attempt may have made nodes.
    var findingOut = FindingOut()
    /// Nodes that listen for devices and carry their sessions.
    var servers = RemoteServers()
    /// How long to find out about devices that no step names; nil for not at all.
    private let searchDuration: Duration?
    /// When that time is over.
    var searchEnd: Instant?
    /// Whether a node was asked only to learn the IV index.
    var hasSoughtIVIndex = false
    /// Why the client has no link and looks for none, while devices are still being provisioned.
    var linkFailure: LinkFailure?
    /// Nodes that have links of their own or are about to get them.
    var direct = DirectLinks()
    /// The first lane that has not begun, and the first that is not finished, as far as the search has come.
    var directSearch = 0
    var begunSearch = 0
    var recap = Recap()
    var window: SendWindow
    private var interrupts = 0
    /// Why the run ends before everything is done.
    var stop: Recap.Ending?
    /// Events to announce after the next commit.
    private var announcements: [ExecutionEvent] = []
    private var announcedProgress = 0

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
        doubts: [JournalIntent],
        unreachable: Set<DeviceUUID>,
        leavesDoubts: Bool = false,
        isDoubtOfInterest: @escaping (DeviceUUID, ConfigurationAction) -> Bool = { _, _ in true },
        searchingFor duration: Duration? = nil
    ) {
        self.journal = journal
        driver = ClientDriver(client, over: bearer, scanning: .shared)
        self.options = options
        self.context = context
        self.network = NetworkRecord(
            network,
            orders: steps.compactMap { if case .provision(let order) = $0.work { order } else { nil } }
        )
        self.network.apply(claims)
        var estimator = PlanEstimator(
            profile: .office,
            connections: options.proxy == nil ? min(options.maximumConnections, bearer.maximumLinks) : 1,
            window: options.maximumWindow
        )
        estimator = estimator.relaying(in: network)
        estimatorAtStart = estimator
        self.changeCount = changeCount
        queue = ProvisioningQueue(policy: options.provisioning)
        self.steps = steps
        plannedCount = steps.count
        waitingConfigurations = steps.count {
            if case .configureWhenKnown(let configuration) = $0.work { configuration.target == nil } else { false }
        }
        self.schedule = schedule
        self.unreachable = unreachable
        self.leavesDoubts = leavesDoubts
        self.isDoubtOfInterest = isDoubtOfInterest
        window = SendWindow(initial: options.initialWindow, maximum: options.maximumWindow)
        recap.total = steps.count
        for doubt in doubts {
            if self.doubts[doubt.node] == nil, schedule.lane(of: doubt.node) == nil { doubtfulNodes.append(doubt.node) }
            self.doubts[doubt.node, default: []].append(doubt)
        }
        doubtfulNodes.reverse()
        searchDuration = duration
    }

    var bearer: any Bearer { driver.bearer }

    /// Whether the user wants no new messages.
    var isInterrupted: Bool { interrupts > 0 }

    /// Runs to the end.
    func perform() -> Recap {
        let start = bearer.now
        context.emit(.runStarted(steps: steps.count, inDoubt: doubts.values.reduce(0) { $0 + $1.count }))
        if let searchDuration {
            searchEnd = start.advanced(by: searchDuration)
            for pending in network.header.pendingProvisionings { findOut(about: pending.uuid) }
        }
        for node in network.nodes { considerServer(node.uuid) }
        settleNeedlessDoubts()
        do throws(ExecutionStop) {
            while try turn() {}
        } catch {
            stop = error.ending
        }
        recap.duration = start.duration(to: bearer.now)
        finish()
        recap.duration = start.duration(to: bearer.now)
        context.emit(.runFinished(recap))
        return recap
    }

    /// Runs one turn; returns false when there is nothing left to do.
    private func turn() throws(ExecutionStop) -> Bool {
        noticeInterrupts()
        if interrupts < 2 { fill() }
        divideLinks()
        endOldSearches()
        guard stop == nil else { return false }
        try commit()
        // What is in flight finishes; what still waits for a link does not begin.
        let canFinish = driver.client.carriedCount > 0 || driver.client.isLinkReady && !outbox.isEmpty
        let isProvisioning = !queue.isEmpty || !servers.hasNoLink
        guard interrupts < 2, !isInterrupted || canFinish || isProvisioning else { return false }
        releaseData()
        for job in outbox.drained() { transmit(job) }
        updateScan()
        // An outcome of sending, such as a message that could not be sent, becomes durable before the run waits for
        // anything.
        guard stop == nil else { return true }
        if linkFailure != nil, queue.isEmpty { abandonRemoteLinks() }
        if let failure = linkFailure, queue.isEmpty, !jobs.isEmpty {
            guard jobs.values.allSatisfy(\.isOptional) else {
                stop = .linkFailed(failure.reason, hint: failure.hint)
                return true
            }
            // A missing link decides nothing about doubts.
            leaveOptional()
        } else if isTiredOfWaiting, jobs.values.contains(where: { if case .doubt = $0 { true } else { false } }) {
            leaveOptional()
        }
        let isAwaitingLink = !isInterrupted && direct.isAwaiting
        let isWaiting =
            !jobs.isEmpty || !queue.isEmpty || !findingOut.isEmpty || !servers.hasNoLink || isAwaitingLink
            || !resetWatches.isEmpty
        guard isWaiting else { return !announcements.isEmpty || !isInterrupted && hasWork }
        try wait()
        return true
    }

    /// Whether anything may be started now.
    private var hasWork: Bool { schedule.hasStartableWork || mayAskDoubts && !doubtfulNodes.isEmpty }

    /// Waits for an event and processes everything that has come.
    private func wait() throws(ExecutionStop) {
        // Short enough to notice an interrupt that came just before the wait.
        var deadline = bearer.now.advanced(by: .milliseconds(500))
        if queue.awaitsAnswer { deadline = bearer.now.advanced(by: .milliseconds(50)) }
        let dues = [driver.client.nextDeadline, queue.nextDeadline, remoteDeadline, resetWatches.nextDeadline]
        for due in dues { if let due { deadline = min(deadline, due) } }
        for _ in 0..<ExecutionRun.eventsPerTurn {
            let event: BearerEvent?
            do throws(BearerError) {
                event = try bearer.next(until: deadline)
            } catch {
                throw ExecutionStop(Recap.Ending(error))
            }
            guard let event else { break }
            take(event)
            deadline = bearer.now
        }
        perform(driver.advance())
        if let due = queue.nextDeadline, due <= bearer.now { perform(queue.advance(to: bearer.now)) }
        if let due = remoteDeadline, due <= bearer.now { advanceRemote() }
        if let due = resetWatches.nextDeadline, due <= bearer.now { advanceWatches() }
        takeAnswer()
        linkWaitBegan = driver.client.isLinkReady || jobs.isEmpty ? nil : linkWaitBegan ?? bearer.now
    }

    /// Bounds a turn, so that the run keeps deadlines however much comes in.
    private static let eventsPerTurn = 64

    private func noticeInterrupts() {
        let count = context.interrupts()
        if count > 0, interrupts == 0 { context.emit(.interrupted(immediately: false)) }
        if count > 1, interrupts < 2 { context.emit(.interrupted(immediately: true)) }
        let isFirst = interrupts == 0 && count > 0
        interrupts = count
        if isFirst {
            interruptProvisioning()
            endWatches()
        }
    }

    // MARK: Starting

    /// Starts steps as far as the window allows.
    private func fill() {
        if driver.client.isIVIndexKnown, hasSoughtIVIndex { endSeekingIVIndex() }
        guard !isInterrupted, stop == nil else { return }
        defer {
            learnIVIndex()
            askCandidates()
            seekRemotely()
        }
        assignDirectLinks()
        while true {
            let hasRoom = meshLoad + readBacks.load < window.size
            switch schedule.startNext(hasRoom: hasRoom) {
            case .edit(let step): edit(step)
            case .local(let step):
                greet(step)
                start(step)
            case .request(let step): begin(step)
            case nil:
                guard hasRoom, mayAskDoubts, let node = doubtfulNodes.popLast() else { return }
                proceed(with: node, to: nil)
            }
        }
    }

    /// Makes everything durable and announces what has become durable.
    func commit(isLast: Bool = false) throws(ExecutionStop) {
        do throws(StoreError) {
            try journal.commit(&network, &driver.client, isLast: isLast)
        } catch {
            throw ExecutionStop(.storeFailed(error.description))
        }
        for event in announcements.drained() {
            recap.count(event, names: network)
            context.emit(event)
        }
        if schedule.decidedCount != announcedProgress {
            announcedProgress = schedule.decidedCount
            context.emit(.progress(decided: schedule.decidedCount, total: steps.count))
        }
    }

    /// Makes everything durable before the turn is over; false if that ends the run.
    func commitEarly() -> Bool {
        do throws(ExecutionStop) {
            try commit()
            return true
        } catch {
            stop = error.ending
            return false
        }
    }

    /// Announces an event once everything before it is durable.
    func announce(_ event: ExecutionEvent) {
        announcements.append(event)
    }

    /// The journal's name for a step. Steps of the plan are named by their position, which is the same in every run of
    /// the plan. Steps by which it grew are named by their node and action, because another run may grow differently.
    func subject(of step: Int) -> JournalSubject {
        guard step >= plannedCount, case .configure(let node, let action) = steps[step].work else {
            return .step(UInt32(truncatingIfNeeded: step))
        }
        return .label("\(node.rawValue.hexadecimal)/\(Hexadecimal.encode(action.encoded))")
    }
}

extension Array {
    /// Returns all elements and empties the array.
    mutating func drained() -> [Element] {
        defer { removeAll() }
        return self
    }
}
