import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import TestSupport
import Testing

@Suite("States of models over the simulated network")
struct ModelStateRunTests {
    private static let onPowerUp = """
        generic-power-onoff-server: { keys: [lighting], states: { on_power_up: restore } }
        """
    private static let range =
        "light-lightness-server: { keys: [lighting], states: { range: [5%, 90%], default: 40% } }"
    private static let run = """
        light-lc-server: { keys: [lighting], states: { mode: on, properties: { light-control-time-run-on: 10m } } }
        """

    /// Lamps with a light on the first element and its controller on the second.
    private static func network(lamps: Int = 2) throws -> MeshNetwork {
        var network = try House.network(lamps: lamps)
        let names = [
            "generic-level-server", "generic-default-transition-time-server", "generic-power-onoff-server",
            "generic-power-onoff-setup-server", "light-lightness-server", "light-lightness-setup-server",
        ]
        let light = try names.map { Model(identifier: try required(ModelCatalogue.model(named: $0)).identifier) }
        let controller = try ["generic-onoff-server", "light-lc-server", "light-lc-setup-server"].map {
            Model(identifier: try required(ModelCatalogue.model(named: $0)).identifier)
        }
        for place in network.nodes.indices.dropFirst() {
            network.nodes[place].elements[0].models += light
            network.nodes[place].elements[1].models += controller
        }
        return network
    }

