import Execution
import Foundation
import MeshCore
import Planning
import Store
import TestSupport
import Testing

/// How often a run reads the database, and that it notices all the same what others write.
@Suite("What an apply knows of the database")
struct ApplyReadingTests {
    /// Another process that ignores the lock, as after somebody has removed the lock's file, and changes a node.
    private func write(_ site: Site) throws {
        try FileManager.default.removeItem(atPath: site.folder.path + ".lock")
        let other = try MeshDatabase.open(at: site.folder.path, key: site.key)
        let lease = try other.lock(
            holder: LockHolder(user: "eve", host: "desk", process: 2, operation: "apply", since: Site.now)
        )
        defer { lease.release() }
        var changes = StoreChanges()
        changes.nodes = [try required(site.network.nodes.last)]
        changes.nodes[0].name = "other"
        try other.commit(changes, with: lease)
    }

    @Test("A run reads the database once, and its holder needs no further reading")
    func once() throws {
        let site = try Site(lamps: 2)
        let plan = try site.plan()
        let before = site.database.completeReadings
        try site.execute { executor in
            let lease = try required(site.lease)
            let snapshot = try site.database.snapshot(with: lease)
            #expect(snapshot.serial == plan.serial)
            #expect(executor.listen(for: .seconds(1)).ending == .completed)
            #expect(executor.apply(plan).isComplete)
            #expect(site.database.completeReadings == before + 1)
            #expect(executor.network?.nodes.count == snapshot.network.nodes.count)
        }
    }

    @Test("Whoever writes between plan and run is noticed before anything is sent", arguments: [true, false])
    func stale(isLeaseHeld: Bool) throws {
        let site = try Site(lamps: 2)
        let recap = try site.execute { executor in
            let lease = try required(site.lease)
            let snapshot = try site.database.snapshot(with: lease)
            let plan = try site.plan()
            #expect(plan.serial == snapshot.serial)
            if !isLeaseHeld { lease.release() }
            try write(site)
            return executor.apply(plan)
        }
        guard case .refused(.stale(let planned, let present)) = recap.ending else {
            Issue.record("\(recap.ending)")
            return
        }
        #expect(present == planned + 1)
        #expect(recap.messagesSent == 0)
    }

    @Test("A plan of another database is refused though its serial fits")
    func foreign() throws {
        let site = try Site(lamps: 2)
        let other = try Site(lamps: 2, seed: 5)
        let plan = try other.plan()
        let recap = try site.execute { executor in
            let snapshot = try site.database.snapshot(with: try required(site.lease))
            #expect(snapshot.serial == plan.serial)
            return executor.apply(plan)
        }
        #expect(recap.ending == .refused(.foreign))
    }
}
