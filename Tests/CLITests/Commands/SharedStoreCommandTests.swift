import DefinitionModel
import Foundation
import MeshCore
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite(
    "Commands with a shared database",
    .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.isNotInstalled)")
)
struct SharedStoreCommandTests {
    /// A separate database and machines that share it.
    private struct Team {
        let server: PostgreSQLServer
        let database: PostgreSQLServer.Database
        let desk: CommandFixture

        init() throws {
            server = try PostgreSQLServer.shared
            database = try server.newDatabase()
            desk = try CommandFixture()
            desk.environment["MESHPLAN_STATE"] = server.address(database.name)
            try desk.copy("house.yaml")
            try desk.copy("network.json")
        }

        /// A team with the example network in the database.
        static func house() throws -> Team {
            let team = try Team()
            try #require(team.desk.run("init").status == 0)
            try #require(team.desk.run("import", "--cdb", "network.json").status == 0)
            return team
        }

        /// Another machine, with or without the key.
        func machine(withKey: Bool = true) throws -> CommandFixture {
            let other = try CommandFixture()
            other.environment["MESHPLAN_STATE"] = server.address(databaseName)
            try other.copy("house.yaml")
            if withKey {
                let key = try required(desk.read(".meshplan/key"))
                try other.write(String(decoding: key, as: UTF8.self), to: ".meshplan/key")
                let path = other.folder.appendingPathComponent(".meshplan/key").path
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            }
            return other
        }

        var databaseName: String { database.name }

        var name: String { "postgres:///\(databaseName)?host=\(server.folder)" }
    }

    @Test("doctor tells that the table of locks is gone, and init makes it anew")
    func lostLocks() throws {
        let team = try Team.house()
        try #require(team.desk.run("doctor").output.contains("meshplan_locks") == false)
        _ = try team.server.sql("DROP TABLE meshplan_locks", in: team.databaseName)
        let doctor = team.desk.run("doctor")
        #expect(doctor.status == 1)
        #expect(doctor.output.contains("the table meshplan_locks is gone"), "\(doctor.output)")
        #expect(doctor.output.contains("meshplan init --state \(team.name)"))
        #expect(team.desk.run(HistoryCommandTests.apply).status != 0)
        let made = team.desk.run("init")
        #expect(made.status == 0 && made.output.contains("Made the tables"), "\(made.output)")
        #expect(team.desk.run("doctor").output.contains("meshplan_locks") == false)
        #expect(team.desk.run(HistoryCommandTests.apply).status == 0)
    }

