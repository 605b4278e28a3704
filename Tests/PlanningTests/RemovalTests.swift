import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("Removal of what a definition mentions no more")
struct RemovalTests {
    /// All sections of the network, nodes without settings, and rules.
    private static let rules = """
        subscriptions:
          - { groups: [kitchen, alarm], models: [generic-level-server], nodes: all }
        publications:
          - { node: switch-1, model: generic-onoff-client, to: alarm, key: lighting }

        """

    private static let withoutAllLights = Office.definition
        .replacing(" all-lights: {}, kitchen: { parent: all-lights },", with: " kitchen: {},")
    private static let withoutGuests = Office.definition
        .replacing(", guests: {}", with: "").replacing(", sensing: { subnet: guests }", with: "")

    /// The plan that removes the subnet of the guests, which one node is in.
    private static func guestsLeave(_ node: String) -> String {
        """
        - application_key.sensing [index 1]
        - subnet.guests [index 1]
        - node.\(node).application_key.sensing [index 1] (implied)
        - node.\(node).subnet.guests [index 1]
        0 \(node): delete NetKey 1
        1 remove AppKey 1 after 0
        2 remove NetKey 1 after 0,1
        """
    }

    private func office() throws -> Office {
        var office = try Office()
        office.manageAll()
        return office
    }

    private func text(_ office: Office, _ yaml: String) throws -> String {
        let result = try office.result(yaml)
        return PlanDebugText.text(try #require(result.plan, "\(result.diagnostics)"))
    }

    @Test("What a rule brought goes with it, and what somebody else put there stays")
    func rules() throws {
        var office = try office()
        try office.apply(Office.definition + Office.nodes() + Self.rules)
        #expect(try text(office, Office.definition + Office.nodes() + Self.rules) == "")
        let foreign = SubscriptionAddress.group(try #require(GroupAddress(rawValue: 0xC010)))
        try office.change("lamp-2") { $0.elements[1].models[0].subscriptions.insert(foreign, at: 1) }
        #expect(
            try text(office, Office.definition + Office.nodes()) == """
                - node.lamp-1.element[1].generic-level-server.subscription.kitchen [0xC001]
                - node.lamp-1.element[1].generic-level-server.subscription.alarm [000000000000000a000000000000000b]
                - node.lamp-2.element[1].generic-level-server.subscription.kitchen [0xC001]
                - node.lamp-2.element[1].generic-level-server.subscription.alarm [000000000000000a000000000000000b]
                - node.switch-1.element[0].generic-onoff-client.publication [to alarm, key lighting]
                0 lamp-1: unsubscribe all 1/generic-level-server
                1 lamp-2: unsubscribe 1/generic-level-server 0xC001
                2 lamp-2: unsubscribe 1/generic-level-server 000000000000000a000000000000000b
                3 switch-1: stop publishing 0/generic-onoff-client
                """
        )
        try office.apply(Office.definition + Office.nodes())
        #expect(try text(office, Office.definition + Office.nodes()) == "")
        let lamp = try #require(office.network.nodes.first { $0.name == "lamp-2" })
        #expect(lamp.elements[1].models[0].subscriptions == [foreign])
        // What no definition ever asked for is as it was.
        #expect(lamp.elements[0].models[1].subscriptions.count == 1)
    }

    @Test("A binding that a publication brought goes with it, but not from under somebody else's publication")
    func bindings() throws {
        var office = try office()
        let rule = "publications: [{ node: switch-1, model: generic-onoff-client, to: kitchen, key: sensing }]\n"
        try office.apply(Office.definition + Office.nodes() + rule)
        #expect(
            try text(office, Office.definition + Office.nodes()) == """
                - node.switch-1.element[0].generic-onoff-client.publication [to kitchen, key sensing] (implied)
                - node.switch-1.element[0].generic-onoff-client.binding.sensing [index 1] (implied)
                - node.switch-1.application_key.sensing [index 1]
                0 switch-1: delete AppKey 1
                """
        )
        // A binding that somebody else made keeps the key.
        var shared = office
        try shared.change("switch-1") { node in
            let sensing = try #require(node.appKeys.last?.index)
            var other = Model(identifier: .sig(0x1003))
            other.bindings = [sensing]
            node.elements[0].models.append(other)
        }
        let shares = try text(shared, Office.definition + Office.nodes())
        #expect(shares.contains("0 switch-1: unbind 0/generic-onoff-client 1"), "\(shares)")
        try office.change("switch-1") { $0.elements[0].models[0].isPublicationManaged = false }
        #expect(try text(office, Office.definition + Office.nodes()) == "")
    }

