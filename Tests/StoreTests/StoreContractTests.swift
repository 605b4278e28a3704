import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

/// What every store promises, whatever it is made of.
@Suite("The contract of stores", withServer)
struct StoreContractTests {
    enum Kind: CaseIterable, Sendable {
        case file
        case shared
    }

    /// A database of either kind.
    private struct Place {
        let key: DatabaseSecret
        let network: MeshNetwork
        let open: () throws -> MeshDatabase
        let create: (MeshNetwork) throws -> Void
        let name: String
        /// What keeps it.
        let owner: Any

        init(_ kind: Kind, nodes: Int = 3) throws {
            switch kind {
            case .file:
                let fixture = try Fixture(nodes: nodes)
                (key, network, name, owner) = (fixture.key, fixture.network, fixture.path, fixture)
                open = { try fixture.reopened() }
                create = { network in
                    let generator = SplitMix64(seed: 9)
                    _ = try MeshDatabase.create(
                        at: fixture.path,
                        network: network,
                        key: fixture.key,
                        now: now,
                        using: generator
                    )
                }
            case .shared:
                let fixture = try SharedFixture(nodes: nodes)
                (key, network, name, owner) = (fixture.key, fixture.network, fixture.name, fixture)
                open = { try fixture.open() }
                create = { network in
                    let generator = SplitMix64(seed: 9)
                    _ = try MeshDatabase.create(
                        at: try fixture.location(),
                        network: network,
                        key: fixture.key,
                        now: now,
                        using: generator
                    )
                }
            }
        }
    }

    @Test("What was made is what is read", arguments: Kind.allCases)
    func create(_ kind: Kind) throws {
        let place = try Place(kind, nodes: 7)
        let snapshot = try place.open().snapshot()
        #expect(snapshot.network == place.network)
        #expect(snapshot.serial == 1)
        #expect(try place.open().path == place.name)
        let error = storeError { try place.create(place.network) }
        #expect(error?.code == .exists)
        #expect(error?.path == place.name)
    }

    @Test("Another key opens nothing", arguments: Kind.allCases)
    func wrongKey(_ kind: Kind) throws {
        let place = try Place(kind)
        var generator = SplitMix64(seed: 77)
        let other = DatabaseSecret.random(using: &generator)
        let error: StoreError? =
            switch place.owner {
            case let fixture as Fixture: storeError { _ = try MeshDatabase.open(at: fixture.path, key: other) }
            case let fixture as SharedFixture:
                storeError { _ = try MeshDatabase.open(at: try fixture.location(), key: other) }
            default: nil
            }
        #expect(error?.code == .wrongKey)
        #expect(error?.path == place.name)
    }

    @Test("A commit changes what it names, all of it at once, and counts", arguments: Kind.allCases)
    func commit(_ kind: Kind) throws {
        let place = try Place(kind, nodes: 5)
        let database = try place.open()
        let lease = try database.lock(holder: holder())
        var expected = place.network
        expected.nodes[1].name = "another name"
        expected.name = "another network"
        let removed = expected.nodes.remove(at: 3)
        var changes = StoreChanges()
        changes.nodes = [expected.nodes[1]]
        changes.removedNodes = [removed.uuid]
        changes.network = expected
        changes.replay = [
            ReplayProtection.Entry(source: .first, ivIndex: 7, sequence: 9),
            ReplayProtection.Entry(source: .last, ivIndex: 7, sequence: 1),
        ]
        let before = lease.revision
        #expect(try database.commit(changes, with: lease) == 2)
        #expect(lease.revision == before + 1)
        let snapshot = try place.open().snapshot()
        #expect(snapshot.network == expected)
        #expect(snapshot.serial == 2)
        #expect(snapshot.replay.count == 2)
        // Older entries change nothing, and what the lease remembers is what is stored.
        var older = StoreChanges()
        older.replay = [ReplayProtection.Entry(source: .first, ivIndex: 6, sequence: 900)]
        older.network = expected
        #expect(try database.commit(older, with: lease) == 3)
        #expect(try place.open().snapshot().replay == snapshot.replay)
    }

