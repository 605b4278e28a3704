import MeshCore
import Planning
import Store

/// The books that every part of a run keeps: the network as it is known, the journal, the steps and their order, and
/// what is to be announced. A value without input or output.
///
/// Nothing in it is a decision of one part alone. Each part of a run has its own state beside it.
struct RunLedger {
    var network: NetworkRecord
    var journal: RunJournal
    var schedule: StepSchedule
    /// The steps of the plan, then those by which it grew.
    private(set) var steps: [Step]
    /// The number of steps of the plan itself. Steps by which it grew have no number that another run could rely on.
    let plannedCount: Int
    /// Nodes that do not answer: the run sends them nothing more.
    var unreachable: Set<DeviceUUID>
    /// Over how few hops an answer of each node came in this run.
    private var hops: [DeviceUUID: UInt8] = [:]
    /// Whether the user wants no new messages.
    var isInterrupted = false
    private let calendar: () -> Timestamp
    /// In which known ways nodes depart from the specification, as already announced.
    private var quirks: [DeviceUUID: Set<KnownQuirk>] = [:]
    /// Events to announce after the next commit.
    private var announcements: [ExecutionEvent] = []

    init(
        network: NetworkRecord,
        journal: RunJournal,
        schedule: StepSchedule,
        steps: [Step],
        unreachable: Set<DeviceUUID>,
        calendar: @escaping () -> Timestamp
    ) {
        self.network = network
        self.journal = journal
        self.schedule = schedule
        self.steps = steps
        plannedCount = steps.count
        self.unreachable = unreachable
        self.calendar = calendar
    }

    /// The calendar time.
    var now: Timestamp { calendar() }

    /// The journal's name for a step. Steps of the plan are named by their position, which is the same in every run of
    /// the plan. Steps by which it grew are named by their node and action, because another run may grow differently.
    func subject(of step: Int) -> JournalSubject {
        guard step >= plannedCount, case .configure(let node, let action) = steps[step].work else {
            return .step(UInt32(truncatingIfNeeded: step))
        }
        return .label("\(node.rawValue.hexadecimal)/\(Hexadecimal.encode(action.encoded))")
    }

    /// Makes everything durable; see ``RunJournal/commit(_:_:isLast:)``.
    mutating func commit(_ client: inout MeshClient, isLast: Bool) throws(StoreError) {
        try journal.commit(&network, &client, isLast: isLast)
    }

    /// Records the outcome of a step's request.
    mutating func settle(_ step: Int, _ result: JournalResult) {
        journal.settle(subject(of: step), result)
    }

    /// An answer of a node has arrived with a TTL. It left with the Default TTL, so it tells how far the node is.
    ///
    /// - Parameter action: what was requested; a change of the Default TTL leaves open with which one the answer left.
    mutating func measure(_ uuid: DeviceUUID, by ttl: UInt8, after action: ConfigurationAction?) {
        if case .setDefaultTTL? = action { return }
        guard let node = network.node(uuid), let sent = node.defaultTTL, ttl > 0, ttl <= sent else { return }
        let count = min(sent - ttl + 1, hops[uuid] ?? .max)
        guard hops.updateValue(count, forKey: uuid) != count, node.hops != count else { return }
        network.setHops(count, of: uuid)
    }

    mutating func update(_ node: DeviceUUID, _ change: (inout Node, Timestamp) -> Void) {
        let now = now
        network.update(node, at: now) { change(&$0, now) }
    }

    mutating func record(_ composition: Composition, of node: DeviceUUID) {
        update(node) { node, now in
            node.record(composition)
            node.observedAt = now
        }
    }

