import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("The lock of a shared database", withServer)
struct SharedLockTests {
    @Test("Who is refused is told the lock's number and how long it lasts")
    func refusal() throws {
        let fixture = try SharedFixture()
        let lease = try fixture.open().lock(holder: holder("apply"))
        let error = storeError { _ = try fixture.open(on: "laptop").lock(holder: holder("plan")) }
        #expect(error?.code == .locked)
        let hint = try #require(error?.hint)
        #expect(hint.contains("lock 1 ends by itself in"))
        #expect(hint.remedies == [.unlock(1)])
        lease.release()
        let second = try fixture.open().lock(holder: holder())
        let third = storeError { _ = try fixture.open(on: "laptop").lock(holder: holder()) }
        #expect(third?.hint?.contains("lock 2 ends") == true)
        second.release()
    }

    @Test("A holder that was silent for too long loses the lock, and its writes are refused with the name of the next")
    func takeOver() throws {
        let fixture = try SharedFixture()
        let old = try fixture.open(on: "desk")
        let oldLease = try old.lock(holder: holder("apply"))
        try fixture.expireLock()
        let new = try fixture.open(on: "laptop")
        var bert = holder("import")
        bert.user = "bert"
        let newLease = try new.lock(holder: bert)
        let before = try fixture.sql("SELECT revision FROM meshplan_networks")
        let error = storeError { try old.commit(renaming(fixture.network, to: "late"), with: oldLease) }
        #expect(error?.code == .stale)
        #expect(error?.message == "the lock was lost: it was taken over by bert on desk, process 4711, import")
        #expect(error?.holder == bert)
        #expect(error?.path == fixture.name)
        #expect(try fixture.sql("SELECT revision FROM meshplan_networks") == before)
        #expect(try new.snapshot().network.name == fixture.network.name)
        // What it tries after that fails the same way, without asking.
        #expect(storeError { _ = try old.sequenceNumbers(with: oldLease) } == error)
        oldLease.release()
        // Giving back what it has lost does not take it from the other.
        #expect(try new.commit(renaming(fixture.network, to: "next"), with: newLease) == 2)
        #expect(storeError { _ = try fixture.open().lock(holder: holder()) }?.code == .locked)
        withExtendedLifetime(newLease) {}
        #expect(try fixture.files() == [])
    }

    @Test("Even if the next one has done nothing and gone, the old one's writes are refused")
    func fencedAfterRelease() throws {
        let fixture = try SharedFixture()
        let old = try fixture.open()
        let oldLease = try old.lock(holder: holder())
        try fixture.expireLock()
        try fixture.open(on: "laptop").lock(holder: holder()).release()
        let error = storeError { try old.commit(renaming(fixture.network, to: "late"), with: oldLease) }
        #expect(error?.code == .stale)
        #expect(error?.message == "the lock was lost: it was taken away or released")
        #expect(try fixture.open().snapshot().serial == 1)
    }

    @Test("A lock can be taken away by its number, and by no other")
    func forceUnlock() throws {
        let fixture = try SharedFixture()
        let old = try fixture.open()
        let lease = try old.lock(holder: holder("apply"))
        let other = try fixture.open(on: "laptop")
        let wrong = storeError { try other.forceUnlock("7") }
        #expect(wrong?.code == .notLocked)
        #expect(wrong?.message == "lock 7 is not held: lock 1 is held by anna on desk, process 4711, apply")
        #expect(storeError { try other.forceUnlock("x'; --") }?.code == .notLocked)
        #expect(lease.isHeld)
        #expect(try old.commit(renaming(fixture.network, to: "one"), with: lease) == 2)
        try other.forceUnlock("1")
        #expect(storeError { try old.commit(renaming(fixture.network, to: "two"), with: lease) }?.code == .stale)
        #expect(storeError { try other.forceUnlock("1") }?.message == "lock 1 is not held: nobody holds it")
        #expect(try other.lock(holder: holder()).isHeld)
        #expect(try other.snapshot().network.name == "one")
    }

