import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("A database at a glance")
struct DatabaseSummaryTests {
    /// Drift, a doubt and an entry of the history beside the nodes.
    private static func prepare(_ database: MeshDatabase) throws {
        let lease = try database.lock(holder: holder("apply"))
        defer { lease.release() }
        let network = try database.snapshot().network
        var changes = renaming(network, to: "other")
        let plan = Octets16(high: 1, low: 1)
        let run = try database.begin(plan: plan, user: "anna", host: "desk", at: now, with: lease)
        changes.intents = [JournalIntent(run: run, subject: .step(0), node: uuid(1), action: [1])]
        changes.drifts = [NodeDrift(recorded: network.nodes[1], since: [.defaultTTL: now])]
        try database.commit(changes, with: lease)
    }

    /// Compares what is counted with what a snapshot holds.
    private static func compare(_ summary: DatabaseSummary, _ database: MeshDatabase) throws {
        let snapshot = try database.snapshot()
        let last = try database.history().entries.first
        #expect(try summary.version == database.version())
        #expect(summary.nodes == snapshot.network.nodes.count && summary.nodes > 1)
        #expect(summary.drifted == snapshot.network.drifts.count)
        #expect(summary.inDoubt == snapshot.unresolved.count)
        #expect(summary.last?.operation == last?.operation && summary.last?.user == last?.user)
        #expect(summary.last?.began == last?.began && summary.last != nil)
    }

    @Test("A file tells the same as a snapshot and the history")
    func file() throws {
        let fixture = try Fixture(nodes: 3)
        #expect(try fixture.database.summary().last == nil)
        try Self.prepare(fixture.database)
        let before = fixture.database.completeReadings
        let summary = try fixture.database.summary()
        #expect(summary.drifted == 1 && summary.inDoubt == 1)
        #expect(fixture.database.completeReadings == before)
        try Self.compare(summary, fixture.database)
    }

    @Test(
        "What is counted is proven: rows that were removed, added, moved or replaced by older ones are found",
        arguments: [
            "DELETE FROM rows WHERE kind = 3 AND key = (SELECT max(key) FROM rows WHERE kind = 3)",
            "DELETE FROM rows WHERE kind = 2", "DELETE FROM rows WHERE kind = 1", "DELETE FROM rows WHERE kind = 30",
            "INSERT INTO rows VALUES (16, x'00000000000000000000000000000000', 1, x'00')",
            "INSERT INTO rows VALUES (30, x'00000000000000FF', 1, x'00')",
            "UPDATE rows SET kind = 11 WHERE key = (SELECT max(key) FROM rows WHERE kind = 3)",
            "UPDATE rows SET kind = 99 WHERE kind = 2", "UPDATE rows SET revision = 1 WHERE kind = 30",
            "UPDATE rows SET body = x'00' WHERE kind = 30", "UPDATE rows SET body = x'00' WHERE kind = 1",
            "UPDATE header SET revision = 99",
        ]
    )
    func tampering(_ sql: String) throws {
        let fixture = try Fixture(nodes: 3)
        try Self.prepare(fixture.database)
        try execute(fixture, sql)
        #expect(storeError { _ = try fixture.reopened().summary() }?.code == .damaged, "\(sql)")
    }

    @Test("Many networks of a shared database are read together; who is not in order is left out", withServer)
    func shared() throws {
        let fixture = try SharedFixture(nodes: 3)
        try Self.prepare(try fixture.open())
        try Self.compare(try fixture.open().summary(), try fixture.open())
        let store = try fixture.store()
        var generator = SplitMix64(seed: 7)
        let other = DatabaseSecret.random(using: &generator)
        for (name, key) in [("mill", fixture.key), ("barn", other), ("shed", fixture.key), ("yard", fixture.key)] {
            _ = try MeshDatabase.create(
                at: .shared(store, network: name, localPath: fixture.folder.file(name)),
                network: fixture.network,
                key: key,
                now: now,
                using: generator
            )
            _ = generator.next()
        }
        let lineage = "(SELECT lineage FROM meshplan_networks WHERE name = 'shed')"
        try fixture.sql("DELETE FROM meshplan_rows WHERE lineage = \(lineage) AND kind = 12")
        let odd = "(SELECT lineage FROM meshplan_networks WHERE name = 'yard')"
        try fixture.sql("UPDATE meshplan_rows SET kind = 99 WHERE lineage = \(odd) AND kind = 12")
        let names = ["mill", "house", "nowhere", "barn", "shed", "yard"]
        let glances = try store.summaries(of: names.map { ($0, fixture.folder.file($0)) }) { _, sealed in
            try? sealed.opened(with: fixture.key)
        }
        #expect(glances.keys.sorted() == [0, 1])
        try Self.compare(try #require(glances[1]), try fixture.open())
        #expect(glances[0]?.last == nil && glances[0]?.nodes == glances[1]?.nodes)
        #expect(try store.contains("mill") && !store.contains("nowhere"))
    }
}
