import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("Damage to the locks of a shared database", withServer)
struct SharedLockDamageTests {
    /// What keeps everybody from the lock, which a look at the database tells and whoever wants to write.
    private func problem(_ fixture: SharedFixture) throws -> StoreError {
        let database = try fixture.open()
        let verification = try database.verify()
        #expect(verification.problems.isEmpty, "what is stored is whole")
        #expect(storeError { _ = try database.lock(holder: holder()) } != nil)
        return try #require(verification.lockProblem)
    }

    @Test(
        "A table or row of locks that is gone is told, and made anew by what the error says",
        arguments: [
            "DROP TABLE meshplan_locks", "DELETE FROM meshplan_locks",
        ]
    )
    func lost(statement: String) throws {
        let fixture = try SharedFixture()
        #expect(try fixture.open().verify().lockProblem == nil)
        for _ in 0..<3 { try fixture.open().lock(holder: holder()).release() }
        let old = try fixture.open(on: "other")
        let oldLease = try old.lock(holder: holder())
        try fixture.sql(statement)
        let problem = try problem(fixture)
        #expect(problem.code == .missing && problem.message.contains("meshplan_locks"))
        #expect(problem.hint?.text.contains("the creation of tables at postgres:///") == true)
        if statement.hasPrefix("DELETE") {
            let refused = storeError { _ = try fixture.open().lock(holder: holder()) }
            #expect(refused?.code == problem.code && refused?.hint == problem.hint, "a writer is told, too")
        }

        #expect(try fixture.store().prepare())
        #expect(try !fixture.store().prepare(), "once is enough")
        let database = try fixture.open()
        #expect(try database.verify().lockProblem == nil)
        let lease = try database.lock(holder: holder())
        #expect(try Int64(fixture.sql("SELECT fence FROM meshplan_locks")) == 5, "fences only grow")
        let late = storeError { try old.commit(renaming(fixture.network, to: "late"), with: oldLease) }
        #expect(late?.code == .stale, "who had the lock before has lost it")
        try database.commit(renaming(fixture.network, to: "new"), with: lease)
        #expect(try fixture.open().snapshot().network.name == "new")
    }

    @Test(
        "Somebody else's table of that name is told as such, and is not touched",
        arguments: [
            "CREATE TABLE meshplan_locks (door text, key text)",
            """
            CREATE TABLE meshplan_locks (lineage bytea PRIMARY KEY, fence text, expires timestamptz, token text, holder text,
                host text, process bigint, operation text, since bigint)
            """,
        ]
    )
    func foreign(table: String) throws {
        let fixture = try SharedFixture()
        let lineage = try fixture.sql("SELECT encode(lineage, 'hex') FROM meshplan_networks")
        try fixture.sql("DROP TABLE meshplan_locks")
        try fixture.sql(table)
        if table.contains("fence") {
            try fixture.sql(
                "INSERT INTO meshplan_locks VALUES (decode('\(lineage)', 'hex'), 'x', NULL, 'y', '', '', 0, '', 0)"
            )
        }
        let problem = try problem(fixture)
        #expect(problem.code == .notADatabase && problem.message.contains("does not have meshplan's columns"))
        #expect(problem.hint?.contains("ask its owner to rename or drop it") == true)
        try fixture.sql("ALTER TABLE meshplan_locks RENAME TO doors")
        #expect(try fixture.store().prepare())
        #expect(try fixture.open().verify().lockProblem == nil)
    }

    @Test("A table of locks from an older copy gives no fence a second time")
    func older() throws {
        let fixture = try SharedFixture()
        for _ in 0..<4 { try fixture.open().lock(holder: holder()).release() }
        try fixture.sql("UPDATE meshplan_locks SET fence = 1")
        let lease = try fixture.open().lock(holder: holder())
        defer { lease.release() }
        #expect(try fixture.sql("SELECT fence FROM meshplan_locks") == "5")
        #expect(try fixture.sql("SELECT fence FROM meshplan_networks") == "5")
    }
}
