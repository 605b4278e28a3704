import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("Diagnostics of the planner")
struct PlannerDiagnosticsTests {
    /// Nodes of the office, what stands behind them, and the diagnostics.
    struct Case: Sendable, CustomTestStringConvertible {
        var yaml: String
        var expected: String

        init(yaml: String, more: String = "", expected: String) {
            self.yaml = yaml + more
            self.expected = expected
        }

        var testDescription: String { expected }
    }

    private static let cases: [Case] = [
        Case(
            yaml: Office.nodes(),
            more: "  we: { uuid: 00000000000000000000000000000001 }",
            expected: """
                5 error: node `we` is meshplan's own provisioner, which cannot be managed; \
                It sends the messages; take it out of the definition
                """
        ),
        Case(
            yaml: Office.nodes(lamp1: "address: 0x0020"),
            expected: """
                2 error: node `lamp-1` has address 0x0010, not 0x0020; \
                The address of a node changes only when it is provisioned anew, as by reprovisioning the node with new addresses; write 0x0010 or leave the address out
                """
        ),
        Case(
            yaml: Office.nodes(lamp1: "elements: { 0: { generic-level-server: {} } }"),
            expected: """
                2 error: element 0 of node `lamp-1` has no `generic-level-server`; \
                The model is on element 1
                """
        ),
        Case(
            yaml: Office.nodes(lamp1: "elements: { 1: { sensor-server: {} } }"),
            expected: """
                2 error: element 1 of node `lamp-1` has no `sensor-server`; \
                There are: generic-level-server
                """
        ),
        Case(
            yaml: Office.nodes(lamp1: "elements: { 7: { sensor-server: {} } }"),
            expected: """
                2 error: node `lamp-1` has no element 7; \
                Its elements are 0 to 1
                """
        ),
        Case(
            yaml: Office.nodes(switch1: "features: { friend: on }"),
            expected: """
                4 error: node `switch-1` does not have the friend feature; \
                Take the setting out for this node
                """
        ),
        Case(
            yaml: Office.nodes(lamp1: "subnets: [guests], application_keys: [], elements: { " + unbound + " }"),
            expected: """
                2 error: node `lamp-1` would lose subnet `building`, which secures the messages to it; \
                Add `building` to the node's `subnets`; if it is meant: allow transport-net-key
                """
        ),
        Case(
            yaml: Office.nodes(),
            more: "subscriptions: [{ groups: [alarm], models: [sensor-server], nodes: all }]",
            expected: """
                5 error: none of the selected nodes has `sensor-server`; \
                Compare the selector and the models of the nodes
                """
        ),
        Case(
            yaml: Office.nodes(),
            more: "subscriptions: [{ groups: [alarm], models: [sensor-server], nodes: lamp-1 }]",
            expected: """
                5 error: node `lamp-1` has no `sensor-server`; \
                There are: generic-onoff-server, generic-level-server, light-lightness-server
                """
        ),
    ]

    /// Models of a lamp that let go of all of their keys.
    private static let unbound =
        "0: { generic-onoff-server: { keys: [] }, light-lightness-server: { keys: [] } }, "
        + "1: { generic-level-server: { keys: [] } }"

    @Test("What cannot be planned is said at its line, with a way out", arguments: cases)
    func messages(_ example: Case) throws {
        #expect(try Office().diagnostics(example.yaml) == example.expected)
    }

    @Test("Who has missed the new key of a subnet that uses it gets no application key; others get the new keys")
    func keyRefresh() throws {
        var office = try Office()
        office.network.netKeys[0].phase = .usingNewKeys
        office.network.netKeys[1].phase = .usingNewKeys
        try office.change("switch-1") { $0.netKeys[0].progress = .revoked }
        try office.change("lamp-2") { $0.appKeys = [] }
        let nodes = Office.nodes(lamp1: "application_keys: [lighting, sensing]")
        let expected = """
            7 error: node `lamp-2` cannot get application key `lighting`: \
            it has missed the new key of subnet `building`; \
            Finish the key refresh first: a key refresh of subnet building
            """
        let diagnostics = try office.diagnostics(
            nodes + "subscriptions: []\npublications:\n"
                + "  - { node: lamp-2, model: generic-onoff-server, to: kitchen, key: lighting }\n"
        )
        #expect(diagnostics.contains(expected), "\(diagnostics)")
        let plan = try #require(try office.result(Office.definition + nodes).plan)
        #expect(plan.steps.count == 2, "NetKey and AppKey of guests")
    }

