import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@Suite("Journal")
struct JournalTests {
    let plan = Octets16(high: 7, low: 8)

    func intent(_ run: RunIdentifier, _ subject: JournalSubject, node: UInt64 = 1) -> JournalIntent {
        JournalIntent(run: run, subject: subject, node: uuid(node), action: [1, 2, 3])
    }

    func outcome(_ run: RunIdentifier, _ step: UInt32, _ result: JournalResult) -> JournalOutcome {
        JournalOutcome(run: run, subject: .step(step), result: result)
    }

    @Test("A run that was killed is seen with the intents it left")
    func killed() throws {
        let fixture = try Fixture()
        var expected: [JournalIntent] = []
        do {
            let lease = try fixture.database.lock(holder: holder())
            let run = try fixture.database.begin(plan: plan, user: "anna", host: "desk", at: now, with: lease)
            var changes = StoreChanges()
            changes.intents = [
                intent(run, .step(0)), intent(run, .step(1), node: 2), intent(run, .label("key refresh")),
            ]
            expected = changes.intents
            try fixture.database.commit(changes, with: lease)
        }
        let database = try fixture.reopened()
        #expect(try database.unresolvedIntents() == expected)
        #expect(try database.snapshot().unresolved == expected)
        let run = try required(try database.runs().first)
        #expect(run.identifier == RunIdentifier(rawValue: 1))
        #expect(run.plan == plan)
        #expect(run.user == "anna" && run.host == "desk" && run.started == now)
        #expect(run.ended == nil && run.outcome == nil)
        // Intents do not outdate plans.
        #expect(try database.snapshot().serial == 1)
    }

    @Test("An outcome and the new state of its node are stored together")
    func outcomes() throws {
        let fixture = try Fixture()
        let database = fixture.database
        let lease = try database.lock(holder: holder())
        let run = try database.begin(plan: plan, user: "anna", host: "desk", at: now, with: lease)
        var changes = StoreChanges()
        changes.intents = (0..<4).map { intent(run, .step($0), node: UInt64($0)) }
        try database.commit(changes, with: lease)
        changes = StoreChanges()
        var node = fixture.network.nodes[0]
        node.defaultTTL = 9
        changes.nodes = [node]
        changes.outcomes = [
            outcome(run, 0, .succeeded), outcome(run, 1, .failed(status: 0x05)), outcome(run, 2, .unknown),
            outcome(run, 9, .skipped),
        ]
        #expect(try database.commit(changes, with: lease) == 2)
        let timing = RunTiming(milliseconds: 60_000, estimatedMilliseconds: 45_000, messages: 31)
        try database.end(run, .partial, at: Timestamp(rawValue: now.rawValue + 60), timing: timing, with: lease)

        let reader = try fixture.reopened()
        let snapshot = try reader.snapshot()
        #expect(snapshot.network.nodes[0].defaultTTL == 9)
        #expect(snapshot.unresolved.map(\.subject) == [.step(2), .step(3)])
        #expect(snapshot.unresolved.map(\.isUnknown) == [true, false])
        let record = try required(try reader.runs().first)
        #expect(record.outcome == .partial)
        #expect(record.ended?.rawValue == now.rawValue + 60)
        #expect(record.timing == timing)
        #expect(
            [record.counts.succeeded, record.counts.failed, record.counts.unknown, record.counts.skipped] == [
                1, 1, 1, 1,
            ]
        )
        let details = try reader.details(of: run)
        #expect(details.map(\.subject) == [.step(1), .step(2), .step(9)])
        #expect(details.map(\.result) == [.failed(status: 5), .unknown, .skipped])
        #expect(details.map(\.node) == [uuid(1), uuid(2), nil])
    }

    @Test("An unknown outcome is resolved by a later one, in a later run as well")
    func resolution() throws {
        let fixture = try Fixture()
        let database = fixture.database
        let lease = try database.lock(holder: holder())
        let run = try database.begin(plan: plan, user: "a", host: "b", at: now, with: lease)
        var changes = StoreChanges()
        changes.intents = [intent(run, .step(0)), intent(run, .step(1))]
        changes.outcomes = [outcome(run, 0, .unknown), outcome(run, 1, .unknown)]
        try database.commit(changes, with: lease)
        try database.end(run, .interrupted, at: now, with: lease)
        #expect(try database.unresolvedIntents().count == 2)
        changes = StoreChanges()
        changes.outcomes = [outcome(run, 0, .succeeded), outcome(run, 1, .unknown)]
        try database.commit(changes, with: lease)
        #expect(try database.unresolvedIntents().map(\.subject) == [.step(1)])
        let counts = try required(try database.runs().first).counts
        #expect([counts.succeeded, counts.unknown] == [1, 1])
    }

    @Test("Intents of a run that does not exist change nothing, outcomes of a forgotten run stop nothing")
    func unknownRun() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        var changes = StoreChanges()
        changes.nodes = fixture.network.nodes
        changes.intents = [intent(RunIdentifier(rawValue: 3), .step(0))]
        #expect(storeError { try fixture.database.commit(changes, with: lease) }?.code == .unknownRun)
        #expect(try fixture.database.snapshot().serial == 1)
        #expect(
            storeError { try fixture.database.end(RunIdentifier(rawValue: 3), .completed, at: now, with: lease) }?.code
                == .unknownRun
        )
        changes.intents = []
        changes.outcomes = [outcome(RunIdentifier(rawValue: 3), 0, .succeeded)]
        #expect(try fixture.database.commit(changes, with: lease) == 2)
        #expect(try fixture.database.runs().isEmpty)
    }

    @Test("A plan is applied once")
    func consumedPlans() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        #expect(try !fixture.database.hasRun(plan: plan))
        _ = try fixture.database.begin(plan: plan, user: "a", host: "b", at: now, with: lease)
        #expect(try fixture.reopened().hasRun(plan: plan))
        let error = storeError {
            _ = try fixture.database.begin(plan: plan, user: "a", host: "b", at: now, with: lease)
        }
        #expect(error?.code == .stale)
        #expect(try fixture.database.runs().count == 1)
    }

    @Test("Details are bounded a run and to the last runs, so the journal stays small")
    func bounds() throws {
        let fixture = try Fixture()
        let database = fixture.database
        let lease = try database.lock(holder: holder())
        let first = try database.begin(plan: plan, user: "a", host: "b", at: now, with: lease)
        var changes = StoreChanges()
        changes.outcomes = (0..<500).map { outcome(first, $0, .failed(status: 1)) }
        try database.commit(changes, with: lease)
        #expect(try database.details(of: first).count == 200)
        #expect(try required(try database.runs().first).counts.failed == 500)
        for number: UInt64 in 0..<20 {
            let plan = Octets16(high: 9, low: number)
            _ = try database.begin(plan: plan, user: "a", host: "b", at: now, with: lease)
        }
        #expect(try database.details(of: first).isEmpty)
        #expect(try database.runs().map(\.identifier.rawValue) == Array(1...21))
        // The rows are gone, not just hidden, and the digest knows it.
        #expect(try fixture.reopened().snapshot().serial == 1)
    }
}
