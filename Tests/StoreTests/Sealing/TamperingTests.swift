import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

/// What somebody with a SQLite shell but without the key can do.
@Suite("Tampering")
struct TamperingTests {
    /// The first row of a kind: kind, key, revision and body.
    func firstRow(_ fixture: Fixture, kind: RowKind) throws -> [SQLiteValue] {
        var first: [SQLiteValue] = []
        let query = "SELECT kind, key, revision, body FROM rows WHERE kind = ? ORDER BY key LIMIT 1"
        try SQLiteConnection(fixture.path).forEachRow(of: query, [.integer(Int64(kind.rawValue))]) { row in
            first = [
                .integer(try required(row.integer(0))), .octets(try required(row.octets(1))),
                .integer(try required(row.integer(2))), .octets(try required(row.octets(3))),
            ]
        }
        #expect(first.count == 4)
        return first
    }

    func snapshotError(_ fixture: Fixture) -> StoreError? {
        storeError { _ = try fixture.reopened().snapshot() }
    }

    @Test("A changed body is found, and the message says whose it is")
    func changedBody() throws {
        let fixture = try Fixture()
        let key = SQLiteValue.octets(Array(fixture.network.nodes[1].uuid.rawValue.bytes))
        try execute(
            fixture,
            "UPDATE rows SET body = CAST(substr(body, 1, 40) || x'00' || substr(body, 42) AS BLOB) WHERE kind = 3 AND key = ?",
            [key]
        )
        let error = snapshotError(fixture)
        #expect(error?.code == .damaged)
        #expect(error?.message == "the row of node \(fixture.network.nodes[1].uuid) is damaged")
    }

    @Test(
        "Rows that were swapped, moved, removed, cut or relabelled are found",
        arguments: [
            "UPDATE rows SET body = (SELECT body FROM rows WHERE kind = 3 ORDER BY key LIMIT 1) WHERE kind = 3",
            "UPDATE rows SET key = x'00000000000000000000000000000000' WHERE rowid IS NULL OR key = (SELECT max(key) FROM rows WHERE kind = 3)",
            "DELETE FROM rows WHERE kind = 3 AND key = (SELECT max(key) FROM rows WHERE kind = 3)",
            "DELETE FROM rows WHERE kind = 2",
            "DELETE FROM rows WHERE kind = 1",
            "DELETE FROM rows WHERE kind = 9",
            "DELETE FROM rows WHERE kind = 11 AND key = (SELECT max(key) FROM rows WHERE kind = 11)",
            "DELETE FROM rows WHERE kind = 12",
            "UPDATE rows SET kind = 11 WHERE key = (SELECT max(key) FROM rows WHERE kind = 3)",
            "UPDATE rows SET body = (SELECT body FROM rows WHERE kind = 11 ORDER BY key LIMIT 1) WHERE kind = 11",
            "UPDATE rows SET key = x'0000000000000009' WHERE kind = 12 AND key = x'0000000000000001'",
            "UPDATE rows SET body = x'' WHERE kind = 3",
            "UPDATE rows SET body = 'text' WHERE kind = 2",
            "UPDATE rows SET kind = 99 WHERE kind = 2",
            "UPDATE rows SET revision = 2 WHERE kind = 3",
            "UPDATE rows SET revision = -1 WHERE kind = 1",
            "UPDATE rows SET revision = 'x' WHERE kind = 1",
            "UPDATE header SET revision = 5",
            "DELETE FROM header",
            "DROP TABLE rows",
            "INSERT INTO rows VALUES (4, x'0000', 1, x'00')",
        ].map { $0.replacing("rowid IS NULL OR ", with: "") }
    )
    func manipulation(_ sql: String) throws {
        let fixture = try Fixture(nodes: 3)
        try execute(fixture, sql)
        let error = snapshotError(fixture)
        #expect(error?.code == .damaged, "\(sql)")
        #expect(error?.hint != nil)
    }

    @Test("A row replaced by its own older copy is found")
    func rollback() throws {
        let fixture = try Fixture()
        let old = try firstRow(fixture, kind: .node)
        let lease = try fixture.database.lock(holder: holder())
        var changes = StoreChanges()
        changes.nodes = fixture.network.nodes
        try fixture.database.commit(changes, with: lease)
        _ = try fixture.database.snapshot()
        try execute(
            fixture,
            "INSERT OR REPLACE INTO rows (kind, key, revision, body) VALUES (?, ?, ?, ?)",
            old
        )
        let error = snapshotError(fixture)
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("replaced by older ones") == true)
    }

    @Test("A pending provisioning that was brought back after it was settled is found, and so is its older copy")
    func pendingRollback() throws {
        let fixture = try Fixture()
        let old = try firstRow(fixture, kind: .pendingProvisioning)
        let restore = "INSERT OR REPLACE INTO rows (kind, key, revision, body) VALUES (?, ?, ?, ?)"
        let lease = try fixture.database.lock(holder: holder())
        var changes = StoreChanges()
        changes.pendingProvisionings = [fixture.network.pendingProvisionings[0]]
        try fixture.database.commit(changes, with: lease)
        try execute(fixture, restore, old)
        #expect(snapshotError(fixture)?.message.contains("replaced by older ones") == true)

        let settled = try Fixture()
        let second = try settled.database.lock(holder: holder())
        var removal = StoreChanges()
        removal.removedPendingProvisionings = [settled.network.pendingProvisionings[0].uuid]
        try settled.database.commit(removal, with: second)
        #expect(try settled.reopened().snapshot().network.pendingProvisionings.count == 1)
        try execute(settled, restore, old)
        #expect(snapshotError(settled)?.code == .damaged)
    }

    @Test("Another lineage or another slot opens nothing")
    func header() throws {
        let fixture = try Fixture()
        try execute(fixture, "UPDATE header SET lineage = x'00000000000000000000000000000000'")
        #expect(storeError { _ = try fixture.reopened() }?.code == .wrongKey)
        let other = try Fixture(seed: 3)
        try execute(other, "UPDATE keySlots SET wrapped = x'00'")
        #expect(storeError { _ = try other.reopened() }?.code == .wrongKey)
        let third = try Fixture(seed: 4)
        try execute(third, "INSERT INTO keySlots VALUES (-1, 9, x'', x'00')")
        #expect(try third.reopened().snapshot().network == third.network)
    }

    @Test("A file cut short or overwritten in places ends in an error, never a crash or a wrong network")
    func destroyedFile() throws {
        let fixture = try Fixture(nodes: 60)
        let bytes = try readFile(fixture.path)
        #expect(bytes.count > 20_000)
        var generator = SplitMix64(seed: 21)
        let folder = try TemporaryFolder()
        for round in 0..<60 {
            var changed = bytes
            if round % 3 == 0 {
                changed = Array(bytes[..<Int.random(in: 0..<bytes.count, using: &generator)])
            } else {
                let start = Int.random(in: 100..<bytes.count - 300, using: &generator)
                for index in start..<start + 300 { changed[index] = UInt8.random(in: 0...255, using: &generator) }
            }
            let path = folder.file("db\(round)")
            try writeFile(path, changed)
            do throws(StoreError) {
                let snapshot = try MeshDatabase.open(at: path, key: fixture.key).snapshot()
                #expect(snapshot.network == fixture.network)
            } catch {
                #expect([.damaged, .notADatabase, .wrongKey, .newerFormat].contains(error.code), "\(error)")
            }
        }
    }
}