    @Test("While new keys are distributed a node gets the present ones, and the plan says so")
    func keyDistribution() throws {
        var office = try Office()
        office.network.netKeys[1].phase = .keyDistribution
        let yaml = Office.definition + Office.nodes(lamp1: "application_keys: [lighting, sensing]")
        let result = try office.result(yaml)
        let plan = try #require(result.plan)
        #expect(result.diagnostics.isEmpty)
        #expect(plan.steps.count == 2)
        #expect(
            plan.notes.map(\.text) == [
                "Subnet guests is in a key refresh: 1 node of this plan will have only its present keys, until the "
                    + "refresh goes on.",
                "The key refresh of subnet guests is not finished (phase 1, and no node is left to be told): "
                    + "a key refresh of subnet guests",
            ]
        )
    }

    @Test("A node that cannot be reached is refused only if there is something to send")
    func unreachable() throws {
        var office = try Office()
        try office.change("lamp-1") { $0.deviceKey = nil }
        #expect(try office.plan(Office.nodes()) == "")
        #expect(
            try office.diagnostics(Office.nodes(lamp1: "ttl: 4")) == """
                2 error: node `lamp-1` has no device key in the database, so nothing can be sent to it; \
                Import a database that holds the device key of the node
                """
        )
    }

    @Test("An excluded node cannot be managed")
    func excluded() throws {
        var office = try Office()
        try office.change("lamp-1") { $0.isExcluded = true }
        #expect(try office.diagnostics(Office.nodes()).hasPrefix("2 error: node `lamp-1` is excluded from the network"))
    }

    @Test("A problem that nodes share through a profile is said once and counts them")
    func counted() throws {
        let yaml =
            "profiles: { p: { elements: { 0: { sensor-server: {} } } } }\n"
            + Office.nodes(lamp1: "profile: p", lamp2: "profile: p", switch1: "profile: p")
        #expect(
            try Office().diagnostics(yaml) == """
                1 error: element 0 of node `lamp-1` has no `sensor-server` (and 2 more nodes); \
                There are: generic-onoff-server, light-lightness-server
                """
        )
    }

    @Test("A publication needs a key, and there is one publication a model, also in a definition nobody checked")
    func publications() throws {
        let unbound = Office.nodes(switch1: "elements: { 0: { generic-onoff-client: { publish: { to: alarm } } } }")
        let result = try Office().result(Office.definition + unbound, isChecked: false)
        #expect(result.diagnostics.map(\.message) == ["the publication of `generic-onoff-client` needs a key"])
        let twice = """
            publications:
              - { node: switch-1, model: generic-onoff-client, to: alarm, key: lighting }
              - { node: switch-1, model: generic-onoff-client, to: kitchen, key: lighting }
            """
        #expect(
            try Office().result(Office.definition + Office.nodes() + twice, isChecked: false).diagnostics.map(\.message)
                == ["`generic-onoff-client` on element 0 of node `switch-1` has two publications"]
        )
    }

    @Test("Keys and groups that the database has otherwise are refused")
    func contradictions() throws {
        let yaml = """
            version: 1
            network: office
            subnets: { building: { index: 5 }, guests: {} }
            application_keys: { lighting: { subnet: guests } }
            groups: { kitchen: { address: 0xC0FF } }
            """
        let result = try Office().result(yaml)
        #expect(
            result.diagnostics.map(\.message) == [
                "subnet `building` has index 0 in the database, not 5",
                "application key `lighting` is bound to the subnet with index 0",
                "group `kitchen` has the address 0xC001 in the database, not 0xC0FF",
            ]
        )
        #expect(result.plan == nil && result.refusals.isEmpty)
    }
}
