import MeshCore
import TestSupport
import Testing

@testable import Store

/// The holder of the lock reads the rows again only if what a snapshot shows may have changed.
@Suite("Snapshots of the holder of the lock")
struct KnownSnapshotTests {
    /// Checks that the holder sees what is stored, and how often that takes reading all rows.
    private func check(
        _ database: MeshDatabase,
        _ lease: WriteLease,
        readings: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = database.completeReadings
        let known = try database.snapshot(with: lease)
        #expect(database.completeReadings == before + readings, sourceLocation: sourceLocation)
        let stored = try database.snapshot()
        #expect(stored == known, sourceLocation: sourceLocation)
    }

    @Test("Every change that a snapshot shows is seen, and nothing else takes reading again")
    func changes() throws {
        let fixture = try Fixture()
        let database = fixture.database
        let lease = try database.lock(holder: holder())
        try check(database, lease, readings: 1)
        try check(database, lease, readings: 0)

        let run = try database.begin(plan: Octets16(high: 1, low: 2), user: "anna", host: "desk", at: now, with: lease)
        try check(database, lease, readings: 0)
        let source = try required(UnicastAddress(rawValue: 1))
        try database.reserve(upTo: 500, for: source, ivIndex: 0, with: lease)
        try check(database, lease, readings: 0)
        try database.awaitConfirmation(with: lease)
        try check(database, lease, readings: 0)

        let node = try required(fixture.network.nodes.first)
        let intent = JournalIntent(run: run, subject: .step(0), node: node.uuid, action: [1])
        try commit(database, lease) { $0.intents = [intent] }
        try commit(database, lease) {
            $0.outcomes = [JournalOutcome(run: run, subject: .step(0), result: .succeeded)]
        }
        try commit(database, lease) {
            $0.replay = [ReplayProtection.Entry(source: source, ivIndex: 0, sequence: 77)]
        }
        try commit(database, lease) {
            var changed = node
            changed.name = "renamed"
            $0.nodes = [changed]
        }
        try commit(database, lease) {
            var confirmed = node
            confirmed.observedAt = now
            $0.confirmedNodes = [confirmed]
        }
        try commit(database, lease) {
            $0.network = fixture.network
            $0.network?.name = "renamed"
        }
        // The serial is part of it.
        try commit(database, lease) { $0.extras = CDBExtras() }
        try database.end(run, .completed, at: now, with: lease)
        try check(database, lease, readings: 0)
        lease.release()
        try check(database, lease, readings: 1)
    }

    private func commit(
        _ database: MeshDatabase,
        _ lease: WriteLease,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ edit: (inout StoreChanges) throws -> Void
    ) throws {
        var changes = StoreChanges()
        try edit(&changes)
        try database.commit(changes, with: lease)
        try check(database, lease, readings: 1, sourceLocation: sourceLocation)
    }

    @Test("A lease of another database shows nothing of it")
    func otherDatabase() throws {
        let fixture = try Fixture()
        let other = try Fixture(seed: 2)
        let lease = try other.database.lock(holder: holder())
        _ = try other.database.snapshot(with: lease)
        let stored = try fixture.database.snapshot()
        #expect(try fixture.database.snapshot(with: lease) == stored)
    }

    @Test("The last timings of runs are found in few rows")
    func timings() throws {
        let fixture = try Fixture()
        let database = fixture.database
        let lease = try database.lock(holder: holder())
        #expect(try database.timings(ofLast: 5) == [])
        for number in 1...40 {
            let plan = Octets16(high: 9, low: UInt64(number))
            let run = try database.begin(plan: plan, user: "anna", host: "desk", at: now, with: lease)
            let timing = RunTiming(milliseconds: UInt32(number), estimatedMilliseconds: 1, messages: 9)
            try database.end(run, .completed, at: now, timing: number % 10 == 0 ? timing : nil, with: lease)
        }
        let before = database.completeReadings
        #expect(try database.timings(ofLast: 3).map(\.milliseconds) == [20, 30, 40])
        #expect(try database.timings(ofLast: 9).map(\.milliseconds) == [10, 20, 30, 40])
        #expect(database.completeReadings == before)
        #expect(try database.runs().compactMap(\.timing).map(\.milliseconds) == [10, 20, 30, 40])
        withExtendedLifetime(fixture) {}
    }
}
