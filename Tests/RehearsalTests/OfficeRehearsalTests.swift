import Catalogue
import DefinitionModel
import Definitions
import Execution
import Foundation
import MeshCore
import Rehearsal
import Simulator
import Store
import TestSupport
import Testing

/// The example office, rehearsed with one mistake or none.
private final class RehearsedOffice {
    private let building: RehearsedBuilding

    private static let examples = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../examples/office").standardizedFileURL

    private static func file(_ name: String) throws -> SourceFiles.File {
        SourceFiles.File(path: name, bytes: Array(try Data(contentsOf: examples.appending(path: name))))
    }

    /// The office's files with some texts replaced, each of which must occur.
    private static func reading(_ change: [(String, String)]) throws -> DefinitionReading {
        var office = try Self.file("office.yaml")
        var text = String(decoding: office.bytes, as: UTF8.self)
        for (old, new) in change {
            try #require(text.contains(old), "\(old)")
            text = text.replacing(old, with: new)
        }
        office.bytes = Array(text.utf8)
        return DefinitionReader.reading(
            SourceFiles(files: [office, try Self.file("tests.yaml")]),
            loading: { _ in (try? Self.file("devices/models.yaml")).map { [$0] } ?? [] }
        )
    }

    /// The errors that are found in the changed office before it is played.
    static func diagnostics(_ change: [(String, String)]) throws -> [Diagnostic] {
        let errors = try reading(change).diagnostics.filter { $0.severity == .error }
        guard errors.isEmpty else { return errors }
        do {
            _ = try RehearsedOffice(change)
            return []
        } catch RehearsalError.diagnostics(let diagnostics) {
            return diagnostics.filter { $0.severity == .error }
        }
    }

    /// - Parameters:
    ///   - change: replaces texts in the definition; each must occur.
    ///   - isDescribed: whether the compositions come from the office's file with devices.
    ///   - isOverRadio: whether it is commissioned over the radio.
    init(_ change: [(String, String)] = [], isDescribed: Bool = true, isOverRadio: Bool = false) throws {
        let reading = try Self.reading(change)
        let definition = try #require(reading.definitions.first, "\(reading.diagnostics.map(\.message))")
        let errors = reading.diagnostics.filter { $0.severity == .error }
        try #require(errors.isEmpty, "\(errors.map(\.message))")
        let known =
            isDescribed
            ? DeviceFile.read(files: SourceFiles(files: [try Self.file("devices/devices.yaml")])).devices : []
        let devices = RehearsedDevices(of: definition, known: known, recorded: nil)
        #expect(devices.assumed.count == (isDescribed ? 0 : 44))
        building = try RehearsedBuilding(
            definition,
            devices,
            KnownModels(reading.vendorModels),
            isOverRadio: isOverRadio
        )
    }

    var rehearsal: Rehearsal { building.rehearsal }
    var tests: [TestDefinition] { building.rehearsal.definition.tests }

    /// The failures by the names of the tests.
    func failures(_ settings: WorldSettings = .ideal, seed: UInt64 = 1) -> [String: TestFailure] {
        building.failures(settings, seed: seed)
    }
}

@Suite("Tests of the example office")
struct OfficeRehearsalTests {
    private static let office: WorldSettings = {
        var settings = WorldSettings.office
        settings.topology = .hops(4)
        return settings
    }()

    @Test("All hold, with compositions from a file and with assumed ones, and over four hops of a busy office")
    func allHold() throws {
        let described = try RehearsedOffice()
        #expect(described.tests.count >= 16)
        #expect(described.failures().isEmpty, "\(described.failures())")
        // A message can be lost on every way there is: then it arrives under other chances.
        let failing = (1...3).map { Set(described.failures(Self.office, seed: $0).keys) }
        #expect(failing.reduce(failing[0]) { $0.intersection($1) }.isEmpty, "\(failing)")
        let assumed = try RehearsedOffice(isDescribed: false)
        #expect(assumed.failures(seed: 3).isEmpty, "\(assumed.failures(seed: 3))")
    }

