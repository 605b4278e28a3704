import Foundation
import MeshCore
import Planning
import TestSupport
import Testing

@testable import Pictures

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite("The graph of who controls whom")
struct ControlGraphTests {
    /// A hotel: in each room a switch publishes to the room's group, and lamps listen to it; one hub does neither.
    private static func hotel(rooms: Int, lamps: (Int) -> Int = { _ in 4 }) throws -> NetworkRelations {
        var nodes: [RelatedNode] = []
        var groups: [RelatedGroup] = []
        func add(_ name: String, room: Int?, _ change: (inout RelatedNode) -> Void) throws {
            let number = UInt64(nodes.count + 1)
            let uuid = DeviceUUID(rawValue: Octets16(high: 1, low: number))
            let tags = room.map { ["room": "\($0)"] } ?? [:]
            var node = RelatedNode(uuid: uuid, name: name, tags: tags)
            node.subnets = ["building"]
            change(&node)
            nodes.append(node)
        }
        try add("hub", room: nil) {
            $0.isRelay = true
            $0.isProxy = true
        }
        for room in 1...rooms {
            groups.append(RelatedGroup(name: "room-\(room)"))
            try add("switch-\(room)", room: room) {
                $0.publications = [
                    RelatedPublication(model: "generic-onoff-client", target: .group("room-\(room)"), key: "lighting")
                ]
            }
            for lamp in 1...lamps(room) {
                try add("lamp-\(room)-\(lamp)", room: room) {
                    $0.subscriptions = [RelatedSubscription(model: "generic-onoff-server", group: "room-\(room)")]
                }
            }
        }
        return NetworkRelations(
            nodes: nodes,
            groups: groups,
            subnets: ["building"],
            applicationKeys: [RelatedKey(name: "lighting", subnet: "building")]
        )
    }

