import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan map")
struct MapCommandTests {
    private static let via = ["--via", "simulator"]

    private func house() throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        try #require(fixture.run(["apply", "--auto-approve"] + Self.via).status == 0)
        return fixture
    }

    // No proxy of this house relays for the subnet of the cat flap and the tag, so nobody can ask these two.
    @Test("shows who is how many hops away and whom no proxy serves, and changes nothing for good")
    func table() throws {
        let fixture = try house()
        let result = fixture.run(["map", "--for", "30s"] + Self.via)
        #expect(result.status == 4, "\(result.combined)")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("HOPS  NODE") == true, "\(result.output)")
        #expect(lines.count { $0.contains("proxy") } == 1)
        #expect(lines.contains { $0.hasPrefix("Heard 6 of 8 nodes, ") }, "\(result.output)")
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(result.error.contains("Asking 6 nodes for heartbeats.\n"))
        #expect(result.error.contains("no answer of Cat Flap, Molly's Access Tag\n"))
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
        let status = fixture.run("sim", "status")
        #expect(status.output.contains("All agree with the mesh database"), "\(status.combined)")
    }

    @Test("a node without power is named, and the command ends with 4")
    func silent() throws {
        let fixture = try house()
        let result = fixture.run(["map", "--for", "10s", "--off", "mary", "--format", "json"] + Self.via)
        #expect(result.status == 4, "\(result.combined)")
        let mary = result.output.split(separator: "\n").first { $0.contains(#""node":"mary""#) } ?? ""
        #expect(mary.hasPrefix(#"{"type":"hops","node":"mary""#) && !mary.contains(#""hops":1"#), "\(mary)")
        #expect(result.output.contains(#""type":"summary","nodes":8,"heard":5,"#), "\(result.output)")
        #expect(result.output.contains(#""unrestored":[]"#))
    }

    @Test("is a picture, too, on its own or on the plan of a floor")
    func pictures() throws {
        let fixture = try house()
        let svg = fixture.run(["map", "--for", "10s", "--format", "svg"] + Self.via)
        #expect(svg.status == 4 && svg.output.hasPrefix("<svg "), "\(svg.combined)")
        let definition = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        try fixture.put(nil, to: "house.yaml")
        try fixture.write(
            definition.replacing(
                "tags: { bed: left }",
                with: "tags: { bed: left }, position: { floor: 1, x: 1m, y: 2m }"
            ),
            to: "house.yaml"
        )
        let floor = fixture.run(
            ["map", "--for", "10s", "--format", "html", "--floor", "1", "--range", "5m"] + Self.via
        )
        #expect(floor.status == 4 && floor.output.contains("Floor 1: hops"), "\(floor.combined)")
        let other = fixture.run(["map", "--for", "10s", "--format", "svg", "--floor", "2"] + Self.via)
        #expect(other.status == 64 && other.error.contains("There are `1`."), "\(other.combined)")
    }

    @Test(
        "says what is wrong before anything is sent",
        arguments: [["--for", "1s"], ["--for", "2h"], ["--floor", "1"], ["--range", "0m"], ["--range", "far"]]
    )
    func mistakes(_ arguments: [String]) throws {
        #expect(try CommandFixture.house().run(["map"] + arguments + Self.via).status == 64)
    }
}
