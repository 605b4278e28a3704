import DefinitionModel
import MeshCore
import Testing

@testable import Planning

@Suite("Who controls whom")
struct NetworkRelationsTests {
    private func relations(_ office: Office, _ yaml: String) throws -> NetworkRelations {
        let definition = try #require(try office.definition(yaml))
        let (relations, diagnostics) = NetworkRelations.make(of: office.network, definition: definition)
        #expect(diagnostics.filter { $0.severity == .error } == [])
        return relations
    }

    private func node(_ name: String, _ relations: NetworkRelations) throws -> RelatedNode {
        try #require(relations.nodes.first { $0.name == name })
    }

    @Test("a node is in the subnets of its keys, too, as in the plan, and in those that it keeps")
    func subnets() throws {
        let office = try Office()
        let yaml =
            Office.definition
            + Office.nodes(
                lamp1: "subnets: [guests], application_keys: [lighting, sensing]",
                lamp2: "application_keys: [lighting, sensing]",
                switch1: "subnets: [guests]"
            )
        let relations = try relations(office, yaml)
        for name in ["lamp-1", "lamp-2", "switch-1"] {
            #expect(try node(name, relations).subnets == ["building", "guests"], "\(name)")
        }
        // The same as the plan says.
        var applied = office
        try applied.apply(yaml)
        for related in relations.nodes {
            let record = try #require(applied.network.nodes.first { $0.uuid == related.uuid })
            let names = record.netKeys.compactMap { key in
                applied.network.netKeys.first { $0.index == key.index }?.name
            }
            #expect(related.subnets == names, "\(related.name)")
        }
        let none = try self.relations(office, Office.definition + Office.nodes(lamp1: "ttl: 5"))
        #expect(try node("lamp-1", none).subnets == ["building"])
    }

    @Test("a device that is no node yet is in the subnets of the keys that it will get")
    func missing() throws {
        let yaml =
            Office.definition + Office.nodes()
            + "  new: { uuid: \(String(repeating: "0", count: 30))77, application_keys: [lighting, sensing] }\n"
        #expect(try node("new", try relations(try Office(), yaml)).subnets == ["building", "guests"])
    }

    @Test("titles are those of the definition; what it does not mention keeps the recorded ones")
    func titles() throws {
        var office = try Office()
        let uuid = try #require(office.network.nodes.last).uuid
        office.network.titles[.node(uuid)] = "Old switch"
        office.network.titles[.network] = "Old office"
        office.network.titles[.group(.group(try #require(GroupAddress(rawValue: 0xC000))))] = "Old lights"
        let recorded = NetworkRelations.make(of: office.network, definition: nil).relations
        #expect(recorded.title == "Old office")
        #expect(try node("switch-1", recorded).title == "Old switch")
        #expect(recorded.groups.first { $0.name == "all-lights" }?.title == "Old lights")
        let yaml = """
            version: 1
            network: office
            title: Büro
            subnets: { building: { index: 0, title: Haus }, guests: {} }
            application_keys: { lighting: { subnet: building, title: Licht }, sensing: { subnet: guests } }
            groups: { all-lights: {}, kitchen: { parent: all-lights, title: Küche }, alarm: {} }

            """
        let relations = try relations(office, yaml + Office.nodes(lamp1: "title: Lampe am Fenster"))
        #expect(relations.title == "Büro")
        #expect(relations.subnetTitles == ["building": "Haus"])
        #expect(relations.applicationKeys.map(\.title) == ["Licht", nil])
        #expect(relations.groups.map(\.title) == [nil, "Küche", nil])
        #expect(
            try relations.nodes.map(\.name).map { try node($0, relations).title } == ["Lampe am Fenster", nil, nil]
        )
    }

    @Test(
        "the models of a node tell what it is for",
        arguments: [
            (["generic-onoff-server", "generic-level-server", "light-lightness-server"], [], .light),
            (["light-hsl-server", "sensor-server", "generic-onoff-client"], [], .light),
            (["generic-onoff-server"], [], .light), (["generic-onoff-client", "generic-onoff-server"], [], .light),
            (["generic-onoff-client", "generic-onoff-server"], ["generic-onoff-client"], .control),
            (["generic-level-client"], [], .control), (["scene-client"], [], .control),
            (["sensor-server", "generic-onoff-client"], ["generic-onoff-client"], .sensor),
            (["generic-level-server", "generic-onoff-server"], [], .drive),
            (["configuration-server", "health-server", "0x0059:0x0031"], [], .other),
            (["configuration-client", "health-client", "time-client"], [], .other), ([], [], .other),
        ] as [([String], [String], NodeKind)]
    )
    func kinds(_ models: [String], _ publishing: [String], _ kind: NodeKind) {
        #expect(NodeKind(models: Set(models), publishing: Set(publishing)) == kind)
    }

    @Test("kinds come from what nodes are made of, or from what is declared of them")
    func kindsOfNodes() throws {
        let relations = try relations(try Office(), Office.definition + Office.nodes())
        #expect(relations.nodes.map(\.kind) == [.light, .light, .control])
    }
}
