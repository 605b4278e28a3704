import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("A standby that takes over", withServer, .serialized)
struct PromotionTests {
    /// A network on a primary with a standby.
    private final class Site {
        let pair: PostgreSQLPair
        let folder: TemporaryFolder
        let key: DatabaseSecret
        let network: MeshNetwork
        let clock = ManualClock()
        var timing = LockTiming()

        init() throws {
            pair = try PostgreSQLPair()
            folder = try TemporaryFolder()
            var generator = SplitMix64(seed: 3)
            key = DatabaseSecret.random(using: &generator)
            network = try richNetwork(nodes: 2)
            _ = try SharedStore(pair.address(), clock: clock.clock).prepare()
            _ = try MeshDatabase.create(at: location("desk"), network: network, key: key, now: now, using: generator)
        }

        private func location(
            _ machine: String,
            _ members: [PostgreSQLPair.Member] = [.first, .second]
        ) throws
            -> DatabaseLocation
        {
            let store = try SharedStore(pair.address(members), clock: clock.clock, timing: timing)
            return .shared(store, network: "house", localPath: folder.file(machine))
        }

        func open(_ machine: String, _ members: [PostgreSQLPair.Member] = [.first, .second]) throws -> MeshDatabase {
            try MeshDatabase.open(at: try location(machine, members), key: key)
        }

        func expireLock(on member: PostgreSQLPair.Member) throws {
            try pair.sql("UPDATE meshplan_locks SET expires = now() - interval '1 second'", on: member)
        }

        func failOver() throws {
            pair.kill(.first)
            try pair.promote()
        }
    }

    @Test("A lease goes on, what the standby lacks is stored again, and sequence numbers are skipped")
    func repair() throws {
        let site = try Site()
        let database = try site.open("desk")
        let lease = try database.lock(holder: holder())
        #expect(lease.promotion == nil)
        let numbers = try database.sequenceNumbers(with: lease, blockSize: 2)
        #expect(try numbers.next(for: .first, ivIndex: 5) == 0)
        try site.pair.holdBack()
        // Acknowledged, and not on the standby: two blocks of numbers and two names.
        #expect(try (1...4).map { _ in try numbers.next(for: .first, ivIndex: 5) } == [1, 2, 3, 4])
        for name in ["one", "two"] { try database.commit(renaming(site.network, to: name), with: lease) }
        var told: [Promotion] = []
        lease.onPromotion = { told.append($0) }
        try site.failOver()
        #expect(try site.pair.sql("SELECT revision FROM meshplan_networks", on: .second) == "2")
        try database.commit(renaming(site.network, to: "three"), with: lease)
        #expect(told == [.repaired(4)])
        #expect(lease.serial == 4)
        // The rest of a block is ours. Behind it others may have reserved.
        #expect(try (1...2).map { _ in try numbers.next(for: .first, ivIndex: 5) } == [5, 6 + 65_536])
        lease.release()
        let later = try site.open("desk")
        #expect(try later.snapshot().network.name == "three")
        let next = try later.lock(holder: holder())
        #expect(next.promotion == nil && next.serial == 4)
        // Nobody skips twice for the same promotion.
        let after = try later.sequenceNumbers(with: next, blockSize: 2).next(for: .first, ivIndex: 5)
        #expect(after == 8 + 65_536)
    }