    @Test("A group leaves the nodes first, wherever it is used, and then the network")
    func group() throws {
        var office = try office()
        let yaml = Self.withoutAllLights
        // lamp-2 has the group, and nobody has ever managed that.
        #expect(
            try text(office, yaml + Office.nodes()) == """
                ~ group.kitchen [0xC001, name kitchen, parent all-lights] -> [0xC001, name kitchen]
                - group.all-lights [0xC000, name all-lights]
                - node.lamp-1.element[0].generic-onoff-server.subscription.all-lights [0xC000]
                - node.lamp-1.element[0].light-lightness-server.subscription.all-lights [0xC000]
                - node.lamp-2.element[0].generic-onoff-server.subscription.all-lights [0xC000]
                - node.lamp-2.element[0].light-lightness-server.subscription.all-lights [0xC000]
                0 put group 0xC001 kitchen
                1 lamp-1: unsubscribe 0/generic-onoff-server 0xC000
                2 lamp-1: unsubscribe 0/light-lightness-server 0xC000
                3 lamp-2: unsubscribe 0/generic-onoff-server 0xC000
                4 lamp-2: unsubscribe 0/light-lightness-server 0xC000
                5 remove group 0xC000 after 1,2,3,4
                """
        )
        try office.apply(yaml + Office.nodes())
        #expect(office.network.groups.map(\.name) == ["kitchen", "alarm"])
        #expect(try text(office, yaml + Office.nodes()) == "")
        #expect(
            try text(office, yaml.replacing(" kitchen: {},", with: "") + Office.nodes()) == """
                - group.kitchen [0xC001, name kitchen]
                - node.switch-1.element[0].generic-onoff-client.publication [to kitchen, key lighting]
                0 switch-1: stop publishing 0/generic-onoff-client
                1 remove group 0xC001 after 0
                """
        )
    }

    @Test("Nodes that are left alone may go on using a group that leaves, if that is allowed")
    func foreignUseOfGroup() throws {
        var office = try office()
        try office.change("lamp-2") { $0.isManaged = false }
        let yaml = Self.withoutAllLights
        let nodes = Office.nodes().split(separator: "\n").filter { !$0.contains("lamp-2") }.joined(separator: "\n")
        let plan = try #require(try office.result(yaml + nodes).plan)
        #expect(
            plan.findings.map(\.message) == ["group `all-lights` would be removed although `lamp-2` would still use it"]
        )
        #expect(PlanDebugText.text(plan).contains("remove group 0xC000 after"))
    }

    @Test("An application key leaves the nodes with all that uses it, and then the network")
    func applicationKey() throws {
        let office = try office()
        let yaml = Office.definition.replacing("lighting: { subnet: building }, ", with: "")
        let nodes = Office.nodes(lamp2: "elements: { 1: { generic-level-server: { keys: [sensing] } } }")
        #expect(
            try text(office, yaml + nodes) == """
                - application_key.lighting [index 0]
                - node.lamp-1.element[0].generic-onoff-server.binding.lighting [index 0] (implied)
                - node.lamp-1.element[0].light-lightness-server.binding.lighting [index 0] (implied)
                - node.lamp-1.element[1].generic-level-server.binding.lighting [index 0] (implied)
                - node.lamp-1.application_key.lighting [index 0]
                + node.lamp-2.subnet.guests -> [index 1]
                + node.lamp-2.application_key.sensing -> [index 1]
                - node.lamp-2.element[0].generic-onoff-server.binding.lighting [index 0] (implied)
                - node.lamp-2.element[0].light-lightness-server.binding.lighting [index 0] (implied)
                + node.lamp-2.element[1].generic-level-server.binding.sensing -> [index 1]
                - node.lamp-2.element[1].generic-level-server.binding.lighting [index 0] (implied)
                - node.lamp-2.application_key.lighting [index 0]
                - node.switch-1.element[0].generic-onoff-client.publication [to kitchen, key lighting] (implied)
                - node.switch-1.element[0].generic-onoff-client.binding.lighting [index 0] (implied)
                - node.switch-1.application_key.lighting [index 0]
                0 lamp-1: delete AppKey 0
                1 lamp-2: add NetKey 1
                2 lamp-2: add AppKey 1 in 1 after 1
                3 lamp-2: bind 1/generic-level-server 1 after 2
                4 lamp-2: delete AppKey 0
                5 switch-1: delete AppKey 0
                6 remove AppKey 0 after 0,4,5
                """
        )
    }

    @Test("A subnet leaves with its application keys; the primary one cannot")
    func subnet() throws {
        var office = try office()
        let keys = "subnets: [building, guests], application_keys: [lighting, sensing]"
        try office.apply(Office.definition + Office.nodes(lamp1: keys))
        let yaml = Self.withoutGuests
        #expect(try text(office, yaml + Office.nodes()) == Self.guestsLeave("lamp-1"))
        try office.apply(yaml + Office.nodes())
        #expect(office.network.netKeys.count == 1 && office.network.appKeys.count == 1)
        #expect(try text(office, yaml + Office.nodes()) == "")
        let groups = "groups: { all-lights: {}, kitchen: { parent: all-lights }, alarm: {} }\n"
        let without = "version: 1\nnetwork: office\n" + groups
        #expect(
            try office.result(without + Office.nodes()).diagnostics.map(\.message)
                .contains("subnet `building` is the primary subnet, which cannot be removed")
        )
    }

    @Test("A subnet leaves with its application keys, also when those who leave it carry no messages of others")
    func subnetWithoutCarriers() throws {
        var office = try office()
        let keys = "subnets: [building, guests], application_keys: [lighting, sensing]"
        try office.apply(Office.definition + Office.nodes(switch1: keys))
        try office.change("switch-1") { $0.features = .init(relay: .disabled, proxy: .disabled) }
        #expect(try text(office, Self.withoutGuests + Office.nodes()) == Self.guestsLeave("switch-1"))
    }

    @Test("A proxy leaves a subnet when those are done whose messages it carries there")
    func carriers() throws {
        var office = try office()
        let keys = "subnets: [building, guests], application_keys: [lighting, sensing]"
        try office.apply(Office.definition + Office.nodes(lamp1: keys, lamp2: keys))
        let fewer = "subnets: [building], application_keys: [lighting]"
        #expect(
            try text(office, Office.definition + Office.nodes(lamp1: fewer, lamp2: keys + ", ttl: 9")) == """
                - node.lamp-1.application_key.sensing [index 1] (implied)
                - node.lamp-1.subnet.guests [index 1]
                ~ node.lamp-2.ttl [5] -> [9]
                0 lamp-2: set TTL 9
                | 1 lamp-1: delete NetKey 1
                """
        )
    }

    @Test("So does a node of which nobody knows whether it carries messages; it is reset before the known proxies")
    func possibleCarriers() throws {
        var office = try office()
        let keys = "subnets: [building, guests], application_keys: [lighting, sensing]"
        try office.apply(Office.definition + Office.nodes(lamp1: keys, lamp2: keys))
        try office.change("lamp-1") { node in
            node.product = nil
            node.elements = []
            node.features = Node.Features()
        }
        let plan = try text(office, Self.withoutGuests + Office.nodes(lamp2: "ttl: 9"))
        #expect(plan.contains("| 2 lamp-1: delete NetKey 1\n| 3 lamp-2: delete NetKey 1\n"), "\(plan)")
        #expect(plan.hasSuffix("remove NetKey 1 after 2,3,4"), "\(plan)")
        for name in ["lamp-1", "lamp-2", "switch-1"] { try office.change(name) { $0.removalPolicy = .reset } }
        try office.change("switch-1") { $0.features = Node.Features(relay: .disabled, proxy: .disabled) }
        let resets = try #require(
            try office.result(Office.definition, options: PlannerOptions(allowed: Set(PlanGuard.allCases))).plan
        )
        #expect(PlanDebugText.text(resets).hasSuffix("0 switch-1: reset\n| 1 lamp-1: reset\n| 2 lamp-2: reset"))
    }

    @Test("A group leaves when no heartbeat goes to it or is counted at it any more; else the plan is refused")
    func heartbeatGroup() throws {
        var office = try office()
        let kitchen = Address(rawValue: 0xC001)
        try office.change("switch-1") { $0.elements[0].models[0].publication = nil }
        try office.change("lamp-1") { node in
            var publication = HeartbeatPublication.off(netKeyIndex: .primary)
            publication.destination = kitchen
            node.record(.heartbeatPublication(publication))
        }
        try office.change("lamp-2") { node in
            let source = try #require(UnicastAddress(rawValue: 0x0014))
            node.record(
                .heartbeatSubscription(
                    HeartbeatSubscription(source: source, destination: kitchen, periodLog: nil)
                )
            )
        }
        let yaml = Office.definition.replacing(" kitchen: { parent: all-lights },", with: "")
        let off = "heartbeat: { publish: off }"
        func findings(_ nodes: String) throws -> [String] {
            let result = try office.result(yaml + nodes)
            return try #require(result.plan, "\(result.diagnostics)").findings
                .map { "\($0.planGuard.rawValue): \($0.message)" }
        }
        let rest = "would be removed although"
        #expect(
            try findings(Office.nodes()) == [
                "group-in-use: group `kitchen` \(rest) `lamp-1` and `lamp-2` would still use it"
            ]
        )
        #expect(
            try findings(Office.nodes(lamp1: off)) == [
                "group-in-use: group `kitchen` \(rest) `lamp-2` would still use it"
            ]
        )
        #expect(
            try text(office, yaml + Office.nodes(lamp1: off, lamp2: "heartbeat: { subscribe: off }"))
                .hasSuffix("2 remove group 0xC001 after 0,1")
        )
    }

    @Test("A key that a node keeps stays in the database, until the node is gone")
    func keptKeys() throws {
        var office = try office()
        let keys = "subnets: [building, guests], application_keys: [lighting, sensing]"
        try office.apply(Office.definition + Office.nodes(lamp1: keys, lamp2: keys))
        let yaml = Self.withoutGuests
        let nodes = Office.nodes().split(separator: "\n").filter { !$0.contains("lamp-2") }.joined(separator: "\n")
        let plan = try #require(try office.result(yaml + nodes).plan)
        #expect(
            PlanDebugText.text(plan) == """
                - node.lamp-1.application_key.sensing [index 1] (implied)
                - node.lamp-1.subnet.guests [index 1]
                . node.lamp-2 [managed]
                0 forget
                1 lamp-1: delete NetKey 1
                """
        )
        let notes = [
            "Application key sensing stays in the database for 1 node that is not in the definition.",
            "Subnet guests stays in the database for 1 node that is not in the definition.",
        ]
        let forgotten =
            "`lamp-2` is no longer in the definition, so it is forgotten: it keeps what it has, and goes on. "
            + "To have it reset instead, put its line back, and plan with resetting and removing lamp-2."
        let advice =
            "lamp-2 keeps the keys of subnets building, guests when forgotten. "
            + "To shut out a node that is gone for good: a key refresh of subnet building without lamp-2"
            + "; then the keys of guests are refreshed in the same way"
        #expect(plan.notes.map(\.text) == notes + [forgotten, advice])
        try office.apply(yaml + nodes)
        let second = try #require(try office.result(yaml + nodes).plan)
        #expect(second.isEmpty && Array(second.notes.map(\.text).dropFirst()) == notes)
        // Somebody else has reset it meanwhile.
        office.network.nodes.removeAll { $0.name == "lamp-2" }
        #expect(
            try text(office, yaml + nodes) == """
                - application_key.sensing [index 1]
                - subnet.guests [index 1]
                0 remove AppKey 1
                1 remove NetKey 1 after 0
                """
        )
    }

    @Test("Keys leave the network after the nodes that are reset")
    func resetNodes() throws {
        var office = try office()
        let keys = "subnets: [building, guests], application_keys: [lighting, sensing]"
        try office.apply(Office.definition + Office.nodes(lamp2: keys + ", on_remove: reset"))
        let yaml = Self.withoutGuests
        let nodes = Office.nodes().split(separator: "\n").filter { !$0.contains("lamp-2") }.joined(separator: "\n")
        #expect(
            try text(office, yaml + nodes) == """
                - application_key.sensing [index 1]
                - subnet.guests [index 1]
                - node.lamp-2 [0x0012]
                0 lamp-2: reset
                1 remove AppKey 1 after 0
                2 remove NetKey 1 after 0,1
                """
        )
        try office.apply(yaml + nodes)
        #expect(office.network.netKeys.map(\.name) == ["building"])
    }

    @Test("A subnet in which somebody else has an application key stays, and so do nodes' keys of it")
    func unmanagedKeyInSubnet() throws {
        var office = try office()
        office.network.appKeys[1].isManaged = false
        let yaml = Self.withoutGuests
        let plan = try #require(try office.result(yaml + Office.nodes()).plan)
        #expect(plan.isEmpty)
        #expect(plan.notes == ["Subnet guests stays, since application keys that are not managed belong to it."])
    }

    @Test("A node does not lose the subnet that secures the messages to it, also when the subnet leaves")
    func lastSubnet() throws {
        var office = try office()
        let guests = try #require(NetKeyIndex(rawValue: 1))
        try office.change("lamp-1") { node in
            node.netKeys = [NodeKey(index: guests)]
            node.appKeys = []
            for element in node.elements.indices {
                for model in node.elements[element].models.indices {
                    node.elements[element].models[model].bindings = []
                }
            }
        }
        let yaml = Self.withoutGuests
        let result = try office.result(yaml + Office.nodes())
        #expect(result.refusals == [.lastNetKey])
        office.network.netKeys[1].phase = .keyDistribution
        let refreshing = try office.result(yaml + Office.nodes())
        #expect(
            refreshing.diagnostics.map(\.message)
                == ["subnet `guests` is no longer in the definition, and a key refresh of it is in progress"]
        )
    }

    @Test("What is protected is not removed until it is not protected any more")
    func protection() throws {
        var office = try office()
        let yaml = """
            version: 1
            network: office
            subnets: { building: { index: 0, protect: on }, guests: { protect: on } }
            application_keys: { lighting: { subnet: building, protect: off }, sensing: { subnet: guests, protect: on } }
            groups: { all-lights: {}, kitchen: { parent: all-lights, protect: on }, alarm: {} }

            """
        #expect(
            try text(office, yaml + Office.nodes()) == """
                ~ subnet.building [name building] -> [name building, protected]
                ~ subnet.guests [name guests] -> [name guests, protected]
                ~ application_key.sensing [name sensing] -> [name sensing, protected]
                ~ group.kitchen [0xC001, name kitchen, parent all-lights] -> \
                [0xC001, name kitchen, parent all-lights, protected]
                0 protect NetKey 0
                1 protect NetKey 1
                2 protect AppKey 1
                3 put group 0xC001 kitchen
                """
        )
        try office.apply(yaml + Office.nodes())
        #expect(try text(office, Office.definition + Office.nodes()) == "", "it outlives its line")
        let gone = """
            version: 1
            network: office
            subnets: { building: {} }
            application_keys: { lighting: { subnet: building } }
            groups: { all-lights: {}, alarm: {} }

            """
        let result = try office.result(gone + Office.nodes())
        #expect(
            result.diagnostics.map(\.message) == [
                "application key `sensing` is protected and no longer in the definition",
                "group `kitchen` is protected and no longer in the definition",
                "subnet `guests` is protected and no longer in the definition",
            ]
        )
        #expect(result.refusals == [.protectedResource])
        let allowed = try office.result(gone + Office.nodes(), options: PlannerOptions(allowed: [.protectedResource]))
        #expect(allowed.refusals == [])
        #expect(PlanDebugText.text(try #require(allowed.plan)).contains("remove NetKey 1"))
    }

    @Test("What the network has already is managed from now on, with neither message nor change, and only once")
    func claims() throws {
        var office = try Office()
        let nodes = Office.nodes(
            lamp1: "elements: { 0: { generic-onoff-server: { keys: [lighting], subscribe: [all-lights] } } }"
        )
        let plan = try #require(try office.result(Office.definition + nodes).plan)
        #expect(plan.isEmpty && plan.changes.isEmpty)
        #expect(plan.claims.resources.count == 7)
        #expect(plan.claims.nodes.map(\.models.count) == [1])
        // Nothing is removed that no applied definition has mentioned.
        let less = "version: 1\nnetwork: office\n" + Office.nodes()
        #expect(try text(office, less) == "")
        try office.apply(Office.definition + nodes)
        #expect(try office.result(Office.definition + nodes).plan?.claims == Claims())
        #expect(
            try text(office, Office.definition + Office.nodes()) == """
                - node.lamp-1.element[0].generic-onoff-server.subscription.all-lights [0xC000]
                - node.lamp-1.element[0].generic-onoff-server.binding.lighting [index 0]
                0 lamp-1: unsubscribe 0/generic-onoff-server 0xC000
                1 lamp-1: unbind 0/generic-onoff-server 0
                """
        )
    }

    @Test("A forgotten node keeps everything, and nothing of that is managed when it comes back")
    func forgotten() throws {
        var office = try office()
        try office.apply(Office.definition + Office.nodes() + Self.rules)
        let nodes = Office.nodes().split(separator: "\n").filter { !$0.contains("lamp-2") }.joined(separator: "\n")
        try office.apply(Office.definition + nodes)
        try office.apply(Office.definition + Office.nodes())
        #expect(try text(office, Office.definition + Office.nodes()) == "")
        let lamp = try #require(office.network.nodes.first { $0.name == "lamp-2" })
        #expect(lamp.elements[1].models[0].subscriptions.count == 2)
    }
}