    @Test("shows each node and group while that is legible")
    func small() throws {
        let graph = ControlGraph(try Self.hotel(rooms: 2), network: "hotel")
        #expect(graph.folding == .none)
        #expect(
            graph.boxes.map(\.title) == [
                "switch-1", "switch-2", "room-1", "room-2", "hub", "lamp-1-1", "lamp-1-2", "lamp-1-3", "lamp-1-4",
                "lamp-2-1", "lamp-2-2", "lamp-2-3", "lamp-2-4",
            ]
        )
        let named = graph.arrows.map { "\(graph.boxes[$0.from].title) > \(graph.boxes[$0.to].title)" }
        #expect(named.prefix(3) == ["switch-1 > room-1", "switch-2 > room-2", "room-1 > lamp-1-1"])
        #expect(graph.arrows.count == 10)
        #expect(graph.arrows[0].models == ["generic-onoff-client"])
        #expect(graph.arrows[0].keys == ["lighting"])
    }

    @Test("folds the lamps of a room before rooms")
    func likeNodes() throws {
        let graph = ControlGraph(try Self.hotel(rooms: 10), network: "hotel")
        #expect(graph.folding == .likeNodes)
        #expect(graph.boxes.count == 31)
        #expect(graph.boxes.contains { $0.title == "lamp-10-1 … 4" && $0.detail == "4 nodes, room 10" })
    }

    @Test("folds rooms that are built alike, whatever the number of their lamps")
    func likePlaces() throws {
        let graph = ControlGraph(try Self.hotel(rooms: 200) { $0 % 3 + 1 }, network: "hotel")
        #expect(graph.folding == .likePlaces)
        #expect(
            graph.boxes.map(\.title) == [
                "switch-1 … 200", "room-1 … 200", "hub", "lamp-1-1 … lamp-200-3",
            ]
        )
        #expect(graph.boxes[1].detail == "200 groups")
        #expect(graph.arrows.map { [$0.from, $0.to] } == [[0, 1], [1, 3]])
    }

    @Test("what is marked otherwise does not disappear in a fold")
    func overlay() throws {
        let hotel = try Self.hotel(rooms: 200)
        let odd = try required(hotel.nodes.first { $0.name == "lamp-77-2" })
        let overlay = ControlGraph.Overlay(actions: [odd.uuid: .update])
        let graph = ControlGraph(hotel, network: "hotel", overlay: overlay)
        let box = try required(graph.boxes.first { $0.names == ["lamp-77-2"] })
        #expect(box.mark == .changed)
        #expect(graph.boxes.contains { $0.title == "room-77" }, "its room is no longer like the others")
        #expect(graph.boxes.count == 8)
    }

    @Test("doubts come before drift, and drift before plans")
    func marks() throws {
        var relations = try Self.hotel(rooms: 1)
        relations.nodes[0].standing = .missing
        relations.nodes[1].standing = .unmanaged
        let uuids = relations.nodes.map(\.uuid)
        let overlay = ControlGraph.Overlay(
            actions: [uuids[2]: .provision, uuids[3]: .reset, uuids[4]: .replace, uuids[5]: .update],
            drifted: [uuids[4], uuids[5]],
            pending: [uuids[5]]
        )
        let graph = ControlGraph(relations, network: "x", overlay: overlay, folding: ControlGraph.Folding.none)
        let marks = Dictionary(graph.boxes.map { ($0.title, $0.mark) }) { first, _ in first }
        #expect(
            marks == [
                "hub": .missing, "switch-1": .unmanaged, "lamp-1-1": .added, "lamp-1-2": .removed, "lamp-1-3": .drifted,
                "lamp-1-4": .pending, "room-1": .settled,
            ]
        )
    }

    @Test("publications to elements lead to their node, and fixed groups appear")
    func unicast() throws {
        var relations = try Self.hotel(rooms: 1)
        relations.nodes[2].publications = [
            RelatedPublication(model: "exit-light", target: .node("hub/1"), key: nil),
            RelatedPublication(model: "health-server", target: .group("all-proxies"), key: "lighting"),
        ]
        let graph = ControlGraph(relations, network: "x")
        let named = graph.arrows.map { "\(graph.boxes[$0.from].title) > \(graph.boxes[$0.to].title)" }
        #expect(named.contains("lamp-1-1 > hub"))
        #expect(named.contains("lamp-1-1 > all-proxies"))
    }

    @Test("names of any script and with markup stay text in each format")
    func hostile() throws {
        var relations = try Self.hotel(rooms: 1)
        let name = "<b>\"Küche\" & 'x'</b> \\ # 客房 \u{1}"
        relations.nodes[2].name = name
        let graph = ControlGraph(relations, network: name)
        #expect(try Self.texts(ofXML: graph.svg()).contains { $0.hasPrefix("<b>\"Küche\" & 'x'</b>") })
        let page = graph.html()
        #expect(!page.contains("<b>"))
        #expect(page.contains("&lt;b&gt;&quot;Küche&quot; &amp; &#39;x&#39;&lt;/b&gt;"))
        #expect(graph.dot().contains("\"<b>\\\"Küche\\\" & 'x'</b> \\\\ # 客房 \u{FFFD}\""))
        #expect(graph.mermaid().contains("#lt;b#gt;#quot;Küche#quot; #amp; 'x'#lt;/b#gt;"))
    }

    @Test("the picture is one well-formed document whose boxes do not overlap")
    func picture() throws {
        let graph = ControlGraph(try Self.hotel(rooms: 12), network: "hotel")
        _ = try Self.texts(ofXML: graph.svg())
        let layout = GraphLayout(graph, top: 10)
        for column in GraphLayout.Column.allCases {
            let tops = layout.places.filter { $0.column == column }.compactMap { layout.tops[$0] }
            #expect(tops == tops.sorted())
            for (one, next) in zip(tops, tops.dropFirst()) { #expect(next - one >= GraphLayout.height) }
        }
        #expect(Set(layout.places.map(\.box)) == Set(graph.boxes.indices), "each box stands somewhere")
        #expect(!graph.svg().contains("http") || graph.svg().components(separatedBy: "http").count == 2)
    }

    @Test("boxes are called by their titles, with the name below; symbols and colours have a legend")
    func titles() throws {
        var relations = try Self.hotel(rooms: 1)
        relations.title = "Grand Hôtel"
        relations.subnetTitles = ["building": "The house"]
        relations.groups[0].title = "Room of the <Queen>"
        relations.applicationKeys[0].title = "Light key"
        for index in relations.nodes.indices {
            relations.nodes[index].kind = relations.nodes[index].name.hasPrefix("lamp") ? .light : .control
            relations.nodes[index].title = relations.nodes[index].name.hasPrefix("lamp-") ? "Lamp" : nil
        }
        let graph = ControlGraph(relations, network: "hotel")
        let group = try required(graph.boxes.first { $0.kind == .group })
        #expect(group.heading == "Room of the <Queen>" && group.detail == "room-1")
        #expect(graph.boxes.first { $0.names == ["lamp-1-1"] }?.detail == "lamp-1-1, room 1")
        #expect(graph.boxes.first { $0.names == ["switch-1"] }?.detail == "room 1")
        let texts = try Self.texts(ofXML: graph.svg())
        for text in [
            "Who controls whom in Grand Hôtel", "Room of the <Queen>", "The house", "Light key", "lamp or load",
            "switch or remote control",
        ] {
            #expect(texts.contains(text), "\(text)")
        }
        #expect(!texts.contains("sensor") && !texts.contains("building"))
        #expect(
            graph.rows.first == [
                "switch-1", "Room of the <Queen> (room-1)", "Light key",
                "Lamp (lamp-1-1), Lamp (lamp-1-2), Lamp (lamp-1-3), Lamp (lamp-1-4)",
            ]
        )
        #expect(graph.mermaid().contains("Room of the #lt;Queen#gt;<br/>room-1"))
        let folded = ControlGraph(relations, network: "hotel", folding: .likeNodes)
        #expect(folded.boxes.first { $0.names.count == 4 }?.detail == "4 nodes, lamp-1-1 … 4, room 1")
    }

    @Test("a box has a bar for each subnet of its nodes")
    func subnets() throws {
        var relations = try Self.hotel(rooms: 1)
        relations.subnets = ["building", "guests"]
        relations.nodes[2].subnets = ["building", "guests"]
        let svg = ControlGraph(relations, network: "x").svg()
        #expect(svg.components(separatedBy: "width=\"5\"").count - 1 == relations.nodes.count + 2)
        #expect(svg.contains("subnets: building, guests"))
    }

    @Test("nothing stands beyond the edge of the picture, however much there is in the legend")
    func legend() throws {
        var relations = try Self.hotel(rooms: 1)
        relations.subnets = (1...40).map { "A subnet with a long name, number \($0)" }
        relations.nodes[0].subnets = relations.subnets
        let document = try XMLDocument(
            xmlString: ControlGraph(relations, network: String(repeating: "长", count: 90)).svg()
        )
        let width = try #require(
            try document.nodes(forXPath: "/*/@width").first?.stringValue.flatMap(Double.init)
        )
        let height = try #require(
            try document.nodes(forXPath: "/*/@height").first?.stringValue.flatMap(Double.init)
        )
        for text in try document.nodes(forXPath: "//*[local-name()='text']") {
            guard try text.nodes(forXPath: "@text-anchor").isEmpty else { continue }
            let x = try #require(try text.nodes(forXPath: "@x").first?.stringValue.flatMap(Double.init))
            let y = try #require(try text.nodes(forXPath: "@y").first?.stringValue.flatMap(Double.init))
            let size = try text.nodes(forXPath: "@class").first?.stringValue == "head" ? 9.5 : 7
            let columns = MarkupText.columns(text.stringValue ?? "")
            #expect(x + Double(columns) * size <= width && y < height, "\(text.stringValue ?? "")")
        }
    }

    @Test("an empty network has an empty picture")
    func empty() throws {
        let nothing = NetworkRelations(nodes: [], groups: [], subnets: [], applicationKeys: [])
        let graph = ControlGraph(nothing, network: "x")
        #expect(graph.boxes.isEmpty)
        _ = try Self.texts(ofXML: graph.svg())
        #expect(graph.mermaid() == "flowchart LR\n")
    }

    /// All texts of an XML document.
    private static func texts(ofXML document: String) throws -> [String] {
        let reader = TextReader()
        let parser = XMLParser(data: Data(document.utf8))
        parser.delegate = reader
        try #require(parser.parse(), "\(String(describing: parser.parserError))")
        return reader.texts
    }

    private final class TextReader: NSObject, XMLParserDelegate {
        var texts: [String] = []
        private var text = ""

        func parser(
            _ parser: XMLParser,
            didStartElement elementName: String,
            namespaceURI: String?,
            qualifiedName qName: String?,
            attributes: [String: String] = [:]
        ) {
            text = ""
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func parser(
            _ parser: XMLParser,
            didEndElement elementName: String,
            namespaceURI: String?,
            qualifiedName qName: String?
        ) {
            texts.append(text)
            text = ""
        }
    }
}
