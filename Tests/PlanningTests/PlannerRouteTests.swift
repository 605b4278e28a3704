import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("Plans that say by which way devices are provisioned")
struct PlannerRouteTests {
    private func device(_ name: String, _ digits: String, _ via: String? = nil, _ more: String = "") -> String {
        let provisioning = via.map { ", provisioning: { via: \($0) }" } ?? ""
        return "  \(name): { uuid: \(String(repeating: "0", count: 30))\(digits)\(provisioning)\(more) }\n"
    }

    @Test(
        "The way is in the order and in the change",
        arguments: [
            (nil, .any, ""), ("any", .any, ""), ("direct", .direct, ", directly"),
            ("remote", .remote, ", through a node"),
            (
                "{ node: lamp-2 }", .node(DeviceUUID(rawValue: Octets16(high: 0, low: 0x12))), ", through node.lamp-2"
            ),
        ] as [(String?, ProvisioningRoute<DeviceUUID>, String)]
    )
    func order(_ via: String?, _ route: ProvisioningRoute<DeviceUUID>, _ text: String) throws {
        var office = try Office()
        try office.change("lamp-2") { $0.elements[0].models.append(Model(identifier: .remoteProvisioningServer)) }
        let result = try office.result(Office.definition + Office.nodes() + device("lamp-3", "31", via))
        let plan = try #require(result.plan, "\(result.diagnostics)")
        guard case .provision(let order)? = plan.steps.first?.work else {
            Issue.record("\(plan.steps)")
            return
        }
        #expect(order.route == route && order.serverName == (route.server == nil ? nil : "lamp-2"))
        #expect(plan.changes.first?.after == "at an address that apply chooses, in subnet building" + text)
        #expect(plan.steps.first?.dependencies == [])
        #expect(try PlanFile.decode(PlanFile.encode(plan)) == plan)
    }

