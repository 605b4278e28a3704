import DefinitionModel
import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan state history, state show, state restore and rollback")
struct HistoryCommandTests {
    static let apply = ["apply", "--via", "simulator", "--auto-approve"]

    /// The house, to which one definition and then another was applied.
    static func changedHouse() throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        try #require(fixture.run(apply).status == 0)
        try change(fixture)
        fixture.now.rawValue += 3_600
        let second = fixture.run(apply)
        try #require(second.status == 0, "\(second.output)\(second.error)")
        return fixture
    }

    /// Removes parts of the definition, and adds others.
    static func change(_ fixture: CommandFixture) throws {
        let text = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        let other = text.replacing("ttl: 5", with: "ttl: 9").replacing("ttl: 4", with: "ttl: 6")
            .replacing("[bedroom, good-night]", with: "[bedroom, doorbell]")
            .replacing("[home-automation, heating]", with: "[heating]")
        try fixture.write(other, to: "house.yaml")
        try #require(other != text)
    }

    @Test("lists what was done, newest first, as text and as JSON")
    func history() throws {
        let fixture = try Self.changedHouse()
        expectSnapshot(fixture.run("state", "history").transcript, "state-history.txt")
        expectSnapshot(fixture.run("state", "history", "--json").transcript, "state-history.jsonl")
        let one = fixture.run("state", "history", "-n", "1")
        #expect(one.output.contains("and 1 more; -n 2 shows all"))
        #expect(fixture.run("state", "history", "-n", "0").status == 64)
    }

    @Test("says that nothing was done where nothing was")
    func nothingYet() throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run("state", "history")
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("No changes yet: the database was created 2026-11-18T"))
    }

    @Test("shows the database as it was, whole and in parts")
    func show() throws {
        let fixture = try CommandFixture.house()
        let before = fixture.run("show")
        let node = fixture.run("show", "node.mary")
        try #require(fixture.run(Self.apply).status == 0)
        #expect(fixture.run("show").output != before.output)
        let shown = fixture.run("state", "show", "1")
        #expect(shown.status == 0 && shown.output == before.output)
        #expect(fixture.run("state", "show", "1", "node.mary").output == node.output)
        #expect(fixture.run("state", "show", "1", "--json").status == 0)
        let unknown = fixture.run("state", "show", "2")
        #expect(unknown.status == 1 && unknown.error.contains("the state at serial 2 is not known"))
        #expect(fixture.run("state", "show", "1", "node.nobody").status == 64)
    }

    @Test("goes back to a state, and the old definition has nothing to plan then")
    func restore() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run(Self.apply).status == 0)
        let old = try #require(fixture.read("house.yaml"))
        let serial = try serial(of: fixture)
        try Self.change(fixture)
        try #require(fixture.run(Self.apply).status == 0)
        let planned = fixture.run("state", "restore", "\(serial)")
        expectSnapshot(planned.transcript, "state-restore.txt")
        #expect(try self.serial(of: fixture) != serial)
        let restored = fixture.run("state", "restore", "\(serial)", "--via", "simulator", "--auto-approve")
        #expect(restored.status == 0, "\(restored.output)\(restored.error)")
        let again = fixture.run("state", "restore", "\(serial)", "--via", "simulator", "--auto-approve")
        #expect(again.status == 0, "\(again.error)")
        #expect(
            again.output.hasPrefix("No changes. The network matches its state at serial \(serial)."),
            "\(again.output)"
        )
        try fixture.write(String(decoding: old, as: UTF8.self), to: "house.yaml")
        let plan = fixture.run("plan", "--detailed-exitcode")
        #expect(plan.status == 0, "\(plan.output)")
        #expect(fixture.run("sim", "status").output.hasSuffix("All agree with the mesh database.\n"))
    }

    @Test("goes back all the way to what was imported, with what was not managed then not managed")
    func restoreImport() throws {
        let fixture = try CommandFixture.house()
        let before = fixture.run("show", "--json").output
        try #require(fixture.run(Self.apply).status == 0)
        let restored = fixture.run(
            "state",
            "restore",
            "1",
            "--via",
            "simulator",
            "--auto-approve",
            "--allow",
            "mass-removal"
        )
        #expect(restored.status == 0, "\(restored.output)\(restored.error)")
        let after = fixture.run("show", "--json").output
        #expect(comparable(after) == comparable(before))
        // From there, apply goes forward again.
        #expect(fixture.run(Self.apply).status == 0)
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
    }

    /// The output of `show --json` without times and counters.
    private func comparable(_ text: String) -> [String] {
        text.replacing(#/"serial":[0-9]+/#, with: "").replacing(#/"observed":"[^"]*",?/#, with: "")
            // This was unknown then, and is known now.
            .replacing(#/"default_ttl":[0-9]+,/#, with: "")
            .replacing(#/"(observed|read_back)_at":"[^"]*",?/#, with: "").split(separator: "\n").map(String.init)
    }

    @Test("a key that was removed comes back with its old value")
    func keys() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run(Self.apply).status == 0)
        let text = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        try fixture.write(text + "\n", to: "house.yaml")
        let key = try KeyValues(fixture)
        let serial = try serial(of: fixture)
        let without = text.replacing("  heating:         { subnet: home }\n", with: "")
            .replacing("[home-automation, heating]", with: "[home-automation]")
        try fixture.write(without, to: "house.yaml")
        let emptied = fixture.run(Self.apply)
        try #require(emptied.status == 0, "\(emptied.output)\(emptied.error)")
        try #require(try KeyValues(fixture) != key)
        fixture.now.rawValue += 60
        let restored = fixture.run("state", "restore", "\(serial)", "--via", "simulator", "--auto-approve")
        #expect(restored.status == 0, "\(restored.output)\(restored.error)")
        #expect(try KeyValues(fixture) == key)
        try fixture.write(text, to: "house.yaml")
        let plan = fixture.run("plan", "--detailed-exitcode")
        #expect(plan.status == 0, "\(plan.output)")
    }

    /// All keys of a database.
    private struct KeyValues: Equatable {
        var netKeys: [NetKeyIndex: KeyMaterial]
        var appKeys: [AppKeyIndex: KeyMaterial]

        init(_ fixture: CommandFixture) throws {
            let key = try KeyFile.load(from: fixture.folder.appendingPathComponent(".meshplan/key").path)
            let path = fixture.folder.appendingPathComponent(".meshplan/house.meshdb").path
            let network = try MeshDatabase.open(at: path, key: key).snapshot().network
            netKeys = Dictionary(uniqueKeysWithValues: network.netKeys.map { ($0.index, $0.key) })
            appKeys = Dictionary(uniqueKeysWithValues: network.appKeys.map { ($0.index, $0.key) })
        }
    }

    private func serial(of fixture: CommandFixture) throws -> UInt64 {
        let output = fixture.run("state", "history", "--json").output
        let match = try #require(output.firstMatch(of: #/"type":"summary","serial":([0-9]+)/#))
        return try #require(UInt64(match.1))
    }

    @Test("saves the way back as a plan that apply carries out")
    func savedRestore() throws {
        let fixture = try Self.changedHouse()
        let history = fixture.run("state", "history").output
        let serial = try #require(history.firstMatch(of: #/\n?([0-9]+) -> [0-9]+ .*apply/#)).1
        let saved = fixture.run("state", "restore", "\(serial)", "--out", "back.mplan")
        #expect(saved.status == 0, "\(saved.output)\(saved.error)")
        let applied = fixture.run("apply", "back.mplan", "--via", "simulator")
        #expect(applied.status == 0, "\(applied.output)\(applied.error)")
        #expect(fixture.run("state", "restore", "\(serial)").output.hasPrefix("No changes."))
    }

    @Test("rolls back to the definition before, and forward again")
    func rollback() throws {
        let fixture = try Self.changedHouse()
        let new = try #require(fixture.read("house.yaml"))
        expectSnapshot(fixture.run("rollback").transcript, "rollback.txt")
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
        let result = fixture.run("rollback", "--via", "simulator", "--auto-approve")
        #expect(result.status == 0, "\(result.output)\(result.error)")
        #expect(fixture.read("house.yaml") == new)
        #expect(fixture.run("plan", "--detailed-exitcode").status == 2)
        #expect(fixture.run("rollback", "--write-definition", "old").output == "Wrote old/house.yaml\n")
        #expect(fixture.read("old/house.yaml") == new, "after a rollback the definition before is the newer one")
        #expect(fixture.run("rollback", "--write-definition", "old").status == 1)
        #expect(fixture.run("rollback", "--via", "simulator", "--auto-approve").status == 0)
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
    }

    private static let rollback = ["rollback", "--via", "simulator", "--auto-approve"]

    /// What every node has, without times.
    private func values(_ fixture: CommandFixture) -> String {
        fixture.run("show", "--json").output.replacing(#/"serial":[0-9]+/#, with: "")
            .replacing(#/"(observed|observed_at|read_back_at)":"[^"]*",?/#, with: "")
    }

    @Test("a rollback or restore that was cut short goes on to its own goal", arguments: ["rollback", "restore"])
    func partial(command: String) throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run(Self.apply).status == 0)
        let goal = values(fixture)
        let old = try #require(fixture.read("house.yaml"))
        let serial = try serial(of: fixture)
        try Self.change(fixture)
        let new = try #require(fixture.read("house.yaml"))
        try #require(fixture.run(Self.apply).status == 0)
        let typed =
            command == "rollback"
            ? Self.rollback : ["state", "restore", "\(serial)", "--via", "simulator", "--auto-approve"]
        let cut = fixture.run(typed + ["--off", "mary"])
        #expect(cut.status == 4, "\(cut.output)\(cut.error)")
        // Somebody who plans something else is told what there is to choose.
        let plan = fixture.run("plan")
        #expect(
            plan.error.contains("is unfinished") && plan.error.contains("meshplan rollback --via BEARER"),
            "\(plan.error)"
        )
        #expect(fixture.run("plan", "--json").output.contains("is unfinished\","))
        if command == "rollback" {
            #expect(fixture.run("rollback", "--write-definition", "goal").status == 0)
            #expect(fixture.read("goal/house.yaml") == old)
        }
        // Both the same command and plain rollback go on.
        let again = fixture.run(Self.rollback)
        #expect(again.status == 0 && again.output.contains("Going on with"), "\(again.output)\(again.error)")
        #expect(values(fixture) == goal)
        #expect(!fixture.run("plan").error.contains("is unfinished"))
        // A second rollback leads forward again.
        let forward = fixture.run(Self.rollback)
        #expect(forward.status == 0 && !forward.output.contains("Going on with"), "\(forward.output)\(forward.error)")
        #expect(fixture.read("house.yaml") == new && fixture.run("plan", "--detailed-exitcode").status == 0)
    }

    @Test("a saved rollback that was cut short goes on to its own goal, too")
    func savedReturn() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run(Self.apply).status == 0)
        let goal = values(fixture)
        try Self.change(fixture)
        try #require(fixture.run(Self.apply).status == 0)
        try #require(fixture.run("rollback", "--out", "back.mplan").status == 0)
        let cut = fixture.run("apply", "back.mplan", "--via", "simulator", "--off", "mary")
        #expect(cut.status == 4, "\(cut.output)\(cut.error)")
        let again = fixture.run(Self.rollback)
        #expect(again.status == 0 && again.output.contains("Going on with"), "\(again.output)\(again.error)")
        #expect(values(fixture) == goal)
        // One that was carried out as a whole has reached its goal.
        try #require(fixture.run("rollback", "--out", "forward.mplan").status == 0)
        let forward = fixture.run("apply", "forward.mplan", "--via", "simulator")
        #expect(forward.status == 0, "\(forward.output)\(forward.error)")
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
        #expect(!fixture.run("rollback").output.contains("Going on with"))
    }

    @Test("an apply gives up a rollback that was cut short")
    func givenUp() throws {
        let fixture = try Self.changedHouse()
        #expect(fixture.run(Self.rollback + ["--off", "mary"]).status == 4)
        let applied = fixture.run(Self.apply)
        #expect(applied.status == 0 && applied.error.contains("is unfinished"), "\(applied.output)\(applied.error)")
        let plan = fixture.run("plan", "--detailed-exitcode")
        #expect(plan.status == 0 && !plan.error.contains("is unfinished"), "\(plan.output)\(plan.error)")
        #expect(!fixture.run("rollback").output.contains("Going on with"))
    }

    @Test("a rollback that was interrupted goes on to its goal, whenever that was", arguments: [3, 6, 9, 12])
    func interrupted(after limit: Int) throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run(Self.apply).status == 0)
        let goal = values(fixture)
        try Self.change(fixture)
        try #require(fixture.run(Self.apply).status == 0)
        var calls = 0
        fixture.interruptCount = {
            calls += 1
            return calls > limit ? 1 : 0
        }
        let cut = fixture.run(Self.rollback)
        #expect(cut.status == 130, "\(cut.output)\(cut.error)")
        fixture.interruptCount = { 0 }
        let again = fixture.run(Self.rollback)
        #expect(again.status == 0, "\(again.output)\(again.error)")
        #expect(values(fixture) == goal)
    }

    @Test("a saved plan brings its definition into the history")
    func savedDefinition() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("plan", "--out", "house.mplan").status == 0)
        let definition = try #require(fixture.read("house.yaml"))
        try Self.change(fixture)
        try #require(fixture.run("apply", "house.mplan", "--via", "simulator").status == 0)
        #expect(fixture.run("rollback").status == 1)
        try #require(fixture.run(Self.apply).status == 0)
        #expect(fixture.run("rollback", "--write-definition", "old").status == 0)
        #expect(fixture.read("old/house.yaml") == definition)
    }

    @Test("refuses what it cannot know or do, with a way out")
    func errors() throws {
        let fixture = try CommandFixture.house()
        let first = fixture.run("rollback")
        #expect(first.status == 1 && first.error.contains("no other definition was applied before the last one"))
        #expect(fixture.run("rollback", "--to", "1").status == 1)
        #expect(fixture.run("rollback", "--unconfirmed").status == 64)
        #expect(fixture.run("rollback", "--unconfirmed", "--via", "simulator").status == 1)
        #expect(fixture.run("state", "restore", "17").status == 1)
        #expect(fixture.run("state", "restore", "1", "--via", "simulator", "--out", "x.mplan").status == 64)
        #expect(fixture.run("state", "restore", "1").output.hasPrefix("No changes."))
        #expect(fixture.run("confirm").status == 1)
    }
}
