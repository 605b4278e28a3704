import DefinitionModel
import Foundation
import MeshCore
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan apply --confirm-within and meshplan confirm")
struct ConfirmationTests {
    private static let confirming = HistoryCommandTests.apply + ["--confirm-within", "5m"]

    /// The house with its definition applied, and another definition to apply.
    private func house() throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        try #require(fixture.run(HistoryCommandTests.apply).status == 0)
        try HistoryCommandTests.change(fixture)
        return fixture
    }

    /// What is known about a node, without times.
    private func nodes(_ fixture: CommandFixture) -> String {
        fixture.run("show", "node.mary").output.replacing(#/(observed|read back) .*/#, with: "")
    }

    @Test(
        "has a time with a unit, a second or more, on each command that takes it",
        arguments: [["apply"], ["rollback"]]
    )
    func time(command: [String]) throws {
        let fixture = try CommandFixture.house()
        let bare = fixture.run(command + ["--via", "simulator", "--confirm-within", "3"])
        #expect(bare.status == 64 && bare.error.contains("such as 500ms, 30s, 5m or 2h"), "\(bare.error)")
        let short = fixture.run(command + ["--via", "simulator", "--confirm-within", "300ms"])
        #expect(short.status == 64 && short.error.contains("takes a second or more"), "\(short.error)")
    }

    @Test("refuses a plan that ends the way over which it would be taken back")
    func noWayBack() throws {
        let fixture = try house()
        let text = try String(decoding: #require(fixture.read("house.yaml")), as: UTF8.self)
        try fixture.write(
            text.replacing("features: { proxy: on }, protect", with: "features: { proxy: off }, protect"),
            to: "house.yaml"
        )
        let result = fixture.run(Self.confirming + ["--allow", "last-proxy"])
        #expect(result.status == 5, "\(result.combined)")
        #expect(
            result.error.contains("there is no way back from this plan: subnet `home` would lose its last GATT proxy")
        )
        #expect(fixture.run("confirm").status == 1, "nothing was begun")
    }

    @Test("keeps what somebody confirms in time, from another terminal")
    func confirmed() throws {
        let fixture = try house()
        let other = CommandFixture(sharing: fixture)
        var pauses = 0
        var confirmation: CommandFixture.Result?
        fixture.whilePausing = {
            pauses += 1
            if pauses == 30 { confirmation = other.run("confirm") }
        }
        let result = fixture.run(Self.confirming)
        #expect(result.status == 0)
        expectSnapshot(result.transcript, "apply-confirmed.txt")
        #expect(confirmation?.status == 0 && pauses == 30)
        #expect(confirmation?.output.hasPrefix("Confirmed: the network stays as it is at serial ") == true)
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
        // Whoever was cut short repeats the command.
        let again = fixture.run("confirm")
        #expect(again.status == 0 && again.output.contains("are confirmed already"), "\(again)")
        #expect(fixture.run("rollback", "--unconfirmed", "--via", "simulator").status == 1)
    }

    @Test("goes back when the time is over, and tells so by its exit code")
    func timeOut() throws {
        let fixture = try house()
        let before = nodes(fixture)
        var pauses = 0
        fixture.whilePausing = { pauses += 1 }
        let result = fixture.run(Self.confirming)
        #expect(result.status == 8 && pauses == 300)
        expectSnapshot(result.transcript, "apply-not-confirmed.txt")
        #expect(nodes(fixture) == before)
        #expect(fixture.run("plan", "--detailed-exitcode").status == 2)
        #expect(fixture.run("sim", "status").output.hasSuffix("All agree with the mesh database.\n"))
        #expect(fixture.run("confirm").status == 1)
        let again = fixture.run("rollback", "--unconfirmed", "--via", "simulator")
        #expect(again.status == 0 && again.output.contains("were taken back already"), "\(again)")
        // The first definition is in force again, and there is none before it: what nobody confirmed was never in force.
        #expect(fixture.run("state", "history").output.matches(of: #/ 1ca32be5833d\n/#).count == 2)
        let back = fixture.run("rollback")
        #expect(back.status == 1 && back.error.contains("no other definition was applied"), "\(back.output)")
    }

    @Test("a database that was replaced meanwhile confirms nothing")
    func replaced() throws {
        let fixture = try house()
        let path = fixture.folder.appendingPathComponent(".meshplan/house.meshdb").path
        let older = try #require(fixture.read(".meshplan/house.meshdb"))
        var pauses = 0
        fixture.whilePausing = {
            pauses += 1
            guard pauses == 3 else { return }
            try? FileManager.default.removeItem(atPath: path)
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            #expect(FileManager.default.createFile(atPath: path, contents: Data(older), attributes: attributes))
        }
        let result = fixture.run(Self.confirming)
        #expect(result.status == 7 && pauses == 3, "\(result.status) \(result.output)\(result.error)")
        #expect(!result.error.contains("Confirmed."))
        #expect(result.error.contains("the database was replaced while the changes waited for confirmation"))
    }

    @Test("what somebody else takes back while it waits is not confirmed")
    func takenBackElsewhere() throws {
        let fixture = try house()
        let other = CommandFixture(sharing: fixture)
        var pauses = 0
        fixture.whilePausing = {
            pauses += 1
            guard pauses == 3 else { return }
            #expect(other.run("rollback", "--unconfirmed", "--via", "simulator").status == 0)
        }
        let result = fixture.run(Self.confirming)
        #expect(result.status == 8 && pauses == 3 && result.error.contains("somebody else has taken the changes back"))
    }

    @Test("goes back at once on Ctrl-C")
    func interrupted() throws {
        let fixture = try house()
        let before = nodes(fixture)
        var interrupts = 0
        fixture.interruptCount = { interrupts }
        var pauses = 0
        fixture.whilePausing = {
            pauses += 1
            if pauses == 3 { interrupts = 1 }
        }
        let result = fixture.run(Self.confirming)
        #expect(result.status == 8 && pauses == 3, "\(result.output)\(result.error)")
        #expect(result.error.contains("Not confirmed: going back."))
        #expect(nodes(fixture) == before)
    }

    @Test("a process that dies while it waits leaves the choice to the next one", arguments: [true, false])
    func killed(keeps: Bool) throws {
        let fixture = try house()
        let before = nodes(fixture)
        let copy = try CommandFixture()
        let other = CommandFixture(sharing: fixture)
        var isCopied = false
        fixture.whilePausing = {
            guard !isCopied else { return }
            isCopied = true
            // Copies what a process would leave behind if it were killed now.
            do {
                for name in [".meshplan", "house.yaml"] {
                    try FileManager.default.copyItem(
                        at: fixture.folder.appendingPathComponent(name),
                        to: copy.folder.appendingPathComponent(name)
                    )
                }
            } catch {
                Issue.record(error)
            }
            #expect(other.run("confirm").status == 0)
        }
        #expect(fixture.run(Self.confirming).status == 0)
        let refused = copy.run(HistoryCommandTests.apply)
        #expect(refused.status == 5)
        #expect(refused.error.contains("meshplan confirm") && refused.error.contains("meshplan rollback --unconfirmed"))
        #expect(copy.run("keys", "refresh", "home", "--via", "simulator", "--auto-approve").status == 5)
        if keeps {
            #expect(copy.run("confirm").status == 0)
            #expect(copy.run("plan", "--detailed-exitcode").status == 0)
        } else {
            let back = copy.run("rollback", "--unconfirmed", "--via", "simulator")
            #expect(back.status == 0, "\(back.output)\(back.error)")
            #expect(nodes(copy) == before)
        }
        #expect(copy.run(HistoryCommandTests.apply).status == 0)
    }

    @Test("nodes that do not answer on the way back leave it open, and the next attempt ends it")
    func partial() throws {
        let fixture = try house()
        let before = nodes(fixture)
        let result = fixture.run(Self.confirming + ["--off", "mary"])
        #expect(result.status == 4, "\(result.output)\(result.error)")
        #expect(fixture.run(HistoryCommandTests.apply).status == 5)
        let back = fixture.run("rollback", "--unconfirmed", "--via", "simulator")
        #expect(back.status == 0, "\(back.output)\(back.error)")
        #expect(nodes(fixture) == before)
        #expect(fixture.run(HistoryCommandTests.apply).status == 0)
    }

    @Test("refuses before anything is sent what cannot be taken back")
    func irreversible() throws {
        let fixture = try CommandFixture.house()
        let database = fixture.read(".meshplan/house.meshdb")
        let result = fixture.run(Self.confirming)
        expectSnapshot(result.transcript, "apply-irreversible.txt")
        #expect(result.status == 5 && fixture.read(".meshplan/house.meshdb") == database)
        #expect(fixture.run("apply", "--via", "simulator", "--confirm-within", "0").status == 64)
    }

    @Test("with nothing to do there is nothing to confirm")
    func nothing() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run(HistoryCommandTests.apply).status == 0)
        let result = fixture.run(Self.confirming)
        #expect(result.status == 0 && result.output.hasPrefix("No changes.") && !result.error.contains("Waiting"))
    }

    @Test("a saved plan can wait for its confirmation, too")
    func savedPlan() throws {
        let fixture = try house()
        let before = nodes(fixture)
        try #require(fixture.run("plan", "--out", "house.mplan").status == 0)
        let result = fixture.run("apply", "house.mplan", "--via", "simulator", "--confirm-within", "10s")
        #expect(result.status == 8, "\(result.output)\(result.error)")
        #expect(nodes(fixture) == before)
    }
}
