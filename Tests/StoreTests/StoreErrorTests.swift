import Foundation
import MeshCore
import SystemLayer
import TestSupport
import Testing

import let Basics.programVersion

@testable import Store

#if canImport(Glibc)
import Glibc
#endif

/// Everything that can be wrong with files, done for real.
@Suite("Store errors")
struct StoreErrorTests {
    @Test("A missing database is named, with what makes one")
    func missing() throws {
        let folder = try TemporaryFolder()
        var generator = SplitMix64(seed: 5)
        let key = try KeyFile.create(at: folder.file("key"), using: &generator)
        let error = storeError { _ = try MeshDatabase.open(at: folder.file("no.meshdb"), key: key) }
        #expect(error?.code == .missing)
        #expect(error?.path == folder.file("no.meshdb"))
        #expect(error?.hint != nil)
        #expect(!FileManager.default.fileExists(atPath: folder.file("no.meshdb")))
    }

    @Test("Nothing foreign is taken for a database, or touched")
    func foreign() throws {
        let fixture = try Fixture()
        var sqlite = try readFile(fixture.path)
        sqlite.replaceSubrange(68..<72, with: [0, 0, 0, 0])
        let folder = fixture.folder
        try writeFile(folder.file("empty"), [])
        try writeFile(folder.file("text"), Array("network: hq\n".utf8))
        try writeFile(folder.file("long text"), [UInt8](repeating: 0x41, count: 10_000))
        try writeFile(folder.file("sqlite"), sqlite)
        try writeFile(folder.file("cut"), Array(sqlite.prefix(50)))
        try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
        for name in ["empty", "text", "long text", "sqlite", "cut", "folder"] {
            let path = folder.file(name)
            let before = name == "folder" ? [] : try readFile(path)
            let error = storeError { _ = try MeshDatabase.open(at: path, key: fixture.key) }
            #expect(error?.code == .notADatabase, "\(name)")
            if name != "folder" { #expect(try readFile(path) == before) }
        }
        #expect(storeError { _ = try MeshDatabase.open(at: "/dev/null", key: fixture.key) }?.code == .notADatabase)
    }

    @Test("A newer format is not read, in the file or in a row")
    func newerFormat() throws {
        let fixture = try Fixture()
        var bytes = try readFile(fixture.path)
        bytes[63] = 2
        try writeFile(fixture.folder.file("later"), bytes)
        let error = storeError { _ = try MeshDatabase.open(at: fixture.folder.file("later"), key: fixture.key) }
        #expect(error?.code == .newerFormat)
        #expect(error?.message == "has format 2, this program knows format 1")
        var node = NodeCodec.encode(fixture.network.nodes[0])
        node[0] = 9
        let name = RowName(fixture.network.nodes[0])
        let unread = storeError { _ = try fixture.database.decode(node, of: name, NodeCodec.decode) }
        #expect(unread?.code == .newerFormat)
        #expect(unread?.hint == "use the version of meshplan that wrote it, or a later one")
        _ = try fixture.database.version()
        let read = storeError { _ = try fixture.database.decode(node, of: name, NodeCodec.decode) }
        #expect(read?.hint == "use version \(programVersion) of meshplan, which wrote it last, or a later one")
    }

    @Test("Another key file does not open a database")
    func wrongKey() throws {
        let fixture = try Fixture()
        var generator = SplitMix64(seed: 1234)
        let other = DatabaseSecret.random(using: &generator)
        let error = storeError { _ = try MeshDatabase.open(at: fixture.path, key: other) }
        #expect(error?.code == .wrongKey)
        #expect(try fixture.reopened().snapshot().network == fixture.network)
    }

    @Test("A database is never overwritten")
    func exists() throws {
        let fixture = try Fixture()
        let before = try readFile(fixture.path)
        let error = storeError {
            _ = try MeshDatabase.create(
                at: fixture.path,
                network: fixture.network,
                key: fixture.key,
                now: now,
                using: SplitMix64(seed: 3)
            )
        }
        #expect(error?.code == .exists)
        #expect(try readFile(fixture.path) == before)
    }

    @Test("A database in a folder that does not exist is not made, and leaves nothing")
    func missingFolder() throws {
        let folder = try TemporaryFolder()
        var generator = SplitMix64(seed: 3)
        let key = DatabaseSecret.random(using: &generator)
        let network = try richNetwork()
        let path = folder.file("none/house.meshdb")
        let error = storeError {
            _ = try MeshDatabase.create(at: path, network: network, key: key, now: now, using: generator)
        }
        #expect(error?.code == .missing)
        #expect(error?.path == path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("A key file is its owner's alone, is never overwritten, and comes back as it was")
    func keyFiles() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("key")
        var generator = SplitMix64(seed: 6)
        let key = try KeyFile.create(at: path, using: &generator)
        #expect(try mode(path) == 0o600)
        #expect(try readFile(path).count == 65)
        let network = try richNetwork()
        _ = try MeshDatabase.create(at: folder.file("db"), network: network, key: key, now: now, using: generator)
        let loaded = try KeyFile.load(from: path)
        #expect(try MeshDatabase.open(at: folder.file("db"), key: loaded).snapshot().network == network)
        #expect("\(key)" == "(secret)")
        #expect(Mirror(reflecting: key).children.isEmpty)
        #expect(storeError { _ = try KeyFile.create(at: path, using: &generator) }?.code == .exists)
        #expect(try KeyFile.load(from: path).description == key.description)
    }

    @Test("Key files that are missing, readable by others or something else are refused")
    func badKeyFiles() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("key")
        var generator = SplitMix64(seed: 6)
        #expect(storeError { _ = try KeyFile.load(from: path) }?.code == .missing)
        _ = try KeyFile.create(at: path, using: &generator)
        for bits in [0o640, 0o604, 0o610, 0o660, 0o777] {
            try FileManager.default.setAttributes([.posixPermissions: bits], ofItemAtPath: path)
            let error = storeError { _ = try KeyFile.load(from: path) }
            #expect(error?.code == .insecurePermissions)
            #expect(error?.hint?.hasPrefix("chmod 600 ") == true)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
        _ = try KeyFile.load(from: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        for contents in ["", "00", String(repeating: "0", count: 63), String(repeating: "g", count: 64)] {
            try writeFile(path, Array(contents.utf8))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let error = storeError { _ = try KeyFile.load(from: path) }
            #expect(error?.code == .invalidKeyFile)
            // The folder's name is random and may hold short contents by chance.
            let text = error?.description.replacing(folder.path, with: "")
            #expect(contents.isEmpty || text?.contains(contents) == false)
        }
        #expect(storeError { _ = try KeyFile.load(from: folder.path) }?.code == .invalidKeyFile)
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(storeError { _ = try KeyFile.load(from: pipe) }?.code == .invalidKeyFile, "a pipe is not waited for")
    }

    @Test("When the disk is full nothing changes, and work goes on once there is room")
    func diskFull() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        try (fixture.database.store as? SQLiteRowStore)?.limit(pages: 1)
        var changes = StoreChanges()
        changes.nodes = try richNetwork(nodes: 400).nodes
        let error = storeError { try fixture.database.commit(changes, with: lease) }
        #expect(error?.code == .diskFull)
        #expect(error?.hint?.contains("unharmed") == true)
        #expect(error?.path == fixture.path)
        let folder = String(fixture.path.prefix(upTo: try #require(fixture.path.lastIndex(of: "/"))))
        #expect(error?.hint?.contains("free some space on the disk that holds \(folder) and ") == true)
        #expect(try fixture.database.snapshot().network == fixture.network)
        try (fixture.database.store as? SQLiteRowStore)?.limit(pages: 100_000)
        #expect(try fixture.database.commit(changes, with: lease) == 2)
        #expect(try fixture.reopened().snapshot().network.nodes.count == 400)
    }

    @Test("A lease outlived by its state is stale: another writer's changes are never overwritten")
    func stale() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        // Somebody who removes the lock file by hand gets a lock beside the first.
        try FileManager.default.removeItem(atPath: fixture.path + ".lock")
        let second = try fixture.reopened()
        let secondLease = try second.lock(holder: holder())
        var changes = StoreChanges()
        changes.network = fixture.network
        changes.network?.name = "second"
        #expect(try second.commit(changes, with: secondLease) == 2)
        changes.network?.name = "first"
        #expect(storeError { try fixture.database.commit(changes, with: lease) }?.code == .stale)
        #expect(try fixture.reopened().snapshot().network.name == "second")
    }

    @Test("A file that was replaced while in use is noticed before anything is written")
    func replaced() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        let bytes = try readFile(fixture.path)
        try FileManager.default.removeItem(atPath: fixture.path)
        try writeFile(fixture.path, bytes)
        var changes = StoreChanges()
        changes.network = fixture.network
        #expect(storeError { try fixture.database.commit(changes, with: lease) }?.code == .stale)
        try FileManager.default.removeItem(atPath: fixture.path)
        #expect(storeError { try fixture.database.commit(changes, with: lease) }?.code == .stale)
    }

    @Test("A commit cut off by a power cut at any point of the log is all there or not at all")
    func tornLog() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        let run = try fixture.database.begin(
            plan: Octets16(high: 1, low: 1),
            user: "a",
            host: "b",
            at: now,
            with: lease
        )
        let before = try readFile(fixture.path + "-wal").count
        var changes = StoreChanges()
        changes.network = fixture.network
        changes.network?.name = "after"
        changes.nodes = fixture.network.nodes.map {
            var node = $0
            node.name = "after"
            return node
        }
        changes.outcomes = [JournalOutcome(run: run, subject: .step(0), result: .succeeded)]
        try fixture.database.commit(changes, with: lease)
        let main = try readFile(fixture.path)
        let log = try readFile(fixture.path + "-wal")
        #expect(log.count > before)
        var states: Set<String> = []
        for length in stride(from: before, through: log.count, by: 1500) + [log.count] {
            let copy = try TemporaryFolder()
            try writeFile(copy.file("db"), main)
            try writeFile(copy.file("db-wal"), Array(log[..<length]))
            let database = try MeshDatabase.open(at: copy.file("db"), key: fixture.key)
            let snapshot = try database.snapshot()
            let names = Set([snapshot.network.name == "after" ? "after" : "before"])
                .union(snapshot.network.nodes.map { $0.name == "after" ? "after" : "before" })
                .union([snapshot.serial == 2 ? "after" : "before"])
                .union([try database.runs()[0].counts.succeeded == 1 ? "after" : "before"])
            #expect(names.count == 1, "cut at \(length)")
            states.formUnion(names)
        }
        #expect(states == ["before", "after"])
    }

