import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@testable import Execution

@Suite("StepSchedule")
struct StepScheduleTests {
    private func configure(_ node: UInt64, after dependencies: [Int] = []) -> Step {
        Step(change: 0, work: .configure(uuid(node), .setDefaultTTL(5)), dependencies: dependencies)
    }

    private func edit(after dependencies: [Int] = []) -> Step {
        Step(change: 0, work: .edit(.forget(uuid(9))), dependencies: dependencies)
    }

    private func started(_ schedule: inout StepSchedule) -> [Int] {
        var steps: [Int] = []
        while let step = schedule.startEdit() { steps.append(step) }
        while let step = schedule.start(.request) { steps.append(step) }
        return steps
    }

    @Test("A node whose link is awaited gets nothing, one with a link of its own needs no room")
    func ways() throws {
        var schedule = try StepSchedule(
            steps: [configure(1), configure(1), configure(2), configure(2), configure(3)],
            barriers: []
        )
        schedule.reach(lane: 0, by: .held)
        schedule.reach(lane: 1, by: .direct)
        #expect(schedule.startNext(hasRoom: false) == .request(2), "it needs no room")
        #expect(schedule.startNext(hasRoom: false) == nil)
        #expect(schedule.startNext(hasRoom: true) == .request(4), "the first lane is held")
        #expect(schedule.startNext(hasRoom: true) == nil)
        #expect(schedule.isStartable(lane: 0) && !schedule.isStartable(lane: 1) && schedule.isActive(lane: 1))
        #expect(schedule.openSteps(ofLane: 0) == [0, 1] && schedule.openSteps == [0, 1, 3])
        schedule.reach(lane: 0, by: .mesh)
        schedule.succeed(2)
        schedule.reach(lane: 1, by: .mesh)
        #expect(schedule.startNext(hasRoom: false) == nil, "no link of its own any more")
        #expect(schedule.startNext(hasRoom: true) == .request(0))
        #expect(schedule.startNext(hasRoom: true) == .request(3))
        schedule.succeed(0)
        schedule.reach(lane: 0, by: .direct)
        #expect(schedule.startNext(hasRoom: false) == .request(1))
        for step in [1, 3, 4] { schedule.succeed(step) }
        #expect(schedule.isFinished)
        #expect(schedule.startNext(hasRoom: true) == nil)
    }

    @Test("A lane grows right after the step that brings more, before what followed and before the next barrier")
    func growth() throws {
        var schedule = try StepSchedule(
            steps: [configure(1), configure(1), configure(2), configure(3)],
            barriers: [3]
        )
        #expect(started(&schedule) == [0, 2])
        #expect(try schedule.grow(0, by: [configure(1), configure(1, after: [4])]) == [])
        schedule.succeed(0)
        schedule.succeed(2)
        #expect(started(&schedule) == [4], "the barrier waits for what grew")
        schedule.succeed(4)
        #expect(started(&schedule) == [5])
        schedule.succeed(5)
        #expect(started(&schedule) == [1])
        schedule.succeed(1)
        #expect(started(&schedule) == [3])
        schedule.succeed(3)
        #expect(schedule.isFinished)
    }

    @Test("What grows from a step that something failed depends on is blocked at once, and what depends on that too")
    func blockedGrowth() throws {
        var schedule = try StepSchedule(steps: [configure(1), configure(2)], barriers: [])
        #expect(started(&schedule) == [0, 1])
        #expect(schedule.fail(1) == [])
        let grown = [configure(1, after: [1]), configure(1, after: [2]), configure(1)]
        #expect(try schedule.grow(0, by: grown) == [2, 3])
        schedule.succeed(0)
        #expect(started(&schedule) == [4])
        schedule.succeed(4)
        #expect(schedule.isFinished)
        #expect(schedule.states[3] == .blocked(by: 2))
    }

    @Test("Growth of another node, from a step that has not started, or that points forwards is refused unchanged")
    func refusedGrowth() throws {
        var schedule = try StepSchedule(steps: [configure(1), configure(1)], barriers: [])
        #expect(started(&schedule) == [0])
        #expect(throws: PlanDefect(step: 1)) { try schedule.grow(1, by: []) }
        #expect(throws: PlanDefect(step: 2)) { try schedule.grow(0, by: [configure(2)]) }
        #expect(throws: PlanDefect(step: 3)) { try schedule.grow(0, by: [configure(1), configure(1, after: [3])]) }
        #expect(schedule.states.count == 2)
        schedule.succeed(0)
        #expect(started(&schedule) == [1])
    }

    @Test("One step of a node at a time, in plan order; nodes side by side")
    func lanes() throws {
        var schedule = try StepSchedule(
            steps: [configure(1), configure(1), configure(2), configure(1), configure(2)],
            barriers: []
        )
        #expect(started(&schedule) == [0, 2])
        schedule.succeed(2)
        #expect(started(&schedule) == [4])
        schedule.succeed(0)
        schedule.succeed(4)
        #expect(started(&schedule) == [1])
        schedule.succeed(1)
        #expect(started(&schedule) == [3])
        #expect(!schedule.isFinished)
        schedule.succeed(3)
        #expect(schedule.isFinished)
    }

    @Test("A lane waits for a step of another lane and for edits")
    func dependencies() throws {
        var schedule = try StepSchedule(
            steps: [edit(), configure(1), configure(2, after: [0, 1]), edit(after: [2]), configure(2)],
            barriers: []
        )
        #expect(started(&schedule) == [0, 1])
        schedule.succeed(0)
        #expect(started(&schedule) == [])
        schedule.succeed(1)
        #expect(started(&schedule) == [2])
        schedule.succeed(2)
        #expect(started(&schedule) == [3, 4])
    }

