import Foundation
import MeshCore
import TestSupport
import Testing

@testable import MeshplanCLI

/// What was not asked is not known: it is neither well nor broken.
@Suite("What a report knows")
struct ReportKnowledgeTests {
    private static let options = ["--via", "simulator", "--devices", "sim/devices.yaml"]

    private static let definition = """
        version: 1
        network: villa
        subnets: { home: { index: 0 } }
        application_keys: { lighting: { subnet: home } }
        profiles:
          lamp: { elements: { 0: { health-server: { keys: [lighting] } } } }
        nodes:

        """

    /// Four lamps that were configured and then read back, so far as a test asks for it.
    private func villa(reading read: [String]? = []) throws -> CommandFixture {
        let fixture = try CommandFixture()
        fixture.keepsTimes = true
        let nodes = (1...4).map { number in
            "  lamp-\(number): { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f000\(number), profile: lamp }\n"
        }
        try fixture.write(Self.definition + nodes.joined(), to: "villa.yaml")
        let devices = (1...4).map { "  \($0): { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f000\($0), product: lamp }\n" }
        try fixture.write(
            """
            products:
              lamp:
                company: 0x0059
                product: 0x0001
                features: [relay, proxy]
                elements: [{ models: [configuration-server, health-server, generic-onoff-server] }]
            devices:

            """ + devices.joined(),
            to: "sim/devices.yaml"
        )
        try #require(fixture.run("init", "--network", "villa").status == 0)
        let applied = fixture.run(["apply", "--auto-approve"] + Self.options)
        try #require(applied.status == 0, "\(applied.combined)")
        if let read { try self.read(read, fixture) }
        return fixture
    }

    /// Reads nodes back; all if none is named.
    private func read(_ nodes: [String], _ fixture: CommandFixture) throws {
        let result = fixture.run(["refresh"] + nodes.flatMap { ["--node", $0] } + Self.options)
        try #require(result.status == 0, "\(result.combined)")
    }

    /// Asks for faults and writes what came.
    private func ask(_ target: [String], _ fixture: CommandFixture, _ change: (String) -> String = { $0 }) throws {
        let result = fixture.run(["health"] + target + ["--json"] + Self.options)
        try #require(result.status == 0, "\(result.combined)")
        try fixture.write(change(result.output), to: "health.jsonl")
    }

