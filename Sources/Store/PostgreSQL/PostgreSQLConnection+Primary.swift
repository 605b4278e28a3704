import PostgreSQL

extension PostgreSQLConnection {
    /// Connects to a server that accepts changes. If the address names several, all that can be reached are asked. The
    /// one that was promoted last is taken, wherever it stands in the list: a former primary that comes back may
    /// still take itself for the primary.
    ///
    /// - Throws: ``PostgreSQLError/Kind/connection`` if there is none, or only one that a promotion has left behind.
    static func toPrimary(
        of address: PostgreSQLAddress,
        patience: Duration = .seconds(30),
        interrupt: Int32? = nil
    ) throws(PostgreSQLError) -> PostgreSQLConnection {
        let servers = address.eachServer
        guard !servers.isEmpty else {
            return try PostgreSQLConnection(address, patience: patience, interrupt: interrupt)
        }
        var best: (connection: PostgreSQLConnection, origin: StoreOrigin?)?
        var newest: StoreOrigin?
        var failure: PostgreSQLError?
        for server in servers {
            do throws(PostgreSQLError) {
                let connection = try PostgreSQLConnection(server, patience: patience, interrupt: interrupt)
                let (origin, isStandby) = try connection.findOrigin()
                if let origin, newest?.isLeftBehind(by: origin) ?? true { newest = origin }
                guard !isStandby else { continue }
                guard let found = best else {
                    best = (connection, origin)
                    continue
                }
                if let before = found.origin, let origin, before.isLeftBehind(by: origin) {
                    best = (connection, origin)
                }
            } catch {
                failure = error
            }
        }
        guard let best else {
            throw failure ?? PostgreSQLError(.connection, state: "25006", "all servers of the address are standbys")
        }
        if let origin = best.origin, let newest, origin.isLeftBehind(by: newest) {
            throw PostgreSQLError(
                .connection,
                "the only server that accepts changes is a former primary: it is on timeline \(origin.timeline), and a "
                    + "standby was promoted to timeline \(newest.timeline)"
            )
        }
        return best.connection
    }

    /// The SQL expression for the timeline of a primary.
    static let timeline = "(('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint)"

    /// Which history the server goes on with, nil if it does not say, as databases that only resemble PostgreSQL; and
    /// whether it is a standby.
    func findOrigin() throws(PostgreSQLError) -> (StoreOrigin?, isStandby: Bool) {
        let statement = SQLStatement(
            """
            SELECT s.system_identifier, CASE WHEN pg_is_in_recovery() THEN 1::bigint ELSE 0::bigint END,
                CASE WHEN pg_is_in_recovery() THEN c.timeline_id::bigint ELSE \(PostgreSQLConnection.timeline) END
            FROM pg_control_system() s, pg_control_checkpoint() c
            """
        )
        do throws(PostgreSQLError) {
            guard let row = try run([statement])[0].rows.first else { return (nil, false) }
            let origin = StoreOrigin(
                system: UInt64(bitPattern: try row.integer(0)),
                timeline: UInt32(truncatingIfNeeded: try row.integer(2))
            )
            return (origin, try row.integer(1) == 1)
        } catch {
            // It knows no such functions, or does not let us call them.
            guard error.kind == .refused else { throw error }
            return (nil, try isInRecovery())
        }
    }

    /// Whether the server is a standby, for servers that let us ask nothing else; false where it knows no standbys.
    private func isInRecovery() throws(PostgreSQLError) -> Bool {
        let statement = SQLStatement("SELECT CASE WHEN pg_is_in_recovery() THEN 1::bigint ELSE 0::bigint END")
        do throws(PostgreSQLError) {
            return try run([statement])[0].rows.first?.integer(0) == 1
        } catch {
            guard error.kind == .refused else { throw error }
            return false
        }
    }

    /// Finds out which settings of transactions the server knows.
    func findSettings() {
        let name = "idle_in_transaction_session_timeout"
        let known = try? run([SQLStatement("SELECT current_setting($1, true)", .text(name))])[0].rows.first
        guard let known, !known.isNull(0) else { return }
        // A server that loses us in the middle of a transaction must not keep its locks for hours. The setting is made
        // for each transaction: behind a pooler, sessions are not ours.
        transactionSettings = [SQLStatement("SET LOCAL \(name) = 20000")]
    }

    /// Runs statements as one transaction, in one round trip.
    ///
    /// - Returns: as many results as there are statements.
    func transact(
        _ statements: [SQLStatement],
        beginning: SQLStatement = SQLStatement("BEGIN")
    ) throws(PostgreSQLError) -> [SQLResult] {
        let before = [beginning] + transactionSettings
        return Array(try run(before + statements + [SQLStatement("COMMIT")]).dropFirst(before.count).dropLast())
    }
}
