import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("States of the foundation models in plans")
struct FoundationPlanTests {
    /// The office whose lamps have all foundation models.
    private func office() throws -> Office {
        var office = try Office()
        for name in ["lamp-1", "lamp-2"] {
            try office.change(name) { node in
                let models: [ModelIdentifier] = [
                    .bridgeConfigurationServer, .privateBeaconServer, .onDemandPrivateProxyServer,
                    .sarConfigurationServer,
                ]
                node.elements[0].models += models.map { Model(identifier: $0) }
            }
        }
        return office
    }

    private static let everything = """
        features: { proxy: off }, heartbeat: { publish: { to: provisioner, period: 64s, ttl: 5 }, \
        subscribe: { from: lamp-2/1, period: 16s } }, node_identity: { building: off, guests: off }, \
        sar_transmitter: { segment_interval: 50ms }, sar_receiver: {}, \
        private_beacon: { state: on, random_update_interval: 20s }, private_gatt_proxy: on, \
        on_demand_private_proxy: off, private_node_identity: { building: off }, subnet_bridge: { state: on, table: \
        [{ subnets: [building, guests], addresses: [lamp-1, kitchen], direction: one_way }] }
        """

    @Test("Every state is set once, keys first and what makes nodes harder to reach last")
    func everything() throws {
        let yaml = Office.nodes(lamp1: Self.everything)
        var office = try office()
        #expect(
            try office.plan(yaml) == """
                + node.lamp-1.subnet.guests -> [index 1]
                ~ node.lamp-1.proxy [on] -> [off]
                + node.lamp-1.bridging_table.lamp-1@building.kitchen@guests -> [one way]
                ~ node.lamp-1.heartbeat_publication -> [to we, period 64s, count infinite, ttl 5, subnet building]
                ~ node.lamp-1.heartbeat_subscription -> [from lamp-2/1 to lamp-1, period 16s]
                ~ node.lamp-1.node_identity.building -> [off]
                ~ node.lamp-1.node_identity.guests -> [off]
                ~ node.lamp-1.sar_transmitter -> [segment interval 50ms, unicast retransmissions 2 (2 without progress) \
                after 200ms + 50ms per hop, multicast retransmissions 2 after 250ms]
                ~ node.lamp-1.sar_receiver -> [segments threshold 3, acknowledgment delay 2.5 segments, \
                discard timeout 10s, segment interval 60ms, acknowledgment retransmissions 0]
                ~ node.lamp-1.private_beacon -> [on, random update 20s]
                ~ node.lamp-1.private_gatt_proxy -> [on]
                ~ node.lamp-1.on_demand_private_proxy -> [off]
                ~ node.lamp-1.private_node_identity.building -> [off]
                ~ node.lamp-1.subnet_bridge -> [on]
                0 lamp-1: add NetKey 1
                1 lamp-1: bridge 0x0010 in 0 -> 0xC001 in 1 after 0
                2 lamp-1: set heartbeat_publication to 0x0001, period 64s, count infinite, ttl 5, subnet 0
                3 lamp-1: set heartbeat_subscription from 0x0013 to 0x0010, period 16s
                4 lamp-1: set node_identity off
                5 lamp-1: set node_identity off after 0
                6 lamp-1: set sar_transmitter segment interval 50ms, unicast retransmissions 2 (2 without progress) \
                after 200ms + 50ms per hop, multicast retransmissions 2 after 250ms
                7 lamp-1: set sar_receiver segments threshold 3, acknowledgment delay 2.5 segments, \
                discard timeout 10s, segment interval 60ms, acknowledgment retransmissions 0
                8 lamp-1: set private_beacon on, random update 20s
                9 lamp-1: set private_node_identity off
                10 lamp-1: set subnet_bridge on
                | 11 lamp-1: set on_demand_private_proxy off
                | 12 lamp-1: set proxy false
                13 lamp-1: set private_gatt_proxy on
                """
        )
        try apply(yaml, to: &office)
        #expect(try office.plan(yaml) == "")
        let back = Office.nodes(
            lamp1: "features: { proxy: off }, subnet_bridge: { state: off, table: [] }, "
                + "heartbeat: { publish: off, subscribe: off }"
        )
        #expect(
            try office.plan(back) == """
                - node.lamp-1.bridging_table.lamp-1@building.kitchen@guests [one way]
                ~ node.lamp-1.heartbeat_publication \
                [to we, period 64s, count infinite, ttl 5, subnet building] -> [off]
                ~ node.lamp-1.heartbeat_subscription [from lamp-2/1 to lamp-1, period 16s] -> [off]
                ~ node.lamp-1.subnet_bridge [on] -> [off]
                0 lamp-1: set heartbeat_publication off
                1 lamp-1: set heartbeat_subscription off
                | 2 lamp-1: stop bridging 0x0010 in 0 -> 0xC001 in 1
                3 lamp-1: set subnet_bridge off
                """
        )
        try apply(back, to: &office)
        #expect(try office.plan(back) == "")
    }

    private func apply(_ yaml: String, to office: inout Office) throws {
        let plan = try #require(try office.result(Office.definition + yaml).plan)
        #expect(try PlanFile.decode(PlanFile.encode(plan)) == plan)
        var simulation = StepSimulation(office.network)
        for step in plan.steps { try simulation.apply(step) }
        #expect(simulation.problems == [])
        office.network = simulation.network
    }

    @Test("A node gets back the heartbeats that an earlier count of hops has lent, unless the definition has others")
    func lentHeartbeats() throws {
        var office = try office()
        try office.change("lamp-1") { $0.recordHeartbeatToRestore(.off(netKeyIndex: .primary)) }
        let yaml = Office.nodes()
        #expect(
            try office.plan(yaml) == """
                ~ node.lamp-1.heartbeat_publication -> [off]
                0 lamp-1: set heartbeat_publication off
                """
        )
        let other = Office.nodes(lamp1: "heartbeat: { publish: { to: provisioner, period: 64s, ttl: 5 } }")
        #expect(
            try office.plan(other) == """
                ~ node.lamp-1.heartbeat_publication -> [to we, period 64s, count infinite, ttl 5, subnet building]
                0 lamp-1: set heartbeat_publication to 0x0001, period 64s, count infinite, ttl 5, subnet 0
                """
        )
        try apply(yaml, to: &office)
        #expect(try office.plan(yaml) == "")
    }

    @Test("An entry that changes its direction is changed; one whose subnet goes, goes with it")
    func bridges() throws {
        var office = try office()
        let entry = "{ subnets: [building, guests], addresses: [lamp-1, lamp-2], direction: both }"
        try apply(Office.nodes(lamp1: "subnet_bridge: { table: [\(entry)] }"), to: &office)
        let narrower = entry.replacing("both", with: "one_way")
        #expect(
            try office.plan(Office.nodes(lamp1: "subnet_bridge: { table: [\(narrower)] }")) == """
                ~ node.lamp-1.bridging_table.lamp-1@building.lamp-2@guests [both ways] -> [one way]
                0 lamp-1: bridge 0x0010 in 0 -> 0x0012 in 1
                """
        )
        #expect(
            try office.plan(
                Office.nodes(
                    lamp1: "subnet_bridge: { table: [] }, subnets: [building], application_keys: [lighting]"
                )
            ) == """
                - node.lamp-1.bridging_table.lamp-1@building.lamp-2@guests [both ways] (implied)
                - node.lamp-1.subnet.guests [index 1]
                0 lamp-1: delete NetKey 1
                """
        )
    }

    @Test("Defaults leave out nodes without the model with one note; a node that is asked for it is an error")
    func missingModels() throws {
        let office = try office()
        let defaults = "defaults: { sar_receiver: {}, private_beacon: off }\n"
        let messages = try office.result(Office.definition + defaults + Office.nodes()).diagnostics
        #expect(
            messages.map(\.message) == [
                "node `switch-1` has no `sar-configuration-server`, which holds SAR Receiver, "
                    + "so the default does not apply to it"
            ]
        )
        #expect(
            try office.diagnostics(Office.nodes(switch1: "private_beacon: on, subnet_bridge: off")) == """
                4 error: node `switch-1` has no `mesh-private-beacon-server`, which holds Private Beacon; \
                Take the setting out for this node
                """
        )
    }

    @Test("What states cannot be is said at the line")
    func mistakes() throws {
        let cases: [(settings: String, message: String)] = [
            ("private_gatt_proxy: on", "node `lamp-1` cannot be a private proxy while its GATT proxy is on"),
            (
                "heartbeat: { publish: { to: tower, period: 64s, ttl: 5 } }",
                "heartbeats cannot be sent to a virtual address"
            ),
            (
                "heartbeat: { subscribe: { from: kitchen, period: 64s } }",
                "heartbeats come from an element of a node, not from a group"
            ),
            (
                "heartbeat: { subscribe: { from: lamp-2, to: lamp-2, period: 64s } }",
                "only heartbeats to a group or to the node itself can be counted"
            ),
            (bridge("kitchen", "lamp-1", "one_way"), "a bridge lets messages of an element pass, not those of a group"),
            (bridge("lamp-1", "kitchen", "both"), "no node sends from a group, so messages pass only towards it"),
            (bridge("lamp-1", "all-nodes", "one_way"), "messages to all-nodes do not pass a bridge"),
            (bridge("lamp-1", "lamp-1", "both"), "both addresses are the same"),
        ]
        let definition = Office.definition.replacing(
            "alarm: {}",
            with: "alarm: {}, tower: { label: 0073e7e4d8b9440faf8415df4c56c0e1 }"
        )
        for (settings, message) in cases {
            let result = try office().result(definition + Office.nodes(lamp1: settings))
            #expect(result.diagnostics.map(\.message) == [message])
            #expect(result.diagnostics.first?.location?.line == 7)
        }
    }

    private func bridge(_ first: String, _ second: String, _ direction: String) -> String {
        "subnet_bridge: { table: [{ subnets: [building, guests], addresses: [\(first), \(second)], "
            + "direction: \(direction) }] }"
    }

    @Test("States wait for the composition, and for the addresses of nodes that are provisioned")
    func deferred() throws {
        var office = try office()
        try office.change("lamp-1") { node in node.elements = [Element()] }
        let receiver =
            "-> [segments threshold 3, acknowledgment delay 2.5 segments, discard timeout 10s, segment interval 60ms, "
            + "acknowledgment retransmissions 0]"
        let new = "  new: { uuid: 000000000000000000000000000000aa, subnet_bridge: on }\n"
        let yaml =
            "defaults: { sar_receiver: {} }\n"
            + Office.nodes(
                lamp1: "private_beacon: off, heartbeat: { publish: { to: new, ttl: 5, period: 64s }, "
                    + "subscribe: { from: lamp-2, period: 64s } }",
                lamp2: "heartbeat: { subscribe: { from: new, to: all-nodes, period: 64s } }, "
                    + "subnet_bridge: { table: [{ subnets: [building, guests], addresses: [lamp-2, new/1], "
                    + "direction: both }] }"
            ) + new
        let plan = try #require(try office.result(Office.definition + yaml).plan)
        #expect(try PlanFile.decode(PlanFile.encode(plan)) == plan)
        #expect(plan.cost == plan.steps.map(\.cost).reduce(.zero, +))
        #expect(
            PlanDebugText.text(plan) == """
                ~ node.lamp-1.composition
                ~ node.lamp-1.heartbeat_subscription -> [from lamp-2 to lamp-1, period 64s] (deferred)
                ~ node.lamp-1.heartbeat_publication \
                -> [to new, period 64s, count infinite, ttl 5, subnet building] (deferred)
                + node.lamp-2.subnet.guests -> [index 1]
                ~ node.lamp-2.sar_receiver \(receiver)
                ~ node.lamp-2.heartbeat_subscription -> [from new to all-nodes, period 64s] (deferred)
                + node.lamp-2.bridging_table.lamp-2@building.new/1@guests -> [both ways] (deferred)
                + node.new -> [at an address that apply chooses, in subnet building]
                ~ node.new.composition
                ~ node.new.subnet_bridge -> [on] (deferred)
                0 lamp-1: read composition 0
                1 lamp-1: configure when known after 0
                2 lamp-2: add NetKey 1
                3 lamp-2: set sar_receiver \(receiver.dropFirst(4).dropLast())
                4 new: provision in 0
                5 new: read composition 0 after 4
                6 new: configure when known after 4,5
                7 lamp-1: configure when known to publish to new after 0,4
                8 lamp-2: configure when known to publish to new after 2,4
                """
        )
    }
}
