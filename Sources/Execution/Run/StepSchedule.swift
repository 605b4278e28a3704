import MeshCore
import Planning

/// Which steps of a plan may start, which are decided, and what follows from a failure: the plan's graph without
/// radio or database.
///
/// A node's configuration steps form its lane and start one after another in plan order. A step starts when all its
/// dependencies succeeded and every step before the barriers in front of it has ended in some way; until then its
/// lane waits. Both point backwards only, so the first undecided step of the plan can always start and nothing waits
/// for ever.
struct StepSchedule {
    /// Where a step stands.
    enum State: Hashable, Sendable {
        /// Not started.
        case waiting
        /// Handed out and not decided.
        case started
        /// Its effect is recorded: by a message, or found there.
        case succeeded
        /// It did not happen.
        case failed
        /// A step it depends on did not succeed; that one's position.
        case blocked(by: Int)
        /// Its node does not answer.
        case pending
    }

    /// The steps of one node.
    private struct Lane {
        let node: DeviceUUID
        var steps: [Int] = []
        /// Position in `steps` of the first one not yet decided.
        var head = 0
        var isBusy = false
        var isQueued = false
    }

    private(set) var states: [State]
    private var dependents: [[Int]]
    private var missingDependencies: [Int]
    private var laneOfStep: [Int?]
    private var lanes: [Lane] = []
    private var laneOfNode: [DeviceUUID: Int] = [:]
    private var readyEdits = MinimumHeap()
    private var readyLanes = MinimumHeap()
    /// The steps between two barriers form a section.
    private var sectionOfStep: [Int]
    private var undecidedInSection: [Int]
    /// Steps of later sections do not start yet.
    private var openSection = 0
    private var heldEdits: [[Int]]
    private var heldLanes: [[Int]]
    /// Steps that are neither waiting nor started.
    private(set) var decidedCount = 0
    /// Steps handed out and not decided.
    private(set) var startedCount = 0

    /// The schedule of nothing.
    init() {
        states = []
        dependents = []
        missingDependencies = []
        laneOfStep = []
        sectionOfStep = []
        undecidedInSection = [0]
        heldEdits = [[]]
        heldLanes = [[]]
    }

    /// The schedule at the start of a plan. A dependency that is not in front of its step is a damaged plan.
    ///
    /// - Parameter barriers: positions of steps, ascending, before which all earlier steps must have ended.
    init(steps: [Step], barriers: [Int]) throws(PlanDefect) {
        states = Array(repeating: .waiting, count: steps.count)
        dependents = Array(repeating: [], count: steps.count)
        missingDependencies = Array(repeating: 0, count: steps.count)
        laneOfStep = Array(repeating: nil, count: steps.count)
        sectionOfStep = Array(repeating: 0, count: steps.count)
        undecidedInSection = Array(repeating: 0, count: barriers.count + 1)
        heldEdits = Array(repeating: [], count: barriers.count + 1)
        heldLanes = Array(repeating: [], count: barriers.count + 1)
        var section = 0
        for (position, step) in steps.enumerated() {
            for dependency in step.dependencies {
                guard (0..<position).contains(dependency) else { throw PlanDefect(step: position) }
                dependents[dependency].append(position)
            }
            missingDependencies[position] = step.dependencies.count
            while section < barriers.count, barriers[section] <= position { section += 1 }
            sectionOfStep[position] = section
            undecidedInSection[section] += 1
            guard case .configure(let node, _) = step.work else { continue }
            let lane = laneOfNode[node] ?? lanes.count
            if lane == lanes.count {
                lanes.append(Lane(node: node))
                laneOfNode[node] = lane
            }
            lanes[lane].steps.append(position)
            laneOfStep[position] = lane
        }
        openNextSections()
        for position in steps.indices where laneOfStep[position] == nil { enqueue(edit: position) }
        for lane in lanes.indices { enqueue(lane) }
    }

    /// Whether every step is decided.
    var isFinished: Bool { decidedCount == states.count }

    /// The node of a lane.
    func node(ofLane lane: Int) -> DeviceUUID { lanes[lane].node }

    /// The lane of a node, nil if the plan has no step for it.
    func lane(of node: DeviceUUID) -> Int? { laneOfNode[node] }

    /// Whether every step of the lane is decided.
    func isLaneFinished(_ lane: Int) -> Bool { lanes[lane].head == lanes[lane].steps.count }

    /// The next database edit that may be made, marked as started.
    mutating func startEdit() -> Int? {
        while let step = readyEdits.popMinimum() {
            guard states[step] == .waiting else { continue }
            start(step)
            return step
        }
        return nil
    }

    /// The next configuration step that may be sent, marked as started; lanes that come first in the plan first, so
    /// that nodes are finished rather than many begun.
    mutating func startConfiguration() -> (step: Int, lane: Int)? {
        while let lane = readyLanes.popMinimum() {
            lanes[lane].isQueued = false
            guard let step = startableHead(of: lane) else { continue }
            lanes[lane].isBusy = true
            start(step)
            return (step, lane)
        }
        return nil
    }

