import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

/// Readers get the data key and the rows of one moment, whatever happens to the database meanwhile.
@Suite("Readers see one moment")
struct ReaderMomentTests {
    private func rotate(_ database: MeshDatabase) throws {
        let lease = try database.lock(holder: holder("state key rotate"))
        _ = try database.rotate(keeping: [], with: lease)
        lease.release()
    }

    @Test("Who has opened a database before it got another data key reads on, and takes nothing for damaged")
    func rotation() throws {
        let fixture = try Fixture()
        let readers = try (0..<4).map { _ in try fixture.reopened() }
        try rotate(fixture.database)
        #expect(try readers[0].snapshot().network == fixture.network)
        #expect(try readers[1].verify().problems.isEmpty)
        #expect(try readers[2].summary().nodes == fixture.network.nodes.count)
        try readers[3].pull(to: fixture.folder.file("copy.meshdb"))
        let copy = try MeshDatabase.open(at: fixture.folder.file("copy.meshdb"), key: fixture.key)
        #expect(try copy.verify().problems.isEmpty)
        try rotate(readers[0])
        #expect(try fixture.database.version().serial == readers[1].version().serial)
    }

    @Test("Who has opened it with a key that opens it no more is told of that, not of damage")
    func closed() throws {
        let fixture = try Fixture()
        var generator = SplitMix64(seed: 9)
        let spare = DatabaseSecret.random(using: &generator)
        let lease = try fixture.database.lock(holder: holder("state key add"))
        try fixture.database.addKeySlot(for: spare, label: "spare", now: now, with: lease)
        lease.release()
        let reader = try MeshDatabase.open(at: fixture.path, key: spare)
        try rotate(fixture.database)
        for error in [
            storeError { _ = try reader.snapshot() }, storeError { _ = try reader.version() },
            storeError { _ = try reader.verify() },
        ] {
            #expect(error?.code == .stale)
            #expect(error?.message == "was given other keys in the meantime")
        }
    }

    @Test("A copy that takes the place of the file is read by those who have the old one open, and not written to")
    func replaced() throws {
        let fixture = try Fixture()
        let copy = fixture.folder.file("copy.meshdb")
        try fixture.database.pull(to: copy)
        let lease = try fixture.database.lock(holder: holder("apply"))
        var changes = StoreChanges()
        changes.network = fixture.network
        try fixture.database.commit(changes, with: lease)
        let later = try fixture.database.version().serial
        let reader = try fixture.reopened()
        // The log goes with its file: SQLite would take it for that of the copy.
        for file in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: fixture.path + file) }
        try FileManager.default.moveItem(atPath: copy, toPath: fixture.path)
        #expect(try reader.version().serial == later - 1)
        #expect(storeError { try fixture.database.commit(changes, with: lease) }?.code == .stale)
        #expect(storeError { _ = try fixture.database.version() }?.code == .stale)
        lease.release()
        #expect(try fixture.database.version().serial == later - 1)
        #expect(try fixture.reopened().version().serial == later - 1)
    }

    @Test("Another database in its place is refused, and so is none")
    func other() throws {
        let fixture = try Fixture()
        let other = try Fixture(seed: 2)
        _ = try fixture.database.version()
        try FileManager.default.removeItem(atPath: fixture.path)
        #expect(storeError { _ = try fixture.database.version() }?.code == .stale)
        try FileManager.default.copyItem(atPath: other.path, toPath: fixture.path)
        let error = storeError { _ = try fixture.database.version() }
        #expect(error?.code == .stale && error?.message.contains("another database") == true)
    }
}
