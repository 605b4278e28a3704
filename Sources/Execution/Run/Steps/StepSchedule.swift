import Basics
import MeshCore
import Planning

/// Which steps of a plan may start, which have ended, and what follows from a failure: the graph of the plan, without
/// radio or database.
///
/// The steps of a node form its lane and start one after another in plan order; edits of the database need no lane. A
/// step starts when all its dependencies have succeeded and every step before its barriers has ended; until then its
/// lane waits. Dependencies and barriers point backwards only, so the first undecided step of the plan can always
/// start, and nothing waits for ever.
///
/// A plan can grow: a started step adds further steps to its lane. They follow it directly, before the next barrier.
struct StepSchedule {
    /// What a step needs.
    enum Kind: Int, CaseIterable, Hashable, Sendable {
        /// Only a change of the database.
        case edit
        case request
        case provisioning
        /// Only the knowledge gained so far, to decide which steps follow.
        case growth
    }

    /// The state of a step.
    enum State: Hashable, Sendable {
        case waiting
        /// Handed out, and not yet ended.
        case started
        /// Its effect is recorded: a message achieved it, or it was there before.
        case succeeded
        case failed
        /// A step that it depends on did not succeed: the position of that one.
        case blocked(by: Int)
        /// Its node does not answer, or must not change before others have.
        case pending
    }

    /// How the run reaches the node of a lane.
    enum Way: Hashable, Sendable {
        /// Through the mesh. Its requests take a place in the window.
        case mesh
        /// Not at present, because it waits for a link of its own.
        case held
        /// Over a link of its own that carries nothing else.
        case direct
    }

    /// The steps of one node.
    private struct Lane {
        let node: DeviceUUID
        var way = Way.mesh
        var steps: [Int] = []
        /// Position in `steps` of the first one that has not ended.
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
    private var kinds: [Kind]
    private var readyEdits = MinimumHeap<Int>()
    /// The lanes whose next step may start, by the kind of that step.
    private var readyLanes = Array(repeating: MinimumHeap<Int>(), count: Kind.allCases.count)
    /// The lanes with a link of their own whose next step may start.
    private var readyDirectLanes = MinimumHeap<Int>()
    /// The steps between two barriers form a section.
    private var sectionOfStep: [Int]
    private var undecidedInSection: [Int]
    /// Steps of later sections do not start yet.
    private var openSection = 0
    private var heldEdits: [[Int]]
    private var heldLanes: [[Int]]
    /// How many steps are neither waiting nor started.
    private(set) var decidedCount = 0
    private(set) var startedCount = 0

    init() {
        states = []
        kinds = []
        dependents = []
        missingDependencies = []
        laneOfStep = []
        sectionOfStep = []
        undecidedInSection = [0]
        heldEdits = [[]]
        heldLanes = [[]]
    }