    @Test("Another machine is told before it sends, and uses no number that was lost")
    func otherMachine() throws {
        let site = try Site()
        try site.pair.holdBack()
        let desk = try site.open("desk")
        let lease = try desk.lock(holder: holder())
        let numbers = try desk.sequenceNumbers(with: lease, blockSize: 100)
        #expect(try numbers.next(for: .first, ivIndex: 5) == 0)
        try site.failOver()
        // The standby knows neither the lock nor the block.
        let laptop = try site.open("laptop")
        let theirs = try laptop.lock(holder: holder())
        var told: [Promotion] = []
        theirs.onPromotion = { told.append($0) }
        let first = try laptop.sequenceNumbers(with: theirs, blockSize: 100).next(for: .first, ivIndex: 5)
        #expect(first == 65_536)
        #expect(told == [.before])
        // Both locks have the same number, and still only one of them is good.
        #expect(try site.pair.sql("SELECT fence FROM meshplan_locks", on: .second) == "1")
        let late = storeError { try desk.commit(renaming(site.network, to: "late"), with: lease) }
        #expect(late?.code == .stale)
        #expect(try laptop.commit(renaming(site.network, to: "theirs"), with: theirs) == 2)
        lease.release()
        #expect(
            storeError { _ = try site.open("desk").lock(holder: holder()) }?.code == .locked,
            "theirs is left alone"
        )
        theirs.release()
        let next = try site.open("desk").lock(holder: holder())
        #expect(next.promotion == .before)
    }

    @Test("A lock that comes back from the dead reserves nothing that its successor used")
    func resurrected() throws {
        let site = try Site()
        let desk = try site.open("desk")
        let lease = try desk.lock(holder: holder())
        let numbers = try desk.sequenceNumbers(with: lease, blockSize: 1)
        #expect(try numbers.next(for: .first, ivIndex: 5) == 0)
        try site.pair.holdBack()
        try site.expireLock(on: .first)
        do {
            let laptop = try site.open("laptop")
            let theirs = try laptop.lock(holder: holder())
            #expect(try laptop.sequenceNumbers(with: theirs, blockSize: 1).next(for: .first, ivIndex: 5) == 1)
            theirs.release()
        }
        try site.failOver()
        #expect(try numbers.next(for: .first, ivIndex: 5) == 65_537)
        #expect(lease.promotion == .during)
    }

    @Test("A primary that goes on although another was promoted is left at once")
    func twoPrimaries() throws {
        let site = try Site()
        site.timing.watch = .milliseconds(20)
        let desk = try site.open("desk")
        let lease = try desk.lock(holder: holder())
        var told: [Promotion] = []
        lease.onPromotion = { told.append($0) }
        try desk.commit(renaming(site.network, to: "one"), with: lease)
        try site.pair.holdBack()
        try site.pair.promote()
        let deadline = ContinuousClock.now.advanced(by: .seconds(60))
        var commits = 0
        while told.isEmpty, ContinuousClock.now < deadline {
            commits += 1
            try desk.commit(renaming(site.network, to: "name \(commits)"), with: lease)
        }
        #expect(told == [commits == 1 ? .during : .repaired(commits - 1)])
        lease.release()
        #expect(try site.open("laptop").snapshot().network.name == "name \(commits)")
        #expect(try site.pair.sql("SELECT expires IS NULL FROM meshplan_locks", on: .second) == "t")
    }

    @Test("The jobs of a fleet are not looked for on a primary that goes on although another was promoted")
    func fleetOfTwoPrimaries() throws {
        let site = try Site()
        var timing = LockTiming()
        timing.watch = .milliseconds(20)
        let tables = PostgreSQLFleetRunTables(
            try SharedStore(site.pair.address(), clock: site.clock.clock, timing: timing)
        )
        // The name of a file of the log begins with the timeline.
        let timeline = FleetStatement(
            "SELECT CAST(substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS bigint)",
            columns: 1
        )
        #expect(try tables.transact([timeline])[0][0].integer(0) == 1)
        try site.pair.promote()
        let deadline = ContinuousClock.now.advanced(by: .seconds(60))
        while try tables.transact([timeline])[0][0].integer(0) == 1, ContinuousClock.now < deadline {}
        #expect(try tables.transact([timeline])[0][0].integer(0) == 2)
    }

    @Test("A primary that waits for a standby which was promoted keeps nobody waiting")
    func waitingPrimary() throws {
        let site = try Site()
        site.timing.watch = .milliseconds(20)
        let desk = try site.open("desk")
        let lease = try desk.lock(holder: holder())
        var told: [Promotion] = []
        lease.onPromotion = { told.append($0) }
        try site.pair.sql("ALTER SYSTEM SET synchronous_standby_names = '*'", on: .first)
        try site.pair.sql("SELECT pg_reload_conf()", on: .first)
        try site.pair.promote()
        let began = ContinuousClock.now
        try desk.commit(renaming(site.network, to: "one"), with: lease)
        // A silent server alone would take half a minute.
        #expect(ContinuousClock.now - began < .seconds(25))
        #expect(told == [.during])
        #expect(try site.pair.sql("SELECT revision FROM meshplan_networks", on: .second) == "2")
    }

    @Test("Without its lock, a lease tells what was lost")
    func lost() throws {
        let site = try Site()
        try site.pair.holdBack()
        let desk = try site.open("desk")
        let lease = try desk.lock(holder: holder())
        for name in ["one", "two"] { try desk.commit(renaming(site.network, to: name), with: lease) }
        try site.failOver()
        let error = storeError { try desk.commit(renaming(site.network, to: "three"), with: lease) }
        #expect(error?.code == .stale)
        #expect(
            error?.message
                == "the server was replaced by its standby, which lacks the lock of this command and its last 2 transactions"
        )
        #expect(error?.hint?.remedies == [.readBack()])
        #expect(try site.open("desk").snapshot().serial == 1)
    }

    @Test("A lease that has stored nothing yet tells that its lock was lost")
    func lostLock() throws {
        let site = try Site()
        try site.pair.holdBack()
        let desk = try site.open("desk")
        let lease = try desk.lock(holder: holder())
        try site.failOver()
        let error = storeError { try desk.commit(renaming(site.network, to: "one"), with: lease) }
        #expect(error?.code == .stale)
        #expect(error?.message == "the server was replaced by its standby, which lacks the lock of this command")
        lease.release()
        #expect(try site.open("desk").lock(holder: holder()).isHeld)
    }

    @Test("A lock whose release was lost keeps nobody of this machine waiting")
    func lostRelease() throws {
        let site = try Site()
        do {
            let desk = try site.open("desk")
            let lease = try desk.lock(holder: holder())
            try site.pair.holdBack()
            lease.release()
        }
        #expect(try site.pair.sql("SELECT expires IS NULL FROM meshplan_locks", on: .first) == "t")
        try site.failOver()
        #expect(try site.pair.sql("SELECT expires IS NULL FROM meshplan_locks", on: .second) == "f")
        // Others cannot know that its holder has ended.
        #expect(storeError { _ = try site.open("laptop").lock(holder: holder()) }?.code == .locked)
        let desk = try site.open("desk")
        let lease = try desk.lock(holder: holder())
        try desk.commit(renaming(site.network, to: "one"), with: lease)
    }

    @Test("A former primary that comes back is not written to, wherever it stands in the address")
    func formerPrimary() throws {
        let site = try Site()
        let desk = try site.open("desk")
        let lease = try desk.lock(holder: holder())
        _ = try desk.sequenceNumbers(with: lease, blockSize: 1).next(for: .first, ivIndex: 5)
        try site.failOver()
        try site.pair.start(.first)
        let state = """
            SELECT n.revision, n.fence, l.fence, l.token, l.expires
            FROM meshplan_networks n JOIN meshplan_locks l ON n.lineage = l.lineage
            """
        let before = try site.pair.sql(state, on: .first)
        // It has this very lock and revision, and accepts changes.
        try desk.commit(renaming(site.network, to: "one"), with: lease)
        _ = try desk.sequenceNumbers(with: lease, blockSize: 1).next(for: .first, ivIndex: 5)
        lease.release()
        try site.open("laptop").lock(holder: holder()).release()
        // Where it alone is in the address, a machine that has used the other one knows.
        let error = storeError { _ = try site.open("desk", [.first]).lock(holder: holder()) }
        #expect(error?.code == .stale)
        #expect(error?.message.hasPrefix("the server is a former primary: it is on timeline 1, but") == true)
        #expect(try site.pair.sql(state, on: .first) == before)
        #expect(try site.open("desk").snapshot().network.name == "one")
    }
}
