import MeshCore
import PostgreSQL

/// Checks of the table of locks. Readers do not need the table. If it was dropped, or belongs to somebody else, the
/// first writer would be the first to notice.
extension PostgreSQLLock {
    /// Checks that the lock of a network could be taken, without taking it.
    ///
    /// - Throws: ``StoreError/Code/missing`` or ``StoreError/Code/notADatabase`` if nobody could take it, with a hint
    ///   what helps.
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

    /// The error if the lock of a network has no table or no row.
    static func lost(_ what: String, _ session: PostgreSQLSession) -> StoreError {
        StoreError(
            .missing,
            "\(what), without which nobody can change the network",
            hint: "create it again with: \(command: .createStore("\(session.address)"))",
            path: session.name
        )
    }

    private static func foreign(_ session: PostgreSQLSession) -> StoreError {
        StoreError(
            .notADatabase,
            "the table meshplan_locks does not have meshplan's columns, so nobody can change the network",
            hint: """
                ask its owner to rename or drop it, then create meshplan's own with: \
                \(command: .createStore("\(session.address)"))
                """,
            path: session.name
        )
    }

    /// Creates missing locks. Each of them is free. Its fence goes on from that of the network, so that the next holder
    /// can be told from the last one.
    ///
    /// - Returns: whether any was missing.
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