    /// What somebody reads at the top of the report and about drift and faults, without markup.
    private func text(_ fixture: CommandFixture, _ arguments: String...) throws -> String {
        let result = fixture.run(["report", "--html", "villa.html", "--health", "health.jsonl"] + arguments)
        try #require(result.status == 0, "\(result.combined)")
        let html = String(decoding: try #require(fixture.read("villa.html")), as: UTF8.self)
        let top = try part(of: html, from: "<section class=\"verdict", to: "<nav")
        let nodes = try part(of: html, from: "<section id=\"nodes\"", to: "</section>")
        let drift = try part(of: html, from: "<section id=\"drift\"", to: "</section>")
        let faults = try part(of: html, from: "<section id=\"faults\"", to: "</section>")
        let cells = [top, nodes, drift, faults].joined(separator: "\n").replacing("</td>", with: " | ")
            .replacing("</th>", with: " | ").replacing("<br>", with: ", ").replacing("</dt><dd>", with: ": ")
            .replacing("<dd class=\"detail\">", with: " – ")
        let lines = cells.replacing(#/role="img" aria-label="(?<word>[A-Z][a-z ]+)"[^>]*>./#) { "\">\($0.word):" }
            .replacing(#/<[^>]*>/#, with: "").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        return result.output + lines.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
    }

    private func part(of html: String, from start: String, to end: String) throws -> Substring {
        let begin = try #require(html.range(of: start), "\(start)")
        let finish = try #require(html.range(of: end, range: begin.upperBound..<html.endIndex), "\(end)")
        return html[begin.lowerBound..<finish.lowerBound]
    }

    @Test("all is as it should be if every node was read back and told that it has no fault")
    func clean() throws {
        let fixture = try villa()
        try ask([], fixture)
        let text = try text(fixture)
        #expect(text.contains("All is as it should be") && !text.contains("ot known"))
        expectSnapshot(text, "report-clean.txt")
    }

    @Test("half of the nodes were never asked: nothing is green that is not known")
    func halfAsked() throws {
        let fixture = try villa(reading: ["lamp-1", "lamp-2"])
        try ask(["lamp-1"], fixture)
        let text = try text(fixture)
        #expect(!text.contains("All is as it should be"))
        expectSnapshot(text, "report-half-asked.txt")
    }

    @Test("no node was read back or asked")
    func nothing() throws {
        let fixture = try villa(reading: nil)
        try fixture.write(
            #"{"type":"version","format":"1.0","tool":"meshplan","tool_version":"0.3.0","command":"health"}"# + "\n",
            to: "health.jsonl"
        )
        let text = try text(fixture)
        #expect(text.contains("Drift: not known") && text.contains("Faults: not known"), "\(text)")
        #expect(text.contains("Nothing is known to be wrong, but not everything is known"))
        let drift = fixture.run("drift")
        #expect(drift.status == 0 && drift.output.hasPrefix("Drift is not known."), "\(drift.combined)")
        #expect(fixture.run("show", "node.lamp-1").output.contains("not known: never read back in full"))
        #expect(fixture.run("doctor").output.contains("not known of 4 of 4 nodes"))
        let json = fixture.run("doctor", "--json").output
        #expect(json.contains(#""readable_nodes":4,"never_read_back":4"#), "\(json)")
    }

    @Test("what is wrong stands before what is not known")
    func drift() throws {
        let fixture = try villa()
        let state = try #require(fixture.read(".meshplan/villa.simulator"))
        let definition = String(decoding: try #require(fixture.read("villa.yaml")), as: UTF8.self)
        try fixture.put(nil, to: "villa.yaml")
        try fixture.write(definition.replacing("1f0001, profile", with: "1f0001, ttl: 9, profile"), to: "villa.yaml")
        let applied = fixture.run(["apply", "--auto-approve"] + Self.options)
        try #require(applied.status == 0, "\(applied.combined)")
        // The lamp forgets what it was told.
        try fixture.put(state, to: ".meshplan/villa.simulator")
        try read([], fixture)
        try ask([], fixture)
        expectSnapshot(try text(fixture), "report-drift.txt")
    }

    @Test("faults of one node and silence of another one are told apart")
    func faults() throws {
        let fixture = try villa()
        let fault = #""registered_faults":[{"number":14,"name":"overheat-error"}]"#
        try ask([], fixture) { text in
            text.split(separator: "\n").map { line in
                if line.contains(#""node":"lamp-2""#) {
                    return String(line.replacing(#""registered_faults":[]"#, with: fault))
                }
                guard line.contains(#""node":"lamp-3""#) else { return String(line) }
                return String(line.replacing(#""registered_faults":[],"#, with: #""reason":"no answer","#))
            }.joined(separator: "\n") + "\n"
        }
        expectSnapshot(try text(fixture), "report-faults.txt")
    }

    @Test("what was told long ago is not known any more, unless somebody says that it is")
    func old() throws {
        let fixture = try villa()
        try ask([], fixture)
        fixture.now = Timestamp(rawValue: fixture.now.rawValue + 8 * 86_400)
        let text = try text(fixture)
        #expect(text.contains("0 of 4 nodes read back, last at") && text.contains("0 of 4 nodes answered, last at"))
        #expect(
            text.contains("0 of 4 nodes read back within 7 days") && !text.contains("All is as it should be"),
            "\(text)"
        )
        #expect(try self.text(fixture, "--fresh-within", "9d").contains("All is as it should be"))
        // A clock that was wrong: nobody knows how long ago it was.
        fixture.now = Timestamp(rawValue: fixture.now.rawValue - 30 * 86_400)
        #expect(try self.text(fixture).contains("0 of 4 nodes read back"))
        #expect(fixture.run("report", "--html", "a.html", "--fresh-within", "soon").status == 64)
    }

    @Test("drift of selected nodes tells how much is known of these")
    func selected() throws {
        let fixture = try villa(reading: ["lamp-1", "lamp-2"])
        #expect(fixture.run("drift").output.hasPrefix("Drift is not known of 2 of 4 nodes."))
        #expect(fixture.run("drift", "--node", "lamp-1").output.hasPrefix("No drift."))
        let json = fixture.run("drift", "--node", "lamp-3", "--json").output
        #expect(json.contains(#""readable_nodes":1,"never_read_back":1"#), "\(json)")
    }

    @Test("who could not be asked for faults is named for programs, too, although nobody could")
    func nobodyAskable() throws {
        let fixture = try villa()
        let definition = String(decoding: try #require(fixture.read("villa.yaml")), as: UTF8.self)
        try fixture.put(nil, to: "villa.yaml")
        try fixture.write(definition.replacing("keys: [lighting]", with: "keys: []"), to: "villa.yaml")
        try #require(fixture.run(["apply", "--auto-approve"] + Self.options).status == 0)
        let result = fixture.run(["health", "--json"] + Self.options)
        #expect(result.status == 1)
        #expect(result.output.components(separatedBy: #""reason":"#).count == 5, "\(result.combined)")
    }
}
