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
                let identity = try connection.findOrigin()
                let origin = identity.origin
                if let origin, newest?.isLeftBehind(by: origin) ?? true { newest = origin }
                guard !identity.isStandby else { continue }
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

    /// Asks which history the server goes on with.
    static let originQuery = SQLStatement(
        """
        SELECT s.system_identifier, CASE WHEN pg_is_in_recovery() THEN 1::bigint ELSE 0::bigint END,
            CASE WHEN pg_is_in_recovery() THEN c.timeline_id::bigint ELSE \(PostgreSQLConnection.timeline) END
        FROM pg_control_system() s, pg_control_checkpoint() c
        """
    )

    /// The answer to ``originQuery``.
    static func origin(_ result: SQLResult) throws(PostgreSQLError) -> ServerIdentity {
        guard let row = result.rows.first else { return ServerIdentity(origin: nil, isStandby: false) }
        let origin = StoreOrigin(
            system: UInt64(bitPattern: try row.integer(0)),
            timeline: UInt32(truncatingIfNeeded: try row.integer(2))
        )
        return ServerIdentity(origin: origin, isStandby: try row.integer(1) == 1)
    }

    /// Which history the server goes on with, and whether it is a standby.
    func findOrigin() throws(PostgreSQLError) -> ServerIdentity {
        do throws(PostgreSQLError) {
            return try PostgreSQLConnection.origin(try run([PostgreSQLConnection.originQuery])[0])
        } catch {
            // It knows no such functions, or does not let us call them.
            guard error.kind == .refused else { throw error }
            return ServerIdentity(origin: nil, isStandby: try isInRecovery())
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

    /// What each transaction sets first. A server that loses us in the middle of one must not keep its locks for hours.
    /// Behind a pooler, sessions are not ours, so it is set for the transaction only. Servers that do not know the
    /// setting have none, and asking for that beforehand would cost a round trip.
    static let transactionSettings = [
        SQLStatement(
            """
            SELECT CASE WHEN current_setting('idle_in_transaction_session_timeout', true) IS NULL THEN ''
                ELSE set_config('idle_in_transaction_session_timeout', '20000', true) END
            """
        )
    ]

    /// Runs statements as one transaction, in one round trip.
    ///
    /// - Returns: as many results as there are statements.
    func transact(
        _ statements: [SQLStatement],
        beginning: SQLStatement = SQLStatement("BEGIN")
    ) throws(PostgreSQLError) -> [SQLResult] {
        let before = [beginning] + PostgreSQLConnection.transactionSettings
        return Array(try run(before + statements + [SQLStatement("COMMIT")]).dropFirst(before.count).dropLast())
    }
}

/// Which server answers.
struct ServerIdentity {
    /// Which history of its data it goes on with; nil if it does not say, as databases that only resemble PostgreSQL.
    var origin: StoreOrigin?
    /// Whether it follows another one.
    var isStandby: Bool
}