    private static func definition(
        lamps: Int = 2,
        first: [String] = [onPowerUp, range],
        second: [String] = [run]
    ) throws -> Definition {
        try House.definition(lamps: lamps) { text in
            var lines: [Substring] = []
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                lines.append(line)
                let indent = String(repeating: " ", count: 8)
                if line.contains("generic-onoff-client: {") {
                    lines += first.map { Substring(indent + $0) }
                } else if line.contains("0x0059:0x0001: {") {
                    lines += second.map { Substring(indent + $0) }
                }
            }
            return lines.joined(separator: "\n")
        }
    }

    private func site(lamps: Int = 2, world air: MeshNetwork? = nil) throws -> Site {
        try Site(
            lamps: lamps,
            world: air,
            database: Self.network(lamps: lamps),
            definition: Self.definition(lamps: lamps)
        )
    }

    /// What is known of the states of a lamp, in the words of definitions.
    private func known(_ node: Node) -> [String] {
        node.elements.flatMap(\.models).flatMap(\.states).map { "\($0.form.name) \($0.form.text(of: $0.status))" }
    }

    private static let wanted = [
        "on-power-up restore", "lightness-default 40%", "lightness-range 5%, 90%", "lc-mode on",
        "lc-property.light-control-time-run-on 10min",
    ]

    @Test("States are set under bound keys, recorded as the node reports them, and cost nothing after that")
    func apply() throws {
        let site = try site()
        let plan = try site.plan()
        let states = plan.changes.filter { $0.kind == .modelState }
        #expect(states.count == 10)
        #expect(states.map(\.address).contains("node.lamp-1.element[0].light-lightness-server.state.lightness-range"))
        #expect(states.allSatisfy { $0.before == nil })
        let recap = try site.apply(plan)
        #expect(recap.isComplete, "\(recap)")
        #expect(try known(site.lamp(1)) == Self.wanted)
        #expect(try known(site.lamp(2)) == Self.wanted)
        #expect(try site.plan().isEmpty)
        // The setup servers got the keys of the servers.
        let setup = try required(ModelCatalogue.model(named: "light-lightness-setup-server")).identifier
        #expect(try site.lamp(1).model(at: ModelAddress(element: 0, model: setup))?.bindings.count == 1)
        // What the definition no longer says stays as it is.
        site.definition = try Self.definition(second: [])
        #expect(try site.plan().changes.filter { $0.kind == .modelState }.isEmpty)
        site.definition = try Self.definition(
            first: [Self.onPowerUp, Self.range.replacing("90%", with: "80%")]
        )
        let change = try required(site.plan().changes.first)
        #expect(change.before == "5%, 90%" && change.after == "5%, 80%")
        #expect(try site.apply(try site.plan()).messagesSent == 2)
        #expect(try site.plan().isEmpty)
    }

    @Test("A mute node acts without our knowing; the next run reads the states back")
    func inDoubt() throws {
        let site = try site(lamps: 2)
        let plan = try site.plan()
        let sets = plan.steps.compactMap { step in
            if case .configure(uuid(2), let action) = step.work, case .setModelState = action { action } else { nil }
        }
        #expect(sets.count == 5)
        #expect(try site.apply(plan).isComplete)
        for action in sets {
            guard case .setModelState(let set) = action else { continue }
            // Forgotten here, as after an import, but not there.
            let other = try Site(
                lamps: 2,
                world: site.network,
                database: Self.forgetting(set.state.form.name, in: site.network),
                definition: site.definition
            )
            other.world.setFaults(NodeFaults(isMute: true), of: uuid(2))
            #expect(try other.apply(try other.plan(of: [action], on: uuid(2))).inDoubt == 1)
            other.world.setFaults(NodeFaults(), of: uuid(2))
            let resolved = try other.execute { $0.resolveInDoubt() }
            #expect(resolved.doubtsResolved == 1 && resolved.inDoubt == 0, "\(set.state.form.name)")
            #expect(try other.apply(try other.plan(of: [action], on: uuid(2))).messagesSent == 0)
        }
    }

    @Test("A node that answers a Set with another value fails the step soon, and its value is recorded and named")
    func otherValue() throws {
        var network = try Self.network(lamps: 1)
        let names = ["sensor-server", "sensor-setup-server"]
        network.nodes[1].elements[0].models += try names.map {
            Model(identifier: try required(ModelCatalogue.model(named: $0)).identifier)
        }
        // The simulated sensor does not measure this, and says so.
        let cadence = "{ divisor: 4, delta_down: 1, delta_up: 1, minimum_interval: 1s, fast_low: 0, fast_high: 50 }"
        let sensor = "sensor-server: { keys: [lighting], states: { cadences: { people-count: \(cadence) } } }"
        let definition = try Self.definition(lamps: 1, first: [sensor], second: [])
        let site = try Site(lamps: 1, database: network, definition: definition)
        let recap = try site.apply(try site.plan())
        #expect(recap.duration < .seconds(15), "\(recap.duration)")
        #expect(recap.failed.count == 1)
        guard case .differs(let report)? = recap.failed.first?.failure else {
            Issue.record("\(recap)")
            return
        }
        #expect(report.hasPrefix("`sensor-cadence.people-count` "), "\(report)")
        let states = try site.lamp(1).elements[0].models.flatMap(\.states)
        #expect(states.map(\.form.name) == ["sensor-cadence.people-count"])
        let change = try required(site.plan().changes.first { $0.kind == .modelState })
        #expect(change.before != nil)
    }

    private static func forgetting(_ name: String, in network: MeshNetwork) -> MeshNetwork {
        var network = network
        for node in network.nodes.indices {
            for element in network.nodes[node].elements.indices {
                for model in network.nodes[node].elements[element].models.indices {
                    network.nodes[node].elements[element].models[model].forgetState(named: name)
                }
            }
        }
        return network
    }

    @Test("What another client has changed is drift, with the names of the states, and is set again")
    func drift() throws {
        let first = try site()
        #expect(try first.apply(try first.plan()).isComplete)
        // The same database beside lamps that do not have the states.
        var air = try first.network
        air.nodes = Self.forgettingAll(air.nodes)
        let site = try Site(lamps: 2, world: air, database: first.network, definition: first.definition)
        #expect(try site.plan().isEmpty)
        let recap = try site.execute { $0.readBack([uuid(2)]) }
        #expect(recap.isComplete, "\(recap)")
        let resources = try required(site.network.drifts[uuid(2)]).resources
        let network = try site.network
        let names = resources.map { $0.path(in: network) }
        #expect(
            names.contains("element[1].light-lc-setup-server.state.lc-property.light-control-time-run-on"),
            "\(names)"
        )
        let plan = try site.plan()
        // A light leaves its controller by itself, so nobody else has changed the mode.
        #expect(
            !plan.isEmpty
                && plan.changes.allSatisfy {
                    $0.kind == .modelState && ($0.drift == nil) == $0.address.hasSuffix(".lc-mode")
                },
            "\(plan.changes.map(\.address))"
        )
        #expect(try site.apply(plan).isComplete)
        #expect(try known(site.lamp(2)) == Self.wanted)
        #expect(try site.network.drifts.isEmpty && site.plan().isEmpty)
    }

    private static func forgettingAll(_ nodes: [Node]) -> [Node] {
        var nodes = nodes
        for node in nodes.indices {
            for element in nodes[node].elements.indices {
                for model in nodes[node].elements[element].models.indices {
                    nodes[node].elements[element].models[model].states = []
                }
            }
        }
        return nodes
    }

    @Test("Without a key for the setup server the line says which is missing")
    func missingKey() throws {
        let definition = try Self.definition(
            first: ["light-lightness-server: { states: { range: [5%, 90%] } }"],
            second: []
        )
        let result = Planner.plan(
            definition: definition,
            network: try Self.network(),
            base: (Octets16(high: 1, low: 1), 1),
            identifier: Octets16(high: 2, low: 2)
        )
        #expect(result.plan == nil)
        let message = result.diagnostics.first { $0.severity == .error }
        #expect(message?.message.contains("no application key is bound to `light-lightness-") == true)
        #expect(message?.hint.map { "\($0)".contains("keys: [KEY]") } == true)
    }
}
