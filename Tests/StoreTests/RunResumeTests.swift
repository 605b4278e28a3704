import MeshCore
import Store
import Testing

@Suite("Resuming a run")
struct RunResumeTests {
    private let plan = Octets16(high: 7, low: 7)

    private func begin(_ fixture: Fixture, _ lease: WriteLease) throws -> RunIdentifier {
        try fixture.database.begin(plan: plan, user: "anna", host: "desk", at: now, with: lease)
    }

    @Test("A run whose commits are the last ones can be gone on with, and has no end until it ends again")
    func resumed() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        let run = try begin(fixture, lease)
        var changes = StoreChanges()
        changes.run = run
        changes.nodes = [try #require(fixture.database.snapshot().network.nodes.first)]
        let serial = try fixture.database.commit(changes, with: lease)
        try fixture.database.end(run, .interrupted, at: now, with: lease)

        #expect(try fixture.database.run(plan: plan)?.serial == serial)
        #expect(try fixture.database.run(plan: plan)?.outcome == .interrupted)
        try fixture.database.resume(run, with: lease)
        #expect(try fixture.database.run(plan: plan)?.identifier == run)
        #expect(try fixture.database.run(plan: plan)?.ended == nil)
    }

    @Test("A run is not gone on with after somebody else changed the database")
    func changedByOthers() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        let run = try begin(fixture, lease)
        var changes = StoreChanges()
        changes.nodes = [try #require(fixture.database.snapshot().network.nodes.first)]
        try fixture.database.commit(changes, with: lease)
        let error = storeError { try fixture.database.resume(run, with: lease) }
        #expect(error?.code == .stale)
    }

    @Test("An unknown plan has no run, and an unknown run cannot be resumed")
    func unknown() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        #expect(try fixture.database.run(plan: plan) == nil)
        let error = storeError { try fixture.database.resume(RunIdentifier(rawValue: 99), with: lease) }
        #expect(error?.code == .unknownRun)
    }

    @Test("An outcome for a run that the journal has forgotten does no harm")
    func forgotten() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        var changes = StoreChanges()
        changes.outcomes = [JournalOutcome(run: RunIdentifier(rawValue: 99), subject: .step(1), result: .succeeded)]
        try fixture.database.commit(changes, with: lease)
        #expect(try fixture.database.runs().isEmpty)
    }
}
