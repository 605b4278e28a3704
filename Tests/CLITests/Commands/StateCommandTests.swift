import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan state")
struct StateCommandTests {
    @Test("rm takes out what nothing uses, says who uses the rest, and asks")
    func removes() throws {
        let fixture = try CommandFixture.house()
        let used = fixture.run("state", "rm", "group.Bedroom", "--auto-approve")
        #expect(used.status == 5 && used.error.contains("in use by node."), "\(used.error)")
        let own = fixture.run("state", "rm", "node.meshplan", "--auto-approve")
        #expect(own.status == 5 && own.error.contains("meshplan's own node"), "\(own.error)")
        let subnet = fixture.run("state", "rm", "subnet.Home Network", "--auto-approve")
        #expect(subnet.status == 5 && subnet.error.contains("primary"), "\(subnet.error)")
        #expect(fixture.run("state", "rm", "node.Cat Flap").status == 8, "nobody can be asked")
        let look = fixture.run("state", "rm", "node.Cat Flap", "--dry-run")
        #expect(look.status == 0 && look.output.contains("Would remove node.Cat Flap"))
        let gone = fixture.run("state", "rm", "node.Cat Flap", "--auto-approve")
        expectSnapshot(gone.transcript, "state-rm.txt")
        #expect(!fixture.run("state", "list").output.contains("node.Cat Flap"))
        // Whoever was cut short repeats the command; after anything else the name is unknown.
        let again = fixture.run("state", "rm", "node.Cat Flap", "--auto-approve")
        #expect(again.status == 0 && again.output.hasPrefix("Removed already, by the last command"), "\(again)")
        #expect(fixture.run("state", "rm", "node.Cat", "--auto-approve").status == 64)
        #expect(fixture.run("state", "mv", "group.Bedroom", "group.Attic").status == 0)
        #expect(fixture.run("state", "rm", "node.Cat Flap", "--auto-approve").status == 64)
        #expect(fixture.run("show", "--json").output.contains("retired"), "its device key is kept")
        #expect(fixture.run("state", "verify").status == 0)
    }

    @Test("mv renames, and refuses names that are taken or of another kind")
    func renames() throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("state", "mv", "group.Bedroom", "group.Attic").status == 0)
        let names = fixture.run("state", "list", "group").output
        #expect(names.contains("group.Attic") && !names.contains("group.Bedroom\n"))
        #expect(fixture.run("state", "mv", "group.Attic", "group.Doorbell").status == 64)
        #expect(fixture.run("state", "mv", "group.Attic", "node.Attic").status == 64)
        let again = fixture.run("state", "mv", "group.Bedroom", "group.Attic")
        #expect(again.status == 0 && again.output.contains("already, by the last command"), "\(again)")
        #expect(fixture.run("state", "mv", "group.Bedroom", "group.Loft").status == 64)
        #expect(fixture.run("state", "mv", "group.Attic", "group.Loft", "--dry-run").output.contains("Would rename"))
        #expect(fixture.run("state", "list", "group").output.contains("group.Attic"))
    }

    @Test("a pulled copy can be pushed back only where it is later, or by force, and loses no sequence number")
    func pullsAndPushes() throws {
        let fixture = try CommandFixture.house()
        let pulled = fixture.run("state", "pull", "old.meshdb")
        #expect(pulled.status == 0 && pulled.output.contains("serial 1"), "\(pulled.error)")
        #expect(try fixture.mode("old.meshdb") == 0o600)
        #expect(fixture.run("state", "pull", "old.meshdb").status == 1, "nothing is overwritten")
        let same = fixture.run("state", "push", "old.meshdb", "--auto-approve")
        #expect(same.status == 0 && same.output.contains("nothing to do"))
        #expect(fixture.run("apply", "house.yaml", "--via", "simulator", "--auto-approve").status == 0)
        let older = fixture.run("state", "push", "old.meshdb", "--auto-approve")
        #expect(older.status == 7 && older.error.contains("is older than the database"), "\(older.error)")
        #expect(fixture.run("state", "pull", "good.meshdb").status == 0)
        #expect(fixture.run("state", "rm", "node.push", "--auto-approve").status == 0)
        #expect(fixture.run("state", "list", "node.push").status == 64)
        #expect(fixture.run("state", "push", "good.meshdb", "--force").status == 8, "nobody can be asked")
        let forced = fixture.run("state", "push", "good.meshdb", "--force", "--auto-approve")
        #expect(forced.status == 0, "\(forced.error)")
        #expect(fixture.run("plan", "house.yaml", "--detailed-exitcode").status == 0)
        // The simulator would end with an error if any sequence number had been used twice.
        let refreshed = fixture.run("refresh", "house.yaml", "--via", "simulator")
        #expect(refreshed.status == 0, "\(refreshed.error)")
        #expect(fixture.run("state", "push", "house.yaml").status == 1)
        #expect(fixture.run("state", "push", "nothing").status == 64)
    }

    @Test("verify tells damage from wholeness, of copies too, and unlock that nobody holds the lock")
    func verifies() throws {
        let fixture = try CommandFixture.house()
        expectSnapshot(fixture.run("state", "verify").transcript, "state-verify.txt")
        #expect(fixture.run("state", "pull", "copy.meshdb").status == 0)
        #expect(fixture.run("state", "verify", "copy.meshdb", "--json").output.contains(#""damaged":0"#))
        #expect(fixture.run("state", "unlock").output.contains("Nobody holds the lock"))
    }
}