    @Test("A journal resolves what it wrote down", arguments: Kind.allCases)
    func journal(_ kind: Kind) throws {
        let place = try Place(kind)
        let database = try place.open()
        let lease = try database.lock(holder: holder())
        let run = try database.begin(plan: Octets16(high: 1, low: 2), user: "anna", host: "desk", at: now, with: lease)
        var changes = StoreChanges()
        changes.run = run
        changes.intents = (0..<3).map {
            JournalIntent(run: run, subject: .step($0), node: place.network.nodes[0].uuid, action: [UInt8($0)])
        }
        try database.commit(changes, with: lease)
        changes = StoreChanges()
        changes.run = run
        changes.outcomes = [
            JournalOutcome(run: run, subject: .step(0), result: .succeeded),
            JournalOutcome(run: run, subject: .step(1), result: .unknown),
        ]
        try database.commit(changes, with: lease)
        try database.end(run, .partial, at: now, with: lease)
        lease.release()
        let other = try place.open()
        #expect(try other.snapshot().unresolved.map(\.subject) == [.step(1), .step(2)])
        let runs = try other.runs()
        #expect(runs.map(\.outcome) == [.partial])
        #expect(runs.first?.counts.succeeded == 1)
        #expect(try other.hasRun(plan: Octets16(high: 1, low: 2)))
        let again = try other.lock(holder: holder())
        try other.resume(run, with: again)
        #expect(try other.runs().map(\.outcome) == [nil])
    }

    @Test("One writes at a time, and the other is told who", arguments: Kind.allCases)
    func locked(_ kind: Kind) throws {
        let place = try Place(kind)
        let (first, second) = (try place.open(), try place.open())
        let lease = try first.lock(holder: holder("apply"))
        let error = storeError { _ = try second.lock(holder: holder("plan")) }
        #expect(error?.code == .locked)
        #expect(error?.holder == holder("apply"))
        #expect(error?.message == "is being changed by anna on desk, process 4711, apply")
        #expect(error?.path == place.name)
        // Reading waits for nobody.
        #expect(try second.snapshot().serial == 1)
        lease.release()
        #expect(storeError { try first.commit(renaming(place.network, to: "x"), with: lease) }?.code == .notLocked)
        let next = try second.lock(holder: holder("plan"))
        #expect(storeError { try first.commit(renaming(place.network, to: "x"), with: next) }?.code == .notLocked)
        #expect(try second.commit(renaming(place.network, to: "x"), with: next) == 2)
    }

    @Test("A lease is given back with its last reference", arguments: Kind.allCases)
    func scope(_ kind: Kind) throws {
        let place = try Place(kind)
        let database = try place.open()
        do {
            let lease = try database.lock(holder: holder())
            #expect(lease.isHeld)
        }
        #expect(try place.open().lock(holder: holder()).isHeld)
    }

