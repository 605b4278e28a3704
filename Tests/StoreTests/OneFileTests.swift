import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

/// Who copies the file of a database has the database, whoever else has it open.
@Suite("The file is the database")
struct OneFileTests {
    /// The serial in a copy of the one file, without anything that lies beside it.
    private func serialOfCopy(_ fixture: Fixture) throws -> UInt64 {
        let folder = try TemporaryFolder()
        let copy = folder.file("copy.meshdb")
        try writeFile(copy, try readFile(fixture.path))
        let database = try MeshDatabase.open(at: copy, key: fixture.key)
        #expect(try database.verify().problems.isEmpty)
        return try database.snapshot().serial
    }

    /// Writes the network once more, with another name.
    private func change(_ fixture: Fixture, _ name: String, with lease: WriteLease) throws {
        var changes = StoreChanges()
        var network = fixture.network
        network.name = name
        changes.network = network
        try fixture.database.commit(changes, with: lease)
    }

    @Test("A copy of the file alone has all that a command has stored, though a reader has the database open")
    func reader() throws {
        let fixture = try Fixture()
        let reader = try fixture.reopened()
        let before = try reader.snapshot().serial
        let lease = try fixture.database.lock(holder: holder("apply"))
        try change(fixture, "new", with: lease)
        lease.release()
        #expect(try serialOfCopy(fixture) == before + 1)
        #expect(try reader.snapshot().network.name == "new")
    }

    @Test("A command that goes on for long brings the log into the file as it goes: by time, and by commits")
    func longCommand() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder("watch"))
        defer { lease.release() }
        var time = Duration.zero
        lease.clock = { time }
        try change(fixture, "first", with: lease)
        #expect(try serialOfCopy(fixture) == lease.serial - 1)
        time = .seconds(3600)
        try change(fixture, "second", with: lease)
        #expect(try serialOfCopy(fixture) == lease.serial)
        for number in 1...64 { try change(fixture, "\(number)", with: lease) }
        #expect(try serialOfCopy(fixture) == lease.serial)
    }

    @Test("A reader that stays in the middle of reading is told of, and what was stored is safe in the log")
    func stuckReader() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder("apply"))
        lease.patience = .zero
        var told: [StoreError] = []
        lease.onUnsettled = { told.append($0) }
        let stranger = try SQLiteConnection(fixture.path)
        try stranger.run("BEGIN")
        try stranger.forEachRow(of: "SELECT count(*) FROM rows") { _ in }
        try change(fixture, "new", with: lease)
        lease.release()
        #expect(told.map(\.path) == [fixture.path])
        #expect(told.first?.message.contains("still in the log beside it") == true)
        #expect(try fixture.reopened().snapshot().network.name == "new")
        try stranger.run("COMMIT")
    }

    @Test("Where nothing can be made beside it, the file alone can still be read, whatever its name")
    func unchanging() throws {
        let fixture = try Fixture()
        let folder = try TemporaryFolder()
        let path = folder.file("50% #1?immutable=0.meshdb")
        try fixture.database.pull(to: path)
        let connection = try SQLiteConnection(unchanging: path)
        var count: Int64?
        try connection.forEachRow(of: "SELECT count(*) FROM rows") { count = $0.integer(0) }
        #expect(try #require(count) > 2)
        #expect(throws: SQLiteError.self) { try connection.run("DELETE FROM rows") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["50% #1?immutable=0.meshdb"])
        #expect(SQLiteError(14, systemError: ENOSPC).isOfFullDisk)
        #expect(!SQLiteError(14, systemError: EACCES).isOfFullDisk)
    }
}
