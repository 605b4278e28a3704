import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan show --nlc")
struct ShowLightingTests {
    /// The house, whose definition says that Mary's bedside light is a lightness controller.
    private func house() throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        let definition = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        let claiming = definition.replacing("ttl: 4, tags", with: "ttl: 4, nlc: [blc], tags")
        try fixture.write(claiming, to: "house.yaml")
        return fixture
    }

    @Test("the table says who claims what, what fits, what is missing, and how certain that is")
    func table() throws {
        let fixture = try house()
        let node = try #require(fixture.run("show").output.split(separator: "\n").first { $0.contains("Light (Mary)") })
        let address = try #require(node.split(separator: " ").first).trimmingPrefix(" ")
        let shown = fixture.run("show", "node.\(address)", "--nlc")
        #expect(shown.status == 0 && shown.error.isEmpty, "\(shown.error)")
        #expect(shown.output.contains("  definition: blc\n  composition page 2: not read, or not there\n"))
        #expect(shown.output.contains("PROFILE"))
        let row = shown.output.split(separator: "\n").first { $0.contains("light-lc-server") }
        #expect(row?.split(separator: " ").prefix(3) == ["blc", "light-lc-server", "missing"])
        #expect(row?.hasSuffix("as in sample products") == true)
        let lines = fixture.run("show", "node.\(address)", "--nlc", "--json").output
        let start =
            #"{"type":"nlc","node":"Bedside Light (Mary)","profile":"blc","check":"light-lc-server","result":"missing""#
        #expect(lines.contains(start), "\(lines)")
        #expect(!shown.output.lowercased().contains("compliant"))
    }

    @Test("only nodes have such a table")
    func misuse() throws {
        let fixture = try house()
        #expect(fixture.run("show", "--nlc").status == 64)
        #expect(fixture.run("show", "group.bedroom", "--nlc").status == 64)
        #expect(fixture.run("show", "node.nobody", "--nlc").status == 64)
    }

    @Test("validate --strict refuses what checks warn of")
    func strict() throws {
        let fixture = try CommandFixture()
        let text = "version: 1\nnetwork: a\nnodes: { n: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001 } }\n"
        try fixture.write(text + "checks: { c: { have: { tags: room }, severity: warning } }\n", to: "a.yaml")
        #expect(fixture.run("validate").status == 0)
        #expect(fixture.run("validate").error.contains("the check `c` fails for 1 of 1 node: no tag `room`: n"))
        #expect(fixture.run("validate", "--strict").status == 65)
        try fixture.write(text + "checks: { c: { have: { tags: room } } }\n", to: "a.yaml")
        let refused = fixture.run("validate", "--json")
        #expect(refused.status == 65 && refused.output.contains("\"line\":4"))
    }
}