    @Test("Many commits by turns of two writers leave what all of them said", arguments: Kind.allCases)
    func turns(_ kind: Kind) throws {
        let place = try Place(kind, nodes: 6)
        let databases = [try place.open(), try place.open()]
        var expected = place.network
        for round in 0..<12 {
            let database = databases[round % 2]
            let lease = try database.lock(holder: holder())
            let index = round % expected.nodes.count
            expected.nodes[index].name = "name \(round)"
            var changes = StoreChanges()
            changes.nodes = [expected.nodes[index]]
            #expect(try database.commit(changes, with: lease) == UInt64(round) + 2)
            lease.release()
        }
        for database in databases { #expect(try database.snapshot().network == expected) }
    }

    @Test("Key slots of a shared store are replaced whole, under the lock and at the revision only")
    func replaced() throws {
        let fixture = try SharedFixture(nodes: 4)
        let store = try PostgreSQLRowStore(
            opening: "house",
            in: try fixture.store(),
            localPath: fixture.folder.file("laptop")
        )
        let header = try store.rows(named: []).header
        let manifest = try #require(try store.rows(named: [Manifest.name]).rows.first)
        let slots = try store.keySlots()
        let two = slots + [KeySlot(kind: 9, parameters: [1, 2], wrapped: [3])]
        let other = try SharedFixture(nodes: 1)
        let foreign = try PostgreSQLRowStore(
            opening: "house",
            in: try other.store(),
            localPath: other.folder.file("laptop")
        ).lock(holder()) { [2] }
        func replace(_ expected: StoreHeader, under lock: any StoreLock) -> StoreError? {
            storeError {
                try store.commit(
                    RowChanges(puts: [manifest], slots: two),
                    expecting: expected,
                    revision: 2,
                    under: lock
                )
            }
        }
        #expect(replace(header, under: foreign)?.code == .notLocked)
        let lock = try store.lock(holder()) { [1] }
        #expect(replace(StoreHeader(lineage: header.lineage, revision: 7), under: lock)?.code == .stale)
        #expect(try store.keySlots() == slots)
        #expect(replace(header, under: lock) == nil)
        #expect(try store.keySlots() == two)
        #expect(try store.rows(named: []).header.revision == 2)
        lock.release()
        foreign.release()
    }

    @Test("Saved plans open with the database that sealed them", arguments: Kind.allCases)
    func sealed(_ kind: Kind) throws {
        let place = try Place(kind)
        let sealed = try place.open().seal([1, 2, 3], purpose: "plan")
        #expect(try place.open().unseal(sealed, purpose: "plan") == [1, 2, 3])
    }
}

/// What somebody with an SQL shell but without the key can do to a shared database.
@Suite("Tampering with a shared database", withServer)
struct SharedTamperingTests {
    @Test(
        "Whatever is changed, moved, removed or put back is found",
        arguments: [
            "UPDATE meshplan_rows SET body = set_byte(body, 40, get_byte(body, 40) # 1) WHERE kind = 3",
            "UPDATE meshplan_rows SET body = '' WHERE kind = 3",
            "UPDATE meshplan_rows SET kind = 99 WHERE kind = 2",
            "UPDATE meshplan_rows SET kind = -1 WHERE kind = 2",
            "UPDATE meshplan_rows SET revision = -1 WHERE kind = 1",
            "UPDATE meshplan_rows SET revision = 2 WHERE kind = 3",
            "DELETE FROM meshplan_rows WHERE kind = 1",
            "DELETE FROM meshplan_rows WHERE kind = 2",
            "DELETE FROM meshplan_rows WHERE kind = 3 AND key = (SELECT key FROM meshplan_rows WHERE kind = 3 LIMIT 1)",
            "INSERT INTO meshplan_rows SELECT lineage, 4, '\\x0000', 1, '\\x00' FROM meshplan_networks",
            "UPDATE meshplan_networks SET revision = 5",
            "ALTER TABLE meshplan_rows ALTER COLUMN kind TYPE integer",
            "UPDATE meshplan_key_slots SET wrapped = '\\x00'",
            "UPDATE meshplan_networks SET lineage = '\\x00112233445566778899aabbccddeeff'",
            "UPDATE meshplan_networks SET lineage = '\\x00'",
        ]
    )
    func found(_ sql: String) throws {
        let fixture = try SharedFixture()
        try fixture.sql(sql)
        let error = storeError { _ = try fixture.open().snapshot() }
        #expect(error?.code == .damaged || error?.code == .wrongKey, "\(String(describing: error))")
        #expect(error?.path == fixture.name)
        #expect(error?.hint != nil)
    }

    @Test("Nothing that is stored can be read by who runs the server")
    func nothingInClear() throws {
        let fixture = try SharedFixture()
        let dump = try fixture.sql("SELECT encode(body, 'hex') FROM meshplan_rows")
        let key = fixture.network.netKeys[0].key.octets.bytes
        for secret in [key, Array("node-1".utf8), Array("primary".utf8)] {
            #expect(!dump.contains(Hexadecimal.encode(secret)))
        }
    }
}
