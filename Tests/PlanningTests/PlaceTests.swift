import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("Places in plans")
struct PlaceTests {
    @Test("Nothing is sent for a place; it is counted, with what waits for it")
    func waits() throws {
        let yaml =
            Office.nodes(
                lamp1: "elements: { 0: { generic-onoff-server: { publish: { to: lamp-3, key: lighting } } } }"
            ) + "  lamp-3: { tags: { room: hall } }\n"
            + "subscriptions: [{ groups: [alarm], models: [generic-onoff-server], nodes: { room: hall } }]"
        let plan = try #require(try Office().result(Office.definition + yaml).plan)
        #expect(plan.isEmpty && plan.changes.isEmpty)
        #expect(
            plan.notes.map(\.text).contains { $0.hasPrefix("1 place awaits a device: lamp-3; 1 publication waits") }
        )
    }

    @Test("A place with an address keeps it from others")
    func address() throws {
        let yaml = Office.nodes() + "  lamp-3: { address: 0x0010 }\n"
        #expect(try Office().diagnostics(yaml).contains("address 0x0010 of node `lamp-3` is taken by node `lamp-1`"))
    }

    @Test("Others do not wait for places, and devices beside them are provisioned")
    func beside() throws {
        let yaml = Office.nodes() + "  lamp-3: {}\n  lamp-4: { uuid: 00000000000000000000000000000041 }\n"
        let plan = try #require(try Office().result(Office.definition + yaml).plan)
        #expect(plan.nodes.map(\.name) == ["lamp-4"])
    }

    @Test("Addresses are set aside in the order of the definition, by what devices are made as")
    func reservations() throws {
        let yaml =
            Office.nodes(lamp1: "profile: lamp")
            + "  lamp-3: { profile: lamp }\n  lamp-4: { profile: lamp, uuid: 00000000000000000000000000000041 }\n"
            + "  other: { product: 0x0059:0x0001, address: 0x0060 }\n"
            + "profiles: { lamp: {} }\n"
        let result = try Office().result(Office.definition + yaml)
        let plan = try #require(result.plan, "\(result.diagnostics)")
        #expect(plan.reservations.map(\.kind) == ["profile.lamp", "profile.lamp", "0x0059:0x0001"])
        #expect(plan.reservations.map(\.elementCount) == [2, 2, 0])
        #expect(plan.reservations.map(\.address?.rawValue) == [nil, nil, 0x60])
        let again = try PlanFile.decode(PlanFile.encode(plan))
        #expect(again.reservations == plan.reservations)
        let heard = try Office().result(
            Office.definition + yaml,
            options: PlannerOptions(givesAddressesAsHeard: true)
        )
        #expect(try #require(heard.plan).reservations.isEmpty)
    }

    // MARK: Replacement

    private let replaced = Office.nodes().replacing(
        "uuid: 00000000000000000000000000000011",
        with: "uuid: 000000000000000000000000000000ff"
    )

    @Test("Another UUID on the line of a node replaces its device, and keeps the node until the device is one")
    func replacement() throws {
        let publisher = "elements: { 0: { generic-onoff-client: { publish: { to: lamp-1, key: lighting } } } }"
        var office = try Office()
        try office.apply(Office.definition + Office.nodes(switch1: publisher))
        let yaml = replaced.replacing("13, ", with: "13, \(publisher)")
        let result = try office.result(Office.definition + yaml)
        let plan = try #require(result.plan, "\(result.diagnostics)")
        let text = PlanDebugText.text(plan)
        for line in [
            "-/+ node.lamp-1 [0x0010, UUID 00000000-0000-0000-0000-000000000011] "
                + "-> [at an address that apply chooses, in subnet building]",
            "node.switch-1.element[0].generic-onoff-client.publication [to lamp-1 (0x0010), key lighting] "
                + "-> [to lamp-1, key lighting] (deferred)",
            "- node.lamp-1 [0x0010, its place has another device]",
        ] {
            #expect(text.contains(line), "\(text)")
        }
        #expect(plan.nodes.map(\.action).contains(.substitute) && plan.nodes.last?.action == .exclude)
        #expect(plan.notes.contains { $0.text.contains("The replaced device of lamp-1") })
        // The node stays one until the device has become one.
        let last = plan.steps.suffix(2)
        #expect(last.allSatisfy { !$0.dependencies.isEmpty })
        let lamp = try #require(office.network.nodes.first { $0.name == "lamp-1" })
        let composition = Composition(
            company: 0x0059,
            product: 1,
            version: 1,
            replayListSize: 32,
            features: [.relay, .proxy],
            elements: lamp.elements.map { CompositionElement(location: 0, models: $0.models.map(\.identifier)) }
        )
        let device = DeviceUUID(rawValue: Octets16(high: 0, low: 0xFF))
        try office.apply(Office.definition + yaml, devices: [device: composition])
        let former = try #require(office.network.nodes.first { $0.unicastAddress.rawValue == 0x10 })
        #expect(former.isExcluded && !former.isManaged)
        #expect(office.network.exclusions.contains { $0.addresses.contains { $0.rawValue == 0x10 } })
    }

    @Test("A protected node is not replaced without leave")
    func protected() throws {
        var office = try Office()
        try office.change("lamp-1") { $0.isProtected = true }
        #expect(try office.diagnostics(replaced).contains("node `lamp-1` (0x0010) is protected and would be replaced"))
    }

    @Test("A node whose place has no device stays a node until it is assigned one")
    func vacated() throws {
        let yaml = Office.nodes().replacing("uuid: 00000000000000000000000000000011, ", with: "")
        let plan = try #require(try Office().result(Office.definition + yaml).plan)
        #expect(plan.isEmpty)
    }

    // MARK: Removal

    private let floor =
        Office.nodes(lamp1: "tags: { floor: 1 }", lamp2: "tags: { floor: 2 }")
        .replacing("subscriptions:", with: "")
            + """
            subscriptions:
              - { groups: [alarm], models: [generic-level-server], nodes: { floor: 1 } }
              - { groups: [all-lights], models: [generic-onoff-server], nodes: [lamp-1, lamp-2] }

            """

    private func removal(_ value: String, resets: Bool = true) -> PlannerOptions {
        PlannerOptions(
            removal: PlanRemoval(tags: [PlanSelection.Tag(name: "floor", value: value)], resets: resets)
        )
    }

    @Test("A floor is removed as one: nodes are reset, and groups leave that only they used")
    func floorLeaves() throws {
        var office = try Office()
        office.manageAll()
        try office.apply(Office.definition + floor)
        let result = try office.result(Office.definition + floor, options: removal("1"))
        let plan = try #require(result.plan, "\(result.diagnostics)")
        #expect(plan.refusals.isEmpty, "\(plan.findings)")
        #expect(plan.nodes.map { "\($0.name) \($0.action)" } == ["lamp-1 reset"])
        #expect(plan.changes.filter { $0.kind == .group }.map(\.address) == ["group.alarm"])
        #expect(plan.notes.contains { $0.text.contains("take the lines out before the next") })
        // The group leaves after the node that used it.
        #expect(
            plan.steps.last?.work
                == .edit(.remove(.group(.virtual(LabelUUID(rawValue: Octets16(high: 0xA, low: 0xB))))))
        )
    }

    @Test("Without a reset, the nodes are forgotten and the guard says how to reset them")
    func forgotten() throws {
        var office = try Office()
        office.manageAll()
        try office.apply(Office.definition + floor)
        let result = try office.result(Office.definition + floor, options: removal("1", resets: false))
        let messages = result.diagnostics.map { "\($0.message); \($0.hint?.text ?? "")" }
        #expect(messages.count == 1 && messages[0].contains("would be removed although `lamp-1` would still use it"))
    }

    @Test("What removes nothing is told")
    func nothing() throws {
        let office = try Office()
        let definition = try #require(try office.definition(Office.definition + floor))
        let removal = PlanRemoval(tags: [PlanSelection.Tag(name: "floor", value: "3")], names: ["lamp-*"])
        let problems = removal.problems(definition: definition, network: office.network)
        #expect(problems.map(\.message) == ["`floor=3` is the tag of no node"])
    }
}
