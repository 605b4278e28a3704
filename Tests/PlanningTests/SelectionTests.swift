import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("Selection and destruction")
struct SelectionTests {
    private static let changed = Office.nodes(
        lamp1: "tags: { room: kitchen }, ttl: 6",
        lamp2: "ttl: 6",
        switch1: "ttl: 6"
    )

    private func plan(_ selection: PlanSelection, _ yaml: String = changed, _ office: Office? = nil) throws -> Plan {
        let office = try office ?? Office()
        let result = try office.result(Office.definition + yaml, options: PlannerOptions(selection: selection))
        return try #require(result.plan, "\(result.diagnostics)")
    }

    @Test(
        "A plan has the changes of the selected nodes and counts the others",
        arguments: [
            (PlanSelection(nodes: ["lamp-*"]), ["lamp-1", "lamp-2"]),
            (PlanSelection(nodes: ["lamp-2", "lamp-1"], tags: [.init(name: "room", value: "kit*")]), ["lamp-1"]),
            (PlanSelection(nodes: ["switch-1"], tags: [.init(name: "room", value: "kit*")]), []),
            (PlanSelection(groups: ["0xc000"], subnets: ["build*"]), ["lamp-1", "lamp-2"]),
            (PlanSelection(groups: ["all-lights"]), ["lamp-1", "lamp-2"]),
            (PlanSelection(groups: ["kitchen"]), ["switch-1"]),
            (PlanSelection(subnets: ["building"]), ["lamp-1", "lamp-2", "switch-1"]),
            (PlanSelection(subnets: ["guests"]), []),
            (PlanSelection(excluded: ["lamp-1"]), ["lamp-2", "switch-1"]),
            (PlanSelection(nodes: ["lamp-*"], excluded: ["*-1"]), ["lamp-2"]),
        ]
    )
    func nodes(_ selection: PlanSelection, _ expected: [String]) throws {
        let plan = try plan(selection)
        #expect(plan.nodes.map(\.name) == expected)
        #expect(plan.scope == PlanScope(options: [], nodesLeftOut: 3 - expected.count))
    }

    @Test("Of the network only what the selected nodes need is made")
    func needs() throws {
        let yaml = Office.nodes(lamp1: "ttl: 6, elements: { 0: { generic-onoff-server: { subscribe: [new] } } }")
            .replacing("nodes:", with: "")
        let groups = "alarm: {}, new: { parent: hall }, hall: {}, other: {}"
        let definition = Office.definition.replacing("alarm: {}", with: groups)
        let result = try Office().result(
            definition + "nodes:" + yaml,
            options: PlannerOptions(selection: PlanSelection(nodes: ["lamp-1"]))
        )
        let plan = try #require(result.plan, "\(result.diagnostics)")
        let own = plan.changes.filter { $0.node == nil }.map(\.address)
        #expect(own == ["group.new", "group.hall"] && plan.scope?.changesLeftOut == 1)
        let none = try Office().result(
            definition + "nodes:" + yaml,
            options: PlannerOptions(selection: PlanSelection(nodes: ["lamp-2"]))
        )
        #expect(none.plan?.isEmpty == true)
        #expect(none.plan?.scope == PlanScope(options: [], nodesLeftOut: 1, changesLeftOut: 3))
    }

    @Test("Nodes that leave the definition are selected by their names in the database, and left alone otherwise")
    func leaving() throws {
        var office = try Office()
        try office.change("switch-1") { $0.isProtected = true }
        let yaml = "nodes: { lamp-1: { uuid: 00000000000000000000000000000011 } }"
        let plan = try plan(PlanSelection(nodes: ["lamp-2"]), yaml, office)
        #expect(plan.nodes.map(\.name) == ["lamp-2"] && plan.refusals.isEmpty && plan.scope?.nodesLeftOut == 1)
        #expect(try self.plan(PlanSelection(nodes: ["switch-1"]), yaml, office).refusals == [.protectedNode])
    }

    @Test("What is wrong with nodes that are left out stops nobody")
    func brokenNode() throws {
        var office = try Office()
        try office.change("lamp-1") { $0.deviceKey = nil }
        #expect(try office.result(Office.definition + Self.changed).plan == nil)
        let plan = try plan(PlanSelection(excluded: ["lamp-1"]), Self.changed, office)
        #expect(plan.nodes.map(\.name) == ["lamp-2", "switch-1"] && plan.scope?.nodesLeftOut == 1)
    }

    @Test("A part that selects nothing is an error that says what is meant")
    func unknown() throws {
        let office = try Office()
        let definition = try #require(try office.definition(Office.definition + Self.changed))
        let selection = PlanSelection(
            nodes: ["lamp-9"],
            groups: ["kitchn"],
            subnets: ["buildin"],
            tags: [.init(name: "rom", value: "x"), .init(name: "room", value: "kitchn")],
            excluded: ["desk-*"]
        )
        let problems = selection.problems(definition: definition, network: office.network)
        #expect(
            problems.map { "\($0.message); \($0.hint ?? "")" } == [
                "`lamp-9` names no managed node; did you mean `lamp-1`? nodes are: lamp-1, lamp-2, switch-1",
                "`desk-*` names no managed node; nodes are: lamp-1, lamp-2, switch-1",
                "`kitchn` names no group; did you mean `kitchen`? groups are: alarm, all-lights, kitchen",
                "`buildin` names no subnet; did you mean `building`? subnets are: building, guests",
                "`rom=x` is the tag of no node; did you mean `room`? tags in use: room",
                "`room=kitchn` is the tag of no node; did you mean `kitchen`? values in use: kitchen",
            ]
        )
        #expect(PlanSelection(nodes: ["l*"]).problems(definition: definition, network: office.network) == [])
    }

    @Test("To destroy is to reset all managed nodes, but for those that are left out or protected")
    func destroy() throws {
        var office = try Office()
        func plan(_ selection: PlanSelection = PlanSelection()) throws -> Plan {
            let options = PlannerOptions(selection: selection, purpose: .destroy)
            return try #require(try office.result(Office.definition + Self.changed, options: options).plan)
        }
        let all = try plan()
        #expect(all.purpose == .destroy && all.nodes.map(\.name) == ["lamp-1", "lamp-2", "switch-1"])
        #expect(all.nodes.allSatisfy { $0.action == .reset } && all.refusals.isEmpty)
        #expect(try plan(PlanSelection(nodes: ["lamp-1"])).nodes.map(\.name) == ["lamp-1"])
        try office.change("lamp-2") { $0.isProtected = true }
        #expect(try plan().refusals == [.protectedNode])
        try office.change("lamp-1") { $0.isManaged = false }
        #expect(try plan(PlanSelection(excluded: ["lamp-2"])).nodes.map(\.name) == ["switch-1"])
    }

    @Test("To destroy is to remove every subnet but the primary one and those in a key refresh")
    func destroyedSubnets() throws {
        var office = try Office()
        office.manageAll()
        func removed() throws -> [String] {
            let options = PlannerOptions(purpose: .destroy)
            let result = try office.result(Office.definition + Self.changed, options: options)
            let plan = try #require(result.plan, "\(result.diagnostics)")
            return plan.changes.map(\.address).filter { $0.hasPrefix("subnet.") }
        }
        #expect(try removed() == ["subnet.guests"])
        office.network.beginKeyRefresh(of: try #require(NetKeyIndex(rawValue: 1))) {
            KeyMaterial(Octets16(high: 1, low: 1))
        }
        #expect(try removed() == [])
    }
}
