import Catalogue
import DefinitionModel
import Execution
import MeshCore
import Simulator

/// Plays one run of a test in a building of its own.
struct TestPlayer {
    let rehearsal: Rehearsal
    private let run: TestVariant
    let world: SimulatedWorld
    /// What the present step has sent; nil if nothing, or if that is not known.
    var sent: SentMessage?
    /// Who heard what in each step so far, if messages are followed.
    private(set) var followed: [[HeardMessage]] = []
    private var outcome: TestOutcome
    private let journal = StepJournal()
    private let follows: Bool
    /// Who heard what in each step of a run in which no node lacks its power; empty if nobody knows.
    private let whole: [[HeardMessage]]
    /// Tells one command of our own from the next.
    var transaction: UInt8 = 0

    /// Before anything happens, the building has stood still for a second.
    private static let calm = Duration.seconds(1)
    /// How often it is looked whether something has come true; more seldom if there is much time.
    private static let finestLook = Duration.milliseconds(10)
    private static let looks = 200

    /// - Parameters:
    ///   - follows: whether to note who hears which message, to explain failures.
    ///   - whole: who heard what in each step when no node lacked its power.
    init(
        _ rehearsal: Rehearsal,
        _ run: TestVariant,
        _ settings: WorldSettings,
        follows: Bool,
        comparing whole: [[HeardMessage]] = []
    ) {
        self.rehearsal = rehearsal
        self.run = run
        self.whole = whole
        outcome = TestOutcome(run: run)
        self.follows = follows
        world = rehearsal.world(settings, seed: run.seed ?? 1, isOperated: run.test.steps.contains(where: \.needsLink))
        let isAboutArrival = run.test.steps.contains { $0.expectations.contains { $0.arrives != nil } }
        if follows || isAboutArrival { world.onHearing = { [journal] in journal.heard.append($0) } }
        if run.test.steps.contains(where: { $0.expectations.contains { $0.heartbeat != nil } }) {
            world.onHeartbeat = { [journal] uuid, source, hops in
                journal.heartbeats.append(HeardHeartbeat(uuid: uuid, source: source, hops: hops))
            }
        }
        if run.test.steps.contains(where: \.silencesOthers) {
            world.onPublishing = { [journal] uuid, element, model in
                journal.published.append(Publisher(uuid: uuid, element: element, model: model))
            }
        }
    }

    /// Plays all steps, or those up to the first that does not go as expected.
    mutating func play() -> TestOutcome {
        world.advance(to: world.now.advanced(by: Self.calm))
        if let without = run.without { world.setPower(without.uuid.value, isOn: false) }
        for (index, step) in run.steps.enumerated() {
            let problems = play(step)
            followed.append(journal.heard)
            guard problems.isEmpty else {
                outcome.failure = TestFailure(number: index + 1, step: step, problems: problems)
                break
            }
        }
        return outcome
    }

    private mutating func play(_ step: TestStep) -> [TestFailure.Problem] {
        let lights = world.levels
        journal.heard = []
        journal.published = []
        journal.heartbeats = []
        sent = nil
        if let action = step.action, let problem = carryOut(action) {
            return [TestFailure.Problem(node: action.node?.value, text: problem)]
        }
        // A command from outside has taken its time until everybody has answered.
        let begin = world.now
        var (open, problems) = things(of: step)
        guard problems.isEmpty else { return problems }
        let window = Duration.milliseconds(step.within?.value ?? TestStep.usualTime)
        let isWatched = step.keepsOthers || step.silencesOthers
        let end = begin.advanced(by: open.map { $0.within }.reduce(isWatched ? window : .zero, max))
        let look = max(Self.finestLook, begin.duration(to: end) / Self.looks)
        let spared = Set(step.expectations.flatMap { rehearsal.selectors.matches($0.nodes) }.map(uuid(ofNode:)))
        var strays: [LightPlace: Int64] = [:]
        var late: [(thing: ExpectedThing, text: String)] = []
        while true {
            let passed = begin.duration(to: world.now)
            let count = open.count
            open.removeAll { $0.thing.isTrue(in: world, journal) }
            if open.count < count { note(passed) }
            for item in open where item.within <= passed {
                late.append((item.thing, item.thing.problem(in: world, journal, after: item.within)))
            }
            open.removeAll { $0.within <= passed }
            if step.keepsOthers, passed <= window {
                strays.merge(changes(since: lights, besides: spared)) { _, last in last }
            }
            guard !open.isEmpty || isWatched, world.now < end else { break }
            let next = open.map { $0.within }.min().map { begin.advanced(by: $0) } ?? end
            world.advance(to: min(next, world.now.advanced(by: look), end))
        }
        let published = journal.published
        // Where a message went that came too late shows a little later.
        if follows, late.contains(where: { $0.thing.dependsOnMessage }) {
            world.advance(to: world.now.advanced(by: Self.calm))
        }
        let hindsight = Hindsight(
            rehearsal.network,
            sent,
            at: begin,
            journal.heard,
            lacking: run.without?.uuid.value,
            whole: followed.count < whole.count ? whole[followed.count] : []
        )
        problems += late.map { thing, text in
            let reason = thing.dependsOnMessage ? hindsight.reason(at: thing.uuid, servers: thing.servers) : nil
            return TestFailure.Problem(node: thing.name, text: text, reason: reason)
        }
        problems += strays.sorted { $0.key < $1.key }.map { place, level in
            TestFailure.Problem(
                node: name(of: place.uuid),
                text: "its light changed to \(DeviceObservation.percent(level)) %, but others were to stay unchanged",
                reason: hindsight.reasonOfStray(place.uuid)
            )
        }
        return problems + voices(published, in: step, spared, hindsight) + silence(atProvisioner: step)
    }