    /// Whether a step may be there to start now.
    var hasStartableWork: Bool { !readyLanes.isEmpty || !readyEdits.isEmpty }

    /// A started step succeeded: its dependents may start.
    mutating func succeed(_ step: Int) {
        decide(step, .succeeded)
        for dependent in dependents[step] {
            missingDependencies[dependent] -= 1
            guard missingDependencies[dependent] == 0, states[dependent] == .waiting else { continue }
            if let lane = laneOfStep[dependent] { enqueue(lane) } else { enqueue(edit: dependent) }
        }
    }

    /// A step did not happen: everything that depends on it is blocked.
    ///
    /// - Returns: The steps newly blocked, in plan order.
    mutating func fail(_ step: Int) -> [Int] {
        decide(step, .failed)
        return block(dependentsOf: [step])
    }

    /// The node of a lane does not answer: its steps stay, and what depends on them in other lanes is blocked.
    ///
    /// - Returns: The lane's steps that are now pending and the steps of other lanes newly blocked, in plan order.
    mutating func suspend(lane: Int) -> (pending: [Int], blocked: [Int]) {
        var pending: [Int] = []
        for step in lanes[lane].steps[lanes[lane].head...] where !isDecided(step) { pending.append(step) }
        for step in pending { decide(step, .pending) }
        return (pending, block(dependentsOf: pending))
    }

    /// A started step is handed back undecided, because the run ends before it was sent.
    mutating func putBack(_ step: Int) {
        guard states[step] == .started else { return }
        states[step] = .waiting
        startedCount -= 1
        if let lane = laneOfStep[step] {
            lanes[lane].isBusy = false
            enqueue(lane)
        } else {
            enqueue(edit: step)
        }
    }

    private mutating func start(_ step: Int) {
        states[step] = .started
        startedCount += 1
    }

    private func isDecided(_ step: Int) -> Bool {
        switch states[step] {
        case .waiting, .started: false
        case .succeeded, .failed, .blocked, .pending: true
        }
    }

    private mutating func decide(_ step: Int, _ state: State) {
        let wasStarted = states[step] == .started
        states[step] = state
        decidedCount += 1
        if wasStarted { startedCount -= 1 }
        if let lane = laneOfStep[step] {
            if wasStarted { lanes[lane].isBusy = false }
            enqueue(lane)
        }
        undecidedInSection[sectionOfStep[step]] -= 1
        openNextSections()
    }

    /// Opens the first section with an undecided step and everything before it.
    private mutating func openNextSections() {
        while openSection < undecidedInSection.count - 1, undecidedInSection[openSection] == 0 {
            openSection += 1
            let (edits, lanes) = (heldEdits[openSection], heldLanes[openSection])
            heldEdits[openSection] = []
            heldLanes[openSection] = []
            for edit in edits { enqueue(edit: edit) }
            for lane in lanes { enqueue(lane) }
        }
    }

    private mutating func block(dependentsOf roots: [Int]) -> [Int] {
        var blocked: [Int] = []
        var open = roots
        while let step = open.popLast() {
            for dependent in dependents[step] where states[dependent] == .waiting {
                decide(dependent, .blocked(by: step))
                blocked.append(dependent)
                open.append(dependent)
            }
        }
        return blocked.sorted()
    }

    /// Puts an edit into the queue if it may start.
    private mutating func enqueue(edit step: Int) {
        guard states[step] == .waiting, missingDependencies[step] == 0 else { return }
        if sectionOfStep[step] > openSection {
            heldEdits[sectionOfStep[step]].append(step)
        } else {
            readyEdits.insert(step)
        }
    }

    /// Puts a lane into the queue if its next step may start.
    private mutating func enqueue(_ lane: Int) {
        guard !lanes[lane].isQueued, let step = startableHead(of: lane) else { return }
        guard sectionOfStep[step] <= openSection else {
            heldLanes[sectionOfStep[step]].append(lane)
            return
        }
        lanes[lane].isQueued = true
        readyLanes.insert(lane)
    }

    private mutating func startableHead(of lane: Int) -> Int? {
        while lanes[lane].head < lanes[lane].steps.count, isDecided(lanes[lane].steps[lanes[lane].head]) {
            lanes[lane].head += 1
        }
        guard !lanes[lane].isBusy, lanes[lane].head < lanes[lane].steps.count else { return nil }
        let step = lanes[lane].steps[lanes[lane].head]
        return states[step] == .waiting && missingDependencies[step] == 0 ? step : nil
    }
}

/// A plan whose graph is not one: a step that depends on itself or on a later one.
struct PlanDefect: Error, Hashable, Sendable {
    /// The step's position.
    let step: Int
}
