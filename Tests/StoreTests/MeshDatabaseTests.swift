import Foundation
import MeshCore
import Store
import TestSupport
import Testing

import let Basics.programVersion

@Suite("MeshDatabase")
struct MeshDatabaseTests {
    @Test("A snapshot is what was stored")
    func roundTrip() throws {
        let fixture = try Fixture(nodes: 7)
        let snapshot = try fixture.reopened().snapshot()
        #expect(snapshot.network == fixture.network)
        #expect(snapshot.serial == 1)
        #expect(snapshot.replay.isEmpty)
        #expect(snapshot.unresolved.isEmpty)
    }

    @Test("Every file of a database is its owner's alone")
    func modes() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        var changes = StoreChanges()
        changes.network = fixture.network
        try fixture.database.commit(changes, with: lease)
        _ = try fixture.database.sequenceNumbers(with: lease).next(for: .first, ivIndex: 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).sorted()
        #expect(
            files == [
                "house.meshdb", "house.meshdb-shm", "house.meshdb-wal", "house.meshdb.lock", "house.meshdb.newest",
                "house.meshdb.sequence",
            ]
        )
        for file in files { #expect(try mode(fixture.folder.file(file)) == 0o600, "\(file)") }
    }

    @Test("Nothing that is stored can be read in the files")
    func nothingInClear() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        var changes = StoreChanges()
        changes.nodes = fixture.network.nodes
        try fixture.database.commit(changes, with: lease)
        let bytes = try readFile(fixture.path) + readFile(fixture.path + "-wal")
        let key = fixture.network.netKeys[0].key.octets.bytes
        for secret in [key, Array("node-1".utf8), Array("primary".utf8)] {
            #expect(Data(bytes).range(of: Data(secret)) == nil)
        }
    }

    @Test("A commit changes what it names, and nothing else")
    func commits() throws {
        let fixture = try Fixture(nodes: 5)
        let lease = try fixture.database.lock(holder: holder())
        var expected = fixture.network
        expected.nodes[1].name = "another name"
        expected.name = "another network"
        let removed = expected.nodes.remove(at: 3)
        var changes = StoreChanges()
        changes.nodes = [expected.nodes[1]]
        changes.removedNodes = [removed.uuid]
        changes.network = expected
        #expect(try fixture.database.commit(changes, with: lease) == 2)
        #expect(lease.serial == 2)
        let snapshot = try fixture.reopened().snapshot()
        #expect(snapshot.network == expected)
        #expect(snapshot.serial == 2)
        #expect(snapshot.lineage == lease.lineage)
    }

    @Test("The serial counts changes of the network's state only")
    func serials() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        #expect(try fixture.database.commit(StoreChanges(), with: lease) == 1)
        var replay = StoreChanges()
        replay.replay = [ReplayProtection.Entry(source: .first, ivIndex: 1, sequence: 2)]
        #expect(try fixture.database.commit(replay, with: lease) == 1)
        var nodes = StoreChanges()
        nodes.nodes = [fixture.network.nodes[0]]
        #expect(try fixture.database.commit(nodes, with: lease) == 2)
        #expect(try fixture.database.commit(nodes, with: lease) == 3)
    }

    @Test("Two databases of the same network have different lineages and different bytes")
    func lineages() throws {
        let first = try Fixture(seed: 1)
        let second = try Fixture(seed: 2)
        #expect(try first.database.snapshot().lineage != second.database.snapshot().lineage)
    }

    @Test("Replay entries are kept a source, and never go back")
    func replay() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        func entry(_ source: UInt16, _ ivIndex: UInt32, _ sequence: UInt32) throws -> ReplayProtection.Entry {
            ReplayProtection.Entry(
                source: try required(UnicastAddress(rawValue: source)),
                ivIndex: ivIndex,
                sequence: sequence
            )
        }
        var changes = StoreChanges()
        changes.replay = [try entry(0x7FFF, 1, 9), try entry(1, 1, 0xFFFFFF), try entry(63, 2, 0), try entry(64, 2, 1)]
        try fixture.database.commit(changes, with: lease)
        changes.replay = [try entry(1, 1, 5), try entry(63, 1, 7), try entry(64, 3, 0), try entry(2, 0, 0)]
        try fixture.database.commit(changes, with: lease)
        #expect(
            try fixture.reopened().snapshot().replay == [
                try entry(1, 1, 0xFFFFFF), try entry(2, 0, 0), try entry(63, 2, 0), try entry(64, 3, 0),
                try entry(0x7FFF, 1, 9),
            ]
        )
    }

    @Test("A reader sees one moment while a writer goes on, and never waits")
    func readers() throws {
        let fixture = try Fixture(nodes: 3)
        let reader = try fixture.reopened()
        let lease = try fixture.database.lock(holder: holder())
        var changes = StoreChanges()
        for number in 0..<20 {
            var network = fixture.network
            network.name = "round \(number)"
            for index in network.nodes.indices { network.nodes[index].name = "round \(number)" }
            changes.network = network
            changes.nodes = network.nodes
            try fixture.database.commit(changes, with: lease)
            let snapshot = try reader.snapshot()
            #expect(snapshot.serial == UInt64(number) + 2)
            #expect(Set(snapshot.network.nodes.map(\.name)) == [snapshot.network.name])
        }
    }

    @Test("Sealed files open with the same database and purpose only")
    func sealedFiles() throws {
        let fixture = try Fixture()
        let plan = Array("a plan".utf8)
        let sealed = try fixture.database.seal(plan, purpose: "plan")
        #expect(try fixture.reopened().unseal(sealed, purpose: "plan") == plan)
        #expect(try fixture.database.seal(plan, purpose: "plan") != sealed)
        #expect(storeError { _ = try fixture.database.unseal(sealed, purpose: "backup") }?.code == .damaged)
        let other = try Fixture(seed: 9)
        #expect(storeError { _ = try other.database.unseal(sealed, purpose: "plan") }?.code == .wrongKey)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(storeError { _ = try fixture.database.unseal(changed, purpose: "plan") } != nil, "octet \(index)")
            let cut = Array(sealed[..<index])
            #expect(storeError { _ = try fixture.database.unseal(cut, purpose: "plan") } != nil, "cut at \(index)")
        }
        var later = sealed
        later[8] = 3
        let error = storeError { _ = try fixture.database.unseal(later, purpose: "plan") }
        #expect(error?.code == .newerFormat)
        #expect(
            error?.message
                == "the file has format 3, this program knows format 1; version \(programVersion) of meshplan wrote it"
        )
    }
}