    @Test("It is commissioned alike over the radio and without it, and each test has the same outcome")
    func commissionedAlike() throws {
        let (handed, aired) = (try RehearsedOffice(), try RehearsedOffice(isOverRadio: true))
        let nodes = { (office: RehearsedOffice) in
            Dictionary(office.rehearsal.network.nodes.map { ($0.uuid, $0) }, uniquingKeysWith: { first, _ in first })
        }
        let (one, other) = (nodes(handed), nodes(aired))
        #expect(one.count == other.count && one.count == handed.rehearsal.definition.nodes.count + 1)
        for (uuid, node) in one {
            let same = try #require(other[uuid])
            #expect(node.states == same.states && node.features == same.features, "\(node.name)")
            #expect(node.defaultTTL == same.defaultTTL && node.networkTransmit == same.networkTransmit)
            #expect(Set(node.netKeys.map(\.index)) == Set(same.netKeys.map(\.index)), "\(node.name)")
            #expect(Set(node.appKeys.map(\.index)) == Set(same.appKeys.map(\.index)), "\(node.name)")
            #expect(node.elements.count == same.elements.count, "\(node.name)")
            for (element, alike) in zip(node.elements, same.elements) {
                #expect(element.models.map(\.identifier) == alike.models.map(\.identifier), "\(node.name)")
                for (model, counterpart) in zip(element.models, alike.models) {
                    #expect(Set(model.bindings) == Set(counterpart.bindings), "\(node.name) \(model.identifier)")
                    #expect(Set(model.subscriptions) == Set(counterpart.subscriptions), "\(node.name)")
                    #expect(model.publication == counterpart.publication, "\(node.name) \(model.identifier)")
                    #expect(model.states.map(\.form) == counterpart.states.map(\.form), "\(node.name)")
                }
            }
        }
        for test in handed.tests {
            for run in handed.rehearsal.runs(of: test, seed: 5, count: 1) {
                let (first, second) = (handed.rehearsal.play(run, .ideal), aired.rehearsal.play(run, .ideal))
                #expect(first.isPassed && first == second, "\(test.name.value)")
            }
        }
    }

    @Test("The same seed gives the same outcome")
    func isDeterministic() throws {
        let office = try RehearsedOffice()
        let run = try #require(office.rehearsal.runs(of: office.tests[0], seed: 7, count: 1).first)
        #expect(office.rehearsal.play(run, .harsh) == office.rehearsal.play(run, .harsh))
    }