    /// The schedule at the start of a plan. In an undamaged plan every dependency comes before its step.
    ///
    /// - Parameter barriers: positions of steps, ascending, before which all earlier steps must have ended.
    /// - Throws: ``PlanDefect`` if a step depends on itself or on a later one.
    init(steps: [Step], barriers: [Int]) throws(PlanDefect) {
        states = Array(repeating: .waiting, count: steps.count)
        kinds = steps.map(\.kind)
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
            guard let node = step.laneNode else { continue }
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

    var isFinished: Bool { decidedCount == states.count }

    var startedSteps: [Int] { states.indices.filter { states[$0] == .started } }

    func node(ofLane lane: Int) -> DeviceUUID { lanes[lane].node }

    /// The lane of a node; nil if the plan has no step for it.
    func lane(of node: DeviceUUID) -> Int? { laneOfNode[node] }

    /// The lane of a step; nil for edits.
    func lane(ofStep step: Int) -> Int? { laneOfStep[step] }

    func isLaneFinished(_ lane: Int) -> Bool {
        // The head of a lane moves only when the lane has its turn.
        lanes[lane].steps[lanes[lane].head...].allSatisfy(isDecided)
    }

    /// A step that has just started.
    enum Started: Hashable, Sendable {
        /// Only a change of the database.
        case edit(Int)
        /// It asks nothing of a node, so it needs no place in the window.
        case local(Int)
        /// A request to a node.
        case request(Int)
    }

    /// Starts the next step that may start, and returns it. Edits come first, then steps that need no request, then
    /// requests.
    ///
    /// This must be one call, not several in an `else if` chain. Swift 6.3.1 with -O merges the run's accesses to its
    /// schedule in such a chain and keeps them open while the step starts, which then traps.
    ///
    /// - Parameter hasRoom: whether another request may be sent.
    mutating func startNext(hasRoom: Bool) -> Started? {
        if let step = startEdit() { return .edit(step) }
        if let step = start(.growth) ?? start(.provisioning) { return .local(step) }
        if let step = startDirect() { return .request(step) }
        guard hasRoom else { return nil }
        return (start(.request) ?? start(.provisioning) ?? start(.growth)).map { .request($0) }
    }

    /// Starts the next database edit that may be made, and returns it.
    mutating func startEdit() -> Int? {
        while let step = readyEdits.popMinimum() {
            guard states[step] == .waiting else { continue }
            start(step)
            return step
        }
        return nil
    }

    /// Starts the next step of a lane and returns it. Lanes that come first in the plan go first, so that nodes are
    /// finished before many more are begun.
    mutating func start(_ kind: Kind) -> Int? {
        while let lane = readyLanes[kind.rawValue].popMinimum() {
            lanes[lane].isQueued = false
            guard let step = startableHead(of: lane) else { continue }
            // The step may have been blocked since it was queued, or its lane may have another way.
            guard kinds[step] == kind, lanes[lane].way == .mesh else {
                enqueue(lane)
                continue
            }
            lanes[lane].isBusy = true
            start(step)
            return step
        }
        return nil
    }

    /// Starts the next step of a lane with a link of its own, and returns it.
    private mutating func startDirect() -> Int? {
        while let lane = readyDirectLanes.popMinimum() {
            lanes[lane].isQueued = false
            guard let step = startableHead(of: lane) else { continue }
            guard lanes[lane].way == .direct else {
                enqueue(lane)
                continue
            }
            lanes[lane].isBusy = true
            start(step)
            return step
        }
        return nil
    }

    /// Whether a step may be able to start now.
    var hasStartableWork: Bool {
        !readyEdits.isEmpty || !readyDirectLanes.isEmpty || readyLanes.contains { !$0.isEmpty }
    }

    // MARK: Ways

    var laneCount: Int { lanes.count }

    /// Sets how the node of a lane is reached from now on; a step that has started continues.
    mutating func reach(lane: Int, by way: Way) {
        guard lanes[lane].way != way else { return }
        lanes[lane].way = way
        // Its place in another queue is skipped when its turn comes.
        lanes[lane].isQueued = false
        enqueue(lane)
    }

    /// Whether a step of a lane has started, or the next one could start if its way allowed that.
    mutating func isActive(lane: Int) -> Bool { lanes[lane].isBusy || isStartable(lane: lane) }

    /// Whether no step of a lane has started, and the next one could start if its way allowed that.
    mutating func isStartable(lane: Int) -> Bool {
        startableHead(of: lane).map { sectionOfStep[$0] <= openSection } ?? false
    }

    /// The waiting steps of a lane that no barrier holds back, in order.
    func openSteps(ofLane lane: Int) -> [Int] {
        lanes[lane].steps[lanes[lane].head...].filter { states[$0] == .waiting && sectionOfStep[$0] <= openSection }
    }

    /// The waiting steps of all lanes that no barrier holds back.
    var openSteps: [Int] {
        states.indices.filter {
            states[$0] == .waiting && laneOfStep[$0] != nil && sectionOfStep[$0] <= openSection
        }
    }

    /// Adds steps that follow from a started one; its lane continues with them in order.
    ///
    /// - Parameter steps: steps of the lane's node; their positions follow the last one's.
    /// - Returns: the new steps that cannot start because a step that they depend on failed, in plan order.
    /// - Throws: ``PlanDefect`` if a step depends on itself or on a later one, or belongs to another node. Then nothing
    ///   is changed.
    mutating func grow(_ origin: Int, by steps: [Step]) throws(PlanDefect) -> [Int] {
        let first = states.count
        guard let lane = laneOfStep[origin], states[origin] == .started else { throw PlanDefect(step: origin) }
        for (offset, step) in steps.enumerated() {
            guard step.laneNode == lanes[lane].node,
                step.dependencies.allSatisfy({ (0..<first + offset).contains($0) })
            else { throw PlanDefect(step: first + offset) }
        }
        let section = sectionOfStep[origin]
        undecidedInSection[section] += steps.count
        var causes: [(step: Int, cause: Int)] = []
        for (offset, step) in steps.enumerated() {
            let position = first + offset
            states.append(.waiting)
            kinds.append(step.kind)
            dependents.append([])
            missingDependencies.append(0)
            laneOfStep.append(lane)
            sectionOfStep.append(section)
            for dependency in step.dependencies where states[dependency] != .succeeded {
                missingDependencies[position] += 1
                dependents[dependency].append(position)
                if isDecided(dependency) { causes.append((position, dependency)) }
            }
        }
        lanes[lane].steps.insert(contentsOf: first..<first + steps.count, at: lanes[lane].head + 1)
        var blocked: [Int] = []
        for (step, cause) in causes where states[step] == .waiting {
            decide(step, .blocked(by: cause))
            blocked += [step] + block(dependentsOf: [step])
        }
        return blocked.sorted()
    }

    /// A started step succeeded: its dependents may start.
    mutating func succeed(_ step: Int) {
        decide(step, .succeeded)
        for dependent in dependents[step] {
            missingDependencies[dependent] -= 1
            guard missingDependencies[dependent] == 0, states[dependent] == .waiting else { continue }
            if let lane = laneOfStep[dependent] { enqueue(lane) } else { enqueue(edit: dependent) }
        }
    }

    /// A step failed: everything that depends on it is blocked.
    ///
    /// - Returns: the newly blocked steps, in plan order.
    mutating func fail(_ step: Int) -> [Int] {
        decide(step, .failed)
        return block(dependentsOf: [step])
    }

    /// The node of a lane does not answer: its steps stay, and steps of other lanes that depend on them are blocked.
    ///
    /// - Returns: the steps of the lane that are now pending, and the newly blocked steps of other lanes, in plan
    ///   order.
    mutating func suspend(lane: Int) -> (pending: [Int], blocked: [Int]) {
        var pending: [Int] = []
        for step in lanes[lane].steps[lanes[lane].head...] where !isDecided(step) { pending.append(step) }
        for step in pending { decide(step, .pending) }
        return (pending, block(dependentsOf: pending))
    }

    /// A started step waits for another run, and what depends on it is blocked. Other steps of its node go on.
    ///
    /// - Returns: the newly blocked steps, in plan order.
    mutating func postpone(_ step: Int) -> [Int] {
        decide(step, .pending)
        return block(dependentsOf: [step])
    }

    /// Returns a started step to the waiting ones, because the run ends before its request was sent.
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

    /// Whether a step has not ended.
    func isUndecided(_ step: Int) -> Bool { !isDecided(step) }

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

    /// Opens the first section with an undecided step, and all sections before it.
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
        switch lanes[lane].way {
        case .held: return
        case .direct: readyDirectLanes.insert(lane)
        case .mesh: readyLanes[kinds[step].rawValue].insert(lane)
        }
        lanes[lane].isQueued = true
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

/// A plan with a step that depends on itself or on a later one.
struct PlanDefect: Error, Hashable, Sendable {
    /// The step's position.
    let step: Int
}

extension Step {
    var kind: StepSchedule.Kind {
        switch work {
        case .edit: .edit
        case .configure, .readBack: .request
        case .provision: .provisioning
        case .configureWhenKnown: .growth
        }
    }

    /// The node whose lane it belongs to; nil for edits.
    var laneNode: DeviceUUID? { kind == .edit ? nil : node }
}
