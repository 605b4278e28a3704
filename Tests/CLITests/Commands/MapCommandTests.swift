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
    @Test("shows who is how many hops away and whom no proxy serves, and changes nothing")
    func table() throws {
        let fixture = try house()
        let serial = fixture.run("show", "--json").output
        let result = fixture.run(["map"] + Self.via)
        #expect(result.status == 4, "\(result.combined)")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("HOPS  NODE") == true, "\(result.output)")
        #expect(lines.count { $0.contains("proxy") && !$0.contains("(no proxy)") } == 1)
        #expect(lines.contains { $0.hasPrefix("Heard 6 of 8 nodes, 2 hops at most.") }, "\(result.output)")
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(result.error.contains("Asking 8 nodes with 1.0 % of the air at most: about "), "\(result.error)")
        // Two of them sleep, so that they are asked last, and have more time.
        let rounds = "Asking 4 nodes with TTL 2.\nAsking 2 nodes with TTL 127.\n"
        #expect(result.error.contains(rounds), "\(result.error)")
        #expect(result.error.contains("No proxy leads to 2 nodes.\n"), "\(result.error)")
        #expect(result.error.contains("no proxy leads to Cat Flap, Molly's Access Tag\n"), "\(result.error)")
        #expect(fixture.run("show", "--json").output == serial)
        let status = fixture.run("sim", "status")
        #expect(status.output.contains("All agree with the mesh database"), "\(status.combined)")
    }

    @Test("a node without power is named, and the command ends with 4")
    func silent() throws {
        let fixture = try house()
        let result = fixture.run(["map", "--off", "mary", "--format", "json"] + Self.via)
        #expect(result.status == 4, "\(result.combined)")
        let mary = result.output.split(separator: "\n").first { $0.contains(#""node":"mary""#) } ?? ""
        #expect(mary.hasPrefix(#"{"type":"hops","node":"mary""#) && !mary.contains(#""hops":1"#), "\(mary)")
        #expect(mary.contains(#""answers":0"#), "\(mary)")
        #expect(result.output.contains(#""type":"summary","nodes":8,"heard":5,"#), "\(result.output)")
        #expect(result.output.contains(#""complete":false"#))
    }

    @Test("takes as long as its share of the air needs, or as much of the air as its time needs")
    func budgets() throws {
        let fixture = try house()
        func run(_ options: String...) throws -> (permille: Int, milliseconds: Int, forecast: String) {
            let result = fixture.run(["map", "--json"] + options + Self.via)
            let line = try #require(result.output.split(separator: "\n").last { $0.contains(#""summary""#) })
            let permille = try #require(line.firstMatch(of: #/"airtime_permille":(\d+)/#).flatMap { Int($0.1) })
            let duration = try #require(line.firstMatch(of: #/"duration_ms":(\d+)/#).flatMap { Int($0.1) })
            return (permille, duration, result.error)
        }
        let usual = try run()
        let little = try run("--airtime", "0.1%")
        #expect(usual.permille <= 10 && little.permille == 1, "\(usual) \(little)")
        #expect(little.milliseconds > usual.milliseconds + 5_000, "\(usual) \(little)")
        #expect(little.forecast.contains("Asking 8 nodes with 0.1 % of the air at most: about "), "\(little)")
        let timed = try run("--for", "30s")
        #expect(timed.milliseconds <= 30_100, "\(timed)")
        #expect(timed.forecast.contains("Asking 8 nodes within 30 s: about 0."), "\(timed)")
    }

    @Test("is a picture, too, on its own or on the plan of a floor")
    func pictures() throws {
        let fixture = try house()
        let svg = fixture.run(["map", "--format", "svg"] + Self.via)
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
            ["map", "--for", "20s", "--format", "html", "--floor", "1", "--range", "5m"] + Self.via
        )
        #expect(floor.status == 4 && floor.output.contains("Floor 1: hops"), "\(floor.combined)")
        let other = fixture.run(["map", "--for", "10s", "--format", "svg", "--floor", "2"] + Self.via)
        #expect(other.status == 64 && other.error.contains("There are `1`."), "\(other.combined)")
    }

    @Test(
        "says what is wrong before anything is sent",
        arguments: [
            ["--for", "1s"], ["--for", "13h"], ["--airtime", "0%"], ["--airtime", "2"],
            ["--airtime", "1%", "--for", "3m"], ["--floor", "1"], ["--range", "0m"], ["--range", "far"],
        ]
    )
    func mistakes(_ arguments: [String]) throws {
        #expect(try CommandFixture.house().run(["map"] + arguments + Self.via).status == 64)
    }
}
