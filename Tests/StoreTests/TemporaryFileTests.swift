import Foundation
import MeshCore
import SystemLayer
import TestSupport
import Testing

@testable import Store

@Suite("Temporary files")
struct TemporaryFileTests {
    /// A process that there was and is no more.
    private func deadProcess() throws -> Int32 {
        let process = try SpawnedProcess(["/bin/sh", "-c", "exit"])
        process.waitForEnd()
        return process.number
    }

    @Test("Those of writers that are gone go with the next lock, all others stay")
    func lock() throws {
        let fixture = try Fixture()
        let (dead, alive) = (try deadProcess(), ProcessInfo.processInfo.processIdentifier)
        let gone = [
            "key.meshplan-\(dead)", "house.meshdb.sequence.meshplan-\(dead)", "hall.meshdb.meshplan-\(dead)",
            "hall.meshdb.meshplan-\(dead)-journal", "hall.meshdb.meshplan-\(dead)-wal",
        ]
        let kept = [
            "key.meshplan-\(alive)", "key.meshplan-", "key.meshplan-\(dead)a", ".meshplan-\(dead)", "key.new-\(dead)",
            "key.meshplan-99999999999", "key.meshplan-\(dead)-other", "key.meshplan--1",
        ]
        for name in gone + kept { try writeFile(fixture.folder.file(name), [1]) }
        #expect(Set(TemporaryFiles.leftovers(inFolder: fixture.folder.path)) == Set(gone))
        try fixture.database.lock(holder: holder()).release()
        for name in gone { #expect(!FileManager.default.fileExists(atPath: fixture.folder.file(name)), "\(name)") }
        for name in kept { #expect(FileManager.default.fileExists(atPath: fixture.folder.file(name)), "\(name)") }
    }

    @Test("Writing a file removes what was left of it alone")
    func siblings() throws {
        let folder = try TemporaryFolder()
        let dead = try deadProcess()
        for name in ["plan", "plan2"] { try writeFile(folder.file("\(name).meshplan-\(dead)"), [1]) }
        try AtomicFile.write(folder.file("plan"), [2])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "plan", "plan2.meshplan-\(dead)",
            ]
        )
    }
}
