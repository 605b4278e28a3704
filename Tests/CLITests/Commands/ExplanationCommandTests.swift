import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan show --why")
struct ExplanationCommandTests {
    @Test("tells which line sets each value of a node, and what is not declared")
    func node() throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run("show", "node.brian", "--why")
        expectSnapshot(result.transcript, "show-why-node.txt")
        #expect(fixture.run("show", "node.0x0007", "--why", "house.yaml").output == result.output)
        expectSnapshot(fixture.run("show", "node.brian", "--why", "--json").transcript, "show-why-node.jsonl")
    }

    @Test("tells who uses a group, a key or a subnet, and which lines say so")
    func resources() throws {
        let fixture = try CommandFixture.house()
        let asked = ["group.bedroom", "key.home-automation", "subnet.home"]
        let transcripts = asked.map { fixture.run("show", $0, "--why").transcript }
        expectSnapshot(transcripts.joined(separator: "\n"), "show-why-resources.txt")
        expectSnapshot(fixture.run("show", "key.heating", "--why", "--json").transcript, "show-why-key.jsonl")
    }

    @Test("refuses what there is not with the nearest name, and takes no definition without --why")
    func refusals() throws {
        let fixture = try CommandFixture.house()
        let lines = [
            ["show", "node.brain", "--why"], ["show", "group.bedrom", "--why"], ["show", "brian", "--why"],
            ["show", "--why"], ["show", "node.brian", "house.yaml"], ["show", "node.0x0001", "--why"],
        ]
        let transcripts = lines.map { "$ meshplan \($0.joined(separator: " "))\n" + fixture.run($0).transcript }
        expectSnapshot(transcripts.joined(separator: "\n"), "show-why-refusals.txt")
    }
}
