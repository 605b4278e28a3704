internal import MeshCore
internal import PostgreSQL

/// Whether the table of locks is what it has to be. Nobody needs it to read, so that a table that was dropped, or that is
/// somebody else's, would be noticed only by the first who wants to write.
extension PostgreSQLLock {
    /// Looks at the lock of a network, without taking it.
    ///
    /// - Throws: ``StoreError/Code/missing`` or ``StoreError/Code/notADatabase`` if nobody could take it, with what helps.
    static func check(_ lineage: Octets16, _ session: PostgreSQLSession) throws(StoreError) {
        let statement = SQLStatement(
            """
            SELECT fence, holder, host, process, operation, since, token, expires > now()
            FROM meshplan_locks WHERE lineage = $1
            """,
            .octets(lineage.bytes)
        )
        let rows: [SQLRow]
        do throws(StoreError) {
            rows = try session.run([statement])[0].rows
        } catch  where error.code == .missing && session.hasConnected {
            throw lost("the table meshplan_locks is gone", session)
        } catch  where error.code == .notADatabase {
            throw foreign(session)
        }
        guard let row = rows.first else { throw lost("the table meshplan_locks has no row of this network", session) }
        do throws(PostgreSQLError) {
            for column in [0, 3, 5] { _ = try row.integer(column) }
            for column in [1, 2, 4] { _ = try row.text(column) }
            _ = try row.octets(6)
        } catch {
            throw foreign(session)
        }
    }

    /// The lock of a network has no place to be.
    static func lost(_ what: String, _ session: PostgreSQLSession) -> StoreError {
        StoreError(
            .missing,
            "\(what), without which nobody can change the network",
            hint: "make it anew with: meshplan init --state \(session.address)",
            path: session.name
        )
    }

    private static func foreign(_ session: PostgreSQLSession) -> StoreError {
        StoreError(
            .notADatabase,
            "the table meshplan_locks is another one than meshplan makes, and nobody can change the network",
            hint: "give it another name or drop it, whoever it belongs to, then make ours with: "
                + "meshplan init --state \(session.address)",
            path: session.name
        )
    }

    /// Makes the locks anew that are not there; each of them is free, and its fence goes on where that of the network
    /// stands, so that whoever had it before can be told from whoever has it next.
    ///
    /// - Returns: whether any was missing.
    static func restore(in session: PostgreSQLSession) throws(StoreError) -> Bool {
        let missing = """
            FROM meshplan_networks n WHERE NOT EXISTS (SELECT 1 FROM meshplan_locks l WHERE l.lineage = n.lineage)
            """
        var isLost = false
        do throws(StoreError) {
            let found = try session.run([SQLStatement("SELECT n.lineage \(missing)")])[0].rows
            guard !found.isEmpty else { return false }
        } catch  where error.code == .missing && session.hasConnected {
            isLost = true
        } catch  where error.code == .notADatabase {
            throw foreign(session)
        }
        if isLost { for statement in PostgreSQLSchema.statements { try session.runAgainAfterConflict([statement]) } }
        let insertion = SQLStatement(
            """
            INSERT INTO meshplan_locks (lineage, fence, expires, token, holder, host, process, operation, since)
            SELECT n.lineage, n.fence, CAST(NULL AS timestamptz), CAST('' AS bytea), '', '', 0, '', 0 \(missing)
            ON CONFLICT DO NOTHING
            """
        )
        try session.runAgainAfterConflict([insertion])
        return true
    }
}
