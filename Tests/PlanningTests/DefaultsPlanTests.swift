import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("Defaults in plans")
struct DefaultsPlanTests {
    @Test("A node's value wins over its profile's, that over selecting defaults, and those over defaults for all")
    func order() throws {
        let yaml =
            """
            defaults:
              - { ttl: 10, secure_network_beacon: on }
              - { nodes: lamp-*, ttl: 11, network_transmit: { count: 2, interval: 10ms } }
            profiles:
              lamp: { ttl: 12, network_transmit: { count: 3, interval: 10ms } }

            """ + Office.nodes(lamp1: "profile: lamp", lamp2: "network_transmit: { count: 4, interval: 10ms }")
        #expect(
            try Office().plan(yaml) == """
                ~ node.lamp-1.ttl [5] -> [12]
                ~ node.lamp-1.secure_network_beacon -> [on]
                ~ node.lamp-1.network_transmit -> [count 3, interval 10ms]
                ~ node.lamp-2.ttl [5] -> [11]
                ~ node.lamp-2.secure_network_beacon -> [on]
                ~ node.lamp-2.network_transmit -> [count 4, interval 10ms]
                ~ node.switch-1.ttl [5] -> [10]
                ~ node.switch-1.secure_network_beacon -> [on]
                0 lamp-1: set TTL 12
                1 lamp-1: set beacon true
                2 lamp-1: set network transmit 2
                3 lamp-2: set TTL 11
                4 lamp-2: set beacon true
                5 lamp-2: set network transmit 3
                6 switch-1: set TTL 10
                7 switch-1: set beacon true
                """
        )
    }

    @Test("Lists of keys come from defaults, too, and a profile's models stay")
    func lists() throws {
        let yaml =
            """
            defaults: { application_keys: [lighting, sensing] }
            profiles: { lamp: { elements: { 0: { generic-onoff-server: { subscribe: [kitchen] } } } } }

            """ + Office.nodes(lamp1: "profile: lamp", lamp2: "application_keys: [lighting]", switch1: "profile: lamp")
        #expect(
            try Office().diagnostics(yaml) == """
                2 error: element 0 of node `switch-1` has no `generic-onoff-server`; There are: generic-onoff-client
                """
        )
        let plan = try Office().plan(yaml.replacing("0013, profile: lamp", with: "0013, application_keys: [lighting]"))
        #expect(
            plan == """
                + node.lamp-1.subnet.guests -> [index 1]
                + node.lamp-1.application_key.sensing -> [index 1]
                + node.lamp-1.element[0].generic-onoff-server.subscription.kitchen -> [0xC001]
                - node.lamp-1.element[0].generic-onoff-server.subscription.all-lights [0xC000]
                0 lamp-1: add NetKey 1
                1 lamp-1: add AppKey 1 in 1 after 0
                2 lamp-1: overwrite 0/generic-onoff-server 0xC001
                """
        )
    }

    @Test("Defaults leave out nodes without the feature and say so once; nobody else may")
    func unsupported() throws {
        let nodes = Office.nodes()
        #expect(
            try Office().diagnostics("defaults: { features: { friend: on } }\n" + nodes) == """
                1 note: node `lamp-1` does not have the friend feature, so the default does not apply to it \
                (and 2 more nodes);\u{20}
                """
        )
        #expect(try Office().plan("defaults: { features: { friend: on } }\n" + nodes) == "")
        #expect(try Office().diagnostics("defaults: { features: { friend: off } }\n" + nodes) == "")
        #expect(
            try Office().diagnostics(
                "defaults: { features: { friend: on } }\n" + Office.nodes(lamp1: "features: { friend: on }")
            )
                == """
                1 note: node `lamp-2` does not have the friend feature, so the default does not apply to it \
                (and one more node);\u{20}
                3 error: node `lamp-1` does not have the friend feature; Take the setting out for this node
                """
        )
    }

    @Test("What waits for the composition is left out of it where the node turns out to lack the feature")
    func deferred() throws {
        var office = try Office()
        try office.change("lamp-1") { node in
            node.elements = []
            node.features = Node.Features()
        }
        let yaml =
            Office.definition + "defaults: { features: { friend: on, proxy: off }, relay_retransmit: { count: 1 } }\n"
            + Office.nodes(lamp1: "features: { relay: on, proxy: on }")
        let plan = try #require(try office.result(yaml).plan)
        #expect(try PlanFile.decode(PlanFile.encode(plan)) == plan)
        let waiting = plan.steps.compactMap { step in
            if case .configureWhenKnown(let configuration) = step.work { configuration } else { nil }
        }
        let configuration = try #require(waiting.first)
        #expect(configuration.friend == true && configuration.proxy == true && configuration.relay == true)
        #expect(configuration.optionalFeatures == .friend)
        #expect(!configuration.isCostExact)
        try office.change("lamp-1") { node in
            node.elements = [Element(models: [Model(identifier: .configurationServer)])]
            node.features = Node.Features(relay: .disabled, proxy: .notSupported, friend: .notSupported)
        }
        let lowered = configuration.lowered(in: office.network)
        #expect(lowered.problems.map(\.message) == ["node `lamp-1` does not have the proxy feature"])
        #expect(lowered.steps.count == 1)
    }

    @Test("Devices are provisioned as the defaults say where nothing else does")
    func provisioning() throws {
        let yaml =
            """
            defaults: [{ provisioning: { attention: 5s, oob: output } }, { nodes: new-2, provisioning: { attention: 9s } }]
            nodes:
              new-1: { uuid: 000000000000000000000000000000aa, provisioning: { oob: input } }
              new-2: { uuid: 000000000000000000000000000000ab }
            """
        let plan = try #require(try Office().result(Office.definition + yaml).plan)
        let orders = plan.steps.compactMap { step in
            if case .provision(let order) = step.work { order } else { nil }
        }
        #expect(orders.map(\.attention) == [5, 9])
        #expect(orders.map(\.method) == [.inputOOB, .outputOOB])
    }

    @Test("Publications go to our own provisioner by name")
    func provisioner() throws {
        let yaml =
            Office.nodes()
            + "publications: [{ node: switch-1, model: generic-onoff-client, to: provisioner, key: lighting }]"
        #expect(
            try Office().plan(yaml) == """
                ~ node.switch-1.element[0].generic-onoff-client.publication [to kitchen, key lighting] \
                -> [to we, key lighting]
                0 switch-1: publish 0/generic-onoff-client 0x0001
                """
        )
        var office = try Office()
        office.network.nodes.removeAll { $0.name == "we" }
        let messages = try office.result(Office.definition + yaml).diagnostics.map(\.message)
        #expect(
            messages.contains(
                "meshplan's own provisioner has no address in the database, so nothing can be published to it"
            )
        )
    }
}