    @Test("A device waits for the composition of the node that it is to go through, wherever that stands")
    func waits() throws {
        let yaml =
            Office.nodes() + device("attic", "31", "{ node: hall }") + device("hall", "32", "{ node: cellar }")
            + device("cellar", "33")
        #expect(
            try Office().plan(yaml) == """
                + node.attic -> [at an address that apply chooses, in subnet building, through node.hall]
                ~ node.attic.composition
                + node.hall -> [at an address that apply chooses, in subnet building, through node.cellar]
                ~ node.hall.composition
                + node.cellar -> [at an address that apply chooses, in subnet building]
                ~ node.cellar.composition
                0 cellar: provision in 0
                1 cellar: read composition 0 after 0
                2 hall: provision in 0 after 1
                3 hall: read composition 0 after 2
                4 attic: provision in 0 after 3
                5 attic: read composition 0 after 4
                """
        )
    }

    @Test("So it does where it is a relay that has to carry another subnet before others are spoken to")
    func carrier() throws {
        let yaml =
            Office.nodes() + device("sensor", "41", nil, ", subnets: [guests]")
            + device("relay", "42", "{ node: hall }", ", subnets: [building, guests], features: { relay: on }")
            + device("hall", "43")
        let plan = try #require(try Office().result(Office.definition + yaml).plan)
        let works = plan.steps.map { step -> String in
            let name = plan.nodes.first { $0.uuid == step.node }?.name ?? "?"
            return switch step.work {
            case .provision: "\(name) provisioned after \(step.dependencies)"
            case .configure(_, .readComposition): "\(name) read after \(step.dependencies)"
            default: name
            }
        }
        let first = ["hall provisioned after []", "hall read after [0]", "relay provisioned after [1]"]
        #expect(Array(works.prefix(3)) == first)
        #expect(works.filter { $0.hasPrefix("hall") }.count == 2)
        #expect(plan.nodes.map(\.cost).allSatisfy { $0.messages > 0 })
        #expect(plan.changes.filter { $0.kind == .composition }.count == 3)
        for (position, step) in plan.steps.enumerated() {
            #expect(plan.changes[step.change].node == step.node, "step \(position) belongs to a change of its node")
        }
    }

    @Test("It waits for a node of the database only where the composition of that has to be read")
    func recorded() throws {
        var office = try Office()
        try office.change("lamp-2") { node in
            for place in node.elements.indices { node.elements[place].models = [] }
        }
        let yaml = Office.nodes() + device("attic", "31", "{ node: lamp-2 }")
        let plan = try #require(try office.result(Office.definition + yaml).plan)
        let provision = try #require(plan.steps.first { if case .provision = $0.work { true } else { false } })
        #expect(
            provision.dependencies.map { plan.steps[$0].work } == [
                .configure(DeviceUUID(rawValue: Octets16(high: 0, low: 0x12)), .readComposition(page: 0))
            ]
        )
    }

    @Test("A node whose composition is known not to have the server is refused, with those that have one")
    func noServer() throws {
        let yaml = Office.definition + Office.nodes() + device("attic", "31", "{ node: lamp-2 }")
        var office = try Office()
        let without = try office.result(yaml)
        #expect(without.plan == nil)
        #expect(
            without.diagnostics.map(\.message) == [
                "node `lamp-2` has no Remote Provisioning Server, which is needed to provision `attic`"
            ]
        )
        #expect(without.diagnostics.first?.hint == "No node of the definition is known to have one; leave `via` out")
        #expect(without.diagnostics.first?.location?.line == 10)
        try office.change("lamp-1") { $0.elements[0].models.append(Model(identifier: .remoteProvisioningServer)) }
        #expect(try office.result(yaml).diagnostics.first?.hint == "Nodes that have one: `lamp-1`")
        // What it is made of when it has become a node again, nobody knows.
        try office.change("lamp-2") { $0.unprovisionedSeenAt = Timestamp(rawValue: 1) }
        #expect(try office.result(yaml).diagnostics.map(\.message) == [])
    }

    @Test("That the node is left out and is none yet, is said")
    func leftOut() throws {
        let yaml = Office.definition + Office.nodes() + device("attic", "31", "{ node: hall }") + device("hall", "32")
        let result = try Office().result(yaml, options: PlannerOptions(selection: PlanSelection(nodes: ["attic"])))
        let plan = try #require(result.plan)
        #expect(
            plan.notes.contains(
                "1 device is to be provisioned through a node that is not provisioned yet and is left out of this plan."
            )
        )
        let both = try Office().result(
            yaml,
            options: PlannerOptions(selection: PlanSelection(nodes: ["attic", "hall"]))
        )
        #expect(both.plan?.notes.contains { $0.contains("is left out") } == false)
    }

    @Test("A plan without ways is encoded as it always was, and the digest covers them")
    func encoding() throws {
        var order = ProvisioningOrder(
            uuid: DeviceUUID(rawValue: Octets16(high: 0, low: 0x31)),
            name: "lamp-3",
            netKeyIndex: .primary
        )
        func plan() -> Plan {
            Plan(
                identifier: Octets16(high: 0, low: 0),
                lineage: Octets16(high: 0, low: 0),
                serial: 0,
                network: "n",
                nodes: [
                    NodeSummary(
                        uuid: order.uuid,
                        name: "n",
                        address: nil,
                        action: .provision,
                        changes: 0..<1,
                        cost: .zero
                    )
                ],
                changes: [Change(address: "node.n", kind: .provisioning, action: .create, node: order.uuid)],
                steps: [Step(change: 0, work: .provision(order))]
            )
        }
        let open = PlanFile.encode(plan())
        let digest = plan().digest
        order.route = .direct
        let direct = PlanFile.encode(plan())
        #expect(direct.count == open.count + 1)
        #expect(plan().digest != digest)
        #expect(zip(open, direct).filter { $0 != $1 }.count <= 2, "but for the kind of work and what follows the order")
        // What is written as another kind of work does not leave the way open.
        let place = try #require(zip(open, direct).enumerated().first { $1.0 != $1.1 }?.offset)
        var cut = open
        cut[place] = direct[place]
        #expect(throws: DecodeError.self) { try PlanFile.decode(cut) }
    }
}
