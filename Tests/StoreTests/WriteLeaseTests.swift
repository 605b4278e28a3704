import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@Suite("WriteLease")
struct WriteLeaseTests {
    @Test("A second writer is told who the first one is")
    func exclusive() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder("apply"))
        let second = try fixture.reopened()
        let error = storeError { _ = try second.lock(holder: holder("plan")) }
        #expect(error?.code == .locked)
        #expect(error?.holder == holder("apply"))
        #expect(error?.message == "is being changed by anna on desk, process 4711, apply")
        #expect(error?.path == fixture.path)
        lease.release()
        #expect(try second.lock(holder: holder()).isHeld)
    }

    @Test("A lease is given back with its last reference")
    func scope() throws {
        let fixture = try Fixture()
        do {
            let lease = try fixture.database.lock(holder: holder())
            #expect(lease.isHeld)
        }
        #expect(try fixture.database.lock(holder: holder()).isHeld)
    }

    @Test("A lock file that a dead process left behind means nothing")
    func stale() throws {
        let fixture = try Fixture()
        try writeFile(fixture.path + ".lock", Array("user anna\nhost desk\nprocess 1\noperation apply\nsince 0\n".utf8))
        #expect(try fixture.database.lock(holder: holder()).isHeld)
    }

    @Test("A lock file with rubbish in it still locks")
    func rubbish() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        try writeFile(fixture.path + ".lock.copy", [])
        let handle = try required(FileHandle(forWritingAtPath: fixture.path + ".lock"))
        try handle.write(contentsOf: Data([0xFF, 0, 10, 10]))
        let error = storeError { _ = try fixture.reopened().lock(holder: holder()) }
        #expect(error?.code == .locked)
        #expect(error?.holder == nil)
        #expect(error?.message == "is being changed by another process")
        lease.release()
    }

    @Test("Names with line breaks cannot forge the holder")
    func forgery() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(
            holder: LockHolder(user: "eve\nhost other", host: "desk", process: 1, operation: "apply", since: now)
        )
        let error = storeError { _ = try fixture.reopened().lock(holder: holder()) }
        #expect(error?.holder?.host == "desk")
        lease.release()
    }

    @Test("Nothing is written with a released lease or one of another database")
    func released() throws {
        let fixture = try Fixture()
        let other = try Fixture(seed: 2)
        var changes = StoreChanges()
        changes.network = fixture.network
        let lease = try fixture.database.lock(holder: holder())
        #expect(storeError { try other.database.commit(changes, with: lease) }?.code == .notLocked)
        lease.release()
        #expect(storeError { try fixture.database.commit(changes, with: lease) }?.code == .notLocked)
        #expect(storeError { _ = try fixture.database.sequenceNumbers(with: lease) }?.code == .notLocked)
        #expect(try fixture.database.snapshot().serial == 1)
    }
}
