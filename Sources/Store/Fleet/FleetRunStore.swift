import MeshCore
import PostgreSQL

/// The runs of fleets: in a database that a team shares, for any number of machines, or in a file, for one.
///
/// A worker takes a job by a claim, which lasts as long as the worker gives signs of life, by the clock of the place.
/// The number of the attempt and the worker's name distinguish it from all others: what a worker reports under a claim
/// that it has lost is not recorded. A claim protects nothing but the run's own rows. What protects a network is the
/// lock of its database.
///
/// Every operation is one short transaction that leaves nothing in the session, so that it works behind a pooler, too.
package final class FleetRunStore {
    /// How long a worker counts as alive without a sign of life.
    package static let expiry = Duration.seconds(60)
    /// How often a worker gives a sign of life.
    package static let heartbeat = Duration.seconds(15)
    static let mostRuns = 100

    let tables: any FleetRunTables

    private init(_ tables: any FleetRunTables) {
        self.tables = tables
    }

    /// The runs in a database that a team shares.
    ///
    /// - Parameter creating: whether to make the tables that are missing.
    /// - Returns: nil if there are none and none are made.
    /// - Throws: ``StoreError`` if the server cannot be reached or refuses, or has tables of a later version.
    package static func shared(_ store: SharedStore, creating: Bool) throws(StoreError) -> FleetRunStore? {
        try opened(PostgreSQLFleetRunTables(store), creating)
    }

    /// The runs in a file, which only its owner can read.
    ///
    /// - Parameter creating: whether to make the file if it is missing.
    /// - Returns: nil if there is none and none is made.
    package static func file(_ path: String, creating: Bool) throws(StoreError) -> FleetRunStore? {
        guard let tables = try SQLiteFleetRunTables(path, creating: creating) else { return nil }
        return try opened(tables, creating)
    }

    private static func opened(_ tables: any FleetRunTables, _ creating: Bool) throws(StoreError) -> FleetRunStore? {
        if try !FleetRunSchema.isThere(in: tables) {
            guard creating else { return nil }
            try tables.create(FleetRunSchema.statements)
        }
        return FleetRunStore(tables)
    }

    /// The place, for messages, without anything secret.
    package var name: String { tables.name }

    /// Adds a run with its jobs, and forgets the oldest runs.
    ///
    /// - Throws: ``StoreError/Code/exists`` if there is a run with that identifier, and other codes if the place fails.
    package func add(_ run: FleetRunRecord, _ jobs: [FleetJob]) throws(StoreError) {
        var statements = [
            FleetStatement(
                """
                INSERT INTO meshplan_fleet_runs (id, state, wave, waves, most, created, reason, request)
                VALUES ($1, $2, $3, $4, $5, \(tables.now), '', $6)
                """,
                [
                    .text(run.id), .integer(run.state.rawValue), .integer(Int64(run.wave)), .integer(Int64(run.waves)),
                    .integer(run.mostFailures.map(Int64.init) ?? -1), .json(run.request),
                ]
            )
        ]
        statements += jobs.map { job in
            FleetStatement(
                """
                INSERT INTO meshplan_fleet_jobs
                    (run, number, wave, network, state, attempts, worker, status, notes)
                VALUES ($1, $2, $3, $4, $5, 0, '', $6, $7)
                """,
                [
                    .text(run.id), .integer(Int64(job.number)), .integer(Int64(job.wave)), .text(job.network),
                    .integer(job.state.rawValue), .integer(Int64(job.status ?? -1)), .json(job.notes),
                ]
            )
        }
        let old: FleetSQL = """
            SELECT o.id FROM meshplan_fleet_runs o WHERE o.state <> 0 AND o.created < (
                SELECT min(n.created) FROM (
                    SELECT created FROM meshplan_fleet_runs ORDER BY created DESC LIMIT \(FleetRunStore.mostRuns)
                ) n
            )
            """
        let day: Int64 = 86_400_000
        statements.append(
            FleetStatement("DELETE FROM meshplan_fleet_workers WHERE expires < \(tables.now) - \(day)")
        )
        statements.append(FleetStatement("DELETE FROM meshplan_fleet_jobs WHERE run IN (\(old))"))
        statements.append(FleetStatement("DELETE FROM meshplan_fleet_runs WHERE id IN (\(old))"))
        _ = try tables.transact(statements)
    }

    /// Lets no further job begin. Jobs that run go on.
    ///
    /// - Returns: whether the run was open.
    package func stop(_ run: String, because reason: String) throws(StoreError) -> Bool {
        let statement = FleetStatement(
            "UPDATE meshplan_fleet_runs SET state = 1, reason = $2 WHERE id = $1 AND state = 0 RETURNING id",
            [.text(run), .text(reason)],
            columns: 1
        )
        return try !tables.transact([statement])[0].isEmpty
    }

    /// Opens a run again, from the first wave with something to do.
    ///
    /// - Parameter jobs: jobs that are set to the given states, with new notes, unless somebody has them or they are
    ///   done.
    package func reopen(_ run: String, changing jobs: [FleetJob] = []) throws(StoreError) {
        var statements = [lock(run)]
        statements += jobs.map { job in
            FleetStatement(
                """
                UPDATE meshplan_fleet_jobs SET state = $3, status = $4, notes = $5
                WHERE run = $1 AND number = $2 AND state IN (0, 3, 4)
                """,
                [
                    .text(run), .integer(Int64(job.number)), .integer(job.state.rawValue),
                    .integer(Int64(job.status ?? -1)), .json(job.notes),
                ]
            )
        }
        statements.append(
            FleetStatement(
                """
                UPDATE meshplan_fleet_runs SET state = 0, reason = '', wave = COALESCE((
                    SELECT min(j.wave) FROM meshplan_fleet_jobs j
                    WHERE j.run = $1 AND j.state IN (0, 1)
                ), waves)
                WHERE id = $1
                """,
                [.text(run)]
            )
        )
        // What was decided at the end of that wave and of those behind it is decided again.
        statements.append(
            FleetStatement(
                """
                UPDATE meshplan_fleet_jobs SET state = 0
                WHERE run = $1 AND network = '' AND state = 2
                    AND wave >= (SELECT r.wave FROM meshplan_fleet_runs r WHERE r.id = $1)
                """,
                [.text(run)]
            )
        )
        _ = try tables.transact(statements)
    }

    /// Locks a run for the rest of a transaction, so that two workers that finish at once count both.
    func lock(_ run: String) -> FleetStatement {
        FleetStatement("SELECT id FROM meshplan_fleet_runs WHERE id = $1 \(tables.locking)", [.text(run)])
    }
}
