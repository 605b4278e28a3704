import Foundation
import Planning
import Testing

@testable import Pictures

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite("Pictures of floors")
struct FloorPictureTests {
    private func document(_ svg: String) throws -> XMLDocument { try XMLDocument(xmlString: svg) }

    @Test("Nodes stand where they are, to scale, with their names; a drawing lies under them as a picture")
    func places() throws {
        var picture = FloorPicture(
            name: "2",
            title: "Floor <2>",
            markers: [
                .init(name: "lamp-1", x: 0, y: 0),
                .init(name: "a&b", x: 10_000, y: 5_000, mark: .pending, isRelay: true),
            ]
        )
        picture.width = 20_000
        picture.drawing = try FloorDrawing(Array("<svg viewBox='0 0 200 100'><script>x()</script></svg>".utf8))
        let svg = picture.svg()
        let circles = try document(svg).nodes(forXPath: "//*[local-name()='circle'][@class='node']")
        let places = try circles.map { circle in
            try ["cx", "cy"].map { try circle.nodes(forXPath: "@\($0)").first?.stringValue ?? "" }
        }
        #expect(places == [["28", "64"], ["548", "324"]])
        // The drawing cannot run or load anything: it is an image with its data in it.
        #expect(!svg.contains("script") && svg.contains("href=\"data:image/svg+xml;base64,PHN2ZyB2aWV3"))
        #expect(svg.contains("a&amp;b") && svg.contains("Floor &lt;2&gt;") && svg.contains("? in doubt"))
        #expect(svg.components(separatedBy: "class=\"ring\"").count == 2)
    }

    @Test("Names that would cover others are left out, but can be asked for")
    func crowded() throws {
        let markers = (0..<200).map { FloorPicture.Marker(name: "lamp-\($0)", x: 20 * ($0 % 40), y: 20 * ($0 / 40)) }
        let svg = FloorPicture(name: "1", title: "1", markers: markers).svg()
        let shown = svg.components(separatedBy: "class=\"name\"").count - 1
        #expect((1..<100).contains(shown))
        #expect(svg.components(separatedBy: "<title>").count - 1 == 200)
        _ = try document(svg)
    }

    @Test("A name at the edge is moved so that nothing of it is cut; kinds have symbols and a legend that fits")
    func edges() throws {
        var markers: [FloorPicture.Marker] = [
            .init(name: "exit-with-a-long-name", x: 20_000, y: 1_000), .init(name: "lamp-106-window", x: 0, y: 5_000),
            .init(name: "middle", x: 10_000, y: 3_000),
        ]
        for (index, kind) in [NodeKind.other, .light, .sensor].enumerated() { markers[index].kind = kind }
        markers[2].title = "In the middle"
        var picture = FloorPicture(name: "2", title: "2", markers: markers)
        picture.width = 20_000
        picture.height = 8_000
        let document = try document(picture.svg())
        let names = try document.nodes(forXPath: "//*[local-name()='text'][@class='name']")
        #expect(Set(names.compactMap(\.stringValue)) == ["exit-with-a-long-name", "lamp-106-window", "In the middle"])
        for case let name as XMLElement in names {
            let middle = try #require(try name.nodes(forXPath: "@x").first?.stringValue.flatMap(Double.init))
            let half = Double((name.stringValue ?? "").count) * 6.5 / 2
            #expect(middle - half >= 0 && middle + half <= 1_096, "\(name)")
        }
        let paths = try document.nodes(forXPath: "//*[local-name()='path'][@class='node']")
        #expect(paths.count == 2, "a lamp is a circle, the others are not")
        let texts = try document.nodes(forXPath: "//*[local-name()='text']").compactMap(\.stringValue)
        for kind in ["lamp or load", "sensor", "other"] { #expect(texts.contains(kind), "\(kind)") }
        #expect(!texts.contains("blind or drive"))
    }

    @Test("Every kind has a symbol of its own")
    func symbols() {
        let outlines = NodeKind.allCases.map { NodeSymbol.path($0, x: 10, y: 10, radius: 6) }
        #expect(Set(outlines).count == NodeKind.allCases.count)
        #expect(outlines.allSatisfy { $0.hasPrefix("M") && $0.hasSuffix("z") })
        #expect(Set(NodeKind.allCases.map(\.title)).count == NodeKind.allCases.count)
    }

    @Test("Texts are shortened by columns", arguments: [("lamp", "lamp"), ("lamp-100", "lamp-…"), ("客房客房", "客房…")])
    func shortened(_ text: String, _ expected: String) {
        #expect(MarkupText.shortened(text, to: 6) == expected)
    }

    @Test("Extremes are drawn", arguments: [[], [0], [10_000_000]])
    func extremes(_ places: [Int]) throws {
        var picture = FloorPicture(name: "ä b", title: "", markers: places.map { .init(name: "n", x: $0, y: $0) })
        _ = try document(picture.svg())
        picture.width = 100
        _ = try document(picture.svg())
        picture.drawing = try FloorDrawing(Array("<svg viewBox='0 0 1e-300 1e300'/>".utf8))
        _ = try document(picture.svg())
    }

    @Test(
        "Base64 is that of RFC 4648",
        arguments: ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foobar": "Zm9vYmFy"]
    )
    func base64(_ text: String, _ expected: String) {
        #expect(Base64.encoded(Array(text.utf8)) == expected)
    }
}
