import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("Renamed subnets, application keys and groups")
struct MovedTests {
    private static let renamed = """
        version: 1
        network: office
        subnets: { building: { index: 0 }, visitors: {} }
        application_keys: { lights: { subnet: building }, sensing: { subnet: visitors } }
        groups: { all-lights: {}, galley: { parent: all-lights }, alarm: {} }

        """
    private static let moved = """
        moved:
          - { from: subnet.guests, to: subnet.visitors }
          - { from: application_key.lighting, to: application_key.lights }
          - { from: group.kitchen, to: group.cookery }
          - { from: group.cookery, to: group.galley }

        """

    @Test("A rename that is declared sends nothing, and the entries do no harm afterwards")
    func renames() throws {
        var office = try Office()
        office.manageAll()
        let yaml = Self.renamed + Office.nodes() + Self.moved
        let plan = try #require(try office.result(yaml).plan)
        #expect(
            PlanDebugText.text(plan) == """
                ~ subnet.guests => subnet.visitors [name guests] -> [name visitors]
                ~ application_key.lighting => application_key.lights [name lighting] -> [name lights]
                ~ group.kitchen => group.galley [0xC001, name kitchen, parent all-lights] -> \
                [0xC001, name galley, parent all-lights]
                0 rename NetKey 1 visitors
                1 rename AppKey 0 lights
                2 put group 0xC001 galley
                """
        )
        #expect(plan.cost == .zero)
        try office.apply(yaml)
        let second = try office.result(yaml)
        #expect(second.plan?.isEmpty == true && second.plan?.changes == [] && second.diagnostics == [])
        // Entries that have served may stay, even if the old name is given to something else by hand.
        office.network.groups.append(
            Group(name: "kitchen", address: .group(try #require(GroupAddress(rawValue: 0xC003))))
        )
        #expect(try office.result(yaml).plan?.isEmpty == true)
    }

    @Test("Without such an entry the old one is removed, the new one is made, and the plan wonders")
    func undeclared() throws {
        var office = try Office()
        office.manageAll()
        let result = try office.result(
            Office.definition.replacing("kitchen: { parent", with: "galley: { parent") + Office.nodes()
        )
        let plan = try #require(result.plan)
        #expect(
            PlanDebugText.text(plan) == """
                + group.galley -> [0xC003, name galley, parent all-lights]
                - group.kitchen [0xC001, name kitchen, parent all-lights]
                - node.switch-1.element[0].generic-onoff-client.publication [to kitchen, key lighting]
                0 put group 0xC003 galley
                1 switch-1: stop publishing 0/generic-onoff-client
                2 remove group 0xC001 after 1
                """
        )
        #expect(
            result.diagnostics.map { "\($0.severity): \($0.message); \($0.hint ?? "")" } == [
                "warning: group `kitchen` is removed, and `galley` is created; If it was only renamed, declare that, "
                    + "and no messages are needed: `moved: [{ from: group.kitchen, to: group.galley }]`"
            ]
        )
    }

    @Test("A moved key keeps its index; another one is refused")
    func indexes() throws {
        var office = try Office()
        office.manageAll()
        let yaml = Self.renamed.replacing("visitors: {}", with: "visitors: { index: 5 }") + Office.nodes() + Self.moved
        #expect(
            try office.result(yaml).diagnostics.first?.message
                == "subnet `visitors` has index 1 in the database, not 5"
        )
    }
}
