import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("A pooler in transaction mode", withPooler)
struct PoolerTests {
    @Test("Databases are made, locked, read and written through it, and nobody finds another one's settings")
    func everything() throws {
        let fixture = try SharedFixture(nodes: 40)
        let address = fixture.server.address(fixture.databaseName, through: try PostgreSQLPooler.shared.folder)
        let store = try SharedStore(address, clock: fixture.clock.clock)
        #expect(try !store.prepare())
        _ = try MeshDatabase.create(
            at: .shared(store, network: "shop", localPath: fixture.folder.file("shop")),
            network: fixture.network,
            key: fixture.key,
            now: now,
            using: SplitMix64(seed: 4)
        )
        #expect(try store.networks() == ["house", "shop"])

        // Two clients take turns with the server's connections.
        let (desk, laptop) = (try fixture.openPooled(), try fixture.openPooled(on: "laptop"))
        let lease = try desk.lock(holder: holder())
        #expect(storeError { _ = try laptop.lock(holder: holder()) }?.code == .locked)
        let numbers = try desk.sequenceNumbers(with: lease, blockSize: 1)
        for round in 1...20 {
            #expect(try numbers.next(for: .first, ivIndex: 5) == UInt32(round) - 1)
            try desk.commit(renaming(fixture.network, to: "name \(round)"), with: lease)
            let seen = try laptop.snapshot()
            #expect(seen.network.name == "name \(round)" && seen.network.nodes.count == fixture.network.nodes.count)
        }
        lease.release()
        let theirs = try laptop.lock(holder: holder())
        #expect(try laptop.commit(renaming(fixture.network, to: "theirs"), with: theirs) == 22)
        #expect(storeError { try desk.commit(renaming(fixture.network, to: "late"), with: lease) }?.code == .notLocked)
        // What holds for transactions was not left behind in the sessions.
        let settings = try PostgreSQLPooler.sql("SHOW idle_in_transaction_session_timeout", in: fixture.databaseName)
        #expect(settings == "0")
    }

    @Test("When the pooler's connections to the server are cut, a writer goes on")
    func cut() throws {
        let fixture = try SharedFixture()
        let desk = try fixture.openPooled()
        let lease = try desk.lock(holder: holder())
        for round in 1...5 {
            try fixture.sql(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = '\(fixture.databaseName)' AND pid <> pg_backend_pid()
                """
            )
            #expect(try desk.commit(renaming(fixture.network, to: "name \(round)"), with: lease) == UInt64(round) + 1)
        }
        #expect(try fixture.open().snapshot().network.name == "name 5")
    }
}
