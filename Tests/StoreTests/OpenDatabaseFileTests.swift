import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

#if os(Linux)
/// Closing any descriptor of a file gives back all locks that the process has on it, SQLite's among them.
@Suite("Files of databases that are open")
struct OpenDatabaseFileTests {
    /// How many locks this process has on a file, as the kernel sees it.
    private func locks(on path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let inode = try #require(attributes[.systemFileNumber] as? NSNumber).uint64Value
        let process = String(ProcessInfo.processInfo.processIdentifier)
        let table = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        return table.split(separator: "\n").count { line in
            let words = line.split(separator: " ")
            return words.contains(Substring(process)) && words.contains { $0.hasSuffix(":\(inode)") }
        }
    }

    @Test("Opening one once more takes no lock away, and it can be foreign again once it is closed")
    func again() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.meshdb")
        let key = try required(DatabaseKey(secret: Array(repeating: 7, count: 32)))
        var first: MeshDatabase? = try MeshDatabase.create(
            at: path,
            network: try richNetwork(),
            key: key,
            now: now,
            using: SystemRandomNumberGenerator()
        )
        let serial = try required(first).snapshot().serial
        let before = try locks(on: path)
        #expect(before > 0)
        for _ in 0..<2 {
            let second = try MeshDatabase.open(at: path, key: key)
            #expect(try second.snapshot().serial == serial)
        }
        #expect(try locks(on: path) == before)
        _ = try required(first).snapshot()
        first = nil
        try writeFile(
            path,
            Array("no database, but longer than the header of one is: ".utf8) + Array(repeating: 65, count: 200)
        )
        #expect(storeError { _ = try MeshDatabase.open(at: path, key: key) }?.code == .notADatabase)
    }
}
#endif
