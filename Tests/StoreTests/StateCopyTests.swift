import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("copies of mesh databases, differences of states, and verification")
struct StateCopyTests {
    private func database(_ folder: TemporaryFolder, _ name: String = "a.meshdb", nodes: Int = 3) throws -> MeshDatabase
    {
        try MeshDatabase.create(
            at: folder.file(name),
            network: try richNetwork(nodes: nodes),
            key: try required(DatabaseSecret(secret: Array(repeating: 7, count: 32))),
            now: now,
            using: SystemRandomNumberGenerator()
        )
    }

    private func open(_ path: String) throws -> MeshDatabase {
        try MeshDatabase.open(at: path, key: try required(DatabaseSecret(secret: Array(repeating: 7, count: 32))))
    }

    @Test("a copy has the same lineage, serial and contents, is for the owner alone, and replaces nothing")
    func copies() throws {
        let folder = try TemporaryFolder()
        let original = try database(folder)
        try original.pull(to: folder.file("copy"))
        #expect(try mode(folder.file("copy")) == 0o600)
        let copy = try open(folder.file("copy"))
        #expect(try copy.snapshot() == original.snapshot())
        #expect(try copy.verify().problems.isEmpty)
        #expect(storeError { try original.pull(to: folder.file("copy")) }?.code == .exists)
    }

    @Test("the difference of two states makes one the other, and keeps retired nodes")
    func differences() throws {
        let folder = try TemporaryFolder()
        let database = try database(folder)
        let lease = try database.lock(holder: holder())
        let old = try database.snapshot().network
        var new = old
        new.nodes[0].name = "renamed"
        let removed = try #require(new.nodes.last?.uuid)
        new.retire(removed, reason: .excluded, at: now)
        new.groups.removeLast()
        let serial = try database.commit(StoreChanges(from: old, to: new), with: lease)
        #expect(try database.snapshot().network == new)
        #expect(serial == 2)
        #expect(StoreChanges(from: new, to: new).isEmpty)
        try database.commit(StoreChanges(from: new, to: old), with: lease)
        var back = old
        back.retiredNodes = new.retiredNodes
        #expect(try database.snapshot().network == back)
    }

    @Test("what another copy has reserved is never used again, and the serial rises above both")
    func takesOver() throws {
        let folder = try TemporaryFolder()
        let original = try database(folder)
        try original.pull(to: folder.file("copy"))
        let source = try required(UnicastAddress(rawValue: 1))
        let ivIndex = try original.snapshot().network.ivIndex.transmitValue
        let copy = try open(folder.file("copy"))
        do {
            let lease = try copy.lock(holder: holder())
            for _ in 0..<3 { try rename(copy, lease) }
            let numbers = try copy.sequenceNumbers(with: lease, blockSize: 100)
            #expect(try numbers.next(for: source, ivIndex: ivIndex) == 0)
        }
        let lease = try original.lock(holder: holder())
        let serial = try original.takeOver(copy, with: lease)
        #expect(serial == 5)
        #expect(try original.snapshot().network == copy.snapshot().network)
        let numbers = try original.sequenceNumbers(with: lease, blockSize: 100)
        #expect(try numbers.next(for: source, ivIndex: ivIndex) >= 100 + DurableSequenceNumbers.skippedAfterRestore)
    }

    private func rename(_ database: MeshDatabase, _ lease: WriteLease) throws {
        let old = try database.snapshot().network
        var new = old
        new.nodes[0].name += "x"
        try database.commit(StoreChanges(from: old, to: new), with: lease)
    }

    @Test("verification goes on where something is damaged and names each of it")
    func verifies() throws {
        let folder = try TemporaryFolder()
        let database = try database(folder, nodes: 5)
        let whole = try database.verify()
        #expect(whole.problems.isEmpty && whole.serial == 1)
        #expect(whole.rows.contains { $0 == ("node", 5) })
        let store = try required(database.store as? SQLiteRowStore)
        var nodes: [StoredRow] = []
        let header = try store.scan { row throws(StoreError) in if row.name.kind == .node { nodes.append(row) } }
        for place in 0..<2 { nodes[place].body[20] ^= 1 }
        let lock = try store.lock(holder()) { [] }
        func commit(_ changes: RowChanges) throws {
            try store.commit(changes, expecting: header, revision: header.revision, under: lock)
        }
        try commit(RowChanges(puts: Array(nodes.prefix(2))))
        let damaged = try database.verify()
        #expect(damaged.problems.map(\.code) == [.damaged, .damaged])
        #expect(damaged.problems.allSatisfy { $0.message.contains("the row of node") })
        try commit(RowChanges(puts: [], deletes: [nodes[4].name]))
        #expect(try database.verify().problems.last?.message.contains("the set of rows") == true)
    }
}