    @Test("A folder or file system that cannot be written to is named as such")
    func readOnly() throws {
        let fixture = try Fixture()
        // A process that may write everywhere needs a file system that refuses: /sys refuses everybody.
        let network = fixture.network
        let error = storeError {
            _ = try MeshDatabase.create(
                at: "/sys/house.meshdb",
                network: network,
                key: fixture.key,
                now: now,
                using: SplitMix64(seed: 3)
            )
        }
        #expect([.readOnly, .permissionDenied].contains(error?.code))
        #expect(error?.path == "/sys/house.meshdb")
        #expect(error?.hint != nil)
    }

    @Test(
        "Where file permissions count, a read-only folder is named as such and nothing is lost",
        .enabled(if: geteuid() != 0)
    )
    func readOnlyFolder() throws {
        let fixture = try Fixture()
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: fixture.folder.path)
        let error = storeError { _ = try fixture.reopened() }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: fixture.folder.path)
        #expect(error?.code == .readOnly)
        #expect(try fixture.reopened().snapshot().network == fixture.network)
    }

    @Test("What cannot be written is named: the file itself, or the one beside it that reading needs")
    func named() {
        let memory = SQLiteRowStore.storeError(SQLiteError.sharedMemorySize, path: "/a/t.meshdb")
        #expect(memory.path == "/a/t.meshdb-shm" && memory.code == .diskFull)
        #expect(memory.message.contains("the database cannot be read without it"))
        let write = SQLiteRowStore.storeError(SQLiteError.write, path: "/a/t.meshdb")
        #expect(write.path == "/a/t.meshdb" && write.hint?.contains("ulimit -f") == true)
        let file = StoreError(FileError(.write, "/a/t.mplan", .system(EFBIG)))
        #expect(
            file.path == "/a/t.mplan" && file.message.contains("must not grow")
                && file.hint?.contains("ulimit -f") == true
        )
    }
}