    @Test("The lock of a killed process is free for its own machine at once, and for others when it has ended")
    func killed() throws {
        let fixture = try SharedFixture()
        // What a process leaves behind that is killed: a lock on the server, a note of it, and nobody who has the file.
        let lease = try fixture.open().lock(holder: holder("apply"))
        let note = try readFile(fixture.folder.file("desk.lock"))
        #expect(String(decoding: note, as: UTF8.self).contains("\nlock 1 "))
        let here = storeError { _ = try fixture.open().lock(holder: holder()) }
        #expect(here?.code == .locked && here?.path == fixture.name)
        #expect(here?.hint?.contains("its lock ends with it") == true)
        lease.release()
        // Nobody holds it, and the note stays: a standby may not have heard of the release.
        let rest = String(decoding: try readFile(fixture.folder.file("desk.lock")), as: UTF8.self)
        #expect(rest.hasPrefix("lock 1 ") && rest.count { $0 == "\n" } == 1)
        try writeFile(fixture.folder.file("desk.lock"), [])
        try fixture.sql("UPDATE meshplan_locks SET expires = now() + interval '60 seconds'")
        #expect(storeError { _ = try fixture.open().lock(holder: holder()) }?.code == .locked, "not noted")
        try writeFile(fixture.folder.file("desk.lock"), note)
        #expect(storeError { _ = try fixture.open(on: "laptop").lock(holder: holder()) }?.code == .locked)
        let next = try fixture.open().lock(holder: holder())
        #expect(try fixture.sql("SELECT fence FROM meshplan_networks") == "3")
        next.release()
    }

    @Test("The lock of a file is not taken away")
    func forceUnlockFile() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        let error = storeError { try fixture.reopened().forceUnlock("1") }
        #expect(error?.code == .notLocked)
        #expect(error?.hint?.contains("end that process") == true)
        #expect(lease.isHeld)
    }

    @Test("Fences only grow")
    func fences() throws {
        let fixture = try SharedFixture()
        var last = 0
        for _ in 0..<5 {
            let lease = try fixture.open().lock(holder: holder())
            let fence = try #require(Int(try fixture.sql("SELECT fence FROM meshplan_networks")))
            #expect(fence > last)
            #expect(try fixture.sql("SELECT fence FROM meshplan_locks") == String(fence))
            last = fence
            lease.release()
        }
    }

    @Test("A holder gives signs of life until it gives the lock back")
    func heartbeat() throws {
        let fixture = try SharedFixture()
        fixture.timing.heartbeat = .milliseconds(20)
        let lease = try fixture.open().lock(holder: holder())
        let first = try fixture.sql("SELECT expires FROM meshplan_locks")
        let deadline = ContinuousClock.now.advanced(by: .seconds(20))
        while try fixture.sql("SELECT expires FROM meshplan_locks") == first {
            try #require(ContinuousClock.now < deadline, "no sign of life")
        }
        lease.release()
        #expect(try fixture.sql("SELECT expires IS NULL FROM meshplan_locks") == "t")
        // The thread has ended with the release, so nothing can bring the lock back to life.
        let connections = """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = '\(fixture.databaseName)' AND pid <> pg_backend_pid()
            """
        while try fixture.sql(connections) != "0" {
            try #require(ContinuousClock.now < deadline, "a connection is left")
        }
        #expect(try fixture.sql("SELECT expires IS NULL FROM meshplan_locks") == "t")
    }

    @Test("Of many that want the lock at once, exactly one gets it")
    func race() async throws {
        let fixture = try SharedFixture()
        for _ in 0..<3 {
            let databases = try (0..<6).map { Unshared(try fixture.open(on: "machine-\($0)")) }
            let won = await withTaskGroup(of: WriteLeaseBox?.self) { group in
                for database in databases {
                    group.addTask { (try? database.value.lock(holder: holder())).map(WriteLeaseBox.init) }
                }
                var leases: [WriteLeaseBox] = []
                for await lease in group { if let lease { leases.append(lease) } }
                return leases
            }
            #expect(won.count == 1)
            for lease in won { lease.value.release() }
        }
    }

    @Test("Hostile names of holders stay one line")
    func forgery() throws {
        let fixture = try SharedFixture()
        let lease = try fixture.open().lock(holder: holder())
        try fixture.sql(
            "UPDATE meshplan_locks SET holder = E'eve\\n\\x1b[2J', process = 9999999999, host = repeat('w', 5000)"
        )
        let error = try #require(storeError { _ = try fixture.open(on: "laptop").lock(holder: holder()) })
        #expect(error.code == .locked)
        #expect(error.message.hasPrefix("is being changed by eve[2J on www"))
        #expect(error.message.count < 500)
        lease.release()
    }
}

/// Carries what belongs to one thread at a time into a task that is that one.
final class Unshared<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

typealias WriteLeaseBox = Unshared<WriteLease>
