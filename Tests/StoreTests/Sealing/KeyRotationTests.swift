import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("Rotation of the data key")
struct KeyRotationTests {
    @Test("Everything is sealed anew; slots stay whose secret is at hand, and the others go")
    func rotation() throws {
        let fixture = try Fixture(nodes: 40)
        let database = fixture.database
        let lease = try database.lock(holder: holder())
        _ = try database.sequenceNumbers(with: lease, blockSize: 16).next(for: .first, ivIndex: 1)
        var changes = StoreChanges()
        changes.replay = [ReplayProtection.Entry(source: .last, ivIndex: 1, sequence: 2)]
        changes.nodes = [fixture.network.nodes[3]]
        try database.commit(changes, with: lease)
        try database.addKeySlot(for: passphrase(), label: "Anna", cost: cheap, now: now, with: lease)
        try database.addKeySlot(for: printed(), label: "vault", cost: cheap, now: now, with: lease)
        let slots = try database.keySlots()
        let before = (snapshot: try database.snapshot(), version: try database.version(), extras: try database.extras())
        let plan = try database.seal([1, 2, 3], purpose: "plan")
        let old = database.opener.dataKey
        let bodies = try database.store.rows(named: [RowName(.network), RowName(fixture.network.nodes[0])]).rows.map(
            \.body
        )

        #expect(try database.keySlots(closedTo: [passphrase()]) == [slots[2]])
        let removed = try database.rotate(keeping: [passphrase()], cost: Scrypt.Cost(logN: 5, r: 1, p: 1), with: lease)
        #expect(removed == [slots[2]])
        #expect(database.opener.dataKey != old)
        var kept = Array(slots[..<2])
        kept[1].cost = Scrypt.Cost(logN: 5, r: 1, p: 1)
        #expect(try database.keySlots() == kept)
        for key in [fixture.key, try passphrase()] {
            let reopened = try MeshDatabase.open(at: fixture.path, key: key)
            #expect(try reopened.snapshot() == before.snapshot)
            #expect(try reopened.version() == before.version, "a new data key is no new state")
            #expect(try reopened.extras() == before.extras)
        }
        #expect(storeError { _ = try MeshDatabase.open(at: fixture.path, key: printed()) }?.code == .wrongKey)

        // Nothing that the old data key opens is left on the disk.
        let files = Data(try readFile(fixture.path) + ((try? readFile(fixture.path + "-wal")) ?? []))
        for body in bodies { #expect(files.range(of: Data(body.suffix(40))) == nil) }
        let cipher = try RowCipher(dataKey: old, lineage: before.snapshot.lineage)
        #expect(try database.store.rows(named: [RowName(.network)]).rows.allSatisfy { cipher.open($0) == nil })

        // A plan from before says what happened to it.
        let error = storeError { _ = try database.unseal(plan, purpose: "plan") }
        #expect(error?.code == .wrongKey)
        #expect(error?.message.contains("before the data key of this one was changed") == true)

        // The lease and the sequence numbers go on.
        changes.nodes[0].name = "renamed"
        #expect(try database.commit(changes, with: lease) == before.version.serial + 1)
        #expect(try fixture.reopened().snapshot().network.nodes[3].name == "renamed")
        #expect(try database.sequenceNumbers(with: lease, blockSize: 16).next(for: .first, ivIndex: 1) == 16)
    }

    @Test("Rotating twice removes what the first data key had wrapped, even if somebody puts it back")
    func replayedSlot() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        try fixture.database.addKeySlot(for: printed(), label: "", cost: cheap, now: now, with: lease)
        let old = try fixture.database.store.keySlots()[1]
        _ = try fixture.database.rotate(keeping: [], cost: cheap, with: lease)
        try execute(
            fixture,
            "INSERT INTO keySlots VALUES (7, ?, ?, ?)",
            [.integer(Int64(old.kind)), .octets(old.parameters), .octets(old.wrapped)]
        )
        let error = storeError { _ = try MeshDatabase.open(at: fixture.path, key: printed()).snapshot() }
        #expect(error?.code == .damaged)
        #expect(try fixture.reopened().snapshot().network == fixture.network)
        // Its owner is not let in by the next rotation either.
        let removed = try fixture.database.rotate(keeping: [printed()], cost: cheap, with: lease)
        #expect(removed.count == 1)
    }

    @Test("A crash at any moment of writing leaves the old seal or the new one, whole")
    func crash() throws {
        let fixture = try Fixture(nodes: 8)
        let lease = try fixture.database.lock(holder: holder())
        try fixture.database.addKeySlot(for: passphrase(), label: "", cost: cheap, now: now, with: lease)
        // A reader keeps the log from being emptied, as the process that crashes would have.
        let reader = try SQLiteConnection(fixture.path)
        try reader.run("BEGIN; SELECT * FROM header")
        let before = try readFile(fixture.path + "-wal").count
        let removed = try fixture.database.rotate(keeping: [], cost: cheap, with: lease)
        #expect(removed.count == 1)
        let main = try readFile(fixture.path)
        let log = try readFile(fixture.path + "-wal")
        #expect(log.count > before + 8192)
        var isNew: [Bool] = []
        for length in stride(from: 0, through: log.count, by: 1021) + [log.count] {
            let folder = try TemporaryFolder()
            try writeFile(folder.file("house.meshdb"), main)
            try writeFile(folder.file("house.meshdb-wal"), Array(log[..<length]))
            let database = try MeshDatabase.open(at: folder.file("house.meshdb"), key: fixture.key)
            #expect(try database.snapshot().network == fixture.network, "cut at \(length)")
            isNew.append(database.opener.dataKey == fixture.database.opener.dataKey)
        }
        #expect(isNew.last == true && isNew.first == false)
        #expect(isNew == isNew.sorted { !$0 && $1 })
        try reader.run("ROLLBACK")
    }

    @Test("A rotation that fails after it has replaced every row has changed nothing")
    func failure() throws {
        let fixture = try Fixture(nodes: 60)
        let lease = try fixture.database.lock(holder: holder())
        let slots = try fixture.database.keySlots()
        // Slots are written last.
        try execute(fixture, "CREATE TRIGGER full BEFORE INSERT ON keySlots BEGIN SELECT RAISE(ABORT, 'no room'); END")
        #expect(storeError { _ = try fixture.database.rotate(keeping: [], cost: cheap, with: lease) } != nil)
        #expect(
            storeError {
                try fixture.database.addKeySlot(for: passphrase(), label: "", cost: cheap, now: now, with: lease)
            } != nil
        )
        try execute(fixture, "DROP TRIGGER full")
        #expect(try fixture.database.keySlots() == slots)
        #expect(try fixture.database.snapshot().network == fixture.network)
        #expect(try fixture.reopened().snapshot().network == fixture.network)
        #expect(try fixture.database.rotate(keeping: [], cost: cheap, with: lease).isEmpty)
        #expect(try fixture.reopened().snapshot().network == fixture.network)
    }
}
