import DefinitionModel
import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan.lock.yaml")
struct LockFileTests {
    static let database = ".meshplan/house.meshdb"

    func lock(_ fixture: CommandFixture) -> String {
        String(decoding: fixture.read("meshplan.lock.yaml") ?? [], as: UTF8.self)
    }

    func serial(_ fixture: CommandFixture) throws -> Int {
        let line = try #require(lock(fixture).split(separator: "\n").first { $0.contains("serial:") })
        return try #require(Int(line.split(separator: " ").last ?? ""))
    }

    /// All files of the database, as `cp -a` keeps them. A closed database has no log.
    func copy(_ fixture: CommandFixture) -> [String: [UInt8]?] {
        Dictionary(
            uniqueKeysWithValues: ["", "-wal", "-shm", ".sequence", ".newest"].map {
                (Self.database + $0, fixture.read(Self.database + $0))
            }
        )
    }

    func restore(_ copy: [String: [UInt8]?], _ fixture: CommandFixture) throws {
        for (name, bytes) in copy where bytes != nil || fixture.read(name) != nil { try fixture.put(bytes, to: name) }
    }

    func apply(_ fixture: CommandFixture, _ arguments: String...) -> CommandFixture.Result {
        fixture.run(["apply", "--via", "simulator", "--auto-approve"] + arguments)
    }

    @Test("appears with the database, follows every change of the state, and is no definition")
    func follows() throws {
        let fixture = try CommandFixture.house()
        let first = lock(fixture)
        #expect(first.contains("  house:\n    lineage: "))
        #expect(try serial(fixture) == 1)
        #expect(fixture.run("plan").status == 0)
        #expect(fixture.run("state", "list").status == 0)
        #expect(lock(fixture) == first, "what only looks changes nothing")
        #expect(fixture.run("validate").status == 0)
        #expect(apply(fixture).status == 0)
        #expect(try serial(fixture) > 1)
        let applied = lock(fixture)
        #expect(apply(fixture).status == 0, "nothing to do")
        #expect(lock(fixture) == applied)
        let modes = try #require(try fixture.mode("meshplan.lock.yaml"))
        #expect(modes & 0o444 == 0o444)
        #expect(!String(decoding: fixture.read(".gitignore") ?? [], as: UTF8.self).contains("lock"))
    }