    @Test("A backup is made on the machine that changes the database, and opens as a file")
    func backup() throws {
        let team = try Team.house()
        let before = team.desk.run("show").output
        try #require(team.desk.run(HistoryCommandTests.apply).status == 0)
        let folder = team.desk.folder.appendingPathComponent(".meshplan/backups")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 1 && names[0].hasPrefix("house-1-"), "\(names)")
        let other = try CommandFixture()
        let key = try required(team.desk.read(".meshplan/key"))
        try other.write(String(decoding: key, as: UTF8.self), to: ".meshplan/key")
        let target = other.folder.appendingPathComponent(".meshplan")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target.path + "/key")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: target.path)
        try FileManager.default.copyItem(
            at: folder.appendingPathComponent(names[0]),
            to: target.appendingPathComponent("house.meshdb")
        )
        #expect(other.run("show").output == before)
        #expect(other.run("state", "verify").status == 0)
    }

    @Test("From init to an empty plan, and on another machine the plan is empty, too")
    func wholeJob() throws {
        let team = try Team()
        let before = team.desk.run("plan")
        #expect(before.status == 1)
        let initialized = team.desk.run("init")
        #expect(initialized.output.contains("Made the tables of meshplan in \(team.name)"))
        #expect(!team.desk.run("init").output.contains("tables"))
        let imported = team.desk.run("import", "--cdb", "network.json")
        #expect(imported.status == 0, "\(imported)")
        #expect(imported.output.contains("into \(team.name), network house"))
        #expect(team.desk.run("import", "--cdb", "network.json").output.contains("holds this import already"))
        let saved = team.desk.run("plan", "--out", "house.mplan")
        #expect(saved.status == 0)
        let applied = team.desk.run("apply", "house.mplan", "--via", "simulator")
        #expect(applied.status == 0, "\(applied)")
        #expect(team.desk.run("apply", "house.mplan", "--via", "simulator").status == 7)
        #expect(team.desk.run("plan", "--detailed-exitcode").status == 0)
        #expect(team.desk.read(".meshplan/house.meshdb") == nil)

        let laptop = try team.machine()
        #expect(laptop.run("plan", "--detailed-exitcode").status == 0)
        for command in [["show"], ["state", "list"], ["export"], ["drift"], ["init"]] {
            #expect(laptop.run(command).status == team.desk.run(command).status, "\(command)")
        }
        #expect(laptop.run("show").output == team.desk.run("show").output)
    }

    @Test("Commands need few round trips to the server")
    func roundTrips() throws {
        let team = try Team.house()
        try #require(team.desk.run(HistoryCommandTests.apply).status == 0)
        let proxy = try PostgreSQLProxy(of: team.server)
        team.desk.environment["MESHPLAN_STATE"] = team.server.address(team.databaseName, through: proxy.folder)
        /// One for the connection, one for opening, and what else is named.
        func expect(_ further: Int, for command: String...) {
            let before = proxy.turns
            let result = team.desk.run(command)
            #expect(result.status == 0, "\(result)")
            #expect(proxy.turns - before <= 2 + further, "\(command)")
        }
        // One to read everything.
        expect(1, for: "plan")
        expect(1, for: "show")
        // To read everything, the lock, what our own node needs, the sequence numbers, what came with the answers, the
        // end of the lock.
        expect(6, for: "set", "brian", "onoff", "on", "--via", "simulator")
        // The lock with everything, the history's entry, the end of the lock.
        expect(3, for: "apply", "--via", "simulator", "--auto-approve")
    }

    @Test("Of two that apply, one proceeds, and the other is told who does")
    func twoApply() throws {
        let team = try Team.house()
        let laptop = try team.machine()
        var second: CommandFixture.Result?
        team.desk.isTerminal = true
        team.desk.respond = { _ in
            second = laptop.run("apply", "--via", "simulator", "--auto-approve")
            return "yes"
        }
        let first = team.desk.run("apply", "--via", "simulator")
        #expect(first.status == 0, "\(first)")
        #expect(second?.status == 6)
        let error = try #require(second?.error)
        #expect(flat(error).contains("network house: is being changed by tester on bench, process 4711, apply"))
        #expect(flat(error).contains("meshplan state unlock"))
        #expect(laptop.run("plan", "--detailed-exitcode").status == 0)
    }

    @Test("A standby that lacks what was stored last is refused, and continued with once that is accepted")
    func olderStandby() throws {
        let team = try Team.house()
        // What the standby knows: the database as it was, and a lock whose release it did not hear of.
        let locked = """
            UPDATE meshplan_locks SET fence = 8, token = 'x', expires = now() + interval '60 seconds', holder = 'anna',
                host = 'desk', process = 4711, operation = 'apply'
            """
        _ = try team.server.sql(locked, in: team.databaseName)
        let file = String(decoding: try required(team.desk.read("meshplan.lock.yaml")), as: UTF8.self)
        try team.desk.write(file.replacing("serial: 1\n", with: "serial: 40\n"), to: "meshplan.lock.yaml")
        let refused = team.desk.run("plan")
        #expect(refused.status == 7)
        #expect(flat(refused.error).contains("it is at serial 1, but serial 40 exists already"))
        #expect(flat(refused.error).contains("If a standby has taken over, it lacks what was stored last"))
        let waiting = team.desk.run("plan", "--accept-older")
        #expect(waiting.status == 6 && flat(waiting.error).contains("meshplan state unlock 8"), "\(waiting)")
        let unlocked = team.desk.run("state", "unlock", "8", "--auto-approve")
        #expect(unlocked.status == 0, "\(unlocked)")
        let accepted = team.desk.run("plan", "--accept-older")
        #expect(accepted.status == 0, "\(accepted)")
        #expect(flat(accepted.error).contains("at serial 1 instead of the known serial 40"))
        #expect(team.desk.run("plan").status == 0)
    }

    @Test("What a broken run could not store is stored by the next one, which the error tells to begin")
    func spill() throws {
        let team = try Team.house()
        let proxy = try PostgreSQLProxy(of: team.server)
        team.desk.environment["MESHPLAN_STATE"] = team.server.address(team.databaseName, through: proxy.folder)
        proxy.cut(atCommit: 9, .beforeCommit, refusing: .max)
        let broken = team.desk.run("apply", "--via", "simulator", "--auto-approve")
        #expect(proxy.hasCut)
        #expect(broken.status == 4 || broken.status == 1)
        #expect(flat(broken.error).contains("network house: the connection was lost"))
        #expect(flat(broken.error).contains(".meshplan/house.spill"))
        #expect(flat(broken.error).contains("run the same command again"))
        #expect(try team.desk.mode(".meshplan/house.spill") == 0o600)
        // Others must wait until the lock expires. The command that the error suggests works at once.
        let laptop = try team.machine()
        #expect(laptop.run("apply", "--via", "simulator", "--auto-approve").status == 6)
        proxy.mend()
        let next = team.desk.run("apply", "--via", "simulator", "--auto-approve")
        #expect(next.error.contains("The changes that the last run could not store are stored now."))
        #expect(next.status == 0, "\(next)")
        #expect(team.desk.run("plan", "--detailed-exitcode").status == 0)
        #expect(team.desk.run("sim", "status").status == 0)
        #expect(team.desk.read(".meshplan/house.spill") == nil)
    }

    @Test("A machine without the key makes none of its own where there are networks")
    func withoutKey() throws {
        let team = try Team.house()
        let other = try team.machine(withKey: false)
        let result = other.run("init")
        #expect(result.status == 1)
        #expect(flat(result.error).contains("there are databases that it opens: house"))
        #expect(flat(result.error).contains("Have a colleague give you .meshplan/key"))
        #expect(other.read(".meshplan/key") == nil)
    }

    @Test("--state wins over the environment, and must be an address")
    func option() throws {
        let team = try Team.house()
        let other = try CommandFixture()
        try other.write(String(decoding: try required(team.desk.read(".meshplan/key")), as: UTF8.self), to: "key")
        let path = other.folder.appendingPathComponent("key").path
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        other.environment["MESHPLAN_STATE"] = "postgres:///nowhere"
        let address = team.server.address(team.databaseName)
        let shown = other.run("state", "list", "--key-file", "key", "--state", address)
        #expect(shown.status == 0, "\(shown)")
        #expect(shown.output == team.desk.run("state", "list").output)
        let wrong = other.run("show", "--state", "house.meshdb")
        #expect(wrong.status == 64)
        #expect(flat(wrong.error).contains("--state postgres://USER@HOST/DATABASE"))
        #expect(other.run("show", "--state", "postgres://a:s3cret%zz@h/d").status == 64)
        #expect(!other.run("show", "--state", "postgres://a:s3cret%zz@h/d").error.contains("s3cret"))
        let missing = other.run("show", "--network", "other", "--key-file", "key", "--state", address)
        #expect(flat(missing.error).contains("there is no database of the network `other`"))
        #expect(flat(missing.error).contains("There are: house."))
    }

    @Test("No command shows the password in an address")
    func passwords() throws {
        let team = try Team.house()
        let (user, password) = PostgreSQLServer.guarded
        let escaped = password.replacing("%", with: "%25")
        let commands = [
            ["init"], ["plan"], ["show"], ["state", "list"], ["apply", "--via", "simulator", "--auto-approve"],
            ["plan", "--json"], ["import", "--cdb", "network.json"], ["scan", "--via", "simulator"],
        ]
        func check(_ address: String, succeeds: Bool) {
            team.desk.environment["MESHPLAN_STATE"] = address
            for command in commands {
                let result = team.desk.run(command)
                #expect(!(result.output + result.error).contains(password), "\(command)")
                #expect(!(result.output + result.error).contains(escaped), "\(command)")
                if !succeeds { #expect(result.status != 0, "\(command)") }
            }
        }
        let refused = team.server.address(team.databaseName, user: "\(user):\(escaped)")
        check(refused, succeeds: false)
        check(refused.replacing(team.databaseName, with: "nowhere"), succeeds: false)
        check("postgres://\(user):\(escaped)@localhost:1/nowhere", succeeds: false)
        try team.server.sql(
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(user)",
            in: team.databaseName
        )
        check(refused, succeeds: true)
        #expect(team.desk.run("plan", "--detailed-exitcode").status == 0)
    }
}

/// The text without line breaks.
private func flat(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
