import Catalogue
import DefinitionModel
import MeshCore
import Simulator

/// Plays one run of a test in a building of its own.
struct TestPlayer {
    let rehearsal: Rehearsal
    private let run: TestRun
    let world: SimulatedWorld
    /// What the last switch that was pressed has sent.
    var pressed: PressedSwitch?
    private var outcome: TestOutcome
    private let journal = HearingJournal()
    /// Tells one command of our own from the next.
    var transaction: UInt8 = 0

    /// Before anything happens, the building has stood still for a second.
    private static let calm = Duration.seconds(1)
    /// How often it is looked whether something has come true; more seldom if there is much time.
    private static let finestLook = Duration.milliseconds(10)
    private static let looks = 200

    /// - Parameter follows: whether to note who hears which message.
    init(_ rehearsal: Rehearsal, _ run: TestRun, _ settings: WorldSettings, follows: Bool) {
        self.rehearsal = rehearsal
        self.run = run
        outcome = TestOutcome(run: run)
        world = rehearsal.world(settings, seed: run.seed)
        if follows { world.onHearing = { [journal] in journal.heard.append($0) } }
    }

    /// Plays all steps, or those up to the first that does not go as expected.
    mutating func play() -> TestOutcome {
        world.advance(to: world.now.advanced(by: Self.calm))
        if let without = run.without { world.setPower(without.uuid.value, isOn: false) }
        for (place, step) in run.test.steps.enumerated() {
            let problems = play(step)
            guard problems.isEmpty else {
                outcome.failure = TestFailure(number: place + 1, step: step, problems: problems)
                break
            }
        }
        return outcome
    }

    private mutating func play(_ step: TestStep) -> [TestFailure.Problem] {
        let lights = world.levels
        journal.heard = []
        pressed = nil
        if let action = step.action, let problem = carryOut(action) {
            return [TestFailure.Problem(node: action.node?.value, text: problem, reason: nil)]
        }
        let within = Duration.milliseconds(step.within?.value ?? TestStep.usualTime)
        let begin = world.now
        let deadline = begin.advanced(by: within)
        let look = max(Self.finestLook, within / Self.looks)
        var (open, problems) = places(of: step)
        let expected = Set(step.expectations.flatMap { rehearsal.selectors.matches($0.nodes) }.map(uuid(ofNode:)))
        var strays: [LightPlace: Int64] = [:]
        while problems.isEmpty {
            let before = open.count
            open.removeAll { $0.isTrue(in: world) }
            if before > 0, open.isEmpty { note(begin.duration(to: world.now)) }
            if step.keepsOthers { strays.merge(changes(since: lights, besides: expected)) { _, last in last } }
            guard !(open.isEmpty && !step.keepsOthers), world.now < deadline else { break }
            world.advance(to: min(deadline, world.now.advanced(by: look)))
        }
        let hindsight = Hindsight(rehearsal.network, pressed, journal.heard)
        problems += open.map { place in
            TestFailure.Problem(
                node: place.name,
                text: place.problem(in: world, after: within),
                reason: hindsight.reason(at: place.uuid, servers: place.servers)
            )
        }
        problems += strays.sorted { $0.key < $1.key }.map { place, level in
            TestFailure.Problem(
                node: name(of: place.uuid),
                text: "its light changed to \(DeviceObservation.percent(level)) %, but others were to stay unchanged",
                reason: hindsight.reasonOfStray(place.uuid)
            )
        }
        return problems
    }

    private mutating func note(_ time: Duration) { outcome.slowest = max(outcome.slowest ?? .zero, time) }

    private func uuid(ofNode position: Int) -> DeviceUUID { rehearsal.definition.nodes[position].uuid.value }

    private func name(of uuid: DeviceUUID) -> String? {
        rehearsal.definition.nodes.first { $0.uuid.value == uuid }?.name.value
    }

    /// The lamps that have changed, with what they are now.
    private func changes(since lights: [LightPlace: Int64], besides expected: Set<DeviceUUID>) -> [LightPlace: Int64] {
        world.levels.filter { !expected.contains($0.key.uuid) && lights[$0.key] != $0.value && lights[$0.key] != nil }
    }

    /// The states that are expected, at nodes with power, and those that no element has.
    private func places(of step: TestStep) -> (open: [ExpectedPlace], problems: [TestFailure.Problem]) {
        var open: [ExpectedPlace] = []
        var problems: [TestFailure.Problem] = []
        for expectation in step.expectations {
            for position in rehearsal.selectors.matches(expectation.nodes) {
                let node = rehearsal.definition.nodes[position]
                guard !world.faults(of: node.uuid.value).isOff else { continue }
                for expected in expectation.states {
                    let place = ExpectedPlace(
                        node,
                        expectation.element.map { Int($0.value) },
                        expected.value,
                        rehearsal.models,
                        in: world
                    )
                    if let place {
                        open.append(place)
                    } else {
                        problems.append(
                            TestFailure.Problem(
                                node: node.name.value,
                                text: "it has no state \(expected.value.name)",
                                reason: "none of its elements has the model"
                            )
                        )
                    }
                }
            }
        }
        return (open, problems)
    }
}

/// Who heard which message.
private final class HearingJournal {
    var heard: [HeardMessage] = []
}

/// A lamp, or what else an element switches.
struct LightPlace: Hashable, Comparable {
    let uuid: DeviceUUID
    let element: Int

    static func < (left: LightPlace, right: LightPlace) -> Bool {
        (left.uuid, left.element) < (right.uuid, right.element)
    }
}

extension SimulatedWorld {
    /// The levels of all lamps of nodes with power.
    var levels: [LightPlace: Int64] {
        Dictionary(
            lights.map { (LightPlace(uuid: $0.uuid, element: $0.element), $0.level) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