    @Test("A failure blocks what depends on it, through other nodes, and nothing else")
    func failure() throws {
        var schedule = try StepSchedule(
            steps: [
                configure(1), configure(1, after: [0]), configure(2, after: [1]), configure(1), edit(after: [2]),
                configure(2),
            ],
            barriers: []
        )
        #expect(started(&schedule) == [0])
        #expect(schedule.fail(0) == [1, 2, 4])
        #expect(schedule.states[2] == .blocked(by: 1))
        #expect(started(&schedule) == [3, 5])
        schedule.succeed(3)
        schedule.succeed(5)
        #expect(schedule.isFinished)
    }

    @Test("A node that does not answer keeps its steps; dependents elsewhere are blocked, others go on")
    func suspension() throws {
        var schedule = try StepSchedule(
            steps: [configure(1), configure(1), configure(2, after: [1]), configure(2), configure(3)],
            barriers: []
        )
        #expect(started(&schedule) == [0, 4])
        let (pending, blocked) = try schedule.suspend(lane: required(schedule.lane(of: uuid(1))))
        #expect(pending == [0, 1])
        #expect(blocked == [2])
        #expect(started(&schedule) == [3])
    }

    @Test("A barrier lets nothing through before everything in front of it has ended in some way")
    func barriers() throws {
        var schedule = try StepSchedule(
            steps: [configure(1), configure(2), configure(3), edit(), configure(1)],
            barriers: [2, 4]
        )
        #expect(started(&schedule) == [0, 1])
        schedule.succeed(0)
        #expect(started(&schedule) == [])
        _ = schedule.fail(1)
        #expect(started(&schedule) == [3, 2])
        schedule.succeed(2)
        #expect(started(&schedule) == [])
        schedule.succeed(3)
        #expect(started(&schedule) == [4])
    }

    @Test("Blocking everything before a barrier opens it")
    func barrierAfterBlocked() throws {
        var schedule = try StepSchedule(
            steps: [configure(1), configure(2, after: [0]), configure(3)],
            barriers: [2]
        )
        #expect(started(&schedule) == [0])
        #expect(schedule.fail(0) == [1])
        #expect(started(&schedule) == [2])
    }

    @Test("What is put back is handed out again")
    func puttingBack() throws {
        var schedule = try StepSchedule(steps: [configure(1), edit()], barriers: [])
        #expect(started(&schedule) == [1, 0])
        schedule.putBack(0)
        schedule.putBack(1)
        #expect(schedule.startedCount == 0)
        #expect(started(&schedule) == [1, 0])
    }

    @Test("A step that depends on itself, a later or a missing one is refused", arguments: [1, 2, 7, -1])
    func damaged(dependency: Int) {
        #expect(throws: PlanDefect(step: 1)) {
            _ = try StepSchedule(steps: [configure(1), configure(1, after: [dependency]), configure(2)], barriers: [])
        }
    }

    @Test(
        "Random plans with random failures come to an end, and no step starts before those it depends on",
        arguments: 0..<40
    )
    func random(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let steps = (0..<120).map { position in
            let dependencies = Set(
                (0..<Int.random(in: 0...2, using: &generator)).compactMap { _ in
                    position > 0 ? Int.random(in: 0..<position, using: &generator) : nil
                }
            ).sorted()
            return Bool.random(using: &generator)
                ? configure(UInt64.random(in: 1...9, using: &generator), after: dependencies)
                : edit(after: dependencies)
        }
        let barriers = Set((0..<4).map { _ in Int.random(in: 0..<120, using: &generator) }).sorted()
        var schedule = try StepSchedule(steps: steps, barriers: barriers)
        var open: [Int] = []
        while true {
            for step in started(&schedule) {
                #expect(steps[step].dependencies.allSatisfy { schedule.states[$0] == .succeeded })
                for barrier in barriers where barrier <= step {
                    #expect(schedule.states[..<barrier].allSatisfy { $0 != .waiting && $0 != .started })
                }
                open.append(step)
            }
            guard !open.isEmpty else { break }
            let step = open.remove(at: Int.random(in: 0..<open.count, using: &generator))
            guard schedule.states[step] == .started else { continue }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: _ = schedule.fail(step)
            case 1:
                if case .configure(let node, _) = steps[step].work, let lane = schedule.lane(of: node) {
                    _ = schedule.suspend(lane: lane)
                } else {
                    _ = schedule.fail(step)
                }
            default: schedule.succeed(step)
            }
        }
        #expect(schedule.isFinished)
        #expect(schedule.startedCount == 0)
    }
}

@Suite("SendWindow")
struct SendWindowTests {
    @Test("Answers at the first attempt open it by one a round, up to the maximum")
    func opening() {
        var window = SendWindow(initial: 2, maximum: 4)
        #expect(window.size == 2)
        for _ in 0..<3 { window.answered(attempts: 1) }
        #expect(window.size == 3)
        for _ in 0..<40 { window.answered(attempts: 1) }
        #expect(window.size == 4)
    }

    @Test("Late answers close it, once a round, down to one")
    func closing() {
        var window = SendWindow(initial: 8, maximum: 8)
        window.answered(attempts: 2)
        #expect(window.size == 5)
        window.answered(attempts: 3)
        #expect(window.size == 5, "the same burst of losses counts once")
        for _ in 0..<60 { window.answered(attempts: 2) }
        #expect(window.size == 1)
    }
}
