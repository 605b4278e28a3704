import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Floors, and where nodes are")
struct FloorTests {
    private func read(_ floors: String, _ position: String) -> (definition: Definition?, problems: [String]) {
        let (definitions, problems) = definitions(
            head + "floors: { \(floors) }\nnodes: { a: { uuid: \(uuid(1)), position: \(position) } }\n"
        )
        return (definitions.first, problems)
    }

    @Test("Positions have lengths with units, and may count from the corner of a room")
    func positions() throws {
        let (definition, problems) = read(
            "2: { title: \"Second floor\", width: 30m, height: 1200cm }",
            "{ floor: 2, x: 3.5m, y: 70mm }"
        )
        #expect(problems == [])
        let floor = try #require(definition?.floors.first)
        #expect(floor.name.value == "2" && floor.title?.value == "Second floor")
        #expect(floor.width?.value == 30_000 && floor.height?.value == 12_000)
        let position = try #require(definition?.nodes.first?.position?.value)
        #expect(position.floor.value == "2" && position.x == 3_500 && position.y == 70)
        let room = read("", "{ floor: g, x: 1m, y: 2m, from: { x: 10m, y: 0.25m } }")
        #expect(room.problems == [])
        #expect(room.definition?.nodes.first?.position?.value.x == 11_000)
        #expect(room.definition?.nodes.first?.position?.value.y == 2_250)
    }

    @Test(
        "What is wrong is told",
        arguments: [
            ("", "{ floor: 2, x: 3, y: 7m }", "has no unit"),
            ("", "{ floor: 2, x: 3ft, y: 7m }", "unknown unit"),
            ("", "{ floor: 2, x: -3m, y: 7m }", "less than nothing"),
            ("", "{ floor: 2, x: 1.2345m, y: 7m }", "fraction of a millimetre"),
            ("", "{ floor: 2, x: 20000m, y: 7m }", "too long"),
            ("", "{ floor: 2, x: 99999999999999999999m, y: 7m }", "too many digits"),
            ("", "{ floor: 2, x: 9km, y: 7m }", "unknown unit"),
            ("", "{ floor: 2, x: 9000m, y: 7m, from: { x: 9000m, y: 0m } }", "more than 10000m from the corner"),
            ("", "{ x: 3m, y: 7m }", "`floor` is missing"),
            ("3: {}", "{ floor: 2, x: 3m, y: 7m }", "there is no floor `2`"),
            ("2: { width: 2m }", "{ floor: 2, x: 3m, y: 7m }", "beside the floor `2`"),
            ("2: { plan: f.svg }", "{ floor: 2, x: 3m, y: 7m }", "has a drawing, but no width"),
            ("2: { plan: f.svg, width: 9m, height: 9m }", "{ floor: 2, x: 3m, y: 7m }", "the drawing tells the height"),
            ("2: { plan: f.png, width: 9m }", "{ floor: 2, x: 3m, y: 7m }", "not the path of a drawing in SVG"),
            ("2: { width: 1mm }", "{ floor: 2, x: 3m, y: 7m }", "is too small"),
        ]
    )
    func mistakes(_ floors: String, _ position: String, _ expected: String) {
        let problems = read(floors, position).problems
        #expect(problems.contains { $0.contains(expected) }, "\(problems)")
    }

    @Test("Modules place their nodes from the corner of their room")
    func modules() throws {
        let (definitions, problems) = definitions(
            head + """
                modules:
                  room:
                    parameters: { name: text, floor: text, x: text, y: text }
                    nodes:
                      lamp-$(name): { position: { floor: $(floor), x: 1m, y: 1.5m, from: { x: $(x), y: $(y) } } }
                use:
                  - { module: room, with: { name: a, floor: 1, x: 0m, y: 0m } }
                  - { module: room, with: { name: b, floor: 1, x: 4m, y: 0m } }

                """
        )
        #expect(problems == [])
        let places = try #require(definitions.first).nodes.map { $0.position?.value.x }
        #expect(places == [1_000, 5_000])
    }

    @Test("What is written is read again")
    func written() throws {
        let text =
            head + """
                floors: { 2: { title: T, plan: a/f.svg, positions: p.csv, width: 12.5m }, g: {} }
                nodes: { a: { uuid: \(uuid(1)), position: { floor: g, x: 3.005m, y: 7m } } }

                """
        let first = try #require(definitions(text).0.first)
        let written = DefinitionWriter.text(of: first)
        #expect(written.contains("position: { floor: g, x: 3.005m, y: 7m }"), "\(written)")
        let (again, problems) = definitions(written)
        #expect(problems == [])
        #expect(DefinitionWriter.text(of: try #require(again.first)) == written)
    }

    @Test("A table gives places by columns in any order, and tells what is wrong line by line")
    func table() {
        func rows(_ text: String) -> (rows: [String], problems: [String]) {
            let table = PositionsTable(Array(text.utf8), file: 0)
            return (
                table.rows.map { "\($0.node.value) \($0.x) \($0.y) line \($0.node.location.line)" },
                table.diagnostics.map { "\($0.location?.line ?? 0): \($0.message)" }
            )
        }
        let good = rows("y,room,node,x\n2m,hall,lamp-1,3.5m\n10cm,hall,lamp-2,0m\n")
        #expect(good.rows == ["lamp-1 3500 2000 line 2", "lamp-2 0 100 line 3"] && good.problems == [])
        let bad = rows("node,x,y\na,1m,2m\na,1m,2m\nb,1,2m\n,1m,1m\n")
        #expect(bad.rows == ["a 1000 2000 line 2"])
        #expect(bad.problems.count == 3 && bad.problems[0].hasPrefix("3: the node `a` has two places"))
        #expect(rows("node,x\na,1m\n").problems == ["1: the table has no column `y`"])
        #expect(rows("").rows.isEmpty)
        #expect(rows("node,x,y\n" + String(repeating: "?,1,1\n", count: 1_000)).problems.count <= 21)
    }
}
