import DefinitionModel
import Definitions
import Execution
import MeshCore
import Planning
import Simulator
import TestSupport
import Testing

/// Lamps of random models with random states. States that share a value get the same one.
private struct RandomStates {
    /// The models of the first and the second element.
    var models: [[String]] = [[], []]
    /// What a definition says of them, a line a model.
    var lines: [[String]] = [[], []]
    /// How many states it declares.
    var count = 0
    private var generator: SplitMix64

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
        let lightness = "\(Int.random(in: 10...90, using: &generator))%"
        add(0, "generic-default-transition-time-server", [("default_transition_time", ["2s", "300ms", "0s", "1min"])])
        add(
            0,
            "generic-power-onoff-server",
            setup: "generic-power-onoff-setup-server",
            [("on_power_up", ["off", "default", "restore"])]
        )
        add(
            0,
            "light-lightness-server",
            setup: "light-lightness-setup-server",
            [("default", [lightness, lightness]), ("range", ["[5%, 95%]", "[1%, 100%]"])]
        )
        add(
            0,
            "light-ctl-server",
            setup: "light-ctl-setup-server",
            [
                ("default", ["{ lightness: \(lightness), temperature: 3000K }", "[\(lightness), 4000K]"]),
                ("temperature_range", ["[2700K, 6500K]", "[2200K, 5000K]"]),
            ]
        )
        add(
            0,
            "light-hsl-server",
            setup: "light-hsl-setup-server",
            [("default", ["[\(lightness), 90°, 50%]", "{ lightness: \(lightness), hue: 180°, saturation: 25% }"])]
        )
        add(
            1,
            "light-lc-server",
            setup: "light-lc-setup-server",
            [
                ("mode", ["on", "off"]), ("occupancy_mode", ["on", "off"]),
                (
                    "properties",
                    [
                        "{ light-control-time-run-on: 10min }",
                        "{ light-control-time-run-on: 90s, light-control-time-prolong: 20s }",
                    ]
                ),
            ]
        )
    }

    private mutating func add(
        _ element: Int,
        _ name: String,
        setup: String? = nil,
        _ states: [(name: String, values: [String])]
    ) {
        guard Bool.random(using: &generator) else { return }
        models[element] += [name] + [setup].compactMap(\.self)
        var said: [String] = []
        for state in states where Bool.random(using: &generator) {
            let value = state.values.randomElement(using: &generator) ?? ""
            said.append("\(state.name): \(value)")
            count += value.count { $0 == "{" } > 0 && state.name == "properties" ? value.split(separator: ",").count : 1
        }
        guard !said.isEmpty else { return }
        lines[element].append("\(name): { keys: [lighting], states: { \(said.joined(separator: ", ")) } }")
    }

    func network() throws -> MeshNetwork {
        var network = try House.network(lamps: 2)
        for place in network.nodes.indices.dropFirst() {
            for (element, names) in models.enumerated() {
                network.nodes[place].elements[element].models += try names.map {
                    Model(identifier: try required(ModelCatalogue.model(named: $0)).identifier)
                }
            }
        }
        return network
    }

    func definition() throws -> Definition {
        try House.definition(lamps: 2) { text in
            text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
                let added =
                    line.contains("generic-onoff-client: {")
                    ? lines[0] : line.contains("0x0059:0x0001: {") ? lines[1] : []
                return [String(line)] + added.map { String(repeating: " ", count: 8) + $0 }
            }.joined(separator: "\n")
        }
    }
}

@Suite("Random states of random models")
struct RandomStatesTests {
    @Test(
        "An apply sends one message a state, its plan is empty then, also after reading back, and equal states cost nothing",
        arguments: 0..<40
    )
    func states(seed: UInt64) throws {
        let random = RandomStates(seed: seed)
        let site = try Site(lamps: 2, database: random.network(), definition: random.definition())
        let plan = try site.plan()
        #expect(plan.changes.count { $0.kind == .modelState } == 2 * random.count, "\(random.lines)")
        let recap = try site.apply(plan)
        #expect(recap.isComplete, "\(random.lines): \(recap.failed)")
        #expect(try site.plan().isEmpty, "\(random.lines)")
        let (lamp1, lamp2) = (try site.lamp(1), try site.lamp(2))
        let read = try site.execute { $0.readBack([lamp1.uuid, lamp2.uuid]) }
        let drifts = try site.network.drifts
        #expect(read.isComplete && drifts.isEmpty, "\(random.lines)")
        let after = try site.plan()
        #expect(after.isEmpty, "\(random.lines): \(after.changes.map(\.address))")

        // Other values for the same lamps: only what differs is sent.
        var other = RandomStates(seed: seed + 1_000)
        other.models = random.models
        let kept = other.lines.enumerated().map { element, lines in
            lines.filter { line in random.models[element].contains { line.hasPrefix($0 + ":") } }
        }
        other.lines = kept
        site.definition = try other.definition()
        let next = try site.plan()
        let states = next.changes.filter { $0.kind == .modelState }
        #expect(states.allSatisfy { $0.before != $0.after })
        #expect(try site.apply(next).isComplete)
        #expect(try site.plan().isEmpty, "\(random.lines), then \(other.lines)")
    }

    @Test("Two values for what is one value are warned of")
    func contradiction() throws {
        var random = RandomStates(seed: 1)
        random.models = [
            ["light-lightness-server", "light-lightness-setup-server", "light-ctl-server", "light-ctl-setup-server"],
            [],
        ]
        random.lines = [
            [
                "light-lightness-server: { keys: [lighting], states: { default: 40% } }",
                "light-ctl-server: { keys: [lighting], states: { default: [50%, 3000K] } }",
            ], [],
        ]
        let site = try Site(lamps: 2, database: random.network(), definition: random.definition())
        let result = Planner.plan(
            definition: site.definition,
            network: try site.network,
            base: (Octets16(high: 0, low: 0), 1),
            identifier: Octets16(high: 0, low: 1)
        )
        let warnings = result.diagnostics.filter { $0.message.contains("both are one") }
        #expect(warnings.count == 1 && warnings.allSatisfy { $0.severity == .warning }, "\(warnings)")
        #expect(warnings.first?.message.contains("the lightness of ctl-default is 50%") == true, "\(warnings)")
    }
}
