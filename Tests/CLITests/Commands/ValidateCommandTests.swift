import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan validate")
struct ValidateCommandTests {
    @Test("a valid definition is summed up, without database or key file")
    func valid() throws {
        let fixture = try CommandFixture()
        try fixture.copy("house.yaml")
        let result = fixture.run("validate")
        #expect(result.output == "Valid: network house with 6 nodes, 7 groups, 2 subnets, 5 application keys\n")
        #expect(result.error.isEmpty && result.status == 0)
        expectSnapshot(fixture.run("validate", "--json").transcript, "validate.jsonl")
    }

    @Test("all problems of all files are shown at once, and as JSON with the same exit status")
    func invalid() throws {
        let fixture = try CommandFixture()
        try fixture.write("version: 1\nnetwork: a\ngroups:\n  g: { address: 49152 }\nnodess: {}\n", to: "one.yaml")
        try fixture.write("version: 1\nnetwork: a\nnodes:\n  n: { uuid: 12 }\n", to: "two.yml")
        let text = fixture.run("validate")
        #expect(text.status == 65 && text.output.isEmpty)
        expectSnapshot(text.transcript, "validate-invalid.txt")
        let json = fixture.run("validate", "--json")
        #expect(json.status == 65 && json.error.isEmpty)
        expectSnapshot(CommandFixture.untimed(json.output), "validate-invalid.jsonl")
    }

    @Test("wrong YAML is a diagnostic with its place")
    func wrongYAML() throws {
        let fixture = try CommandFixture()
        try fixture.write("version: 1\nnetwork: [\n", to: "a.yaml")
        let result = fixture.run("validate", "a.yaml")
        #expect(result.status == 65 && result.error.hasPrefix("a.yaml:"))
    }

    @Test("paths that lead nowhere each have one clear message")
    func paths() throws {
        let fixture = try CommandFixture()
        let empty = fixture.run("validate")
        #expect(empty.status == 65 && empty.error.hasPrefix("Error: there is no definition in the current folder\n"))
        let missing = fixture.run("validate", "x.yaml")
        #expect(missing.status == 1)
        #expect(missing.error == "Error: cannot read x.yaml: No such file or directory\n  Check the path.\n")
        try fixture.write("network: a", to: "sub/deep/a.yaml")
        #expect(fixture.run("validate", "sub").error.hasPrefix("Error: there is no definition in sub\n"))
        #expect(fixture.run("validate", "sub/deep", "sub/deep/a.yaml").error.contains("sub/deep/a.yaml"))
    }

    @Test("a file that is named twice is read once")
    func twice() throws {
        let fixture = try CommandFixture()
        try fixture.copy("house.yaml")
        #expect(fixture.run("validate", ".", "house.yaml", "./house.yaml").status == 0)
    }
}
