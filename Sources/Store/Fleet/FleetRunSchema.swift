import MeshCore
import PostgreSQL

/// The tables with the runs of fleets. They have a version of their own beside that of the mesh databases, which
/// programs that know no runs do not look at.
enum FleetRunSchema {
    static let version: Int64 = 1
    /// The row of `meshplan_schema` with the version.
    private static let row: Int64 = 2

    /// The statements that create the tables. Each can be repeated. The version comes last, so its presence shows that
    /// all tables are there.
    static let statements = [
        FleetStatement(
            "CREATE TABLE IF NOT EXISTS meshplan_schema (id bigint PRIMARY KEY, version bigint NOT NULL)"
        ),
        FleetStatement(
            """
            CREATE TABLE IF NOT EXISTS meshplan_fleet_runs (
                id text PRIMARY KEY, state bigint NOT NULL, wave bigint NOT NULL, waves bigint NOT NULL,
                most bigint NOT NULL, created bigint NOT NULL, reason text NOT NULL, request text NOT NULL
            )
            """
        ),
        FleetStatement(
            """
            CREATE TABLE IF NOT EXISTS meshplan_fleet_jobs (
                run text NOT NULL, number bigint NOT NULL, wave bigint NOT NULL, network text NOT NULL,
                state bigint NOT NULL, attempts bigint NOT NULL, worker text NOT NULL, status bigint NOT NULL,
                notes text NOT NULL, PRIMARY KEY (run, number)
            )
            """
        ),
        FleetStatement(
            """
            CREATE TABLE IF NOT EXISTS meshplan_fleet_workers (
                id text PRIMARY KEY, run text NOT NULL, since bigint NOT NULL, expires bigint NOT NULL
            )
            """
        ),
        FleetStatement(
            "INSERT INTO meshplan_schema (id, version) VALUES (\(row), \(version)) ON CONFLICT DO NOTHING"
        ),
    ]

    /// Whether the tables are there.
    ///
    /// - Throws: ``StoreError/Code/newerFormat`` if this program does not know their version.
    static func isThere(in tables: any FleetRunTables) throws(StoreError) -> Bool {
        let found: [[FleetRow]]
        do throws(StoreError) {
            found = try tables.transact([
                FleetStatement("SELECT version FROM meshplan_schema WHERE id = \(row)", columns: 1)
            ])
        } catch {
            // A file without tables counts as damaged, because nothing else is ever read from one.
            if error.code == .missing || (error.code == .damaged && tables is SQLiteFleetRunTables) { return false }
            throw error
        }
        guard let row = found.first?.first else { return false }
        let version = try row.integer(0)
        guard version == self.version else {
            throw StoreError(
                .newerFormat,
                "the tables of runs have version \(version), this program knows version \(self.version)",
                hint: "use the version of meshplan that the others use",
                path: tables.name
            )
        }
        return true
    }
}