    /// The heartbeats that should reach our own node and do not. A link to a proxy is made for them, so their time
    /// begins when all else has happened.
    private func silence(atProvisioner step: TestStep) -> [TestFailure.Problem] {
        let ear = ProvisionerEar(step, rehearsal.definition, in: rehearsal.network)
        guard !ear.isEmpty else { return [] }
        let (problems, ending) = rehearsal.executor(of: world).operate(with: []) { session in
            session.listen(ProvisionerEar.wish(ear.addresses, in: rehearsal.network))
            return ear.problems(in: session)
        }
        if ending == .completed, let problems { return problems }
        return [TestFailure.Problem(node: nil, text: "nothing could be heard: \(ending.reason)")]
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

    /// The nodes that published a change of their states although they were to stay silent.
    private func voices(
        _ published: [Publisher],
        in step: TestStep,
        _ spared: Set<DeviceUUID>,
        _ hindsight: Hindsight
    ) -> [TestFailure.Problem] {
        guard step.silencesOthers else { return [] }
        let actor = step.action?.node?.value
        var told: Set<Publisher> = []
        return published.compactMap { publisher in
            let name = name(of: publisher.uuid)
            guard !spared.contains(publisher.uuid), name != actor, told.insert(publisher).inserted else { return nil }
            let target = hindsight.publicationTarget(of: publisher).map { " to \($0)" } ?? ""
            return TestFailure.Problem(
                node: name,
                text: "its \(publisher.model.name) published a change\(target), but others were to stay silent",
                reason: hindsight.reasonOfStray(publisher.uuid)
            )
        }
    }

    /// What must come true, of nodes with power, each within its time, and what cannot.
    private func things(
        of step: TestStep
    ) -> (open: [(thing: ExpectedThing, within: Duration)], problems: [TestFailure.Problem]) {
        var open: [(thing: ExpectedThing, within: Duration)] = []
        var problems: [TestFailure.Problem] = []
        for expectation in step.expectations {
            let milliseconds = expectation.within?.value ?? step.within?.value ?? TestStep.usualTime
            let within = Duration.milliseconds(milliseconds)
            let element = expectation.element.map { Int($0.value) }
            for position in rehearsal.selectors.matches(expectation.nodes) {
                let node = rehearsal.definition.nodes[position]
                guard !world.faults(of: node.uuid.value).isOff else { continue }
                func lacks(_ text: String, _ reason: String) {
                    problems.append(TestFailure.Problem(node: node.name.value, text: text, reason: reason))
                }
                for expected in expectation.states {
                    if let place = ExpectedPlace(node, element, expected.value, rehearsal.models, in: world) {
                        open.append((.state(place), within))
                    } else {
                        lacks("it has no state \(expected.value.name)", "none of its elements has the model")
                    }
                }
                if let names = expectation.faults?.value {
                    if let faults = ExpectedFaults(node, element, names, in: world) {
                        open.append((.faults(faults), within))
                    } else {
                        lacks("it has no faults", "there is no health-server there")
                    }
                }
                if let sender = expectation.heartbeat?.value, let source = address(ofNode: sender) {
                    let hops = expectation.hops?.value
                    open.append((.heartbeat(ExpectedHeartbeat(node, from: sender, source, mostHops: hops)), within))
                }
                if let time = expectation.arrives?.value, let arrival = arrival(at: node, of: step.action) {
                    open.append((.arrival(arrival), .milliseconds(time)))
                }
            }
        }
        return (open, problems)
    }

    private func address(ofNode name: String) -> UnicastAddress? {
        guard let position = rehearsal.selectors.position(named: name) else { return nil }
        return rehearsal.network.nodes.first { $0.uuid == uuid(ofNode: position) }?.unicastAddress
    }

    private func arrival(at node: NodeDefinition, of action: TestAction?) -> ExpectedArrival? {
        guard let name = action?.node?.value, let position = rehearsal.selectors.position(named: name),
            let sender = rehearsal.network.nodes.first(where: { $0.uuid == uuid(ofNode: position) })
        else { return nil }
        return ExpectedArrival(node, from: sender.uuid, sender.addresses)
    }
}

extension TestStep {
    /// Whether our own node talks to others or listens to them.
    fileprivate var needsLink: Bool {
        if expectations.contains(where: \.isAtProvisioner) { return true }
        return switch action {
        case .set, .recall: true
        case .press, .sense, .fault, .power, .wait, nil: false
        }
    }
}

/// What was noted while a step was played.
final class StepJournal {
    var heard: [HeardMessage] = []
    /// Who published a change of its states.
    var published: [Publisher] = []
    var heartbeats: [HeardHeartbeat] = []
}

/// A heartbeat that reached a node.
struct HeardHeartbeat {
    /// The node that it reached.
    let uuid: DeviceUUID
    /// The address of the node that sent it.
    let source: UnicastAddress
    /// Over how many hops it came.
    let hops: Int
}

/// A model that publishes.
struct Publisher: Hashable {
    let uuid: DeviceUUID
    let element: Int
    let model: ModelIdentifier
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
        Dictionary(firstOf: lights.map { (LightPlace(uuid: $0.uuid, element: $0.element), $0.level) })
    }
}
