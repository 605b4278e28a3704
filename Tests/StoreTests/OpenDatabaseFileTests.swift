import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

#if canImport(Glibc)
import Glibc
#endif

#if os(Linux)
/// Closing any descriptor of a file gives back all locks that the process has on it, SQLite's among them.
@Suite("Files of databases that are open")
struct OpenDatabaseFileTests {
    /// Whether somebody, this process too, has a lock on a file; asked through a descriptor that stays open meanwhile, for
    /// closing it would give the locks back.
    private func isLocked(_ descriptor: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        // Locks of open file descriptions (F_OFD_GETLK) conflict with those of the process that asks.
        return fcntl(descriptor, 36, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    @Test("Opening one once more takes no lock away, and it can be foreign again once it is closed")
    func again() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.meshdb")
        let key = try required(DatabaseSecret(secret: Array(repeating: 7, count: 32)))
        var first: MeshDatabase? = try MeshDatabase.create(
            at: path,
            network: try richNetwork(),
            key: key,
            now: now,
            using: SystemRandomNumberGenerator()
        )
        let serial = try required(first).snapshot().serial
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        #expect(isLocked(descriptor))
        for _ in 0..<2 {
            let second = try MeshDatabase.open(at: path, key: key)
            #expect(try second.snapshot().serial == serial)
        }
        #expect(isLocked(descriptor))
        _ = try required(first).snapshot()
        first = nil
        #expect(!isLocked(descriptor))
        close(descriptor)
        try writeFile(
            path,
            Array("no database, but longer than the header of one is: ".utf8) + Array(repeating: 65, count: 200)
        )
        #expect(storeError { _ = try MeshDatabase.open(at: path, key: key) }?.code == .notADatabase)
    }
}
#endif