    /// A mistake in the definition, the test that finds it, and what its failure says.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: [(String, String)]
        let test: String
        let text: String
        let reason: String?
        var radio = WorldSettings.ideal
    }

    private static let kitchen = "the kitchen switch lights the kitchen, and nothing else"
    private static let kitchenRule =
        "- { groups: [kitchen], models: [generic-onoff-server, generic-level-server, light-lightness-server], element: 0"
    private static let corridor = "the corridor lights up for whoever comes, and goes dark when they have gone"
    private static let kitchenOnOff =
        "- { node: switch-kitchen, model: generic-onoff-client, to: kitchen, key: lighting"

    private static let mistakes: [Mistake] = [
        Mistake(
            testDescription: "a wrong group",
            change: [(kitchenOnOff, kitchenOnOff.replacing("to: kitchen", with: "to: corridor"))],
            test: kitchen,
            text: "onoff is off after 300ms, not on",
            reason: "the switch publishes to corridor (0xC006), but its generic-onoff-server subscribes to"
        ),
        Mistake(
            testDescription: "a missing key",
            change: [
                (
                    "        generic-onoff-server:       { keys: [lighting] }",
                    "        generic-onoff-server:       { keys: [sensors] }"
                )
            ],
            test: kitchen,
            text: "onoff is off",
            reason: "its generic-onoff-server is not bound to lighting, under which the switch publishes"
        ),
        Mistake(
            testDescription: "a TTL that is too small",
            change: [(kitchenOnOff, kitchenOnOff + ", ttl: 2")],
            test: kitchen,
            text: "onoff is off",
            reason: "its TTL of 2 was used up at ",
            radio: {
                var settings = WorldSettings.ideal
                settings.topology = .hops(12)
                return settings
            }()
        ),
        Mistake(
            testDescription: "too few relays",
            change: [("relay: on", "relay: off")],
            test: kitchen,
            text: "onoff is off",
            reason: "and no relay that has it is near this node",
            radio: {
                var settings = WorldSettings.ideal
                settings.topology = .hops(4)
                return settings
            }()
        ),
        Mistake(
            testDescription: "a model that was forgotten",
            change: [(kitchenRule, kitchenRule.replacing("generic-onoff-server, ", with: ""))],
            test: kitchen,
            text: "onoff is off",
            reason: "its generic-onoff-server subscribes to all-lamps"
        ),
        Mistake(
            testDescription: "a missing level server",
            change: [(kitchenRule, kitchenRule.replacing("generic-level-server, ", with: ""))],
            test: "the right rocker dims",
            text: "lightness is 0 % after 300ms, not 100%",
            reason: "the switch publishes to kitchen (0xC005), but its generic-level-server subscribes to nothing"
        ),
        Mistake(
            testDescription: "a run-on time in a wrong unit",
            change: [("light-control-time-run-on: 5min", "light-control-time-run-on: 5s")],
            test: corridor,
            text: "lightness is 0 % after 1s, not 80%",
            reason: nil
        ),
        Mistake(
            testDescription: "a sensor that another group hears",
            change: [("publish: { to: corridor-presence, key: sensors", "publish: { to: presence, key: sensors")],
            test: corridor,
            text: "lightness is 0 % after 2s, not 80%",
            reason: "the sensor publishes to presence (0x"
        ),
        Mistake(
            testDescription: "lamps that forget",
            change: [("states: { on_power_up: restore }", "states: { on_power_up: off }")],
            test: "a power cut changes nothing",
            text: "onoff is off after 1s, not on",
            reason: nil
        ),
        Mistake(
            testDescription: "lamps of other rooms in a group",
            change: [
                (
                    kitchenRule + ", nodes: { kind: lamp, room: kitchen }",
                    kitchenRule + ", nodes: { kind: lamp, area: office }"
                )
            ],
            test: kitchen,
            text: "but others were to stay unchanged",
            reason: "the switch publishes to kitchen (0xC005), to which its generic-onoff-server listens"
        ),
        Mistake(
            testDescription: "a switch of another room",
            change: [("generic-onoff-client, to: lounge", "generic-onoff-client, to: kitchen")],
            test: "guests have a subnet of their own",
            text: "onoff is off",
            reason: "the switch publishes to kitchen (0xC005), but its generic-onoff-server subscribes to lounge"
        ),
        Mistake(
            testDescription: "a wrong unit",
            change: [
                (
                    "        scene-server:               { keys: [lighting] }",
                    """
                            scene-server:               { keys: [lighting] }
                            generic-default-transition-time-server:
                              { keys: [lighting], states: { default_transition_time: 8min } }
                    """
                )
            ],
            test: kitchen,
            text: "not 0%; it goes on to 0 % for another ",
            reason: "the message of the switch arrived after"
        ),
        Mistake(
            testDescription: "a group with the lamps of another room",
            change: [
                (
                    "{ groups: [corridor], models: [light-lightness-server], element: 0, nodes: { kind: lamp, room: corridor }",
                    "{ groups: [corridor], models: [light-lightness-server], element: 0, nodes: { kind: lamp, room: kitchen }"
                )
            ],
            test: "half the light is enough for the corridor",
            text: "lightness is 0 % after 2s, not 50%",
            reason: "the command goes to corridor (0xC006), but its light-lightness-server subscribes to "
        ),
        Mistake(
            testDescription: "a scene with another value",
            change: [("scenes: { presentation: { lightness: 20% } }", "scenes: { presentation: { lightness: 50% } }")],
            test: "whoever shows something in a meeting room darkens that room, and no other",
            text: "lightness is 50 % after 2s, not 20%",
            reason: "the message of the command arrived after "
        ),
        Mistake(
            testDescription: "a scene at the wrong lamps",
            change: [("scenes: { presentation: { lightness: 20% } }", "scenes: { evening: { lightness: 20% } }")],
            test: "only the reception stays lit in the evening",
            text: "its light changed to 20 %, but others were to stay unchanged",
            reason: "to which its scene-server listens"
        ),
        Mistake(
            testDescription: "a switch that publishes nothing",
            change: [("  " + kitchenOnOff + ", retransmit: { count: 2, interval: 50ms } }\n", "")],
            test: kitchen,
            text: "the switch there publishes to nobody",
            reason: nil
        ),
    ]

    @Test("Each of many mistakes is found, and the failure says what happened instead", arguments: mistakes)
    func mistake(_ mistake: Mistake) throws {
        let office = try RehearsedOffice(mistake.change)
        // Over several hops, chance decides at which of the nodes a message ends.
        let failures = (1...5).lazy.compactMap { office.failures(mistake.radio, seed: $0)[mistake.test] }
        let shown = failures.first { failure in
            failure.problems.contains { $0.text.contains(mistake.text) }
                && (mistake.reason.map { reason in
                    failure.problems.contains { $0.reason?.contains(reason) == true }
                } ?? true)
        }
        let failure = try #require(shown ?? failures.first, "no failure")
        let problem = try #require(failure.problems.first { $0.text.contains(mistake.text) }, "\(failure.problems)")
        if let reason = mistake.reason {
            #expect(failure.problems.contains { $0.reason?.contains(reason) == true }, "\(failure.problems)")
        } else {
            #expect(problem.reason == nil)
        }
    }

    /// A mistake that is found before anything is played, and what is said of it.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: (String, String)
        let message: String
        let hint: String
    }

    private static let refusals: [Refusal] = [
        Refusal(
            testDescription: "no key for a setup server",
            change: (
                "generic-power-onoff-server: { keys: [lighting], states: { on_power_up: restore } }",
                "generic-power-onoff-server: { states: { on_power_up: restore } }"
            ),
            message: "`on-power-up` cannot be set: no application key is bound to `generic-power-onoff-",
            hint: "Add `keys: [KEY]` to `generic-power-onoff-"
        ),
        Refusal(
            testDescription: "a run-on time without a unit",
            change: ("light-control-time-run-on: 5min", "light-control-time-run-on: 300"),
            message: "`300` has no unit",
            hint: "write for example `5min`"
        ),
        Refusal(
            testDescription: "a range upside down",
            change: ("range: [5%, 100%]", "range: [100%, 5%]"),
            message: "the maximum 5% is below the minimum 100%",
            hint: "write the smaller value first"
        ),
        Refusal(
            testDescription: "a schedule for lamps that lack its scene",
            change: ("recall evening over 10s in room reception", "recall evening over 10s in room kitchen"),
            message: "no selected node can do what the schedule `evening` says",
            hint: ""
        ),
        Refusal(
            testDescription: "a scene that is darker than its lamps can be",
            change: ("scenes: { presentation: { lightness: 20% } }", "scenes: { presentation: { lightness: 2% } }"),
            message: "lightness 2% of the scene `presentation` is outside of the range 5% to 100%",
            hint: "so it cannot store it"
        ),
        Refusal(
            testDescription: "a schedule with a misspelt scene",
            change: ("recall evening over 10s in room reception", "recall evenning over 10s in room reception"),
            message: "there is no scene `evenning`",
            hint: "did you mean `evening`?"
        ),
    ]

    @Test("A mistake that no simulator is needed for is refused at its line", arguments: refusals)
    func refused(_ refusal: Refusal) throws {
        let diagnostics = try RehearsedOffice.diagnostics([refusal.change])
        let found = try #require(diagnostics.first, "nothing is wrong")
        #expect(found.message.contains(refusal.message), "\(found)")
        #expect(found.location != nil)
        #expect(refusal.hint.isEmpty || found.hint.map { "\($0)".contains(refusal.hint) } == true, "\(found)")
    }
}
