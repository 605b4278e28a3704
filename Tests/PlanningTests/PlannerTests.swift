import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("Planner")
struct PlannerTests {
    @Test("A database that agrees gives an empty plan")
    func agreement() throws {
        let office = try Office()
        let result = try office.result(Office.definition + Office.nodes())
        let plan = try #require(result.plan)
        #expect(plan.isEmpty && plan.changes.isEmpty && plan.nodes.isEmpty && plan.notes.isEmpty)
        #expect(result.diagnostics.isEmpty)
        #expect(plan.cost == .zero)
    }

    @Test("A new key travels in order: made, given to the node, bound, used")
    func keyOrder() throws {
        let yaml =
            Office.nodes()
            + "publications:\n  - { node: switch-1, model: generic-onoff-client, to: alarm, key: sensing, period: 10s }"
        #expect(
            try Office().plan(yaml) == """
                + node.switch-1.subnet.guests -> [index 1]
                + node.switch-1.application_key.sensing -> [index 1]
                + node.switch-1.element[0].generic-onoff-client.binding.sensing -> [index 1]
                ~ node.switch-1.element[0].generic-onoff-client.publication [to kitchen, key lighting] \
                -> [to alarm, key sensing, period 10s]
                0 switch-1: add NetKey 1
                1 switch-1: add AppKey 1 in 1 after 0
                2 switch-1: bind 0/generic-onoff-client 1 after 1
                3 switch-1: publish 0/generic-onoff-client 000000000000000a000000000000000b after 2
                """
        )
    }

    @Test("Keys and groups that do not exist are created first and get the smallest free index and address")
    func allocation() throws {
        let yaml = """
            version: 1
            network: office
            subnets: { building: { index: 0 }, lab: {}, fixed: { index: 2 } }
            application_keys: { lighting: { subnet: building }, heating: { subnet: lab, key: { env: HEATING } } }
            groups: { kitchen: {}, hall: {}, porch: {}, garden: { address: 0xC010 } }

            """
        var office = try Office()
        // Somebody's model hears 0xC011 although no group has it, so that the address is in use.
        try office.change("lamp-2") { node in
            node.elements[1].models[0].subscriptions = [.group(try #require(GroupAddress(rawValue: 0xC011)))]
        }
        let result = try office.result(yaml + Office.nodes(lamp1: "application_keys: [lighting, heating]"))
        // 0xC002 is in somebody else's range, 0xC003 is free, 0xC010 and 0xC011 are taken.
        #expect(result.plan == nil)
        #expect(result.diagnostics.map(\.message) == ["there is no free address for group `porch`"])
        let smaller = yaml.replacing(" porch: {},", with: "")
        let plan = try #require(
            try office.result(smaller + Office.nodes(lamp1: "application_keys: [lighting, heating]")).plan
        )
        #expect(
            PlanDebugText.text(plan) == """
                + subnet.lab -> [name lab]
                + subnet.fixed -> [name fixed]
                + application_key.heating -> [name heating]
                + group.hall -> [0xC003, name hall]
                + group.garden -> [0xC010, name garden]
                + node.lamp-1.subnet.lab -> [index 3]
                + node.lamp-1.application_key.heating -> [index 2]
                0 create NetKey 3 lab generated
                1 create NetKey 2 fixed generated
                2 create AppKey 2 heating in 3 environment("HEATING") after 0
                3 put group 0xC003 hall
                4 put group 0xC010 garden
                5 lamp-1: add NetKey 3 after 0
                6 lamp-1: add AppKey 2 in 3 after 2,5
                """
        )
    }

    @Test("Renaming costs no message")
    func renames() throws {
        let yaml = """
            version: 1
            network: office
            subnets: { house: { index: 0 }, guests: {} }
            application_keys: { lights: { subnet: house, index: 0 } }
            groups: { lamps: { address: 0xC000 }, kitchen: { parent: lamps } }
            nodes:
              ceiling: { uuid: 00000000000000000000000000000011, protect: on }
              lamp-2: { uuid: 00000000000000000000000000000012 }
              switch-1: { uuid: 00000000000000000000000000000013 }
            """
        let plan = try #require(try Office().result(yaml).plan)
        #expect(
            PlanDebugText.text(plan) == """
                ~ subnet.building => subnet.house [name building] -> [name house]
                ~ application_key.lighting => application_key.lights [name lighting] -> [name lights]
                ~ group.all-lights => group.lamps [0xC000, name all-lights] -> [0xC000, name lamps]
                ~ node.ceiling [name lamp-1] -> [name ceiling, protected]
                0 rename NetKey 0 house
                1 rename AppKey 0 lights
                2 put group 0xC000 lamps
                3 manage ceiling protected
                """
        )
        #expect(plan.cost.messages == 0)
    }

    @Test("A node's settings win over its profile's, value by value and list by list")
    func profiles() throws {
        let yaml =
            """
            profiles:
              lamp:
                ttl: 7
                features: { proxy: off }
                elements:
                  0:
                    generic-onoff-server: { keys: [lighting], subscribe: [kitchen] }
                    light-lightness-server: { subscribe: [] }

            """
            + Office.nodes(
                lamp1:
                    "profile: lamp, ttl: 5, elements: { 0: { generic-onoff-server: { subscribe: [all-lights, alarm] } } }",
                lamp2: "profile: lamp"
            )
        #expect(
            try Office().plan(yaml) == """
                + node.lamp-1.element[0].generic-onoff-server.subscription.alarm -> [000000000000000a000000000000000b]
                - node.lamp-1.element[0].light-lightness-server.subscription.all-lights [0xC000]
                ~ node.lamp-1.proxy [on] -> [off]
                + node.lamp-2.element[0].generic-onoff-server.subscription.kitchen -> [0xC001]
                - node.lamp-2.element[0].generic-onoff-server.subscription.all-lights [0xC000]
                - node.lamp-2.element[0].light-lightness-server.subscription.all-lights [0xC000]
                ~ node.lamp-2.ttl [5] -> [7]
                ~ node.lamp-2.proxy [on] -> [off]
                0 lamp-1: subscribe 0/generic-onoff-server 000000000000000a000000000000000b
                1 lamp-1: unsubscribe 0/light-lightness-server 0xC000
                2 lamp-2: overwrite 0/generic-onoff-server 0xC001
                3 lamp-2: set TTL 7
                4 lamp-2: unsubscribe 0/light-lightness-server 0xC000
                | 5 lamp-1: set proxy false
                6 lamp-2: set proxy false
                """
        )
    }

    @Test("Rules add to models wherever the selected nodes have them, and make the list authoritative")
    func rules() throws {
        let yaml =
            Office.nodes(
                lamp1: "tags: { room: kitchen-a }",
                lamp2: "tags: { room: hall }",
                switch1: "tags: { room: kitchen-b }"
            )
                + """
                subscriptions:
                  - { groups: [all-lights, kitchen], models: [generic-onoff-server], nodes: { room: kitchen-* } }
                  - { groups: [alarm], models: [generic-onoff-server, generic-level-server], nodes: lamp-* }
                """
        // The first rule skips the switch, which has no such model; lamp-2 loses what no rule gives it.
        #expect(
            try Office().plan(yaml) == """
                + node.lamp-1.element[0].generic-onoff-server.subscription.kitchen -> [0xC001]
                + node.lamp-1.element[0].generic-onoff-server.subscription.alarm -> [000000000000000a000000000000000b]
                + node.lamp-1.element[1].generic-level-server.subscription.alarm -> [000000000000000a000000000000000b]
                + node.lamp-2.element[0].generic-onoff-server.subscription.alarm -> [000000000000000a000000000000000b]
                - node.lamp-2.element[0].generic-onoff-server.subscription.all-lights [0xC000]
                + node.lamp-2.element[1].generic-level-server.subscription.alarm -> [000000000000000a000000000000000b]
                0 lamp-1: subscribe 0/generic-onoff-server 0xC001
                1 lamp-1: subscribe 0/generic-onoff-server 000000000000000a000000000000000b
                2 lamp-1: subscribe 1/generic-level-server 000000000000000a000000000000000b
                3 lamp-2: overwrite 0/generic-onoff-server 000000000000000a000000000000000b
                4 lamp-2: subscribe 1/generic-level-server 000000000000000a000000000000000b
                """
        )
        #expect(
            try Office().diagnostics(yaml)
                == "6 note: 1 of 2 selected nodes has no `generic-onoff-server` and is skipped; "
        )
    }

    @Test("Rules that skip nodes without a model are noted once for each model and counted")
    func skippingRules() throws {
        let rule = "                  - { groups: [alarm], models: [generic-onoff-server], nodes: all }\n"
        let other = "                  - { groups: [alarm], models: [generic-level-server], nodes: all }"
        func notes(_ rules: String) throws -> String {
            try Office().diagnostics(Office.nodes() + "subscriptions:\n" + rules + other)
        }
        let first = "6 note: 1 of 3 selected nodes has no `generic-onoff-server` and is skipped"
        let second = "1 of 3 selected nodes has no `generic-level-server` and is skipped; "
        #expect(try notes(rule) == "\(first); \n7 note: \(second)")
        #expect(try notes(rule + rule) == "\(first); one more rule skips nodes without it; \n8 note: \(second)")
        #expect(try notes(rule + rule + rule) == "\(first); 2 more rules skip nodes without it; \n9 note: \(second)")
    }

    @Test("A deleted AppKey takes bindings and publications along without messages of their own")
    func deletedAppKey() throws {
        #expect(
            try Office().plan(Office.nodes(switch1: "application_keys: [], subnets: [building]")) == """
                - node.switch-1.element[0].generic-onoff-client.publication [to kitchen, key lighting] (implied)
                - node.switch-1.element[0].generic-onoff-client.binding.lighting [index 0] (implied)
                - node.switch-1.application_key.lighting [index 0]
                0 switch-1: delete AppKey 0
                """
        )
    }

    @Test("An unbind ends the publication with the key, and waits for the one that takes its place")
    func unbind() throws {
        let stop = "elements: { 0: { generic-onoff-client: { keys: [] } } }"
        #expect(
            try Office().plan(Office.nodes(switch1: stop)) == """
                - node.switch-1.element[0].generic-onoff-client.publication [to kitchen, key lighting] (implied)
                - node.switch-1.element[0].generic-onoff-client.binding.lighting [index 0]
                0 switch-1: unbind 0/generic-onoff-client 0
                """
        )
        let move =
            "elements: { 0: { generic-onoff-client: { keys: [sensing], publish: { to: lamp-1/1, ttl: 3 } } } }"
        #expect(
            try Office().plan(Office.nodes(switch1: move)) == """
                + node.switch-1.subnet.guests -> [index 1]
                + node.switch-1.application_key.sensing -> [index 1]
                + node.switch-1.element[0].generic-onoff-client.binding.sensing -> [index 1]
                ~ node.switch-1.element[0].generic-onoff-client.publication [to kitchen, key lighting] \
                -> [to lamp-1/1, key sensing, ttl 3]
                - node.switch-1.element[0].generic-onoff-client.binding.lighting [index 0]
                0 switch-1: add NetKey 1
                1 switch-1: add AppKey 1 in 1 after 0
                2 switch-1: bind 0/generic-onoff-client 1 after 1
                3 switch-1: publish 0/generic-onoff-client 0x0011 after 2
                4 switch-1: unbind 0/generic-onoff-client 0 after 3
                """
        )
    }

    @Test("A publication that differs only in what has no effect is left alone")
    func equivalentPublication() throws {
        var office = try Office()
        try office.change("switch-1") { node in
            node.elements[0].models[0].publication?.period = PublishPeriod(octet: 0x40)
            node.elements[0].models[0].publication?.retransmit = PublishRetransmit(octet: 0x08)
        }
        let rule = "publications: [{ node: switch-1, model: generic-onoff-client, to: kitchen, key: lighting }]"
        #expect(try office.plan(Office.nodes() + rule) == "")
    }

    @Test("A deleted NetKey takes the AppKeys of its subnet along")
    func deletedNetKey() throws {
        var office = try Office()
        try office.change("lamp-1") { node in
            node.netKeys.append(NodeKey(index: try #require(NetKeyIndex(rawValue: 1))))
            node.appKeys.append(NodeKey(index: try #require(AppKeyIndex(rawValue: 1))))
        }
        #expect(
            try office.plan(Office.nodes(lamp1: "subnets: [building], application_keys: [lighting]")) == """
                - node.lamp-1.application_key.sensing [index 1] (implied)
                - node.lamp-1.subnet.guests [index 1]
                0 lamp-1: delete NetKey 1
                """
        )
        // Without a list of AppKeys theirs are left alone, and with them the subnet that they need.
        let yaml = Office.nodes(lamp1: "subnets: [building]")
        #expect(try office.plan(yaml) == "")
        #expect(
            try office.diagnostics(yaml) == """
                2 warning: node `lamp-1` keeps subnet `guests` for an application key; \
                List the node's `application_keys`: then the others are deleted, and the subnet with them
                """
        )
    }

    @Test("States that are unknown are set, and a relay is switched off after all else, keeping its retransmit")
    func states() throws {
        var office = try Office()
        try office.change("lamp-2") { node in
            node.defaultTTL = nil
            node.relayRetransmit = nil
        }
        let yaml = Office.nodes(
            lamp1: "features: { relay: off, friend: off }, relay_retransmit: { count: 3, interval: 20ms }",
            lamp2: "ttl: 5, features: { relay: off }, secure_network_beacon: on",
            switch1: "network_transmit: { count: 1 }"
        )
        // lamp-1's retransmit is as it should be; Friend, which it does not have, is as good as off.
        #expect(
            try office.plan(yaml) == """
                ~ node.lamp-1.relay [on] -> [off]
                ~ node.lamp-2.ttl -> [5]
                ~ node.lamp-2.secure_network_beacon -> [on]
                ~ node.lamp-2.relay [on] -> [off]
                ~ node.switch-1.network_transmit -> [count 1, interval 10ms]
                0 lamp-2: set TTL 5
                1 lamp-2: set beacon true
                2 switch-1: set network transmit 0
                | 3 lamp-1: set relay false 10
                4 lamp-2: set relay false keep
                """
        )
    }

    @Test("Proxies and relays get the keys of subnets in which other nodes are spoken to before those nodes' turn")
    func carriers() throws {
        var office = try Office()
        let guests = try #require(NetKeyIndex(rawValue: 1))
        try office.change("lamp-1") { $0.netKeys = [NodeKey(index: guests)] }
        try office.change("lamp-2") { $0.features = Node.Features(relay: .disabled, proxy: .disabled) }
        let subnets = "subnets: [building, guests]"
        let yaml = Office.nodes(lamp1: "ttl: 9", lamp2: subnets, switch1: subnets)
        #expect(
            try office.plan(yaml) == """
                ~ node.lamp-1.ttl [5] -> [9]
                + node.lamp-2.subnet.guests -> [index 1]
                + node.switch-1.subnet.guests -> [index 1]
                0 switch-1: add NetKey 1
                | 1 lamp-1: set TTL 9
                2 lamp-2: add NetKey 1
                """
        )
        let plan = try #require(try office.result(Office.definition + yaml).plan)
        #expect(plan.steps.map { plan.changes[$0.change].node } == plan.steps.map(\.node))
        #expect(plan.cost == plan.steps.map(\.cost).reduce(.zero, +))
    }

    @Test("A composition that is unknown is read, and what needs it waits")
    func unknownComposition() throws {
        var office = try Office()
        try office.change("lamp-1") { node in
            node.elements = []
            node.features = Node.Features()
        }
        let yaml =
            Office.nodes(
                lamp1: "ttl: 9, features: { relay: on }, elements: { 0: { generic-onoff-server: { keys: [sensing] } } }"
            ) + "subscriptions: [{ groups: [alarm], models: [generic-level-server], nodes: lamp-1 }]"
        let result = try office.result(Office.definition + yaml)
        let plan = try #require(result.plan)
        #expect(
            PlanDebugText.text(plan) == """
                ~ node.lamp-1.composition
                + node.lamp-1.subnet.guests -> [index 1]
                + node.lamp-1.application_key.sensing -> [index 1]
                ~ node.lamp-1.ttl [5] -> [9]
                + node.lamp-1.element[0].generic-onoff-server.binding.sensing -> [index 1] (deferred)
                + node.lamp-1.element[0].generic-level-server.subscription.alarm \
                -> [000000000000000a000000000000000b] (deferred)
                ~ node.lamp-1.relay -> [on] (deferred)
                0 lamp-1: read composition 0
                1 lamp-1: add NetKey 1
                2 lamp-1: add AppKey 1 in 1 after 1
                3 lamp-1: set TTL 9
                4 lamp-1: configure when known after 0
                """
        )
        #expect(
            plan.notes.map(\.text) == [
                "The composition of 1 node is read first; apply then goes on with what depends on it."
            ]
        )
    }

    @Test("Nodes that left the definition are forgotten, others that it never knew are counted")
    func forgotten() throws {
        var office = try Office()
        try office.change("lamp-2") { $0.isManaged = false }
        let yaml = Office.definition + "nodes: { lamp-1: { uuid: 00000000000000000000000000000011 } }"
        let plan = try #require(try office.result(yaml).plan)
        #expect(PlanDebugText.text(plan) == ". node.switch-1 [managed]\n0 forget")
        #expect(plan.nodes.map(\.action) == [.forget])
        #expect(
            plan.notes.map(\.text) == [
                "1 node of the database is not in the definition and is left alone.",
                "`switch-1` is no longer in the definition, so it is forgotten: it keeps what it has, and goes on. "
                    + "To have it reset instead, put its line back, and plan with resetting and removing switch-1.",
                "switch-1 keeps the keys of subnet building when forgotten. "
                    + "To shut out a node that is gone for good: a key refresh of subnet building without switch-1",
            ]
        )
    }

    @Test("A protected node is forgotten only when that is asked for")
    func protected() throws {
        var office = try Office()
        try office.change("switch-1") { $0.isProtected = true }
        let yaml = Office.definition + Office.nodes().split(separator: "\n").dropLast().joined(separator: "\n")
        let result = try office.result(yaml)
        // The plan is there to be looked at, and says what blocks it.
        let message = "node `switch-1` (0x0014) is protected and would be forgotten, because it is no longer in "
        let finding = GuardFinding(
            .protectedNode,
            message + "the definition",
            nodes: ["switch-1"],
            resources: ["node.switch-1"]
        )
        #expect(result.plan?.findings == [finding])
        #expect(result.plan.map(PlanDebugText.text) == ". node.switch-1 [managed]\n0 forget")
        #expect(result.refusals == [.protectedNode])
        #expect(result.diagnostics.map(\.message) == [finding.message])
        let hint = try #require(result.diagnostics.first?.hint)
        #expect(hint.remedies == [.allow(guard: "protected-node")] && hint.text.contains("; if it is meant: "))
        let allowed = try office.result(yaml, options: PlannerOptions(allowed: [.protectedNode]))
        #expect(allowed.refusals.isEmpty && allowed.diagnostics.isEmpty)
        #expect(allowed.plan?.allowances == [.protectedNode] && allowed.plan?.steps.count == 1)
        // The protection outlives its line.
        #expect(try office.plan(Office.nodes()) == "")
        #expect(try office.plan(Office.nodes(switch1: "protect: off")).hasSuffix("0 manage switch-1"))
    }

    @Test("A summary line of each node has its changes and what they cost")
    func summaries() throws {
        var office = try Office()
        try office.change("lamp-1") { $0.isManaged = false }
        let plan = try #require(
            try office.result(Office.definition + Office.nodes(lamp1: "features: { proxy: off }", switch1: "ttl: 3"))
                .plan
        )
        #expect(plan.nodes.map(\.name) == ["lamp-1", "switch-1"])
        #expect(plan.nodes.map(\.action) == [.manage, .update])
        #expect(plan.nodes.map(\.changes) == [0..<2, 2..<3])
        #expect(plan.nodes.map(\.cost) == Array(repeating: .exchange(request: 3, status: 3), count: 2))
        // The edit comes before all messages, and belongs to the first change of its node.
        #expect(
            plan.steps[0].work
                == .edit(.manage(plan.nodes[0].uuid, name: "lamp-1", isProtected: false, removalPolicy: .forget))
        )
        #expect(plan.changes[plan.steps[0].change].address == "node.lamp-1")
    }
}
