import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("State versions")
struct StateVersionTests {
    func copy(_ fixture: Fixture) throws -> MeshDatabase {
        let folder = try TemporaryFolder()
        for suffix in ["", "-wal", ".sequence"] {
            guard let bytes = try? readFile(fixture.path + suffix) else { continue }
            try writeFile(folder.file("house.meshdb" + suffix), bytes)
        }
        folders.folders.append(folder)
        return try MeshDatabase.open(at: folder.file("house.meshdb"), key: fixture.key)
    }

    /// Keeps the folders until the test ends.
    private final class Folders { var folders: [TemporaryFolder] = [] }
    private let folders = Folders()

    @Test("The digest changes with the serial, and with nothing else")
    func digest() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        let first = try fixture.database.version()
        #expect(first.serial == 1 && first.lineage == lease.lineage && first.digest.count == 32)
        var replay = StoreChanges()
        replay.replay = [ReplayProtection.Entry(source: .first, ivIndex: 1, sequence: 2)]
        replay.confirmedNodes = [fixture.network.nodes[0]]
        try fixture.database.commit(replay, with: lease)
        _ = try fixture.database.sequenceNumbers(with: lease).next(for: .first, ivIndex: 1)
        #expect(try fixture.database.version() == first)
        var change = StoreChanges()
        change.nodes = [fixture.network.nodes[0]]
        var seen = [first.digest]
        for serial in 2...5 {
            try fixture.database.commit(change, with: lease)
            let version = try fixture.reopened().version()
            #expect(version.serial == UInt64(serial) && version.lineage == first.lineage)
            #expect(!seen.contains(version.digest))
            seen.append(version.digest)
        }
    }

    @Test("Two copies that go on apart from each other differ at the same serial, even if they did the same")
    func fork() throws {
        let fixture = try Fixture()
        let other = try copy(fixture)
        #expect(try other.version() == fixture.database.version())
        // A deleted row leaves nothing behind that could differ.
        var change = StoreChanges()
        change.removedNodes = [fixture.network.nodes[0].uuid]
        try fixture.database.commit(change, with: fixture.database.lock(holder: holder()))
        try other.commit(change, with: other.lock(holder: holder()))
        let versions = (try fixture.database.version(), try other.version())
        #expect(versions.0.serial == versions.1.serial && versions.0.lineage == versions.1.lineage)
        #expect(versions.0.digest != versions.1.digest)
    }

    @Test("A copy that goes on in the place of a later one takes a new serial, and no number that may have been used")
    func goingOn() throws {
        let fixture = try Fixture()
        let own = try required(
            fixture.network.nodes.first { $0.uuid == fixture.network.ownProvisioner }?.unicastAddress
        )
        let ivIndex = fixture.network.ivIndex.transmitValue
        let old = try copy(fixture)
        // The later copy sends, changes, and sees the next IV index.
        let lease = try fixture.database.lock(holder: holder())
        let numbers = try fixture.database.sequenceNumbers(with: lease)
        var used: Set<[UInt32]> = []
        for _ in 0..<1000 { used.insert([ivIndex, try numbers.next(for: own, ivIndex: ivIndex)]) }
        for _ in 0..<1000 { used.insert([ivIndex + 1, try numbers.next(for: own, ivIndex: ivIndex + 1)]) }
        var change = StoreChanges()
        change.nodes = [fixture.network.nodes[0]]
        for _ in 0..<4 { try fixture.database.commit(change, with: lease) }

        let later = try fixture.database.version()
        let second = try old.lock(holder: holder())
        #expect(try old.goOn(after: later.serial, with: second) == later.serial + 1)
        let version = try old.version()
        #expect(version.serial == later.serial + 1 && version.digest != later.digest)
        #expect(try old.snapshot().network == fixture.network)
        let fresh = try old.sequenceNumbers(with: second)
        for index in [ivIndex, ivIndex, ivIndex + 1, ivIndex + 2] {
            let number = try fresh.next(for: own, ivIndex: index)
            #expect(used.insert([index, number]).inserted, "\(index) \(number)")
            #expect(number >= DurableSequenceNumbers.skippedAfterRestore)
        }
        // And so it stays for the next process, which finds the floor in the database.
        second.release()
        let again = try MeshDatabase.open(at: old.path, key: fixture.key)
        let third = try again.lock(holder: holder())
        let next = try again.sequenceNumbers(with: third).next(for: own, ivIndex: ivIndex + 3)
        #expect(next == DurableSequenceNumbers.skippedAfterRestore)
    }

    @Test("Every source that has ever sent leaves numbers out, wherever that is known from")
    func sources() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        let other = try required(UnicastAddress(rawValue: 0x345))
        let witnessed = try required(UnicastAddress(rawValue: 0x346))
        _ = try fixture.database.sequenceNumbers(with: lease, blockSize: 16).next(for: other, ivIndex: 1)
        let text = String(decoding: try readFile(fixture.path + ".sequence"), as: UTF8.self)
            .replacing("\nend\n", with: "\n0346 1 48\nend\n")
        try writeFile(fixture.path + ".sequence", Array(text.utf8))
        try fixture.database.goOn(after: 1, with: lease)
        let numbers = try fixture.database.sequenceNumbers(with: lease, blockSize: 16)
        #expect(try numbers.next(for: other, ivIndex: 1) == 65_536 + 16)
        #expect(try numbers.next(for: witnessed, ivIndex: 1) == 65_536 + 48)
    }

    @Test("A serial at its end is refused instead of beginning anew")
    func overflow() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        #expect(storeError { try fixture.database.goOn(after: .max, with: lease) }?.code == .damaged)
        #expect(try fixture.database.version().serial == 1)
    }
}
