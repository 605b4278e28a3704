import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Floors in graph, report and map")
struct FloorCommandTests {
    /// A floor with a drawing and a table, and nodes that each say where they are in another way.
    private func office() throws -> CommandFixture {
        let fixture = try CommandFixture()
        try fixture.write(
            """
            version: 1
            network: hq
            floors:
              ground: { title: Ground floor, plan: plans/ground.svg, positions: plans/ground.csv, width: 20m }
            nodes:
              lamp-1: { position: { floor: ground, x: 1m, y: 2m } }
              lamp-2: {}
              lamp-3: {}
              lamp-4: { position: { floor: attic, x: 1m, y: 2m } }
              lamp-5: {}

            """,
            to: "hq.yaml"
        )
        try fixture.write("node,x,y\nlamp-2,3m,4m\nlamp-1,9m,9m\n", to: "plans/ground.csv")
        try fixture.write(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200"><circle id="lamp-3" cx="100" cy="50" r="3"/>
            <circle id="lamp-2" cx="1" cy="1" r="1"/></svg>
            """,
            to: "plans/ground.svg"
        )
        return fixture
    }

    private func position(_ node: String, _ x: Int, _ y: Int) -> String {
        #"{"type":"position","node":"\#(node)","floor":"ground","x_mm":\#(x),"y_mm":\#(y),"#
    }

    @Test("a position in the definition wins over the table, that over the drawing")
    func sources() throws {
        let fixture = try office()
        let undeclared = fixture.run("graph", "--floor", "ground", "--format", "json")
        #expect(
            undeclared.status == 65 && undeclared.combined.contains("there is no floor `attic`"),
            "\(undeclared.combined)"
        )
        let text = String(decoding: try #require(fixture.read("hq.yaml")), as: UTF8.self)
        try fixture.put(nil, to: "hq.yaml")
        try fixture.write(text.replacing("nodes:", with: "  attic: {}\nnodes:"), to: "hq.yaml")
        let result = fixture.run("graph", "--floor", "ground", "--format", "json")
        #expect(result.status == 0, "\(result.combined)")
        #expect(result.output.contains(position("lamp-1", 1_000, 2_000)))
        #expect(result.output.contains(position("lamp-2", 3_000, 4_000)))
        #expect(result.output.contains(position("lamp-3", 5_000, 2_500)))
        #expect(!result.output.contains("lamp-4") && !result.output.contains("lamp-5"))
        let svg = fixture.run("graph", "--floor", "ground").output
        #expect(svg.hasPrefix("<svg ") && svg.contains("data:image/svg+xml;base64,") && svg.contains("Ground floor"))
        #expect(fixture.run("graph", "--floor", "ground", "--format", "html").output.hasPrefix("<!DOCTYPE html>"))
        #expect(fixture.run("graph", "--floor", "attic", "--format", "json").output.contains("lamp-4"))
        #expect(fixture.run("report", "--html", "r.html").status == 0)
        let html = String(decoding: try #require(fixture.read("r.html")), as: UTF8.self)
        #expect(html.contains("<section id=\"floors\"") && html.contains("On no plan: lamp-5."))
        #expect(html.contains("Ground floor: 3m, 4m"))
    }

    @Test("what is wrong with drawings and tables is told with file and line, also by validate")
    func mistakes() throws {
        let fixture = try office()
        let text = String(decoding: try #require(fixture.read("hq.yaml")), as: UTF8.self)
        try fixture.put(nil, to: "hq.yaml")
        try fixture.write(text.replacing("attic", with: "ground"), to: "hq.yaml")
        for (name, bytes, expected) in [
            ("plans/ground.csv", "node,x,y\nlamp-2,3,4m\n", "plans/ground.csv:2:1"),
            ("plans/ground.csv", "node,x,y\nlamp-22,3m,4m\n", "there is no node `lamp-22`"),
            ("plans/ground.svg", "<svg viewBox='0 0 4 2'>\n<g></svg>", "plans/ground.svg:2:4"),
            ("plans/ground.svg", "<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>", "declares entities"),
            ("plans/ground.svg", "<svg/>", "does not say how large it is"),
        ] {
            let before = fixture.read(name)
            try fixture.put(Array(bytes.utf8), to: name)
            let graph = fixture.run("graph", "--floor", "ground")
            #expect(graph.error.contains(expected), "\(graph.combined)")
            let validate = fixture.run("validate")
            #expect(validate.error.contains(expected), "\(validate.combined)")
            #expect((graph.status == 65) == (validate.status == 65))
            try fixture.put(before, to: name)
        }
        try fixture.put(nil, to: "plans/ground.svg")
        let missing = fixture.run("validate")
        #expect(missing.status == 65 && missing.error.contains("hq.yaml:4"), "\(missing.combined)")
    }

    @Test("a floor that is not there, and options that do not go with floors, are told")
    func options() throws {
        let fixture = try office()
        let text = String(decoding: try #require(fixture.read("hq.yaml")), as: UTF8.self)
        try fixture.put(nil, to: "hq.yaml")
        try fixture.write(text.replacing("attic", with: "ground"), to: "hq.yaml")
        let none = fixture.run("graph", "--floor", "cellar")
        #expect(none.status == 64 && none.error.contains("There are `ground`."), "\(none.combined)")
        #expect(fixture.run("graph", "--floor", "ground", "--format", "dot").status == 64)
        #expect(fixture.run("graph", "--floor", "ground", "--fold", "none").status == 64)
    }

    @Test("a drawing outside of the repository is not read")
    func outside() throws {
        let fixture = try office()
        let secret = FileManager.default.temporaryDirectory.appendingPathComponent("meshplan-\(UUID().uuidString).svg")
        try Data("<svg viewBox='0 0 1 1'/>".utf8).write(to: secret)
        defer { try? FileManager.default.removeItem(at: secret) }
        let text = String(decoding: try #require(fixture.read("hq.yaml")), as: UTF8.self)
        try fixture.put(nil, to: "hq.yaml")
        try fixture.write(
            text.replacing("attic", with: "ground").replacing("plans/ground.svg", with: secret.path),
            to: "hq.yaml"
        )
        let result = fixture.run("graph", "--floor", "ground")
        #expect(result.status == 65 && result.error.contains("lies outside"), "\(result.combined)")
    }
}
