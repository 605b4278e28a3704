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
        #expect(fixture.run("provisioner", "list").output.contains(#/0x0001 .* yes\n/#))
        let applied = fixture.run("apply", "house.yaml", "--via", "simulator", "--auto-approve")
        #expect(applied.status == 0, "\(applied.error)")
        let witness = String(decoding: try #require(fixture.read(".meshplan/house.meshdb.sequence")), as: UTF8.self)
        let line = try #require(witness.split(separator: "\n").first { $0.hasPrefix("0001 ") }).split(separator: " ")
        let limit = line.dropFirst(2).first.flatMap { UInt32($0) }
        #expect(try #require(limit) > 500_000, "\(witness)")
    }
}

@Suite("meshplan db merge, what it refuses")
struct MergeRefusalTests {
    @Test("a partial database is refused, and a missing device key takes none away")
    func keys() throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("export", "--cdb", "base.json").status == 0)
        #expect(fixture.run("export", "--cdb", "part.json", "--subnet", "Molly's Network", "--partial").status == 0)
        let partial = fixture.run("db", "merge", "part.json", "--base", "base.json", "--auto-approve")
        #expect(partial.status == 65 && partial.error.contains("only a part of the network"), "\(partial.error)")
        let text = String(decoding: try #require(fixture.read("base.json")), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let place = try #require(lines.lastIndex { $0.contains("\"deviceKey\"") })
        var without = lines
        without.remove(at: place)
        try fixture.write(without.joined(separator: "\n"), to: "theirs.json")
        let merged = fixture.run("db", "merge", "theirs.json", "--base", "base.json", "--auto-approve")
        #expect(merged.status == 0 || merged.status == 65, "\(merged.error)")
        #expect(!fixture.run("doctor").output.contains("no device key"))
    }

    @Test("sequence numbers that an adopted provisioner may have used stay unused under a later IV index")
    func adopted() throws {
        let fixture = try CommandFixture.house()
        let adopted = fixture.run(
            "provisioner",
            "adopt",
            "Mary's phone",
            "--sequence-jump",
            "100000",
            "--auto-approve"
        )
        #expect(adopted.status == 0, "\(adopted.error)")
        let applied = fixture.run(
            "apply",
            "house.yaml",
            "--via",
            "simulator",
            "--auto-approve",
            "--iv-index",
            "60"
        )
        #expect(applied.status == 0, "\(applied.error)")
        let shown = fixture.run("network", "iv", "show", "--json").output
        let used = shown.firstMatch(of: /"limit":(\d+)|"used":(\d+)/).flatMap { Int($0.1 ?? $0.2 ?? "") }
        #expect(try #require(used, "\(shown)") >= 100_000, "\(shown)")
    }
}
