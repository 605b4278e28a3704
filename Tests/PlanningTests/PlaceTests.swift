import DefinitionModel
import Definitions
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

    // MARK: Described products

    /// A lamp with three elements, of which the second has a client.
    private static let described = """
        products:
          lamp:
            company: 0x0059
            product: 0x0010
            replay_list: 64
            features: [proxy]
            elements:
              - { models: [generic-onoff-server, light-lightness-server, light-lightness-setup-server] }
              - { models: [generic-onoff-client] }
              - { models: [generic-level-server] }

        """

    /// Plans with a file that describes products.
    private func planned(_ yaml: String, _ change: (inout Office) throws -> Void = { _ in }) throws -> PlanningResult {
        var office = try Office()
        try change(&office)
        let text = "products: [lamp.yaml]\n" + Office.definition + yaml
        let files = SourceFiles(files: [
            SourceFiles.File(path: "office.yaml", bytes: Array(text.utf8)),
            SourceFiles.File(path: "lamp.yaml", bytes: Array(Self.described.utf8)),
        ])
        let reading = DefinitionReader.read(files: files)
        #expect(reading.diagnostics.isEmpty)
        return Planner.plan(
            definition: try #require(reading.definitions.first),
            network: office.network,
            base: (lineage: Octets16(high: 0, low: 0), serial: 1),
            identifier: Octets16(high: 0, low: 0)
        )
    }

    private let lamps = """
        profiles: { lamp: { product: "0x0059:0x0010" } }
        \(Office.nodes())  lamp-3: { profile: lamp }
          lamp-4: { profile: lamp, uuid: 00000000000000000000000000000041 }

        """

    @Test("A file that describes a product tells how many addresses its places need")
    func describedReservations() throws {
        let plan = try #require(try planned(lamps).plan)
        #expect(plan.reservations.map(\.elementCount) == [3, 3])
        let taken = lamps.replacing("{ profile: lamp }", with: "{ profile: lamp, address: 0x000E }")
        #expect(
            try planned(taken).diagnostics.map(\.message).contains {
                $0.hasPrefix("address 0x0010, which belongs to node `lamp-3` at 0x000E, is taken by node `lamp-1`")
            }
        )
    }

    @Test("A device that is made otherwise than its product is told where the product is named, with both")
    func wrongDevices() throws {
        let yaml = """
            profiles: { lamp: { product: lamp } }
            \(Office.nodes(lamp1: "profile: lamp"))

            """
        func warnings(_ change: (inout Office) -> Void) throws -> [Diagnostic] {
            let result = try planned(yaml, change)
            #expect(result.plan != nil)
            return result.diagnostics.filter { $0.severity == .warning }
        }
        let told = Composition(
            company: 0x59,
            product: 0x10,
            version: 0,
            replayListSize: 64,
            features: [.proxy],
            elements: [
                CompositionElement(
                    location: 0,
                    models: [
                        .configurationServer, .healthServer, .sig(0x1000), .sig(0x1300), .sig(0x1301), .sig(0x1100),
                    ]
                ),
                CompositionElement(location: 0, models: [.sig(0x1001)]),
                CompositionElement(location: 0, models: [.sig(0x1002)]),
            ]
        )
        func of(_ change: (inout Composition) -> Void) throws -> [Diagnostic] {
            var composition = told
            change(&composition)
            return try warnings { office in
                let lamp = office.network.nodes.firstIndex { $0.name == "lamp-1" }
                if let lamp { office.network.nodes[lamp].record(composition) }
            }
        }
        // More models than the file lists, and other models in another version, are no mistake.
        #expect(try of { _ in } == [])
        #expect(
            try of {
                $0.version = 2
                $0.elements[1].models = []
            } == []
        )
        let other = try of { $0.product = 0x11 }
        #expect(
            other.map(\.message) == [
                "node `lamp-1` is made as 0x0059:0x0011, and not as product `lamp` (0x0059:0x0010)"
            ]
        )
        #expect(other.first?.location?.line == 7)
        #expect(other.first?.related.map(\.location.line) == [2])
        #expect(other.first?.hint?.text.contains("give its place to another") == true)
        #expect(
            try of { $0.elements.removeLast() }.map(\.message)
                == ["node `lamp-1` has 2 elements, and its product `lamp` has 3"]
        )
        #expect(
            try of { $0.elements[1].models = [.sig(0x1002)] }.map(\.message)
                == ["node `lamp-1` has no `generic-onoff-client` on element 1, and its product `lamp` has"]
        )
    }

    @Test("A model that the description lacks is an error where it is declared, for places and for devices")
    func describedModels() throws {
        let models = lamps.replacing(
            "lamp: { product: \"0x0059:0x0010\" }",
            with: "lamp: { product: \"0x0059:0x0010\", elements: "
                + "{ 1: { generic-onoff-server: { keys: [lighting] } } } }"
        )
        let problem = try #require(try planned(models).diagnostics.first { $0.severity == .error })
        #expect(
            problem.message
                == "element 1 of product `lamp` of node `lamp-3` has no `generic-onoff-server` (and one more node)"
        )
        #expect("\(problem.hint ?? "")" == "The model is on element 0")
        #expect(problem.location?.line == 7 && problem.related.map(\.location.file) == [1])
        let features = lamps.replacing("\"0x0059:0x0010\" }", with: "\"0x0059:0x0010\", features: { friend: on } }")
        #expect(
            try planned(features).diagnostics.map(\.message)
                == ["node `lamp-3` does not have the friend feature (and one more node)"]
        )
    }

    @Test("A rule that names a place needs the model there; one that selects it passes over it")
    func describedRules() throws {
        func rule(_ nodes: String, _ model: String) -> String {
            lamps + "subscriptions: [{ groups: [alarm], models: [\(model)], nodes: \(nodes) }]\n"
        }
        #expect(
            try planned(rule("[lamp-3]", "sensor-server")).diagnostics.map(\.message)
                == ["product `lamp` of node `lamp-3` has no `sensor-server`"]
        )
        #expect(
            try planned(rule("lamp-*", "sensor-server")).diagnostics.map(\.message)
                == ["none of the selected nodes has `sensor-server`"]
        )
        #expect(
            try planned(rule("lamp-*", "light-lightness-setup-server")).diagnostics.map(\.message)
                == ["2 of 4 selected nodes have no `light-lightness-setup-server` and are skipped"]
        )
        #expect(try planned(rule("[lamp-3]", "generic-onoff-client")).diagnostics.isEmpty)
    }

    @Test("What a product has refused before is told of its places")
    func describedCapacities() throws {
        let yaml = lamps.replacing(
            "lamp: { product: \"0x0059:0x0010\" }",
            with: """
                lamp: { product: "0x0059:0x0010", elements: { 0: { generic-onoff-server: \
                { keys: [lighting], subscribe: [all-lights, kitchen, alarm] } } } }
                """
        )
        let warned = try planned(yaml) { office in
            let product = Node.Product(company: 0x59, product: 0x10, version: 0, replayListSize: 64)
            let list = ListCapacity.List.subscriptions(element: 0, model: .sig(0x1000))
            office.network.capacities.append(ListCapacity(product: product, list: list, entries: 2))
        }
        #expect(warned.plan != nil)
        #expect(
            warned.diagnostics.map(\.message) == [
                "node `lamp-3` would need room for 3 subscriptions of `generic-onoff-server` on element 0, and its product "
                    + "has refused more than 2 (and one more node)"
            ]
        )
        #expect(try planned(yaml).diagnostics.isEmpty)
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