    @Test("appears with the next init or import where the first one was cut short before it")
    func afterTheDatabase() throws {
        let made = try CommandFixture()
        try #require(made.run("init", "--network", "house").status == 0)
        let imported = try CommandFixture.house()
        for (fixture, command) in [
            (made, ["init", "--network", "house"]), (imported, ["import", "--cdb", "network.json"]),
        ] {
            let before = lock(fixture)
            try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent("meshplan.lock.yaml"))
            let again = fixture.run(command)
            #expect(again.status == 0, "\(again.output)\(again.error)")
            #expect(!before.isEmpty && lock(fixture) == before)
        }
    }

    @Test("an older copy of the database is refused, with what happened and how to go on")
    func olderCopy() throws {
        let fixture = try CommandFixture.house()
        let old = copy(fixture)
        #expect(apply(fixture).status == 0)
        let after = lock(fixture)
        try restore(old, fixture)
        for command in [
            ["plan"], ["state", "list"], ["show"], ["apply", "--via", "simulator"], ["state", "key", "rotate"],
        ] {
            let refused = fixture.run(command)
            #expect(refused.status == 7, "\(command): \(refused.error)")
            #expect(refused.error.contains("is older than meshplan.lock.yaml says: it is at serial 1, but serial "))
            #expect(refused.error.contains("--accept-older"))
        }
        #expect(lock(fixture) == after)
        try FileManager.default.createDirectory(
            at: fixture.folder.appendingPathComponent(".meshplan/backups"),
            withIntermediateDirectories: true
        )
        #expect(fixture.run("plan").error.contains("or in .meshplan/backups"))
    }

    @Test("an older copy that is accepted takes a serial of its own and uses no sequence number again")
    func accepted() throws {
        let fixture = try CommandFixture.house()
        #expect(apply(fixture).status == 0)
        // The simulator remembers the sequence numbers that it has seen, and reports repeated ones.
        let old = copy(fixture)
        let early = try serial(fixture)
        let yaml = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        try fixture.write(
            yaml.replacing("address: 0x0002, ttl: 3 }", with: "address: 0x0002, ttl: 9 }"),
            to: "house.yaml"
        )
        #expect(apply(fixture).status == 0)
        let later = try serial(fixture)
        try restore(old, fixture)
        let accepted = fixture.run("plan", "--accept-older")
        #expect(accepted.status == 0, "\(accepted.error)")
        #expect(
            accepted.error.contains(
                "Accepted .meshplan/house.meshdb at serial \(early) instead of the known serial \(later)"
            )
        )
        #expect(try serial(fixture) == later + 1)
        let quiet = fixture.run("plan", "--accept-older")
        #expect(quiet.status == 0 && quiet.error.isEmpty, "a second time there is nothing to accept")
        #expect(try serial(fixture) == later + 1)
        let again = apply(fixture)
        #expect(again.status == 0, "\(again.error)")
        #expect(!again.error.contains("violation"))
        let numbers = String(decoding: try #require(fixture.read(Self.database + ".sequence")), as: UTF8.self)
        let limits = numbers.split(separator: "\n").dropFirst().dropLast().compactMap { line in
            line.split(separator: " ").dropFirst(2).first.flatMap { Int($0) }
        }
        #expect(!limits.isEmpty && limits.allSatisfy { $0 > 65_536 }, "\(numbers)")
    }

    @Test("a copy that went another way is refused even at the same serial, and so is another database")
    func forks() throws {
        let fixture = try CommandFixture.house()
        let old = copy(fixture)
        let oldLock = lock(fixture)
        #expect(apply(fixture).status == 0)
        let (ours, oursLock) = (copy(fixture), lock(fixture))
        // Somebody else begins with the same copy and the lock file of that time, and does the same.
        try restore(old, fixture)
        try fixture.write(oldLock, to: "meshplan.lock.yaml")
        try fixture.put(nil, to: ".meshplan/house.simulator")
        #expect(apply(fixture).status == 0)
        let theirs = try serial(fixture)
        try fixture.write(oursLock, to: "meshplan.lock.yaml")
        let forked = fixture.run("plan")
        if theirs == (try serial(fixture)) {
            #expect(
                forked.status == 7 && forked.error.contains("were changed separately"),
                "\(forked.error)"
            )
        }
        // A second import of the same network creates another database.
        try restore(ours, fixture)
        #expect(fixture.run("plan").status == 0)
        try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent(Self.database))
        let refused = fixture.run("import", "--cdb", "network.json")
        #expect(refused.status == 7, "\(refused.error)")
        #expect(refused.error.contains("knows a database of the network `house` already"))
        #expect(fixture.read(Self.database) == nil)
        let imported = fixture.run("import", "--cdb", "network.json", "--accept-older")
        #expect(imported.status == 0, "\(imported.error)")
        #expect(fixture.run("plan").status == 0)
        try fixture.write(oursLock, to: "meshplan.lock.yaml")
        let other = fixture.run("plan")
        #expect(other.status == 7 && other.error.contains("is not the database in meshplan.lock.yaml"))
        #expect(fixture.run("plan", "--accept-older").status == 0)
        #expect(fixture.run("plan").status == 0)
    }

    @Test("a database that is newer than the file is fine, and the next change brings the file up to date")
    func newer() throws {
        let fixture = try CommandFixture.house()
        let early = lock(fixture)
        #expect(apply(fixture).status == 0)
        let late = lock(fixture)
        try fixture.write(early, to: "meshplan.lock.yaml")
        #expect(fixture.run("plan").status == 0)
        #expect(lock(fixture) == early)
        #expect(apply(fixture).status == 0)
        #expect(lock(fixture) == late)
        try fixture.put(nil, to: "meshplan.lock.yaml")
        #expect(fixture.run("plan").status == 0)
        #expect(apply(fixture).status == 0)
        #expect(lock(fixture) == late)
    }

    @Test("a damaged file, or one in the middle of a merge, stops everything with its place")
    func damaged() throws {
        let fixture = try CommandFixture.house()
        let whole = lock(fixture)
        try fixture.write("<<<<<<< HEAD\n\(whole)=======\n>>>>>>> theirs\n", to: "meshplan.lock.yaml")
        let merge = fixture.run("plan")
        #expect(
            merge.status == 65
                && merge.error.contains("meshplan.lock.yaml:1:1: error: this file holds both sides of a merge"),
            "\(merge.error)"
        )
        try fixture.write(whole.replacing("serial: 1", with: "serial: one"), to: "meshplan.lock.yaml")
        let typo = fixture.run("plan")
        #expect(typo.status == 65 && typo.error.contains("meshplan.lock.yaml:7:"), "\(typo.error)")
    }

    @Test("a file that cannot be written is a warning: the work is done, and the database is ahead")
    func unwritable() throws {
        let fixture = try CommandFixture.house()
        let before = lock(fixture)
        // Even root cannot replace a file if a folder has the name of the temporary file.
        let temporary = "meshplan.lock.yaml.meshplan-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(
            at: fixture.folder.appendingPathComponent(temporary),
            withIntermediateDirectories: true
        )
        let applied = apply(fixture)
        #expect(applied.status == 0)
        #expect(
            applied.error.contains("Warning: meshplan.lock.yaml could not be updated"),
            "\(applied.error)"
        )
        #expect(lock(fixture) == before)
        try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent(temporary))
        #expect(apply(fixture).status == 0)
        #expect(lock(fixture) != before)
    }
}
