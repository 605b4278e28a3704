import MeshCore
import PostgreSQL

/// The tables of a shared store. They need nothing beyond what any database with PostgreSQL's language has.
///
/// `meshplan_networks` holds the header of each mesh database and the fence of its last lock. Every write names
/// lineage, revision and fence, and happens only if all three still match. `meshplan_locks` says who holds the lock and
/// until when, by the server's clock. It is a separate table, so that signs of life and commits never wait for one
/// another. Fences only grow.
enum PostgreSQLSchema {
    static let version: Int64 = 1

    /// The statements that create the tables. Each can be repeated. The version comes last, so its presence shows that
    /// all tables are there.
    static let statements: [SQLStatement] = [
        SQLStatement(
            "CREATE TABLE IF NOT EXISTS meshplan_schema (id bigint PRIMARY KEY, version bigint NOT NULL)"
        ),
        SQLStatement(
            """
            CREATE TABLE IF NOT EXISTS meshplan_networks (
                name text PRIMARY KEY, lineage bytea NOT NULL UNIQUE, format bigint NOT NULL,
                revision bigint NOT NULL, fence bigint NOT NULL
            )
            """
        ),
        SQLStatement(
            """
            CREATE TABLE IF NOT EXISTS meshplan_key_slots (
                lineage bytea NOT NULL, slot bigint NOT NULL, kind bigint NOT NULL,
                parameters bytea NOT NULL, wrapped bytea NOT NULL,
                PRIMARY KEY (lineage, slot)
            )
            """
        ),
        SQLStatement(
            """
            CREATE TABLE IF NOT EXISTS meshplan_rows (
                lineage bytea NOT NULL, kind bigint NOT NULL, key bytea NOT NULL,
                revision bigint NOT NULL, body bytea NOT NULL,
                PRIMARY KEY (lineage, kind, key)
            )
            """
        ),
        SQLStatement(
            """
            CREATE TABLE IF NOT EXISTS meshplan_locks (
                lineage bytea PRIMARY KEY, fence bigint NOT NULL, expires timestamptz, token bytea NOT NULL,
                holder text NOT NULL, host text NOT NULL, process bigint NOT NULL, operation text NOT NULL,
                since bigint NOT NULL
            )
            """
        ),
        SQLStatement(
            "INSERT INTO meshplan_schema (id, version) VALUES (1, $1) ON CONFLICT DO NOTHING",
            .integer(version)
        ),
    ]

    /// The version of the tables; nil if there are none.
    ///
    /// - Throws: ``StoreError/Code/newerFormat`` if this program does not know it.
    static func version(_ session: PostgreSQLSession) throws(StoreError) -> Int64? {
        let found: [SQLRow]
        do {
            found = try session.run([versionQuery])[0].rows
        } catch {
            if error.code == .missing, session.hasConnected { return nil }
            throw error
        }
        return try version(found, session)
    }

    static let versionQuery = SQLStatement("SELECT version FROM meshplan_schema WHERE id = 1")

    /// The version in the answer to ``versionQuery``; nil if it has none.
    private static func version(_ rows: [SQLRow], _ session: PostgreSQLSession) throws(StoreError) -> Int64? {
        guard let row = rows.first else { return nil }
        let version = try session.reading { () throws(PostgreSQLError) in try row.integer(0) }
        guard version == self.version else {
            throw StoreError(
                .newerFormat,
                "the tables have version \(version), this program knows version \(self.version)",
                hint: "use the version of meshplan that the others use",
                path: session.name
            )
        }
        return version
    }

    /// Refuses a database without our tables.
    static func check(_ session: PostgreSQLSession) throws(StoreError) {
        guard try version(session) != nil else { throw missing(session) }
    }

    /// Runs queries as of one moment, refuses a database without our tables, and finds out which server that was, all
    /// in one round trip.
    static func checkedRun(_ statements: [SQLStatement], _ session: PostgreSQLSession) throws(StoreError) -> [SQLResult]
    {
        let results: [SQLResult]
        do {
            results = try session.transactIdentified(
                [versionQuery] + statements,
                beginning: PostgreSQLRowStore.beginReading
            )
        } catch {
            // Tables of another version may lack what was asked for, and no tables are explained there.
            if error.code != .unreachable, session.hasConnected { try check(session) }
            throw error
        }
        guard try version(results[0].rows, session) != nil else { throw missing(session) }
        return Array(results.dropFirst())
    }

    private static func missing(_ session: PostgreSQLSession) -> StoreError {
        StoreError(
            .missing,
            "there are no tables of meshplan",
            hint: "make them with: \(command: .createStore("\(session.address)"))",
            path: session.name
        )
    }
}
