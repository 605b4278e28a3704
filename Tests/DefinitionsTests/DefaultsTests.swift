import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Defaults")
struct DefaultsTests {
    @Test("Defaults are one mapping for all nodes, or a list with selectors; several documents add up")
    func forms() throws {
        let (definitions, problems) = definitions(
            head + """
                defaults: { ttl: 5, features: { relay: off }, network_transmit: { count: 3, interval: 20ms } }
                nodes:
                  a: { uuid: \(uuid(1)), tags: { room: hall } }
                  b: { uuid: \(uuid(2)) }
                """,
            """
            network: hq
            defaults:
              - { secure_network_beacon: on, provisioning: { attention: 5s } }
              - { nodes: { room: hall }, ttl: 7, provisioning: { attention: 9s, oob: output } }
              - { nodes: all, relay_retransmit: { count: 1 } }
            """
        )
        #expect(problems == [])
        let definition = try #require(definitions.first)
        #expect(definition.defaults.map { $0.settings.defaultTTL?.value } == [5, nil, 7, nil])
        #expect(definition.defaults.map { $0.nodes == nil } == [true, true, false, true])
        #expect(definition.defaults.map(\.location.line) == [3, 3, 4, 5])
        #expect(definition.defaults[0].settings.relay?.value == false)
        #expect(definition.defaults[0].settings.networkTransmit?.value == TransmitParameters(count: 2, steps: 1))
        let selection = DefaultsSelection(definition, nodes: NodeSelectorIndex(definition.nodes))
        #expect(selection.general == [0, 1, 3])
        #expect([0, 1].map(selection.selected) == [[2], []])
        let provisioning = [0, 1].map { selection.provisioning(of: $0, in: definition) }
        #expect(provisioning.map { $0?.attention?.value } == [9, 5])
        #expect(provisioning.map { $0?.method?.value } == [.outputOOB, nil])
    }

    @Test("No defaults at all is nothing")
    func nothing() throws {
        let (definitions, problems) = definitions(head + "defaults:\n")
        #expect(problems == [])
        #expect(definitions.first?.defaults == [])
    }

    @Test("What does not belong into defaults is shown with what does")
    func mistakes() {
        #expect(
            diagnose(head + "defaults: { elements: {}, tll: 5, ttl: 1, subnets: [hous] }\nsubnets: { house: {} }\n")
                == [
                    "a.yaml:3:13: error: unknown key `elements` (Nodes have different elements: models belong to profiles, "
                        + "and to `subscriptions` and `publications` that select nodes)",
                    "a.yaml:3:27: error: unknown key `tll` (did you mean `ttl`? allowed here: \(Self.keys))",
                    "a.yaml:3:40: error: the default TTL cannot be 1 (it can be 0 or 2 to 127)",
                    "a.yaml:3:53: error: there is no subnet `hous` (did you mean `house`? declared: house)",
                ]
        )
        #expect(
            diagnose(head + "defaults: 5\n") == [
                "a.yaml:3:11: error: a mapping of settings is expected here, not a text"
            ]
        )
        #expect(
            diagnose(head + "defaults: [{ nodes: { room: x }, ttl: 5 }]\nnodes: { a: { uuid: \(uuid(1)) } }\n") == [
                "a.yaml:3:29: error: no node has the tag `room` with the value `x` (if that is meant, write `allow_empty: true` "
                    + "beside `nodes`)"
            ]
        )
    }

    private static let keys = DefaultsDefinition.mapping.record.keys.map(\.rawValue).sorted().joined(separator: ", ")

    @Test("Entries of one rank do not contradict each other, those of different ranks may")
    func conflicts() {
        let nodes = "nodes: { a1: { uuid: \(uuid(1)) }, b2: { uuid: \(uuid(2)) } }\n"
        #expect(
            diagnose(head + "defaults: { ttl: 5 }\n" + nodes, "network: hq\ndefaults: { ttl: 6 }\n") == [
                "b.yaml:2:18: error: two entries of `defaults` give every node different values for `ttl` "
                    + "(keep one of them; an entry that selects `nodes:` wins over one for all) "
                    + "[a.yaml:3:18: the other value]"
            ]
        )
        #expect(
            diagnose(
                head + nodes + """
                    defaults:
                      - { ttl: 5, features: { relay: on }, subnets: [], provisioning: { attention: 1s } }
                      - { nodes: "a*", features: { relay: off }, provisioning: { attention: 2s } }
                      - { nodes: "*2", features: { relay: on } }
                    """
            ) == []
        )
        #expect(
            diagnose(
                head + nodes + """
                    subnets: { x: {}, y: {} }
                    defaults:
                      - { nodes: "a*", features: { relay: off }, subnets: [x, y], provisioning: { attention: 2s } }
                      - { nodes: [b2, a1], features: { relay: on }, subnets: [y, x], provisioning: { attention: 3s } }
                    """
            ) == [
                "a.yaml:7:43: error: two entries of `defaults` give `a1` different values for `features.relay` "
                    + "(change the selectors so that only one entry applies to it, or set the value in the node) "
                    + "[a.yaml:6:39: the other value]",
                "a.yaml:7:93: error: two entries of `defaults` give `a1` different values for `provisioning.attention` "
                    + "(change the selectors so that only one entry applies to it, or set the value in the node) "
                    + "[a.yaml:6:90: the other value]",
            ]
        )
    }

    @Test("The method of the defaults is checked with what nodes say")
    func provisioning() {
        #expect(
            diagnose(
                head + """
                    provisioning: { require: authenticated }
                    defaults: { provisioning: { oob: none } }
                    nodes: { a: { uuid: \(uuid(1)) } }
                    """
            ).map { $0.prefix(84) } == [
                "a.yaml:4:34: error: `oob: none` does not authenticate the device, and the network re"
            ]
        )
    }

    @Test("No group and no node is called provisioner, which stands for ours in publications")
    func provisionerName() {
        let problem = "stands for meshplan's own provisioner in publications (choose another name)"
        let subnet = "subnets: { s: {} }\napplication_keys: { k: { subnet: s } }\n"
        #expect(
            diagnose(head + "groups: { provisioner: {} }\nnodes: { provisioner: { uuid: \(uuid(1)) } }\n") == [
                "a.yaml:3:11: error: the name `provisioner` \(problem)",
                "a.yaml:4:10: error: the name `provisioner` \(problem)",
            ]
        )
        #expect(
            diagnose(
                head + subnet + "nodes: { a: { uuid: \(uuid(1)), elements: { 0: { health-server: "
                    + "{ keys: [k], publish: { to: provisioner } } } } } }\n"
            ) == []
        )
    }
}
