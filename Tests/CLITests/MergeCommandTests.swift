import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan db merge and provisioner")
struct MergeCommandTests {
    @Test("takes up what another tool has changed, lists conflicts, and settles them only when told how")
    func merges() throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("export", "--cdb", "base.json").status == 0)
        let base = String(decoding: try #require(fixture.read("base.json")), as: UTF8.self)
        try fixture.write(
            base.replacing("\"name\": \"Doorbell\"", with: "\"name\": \"Front door\"")
                .replacing("\"name\": \"Bell\"", with: "\"name\": \"Gong\""),
            to: "theirs.json"
        )
        expectSnapshot(
            fixture.run("db", "merge", "theirs.json", "--base", "base.json", "--dry-run").transcript,
            "merge.txt"
        )
        #expect(fixture.run("state", "mv", "group.Doorbell", "group.Chime").status == 0)
        let conflict = fixture.run("db", "merge", "theirs.json", "--base", "base.json", "--auto-approve")
        expectSnapshot(conflict.transcript, "merge-conflict.txt")
        #expect(conflict.status == 5)
        #expect(fixture.run("db", "merge", "theirs.json", "--base", "base.json", "--prefer", "ours").status == 8)
        let merged = fixture.run(
            "db",
            "merge",
            "theirs.json",
            "--base",
            "base.json",
            "--prefer",
            "ours",
            "--auto-approve",
            "--json"
        )
        #expect(merged.status == 0, "\(merged.error)")
        let names = fixture.run("state", "list").output
        #expect(names.contains("group.Chime\n") && names.contains("node.Gong\n"))
        #expect(fixture.run("doctor").status == 0)
        try fixture.write(base.replacing("\"meshUUID\": \"", with: "\"meshUUID\": \"F"), to: "other.json")
        #expect(fixture.run("db", "merge", "other.json", "--auto-approve").status == 65)
        #expect(fixture.run("db", "merge", "nothing.json").status == 1)
    }

    @Test("a pulled copy merges like a configuration database")
    func copies() throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("state", "pull", "copy.meshdb").status == 0)
        #expect(fixture.run("db", "merge", "copy.meshdb").output.contains("nothing to merge"))
    }

    @Test("another provisioner is adopted only with a jump and a clear yes, and meshplan sends from its address then")
    func adopts() throws {
        let fixture = try CommandFixture.house()
        expectSnapshot(fixture.run("provisioner", "list").transcript, "provisioner-list.txt")
        #expect(fixture.run("provisioner", "adopt", "Brian's phone").status == 64, "the jump is not guessed")
        #expect(fixture.run("provisioner", "adopt", "Brian's phone", "--sequence-jump", "0").status == 64)
        #expect(fixture.run("provisioner", "adopt", "nobody", "--sequence-jump", "9").status == 64)
        let unasked = fixture.run("provisioner", "adopt", "Brian's phone", "--sequence-jump", "500000")
        #expect(unasked.status == 8, "\(unasked.error)")
        let adopted = fixture.run(
            "provisioner",
            "adopt",
            "Brian's phone",
            "--sequence-jump",
            "500000",
            "--auto-approve"
        )
        #expect(adopted.status == 0, "\(adopted.error)")
        #expect(fixture.run("provisioner", "list").output.contains("meshplan\n"))
        let applied = fixture.run("apply", "house.yaml", "--via", "simulator", "--auto-approve")
        #expect(applied.status == 0, "\(applied.error)")
        let witness = String(decoding: try #require(fixture.read(".meshplan/house.meshdb.sequence")), as: UTF8.self)
        let limit = witness.split(separator: "\n").first { $0.hasPrefix("0001 ") }?.split(separator: " ").last.flatMap {
            UInt32($0)
        }
        #expect(try #require(limit) > 500_000, "\(witness)")
    }
}