    /// A node that the run can send requests to.
    ///
    /// - Parameter action: the action to request; nil for a question that belongs to none.
    /// - Throws: ``StepFailure/unmakeable(_:)`` if there is no such node, or no key to reach it with.
    func reachableNode(
        _ uuid: DeviceUUID,
        for action: ConfigurationAction? = nil
    ) throws(StepFailure) -> Node {
        guard let node = network.node(uuid) else { throw .unmakeable("the database has no such node") }
        guard node.deviceKey != nil else { throw .unmakeable("the database has no device key of the node") }
        guard !network.subnets(of: node, for: action).isEmpty else {
            throw .unmakeable("the node has no network key that the database has")
        }
        return node
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

    /// Removes a node that was reset from the network.
    mutating func retire(_ uuid: DeviceUUID) -> [RunOutput] {
        guard let node = network.node(uuid) else { return [] }
        network.retire(uuid, reason: .reset, at: now)
        return [.removed(node.unicastAddress)]
    }

    // MARK: Announcements

    /// Announces an event once everything before it is durable.
    mutating func announce(_ event: ExecutionEvent) {
        announcements.append(event)
    }

    var hasAnnouncements: Bool { !announcements.isEmpty }

    /// The events to announce now that everything before them is durable.
    mutating func takeAnnouncements() -> [ExecutionEvent] { announcements.drained() }

    /// A node departs from the specification in a known way. Each way is announced once for each node.
    mutating func meet(_ quirk: KnownQuirk, of node: DeviceUUID) {
        guard quirks[node, default: []].insert(quirk).inserted else { return }
        announce(.quirkMet(node, quirk))
    }

    // MARK: Ends of steps

    mutating func succeed(_ step: Int, byReadBack isByReadBack: Bool = false) {
        schedule.succeed(step)
        announce(.stepSucceeded(step: step, byReadBack: isByReadBack))
        finish(afterStep: step)
    }

    /// The database already has a step's effect.
    mutating func skip(_ step: Int) {
        schedule.succeed(step)
        announce(.stepSkipped(step: step))
        finish(afterStep: step)
    }

    /// A step has failed, and everything that depends on it is blocked.
    mutating func fail(_ step: Int, _ failure: StepFailure) {
        let blocked = schedule.fail(step)
        announce(.stepFailed(step: step, failure))
        announceBlocked(blocked, besides: schedule.lane(ofStep: step))
        finish(afterStep: step)
    }

    /// A started step waits for another run, because its node must not change before others have.
    mutating func postpone(_ step: Int, _ change: WaitingChange, on node: DeviceUUID) {
        announceBlocked(schedule.postpone(step), besides: schedule.lane(ofStep: step))
        announce(.changeWaits(node, change))
        finish(afterStep: step)
    }

    /// A node or device does not answer: its steps wait for another run.
    mutating func suspend(_ node: DeviceUUID) {
        guard let lane = schedule.lane(of: node) else { return announce(.nodePending(node, steps: 0)) }
        let (pending, blocked) = schedule.suspend(lane: lane)
        announce(.nodePending(node, steps: pending.count { steps[$0].concernsNode }))
        announceBlocked(blocked)
    }

    /// Adds steps that follow from a started one, which succeeds; see ``StepSchedule/grow(_:by:)``.
    ///
    /// - Returns: the new steps that cannot start.
    mutating func grow(_ step: Int, by grown: [Step]) throws(PlanDefect) -> [Int] {
        let blocked = try schedule.grow(step, by: grown)
        steps += grown
        return blocked
    }

    /// Announces which steps are blocked, and which nodes are finished because of that.
    ///
    /// - Parameter own: the lane whose end the caller announces.
    mutating func announceBlocked(_ blocked: [Int], besides own: Int? = nil) {
        var lanes: Set<Int> = []
        var ended: [Int] = []
        for step in blocked {
            if case .blocked(let cause) = schedule.states[step] { announce(.stepBlocked(step: step, by: cause)) }
            guard let lane = schedule.lane(ofStep: step), lane != own, lanes.insert(lane).inserted else { continue }
            if schedule.isLaneFinished(lane) { ended.append(lane) }
        }
        for lane in ended { announce(.nodeFinished(schedule.node(ofLane: lane))) }
    }

    /// Announces the end of a node if a step was its last one. Edits of the database belong to no lane.
    mutating func finish(afterStep step: Int) {
        if let lane = schedule.lane(ofStep: step), schedule.isLaneFinished(lane) {
            announce(.nodeFinished(schedule.node(ofLane: lane)))
        }
    }
}

extension Array {
    /// Returns all elements and empties the array.
    mutating func drained() -> [Element] {
        defer { removeAll() }
        return self
    }
}
