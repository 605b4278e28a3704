import MeshCore
import PostgreSQL

/// What workers do.
extension FleetRunStore {
    /// Says that a worker is there, from now on and as long as the result is referred to.
    ///
    /// - Parameter heartbeat: how often it gives a sign of life.
    /// - Returns: what gives the signs of life; nil if the system has no thread for it.
    package func join(
        _ run: String,
        _ worker: FleetWorkerRecord,
        heartbeat: Duration = FleetRunStore.heartbeat
    ) throws(StoreError) -> AnyObject? {
        _ = try tables.transact([
            FleetStatement(
                """
                INSERT INTO meshplan_fleet_workers (id, run, since, expires)
                VALUES ($1, $2, $3, \(tables.now) + \(FleetRunStore.expiryMilliseconds))
                ON CONFLICT (id) DO UPDATE SET expires = excluded.expires
                """,
                [.text(worker.id), .text(run), .integer(worker.since.rawValue)]
            )
        ])
        return tables.repeating(signOfLife(worker.id), every: heartbeat)
    }

    /// The statement that keeps a worker's claims.
    func signOfLife(_ worker: String) -> FleetStatement {
        FleetStatement(
            """
            UPDATE meshplan_fleet_workers SET expires = \(tables.now) + \(FleetRunStore.expiryMilliseconds)
            WHERE id = $1
            """,
            [.text(worker)]
        )
    }

    private static let expiryMilliseconds = expiry.components.seconds * 1000

    /// Says that a worker is gone, and gives back what it still has.
    package func leave(_ run: String, _ worker: String) throws(StoreError) {
        _ = try tables.transact([
            FleetStatement(
                "UPDATE meshplan_fleet_jobs SET state = 0 WHERE run = $1 AND worker = $2 AND state = 1",
                [.text(run), .text(worker)]
            ),
            FleetStatement("DELETE FROM meshplan_fleet_workers WHERE id = $1", [.text(worker)]),
        ])
    }

    /// Takes the next job of the present wave: one that nobody has, or whose worker gave no sign of life for too long.
    ///
    /// - Parameters:
    ///   - held: the numbers of the jobs that the worker knows it has. A job that it has without knowing was given to
    ///     it in an answer that was lost, as when a standby takes over. It is given to it again, since nobody else
    ///     would get it while the worker lives.
    ///   - chosen: the numbers of the jobs that the worker may take; nil for all.
    /// - Returns: the job; nil if there is none at present, or the run is not open.
    package func claim(
        _ run: String,
        by worker: String,
        holding held: some Collection<Int> = [],
        among chosen: Set<Int>? = nil
    ) throws(StoreError) -> FleetJob? {
        guard let chosen else { return try claim(run, worker, held, "j.network <> ''") }
        guard !chosen.isEmpty else { return nil }
        return try claim(run, worker, held, "j.network <> '' AND j.number IN (\(FleetSQL(list: chosen.sorted())))")
    }

    /// Takes the decision at the end of the present wave, once all jobs of the wave have ended. Only one worker has it.
    /// Whoever asks has no decision, so one that it has was given to it in an answer that was lost.
    ///
    /// - Returns: its job; nil if it is not due, or somebody else has it.
    package func claimDecision(_ run: String, by worker: String) throws(StoreError) -> FleetJob? {
        try claim(
            run,
            worker,
            [],
            """
            j.network = '' AND NOT EXISTS (
                SELECT 1 FROM meshplan_fleet_jobs k
                WHERE k.run = j.run AND k.wave = j.wave AND k.network <> '' AND k.state IN (0, 1)
            )
            """
        )
    }

    private func claim(
        _ run: String,
        _ worker: String,
        _ held: some Collection<Int>,
        _ condition: FleetSQL
    ) throws(StoreError) -> FleetJob? {
        let unknown: FleetSQL = held.isEmpty ? "" : "AND j.number NOT IN (\(FleetSQL(list: held)))"
        let statement = FleetStatement(
            """
            UPDATE meshplan_fleet_jobs SET state = 1, attempts = attempts + 1, worker = $2
            WHERE run = $1 AND number = (
                SELECT j.number FROM meshplan_fleet_jobs j JOIN meshplan_fleet_runs r ON r.id = j.run
                WHERE j.run = $1 AND r.state = 0 AND j.wave = r.wave AND \(condition) AND (
                    j.state = 0 OR (j.state = 1 AND j.worker = $2 \(unknown))
                    OR (j.state = 1 AND j.worker <> $2 AND NOT EXISTS (
                        SELECT 1 FROM meshplan_fleet_workers w WHERE w.id = j.worker AND w.expires >= \(tables.now)
                    ))
                )
                ORDER BY j.number LIMIT 1 \(tables.claiming)
            )
            RETURNING \(FleetRunStore.jobColumns)
            """,
            [.text(run), .text(worker)],
            columns: FleetRunStore.jobColumnCount
        )
        return try tables.transact([statement])[0].first.map { row throws(StoreError) in try FleetJob(row) }
    }

    /// Records what is known of a job before its command starts.
    ///
    /// - Returns: whether the claim still holds.
    package func note(_ job: FleetJob, of run: String) throws(StoreError) -> Bool {
        let statement = FleetStatement(
            "UPDATE meshplan_fleet_jobs SET notes = $5 WHERE \(FleetRunStore.claim) RETURNING number",
            claimValues(job, run) + [.json(job.notes)],
            columns: 1
        )
        return try !tables.transact([statement])[0].isEmpty
    }

    /// Records what became of a job: its state, how its command ended and what is known of it. A job that waits again
    /// was not finished. The run fails if too many jobs have.
    ///
    /// - Returns: whether the claim still held. Otherwise nothing is recorded.
    package func finish(_ job: FleetJob, of run: String) throws(StoreError) -> Bool {
        let results = try tables.transact([
            lock(run),
            FleetStatement(
                """
                UPDATE meshplan_fleet_jobs SET state = $5, status = $6, notes = $7
                WHERE \(FleetRunStore.claim) RETURNING number
                """,
                claimValues(job, run) + [
                    .integer(job.state.rawValue), .integer(Int64(job.status ?? -1)), .json(job.notes),
                ],
                columns: 1
            ),
            FleetStatement(
                """
                UPDATE meshplan_fleet_runs SET state = 2
                WHERE id = $1 AND state = 0 AND most >= 0 AND \(FleetRunStore.failures) > most
                """,
                [.text(run)]
            ),
        ])
        return !results[1].isEmpty
    }

    /// Records the decision at the end of a wave: which of its networks did not pass. Then the next wave begins, or the
    /// run ends.
    ///
    /// - Parameters:
    ///   - decision: the job that ``claimDecision(_:by:)`` gave.
    ///   - failed: the jobs that did not pass, with how their commands ended and their notes.
    /// - Returns: whether the claim still held. Otherwise nothing is recorded.
    package func decide(_ decision: FleetJob, of run: String, failed: [FleetJob]) throws(StoreError) -> Bool {
        let holds: FleetSQL = """
            EXISTS (
                SELECT 1 FROM meshplan_fleet_jobs g
                WHERE g.run = $1 AND g.number = $2 AND g.attempts = $3 AND g.worker = $4 AND g.state = 1
            )
            """
        var statements = [lock(run)]
        statements += failed.map { job in
            FleetStatement(
                """
                UPDATE meshplan_fleet_jobs SET state = 3, status = $6, notes = $7
                WHERE run = $1 AND number = $5 AND \(holds)
                """,
                claimValues(decision, run) + [
                    .integer(Int64(job.number)), .integer(Int64(job.status ?? -1)), .json(job.notes),
                ]
            )
        }
        statements += [
            FleetStatement(
                """
                UPDATE meshplan_fleet_runs SET state = 2
                WHERE id = $1 AND state IN (0, 1) AND most >= 0 AND \(FleetRunStore.failures) > most AND \(holds)
                """,
                claimValues(decision, run)
            ),
            FleetStatement(
                """
                UPDATE meshplan_fleet_runs SET state = CASE WHEN wave >= waves THEN 3 ELSE state END,
                    wave = CASE WHEN wave < waves THEN wave + 1 ELSE wave END
                WHERE id = $1 AND state IN (0, 1) AND \(holds)
                """,
                claimValues(decision, run)
            ),
            FleetStatement(
                "UPDATE meshplan_fleet_jobs SET state = 2 WHERE \(FleetRunStore.claim) RETURNING number",
                claimValues(decision, run),
                columns: 1
            ),
        ]
        return try tables.transact(statements).last?.isEmpty == false
    }

    private static let claim: FleetSQL = "run = $1 AND number = $2 AND attempts = $3 AND worker = $4 AND state = 1"
    private static let failures: FleetSQL = """
        (SELECT count(*) FROM meshplan_fleet_jobs f WHERE f.run = $1 AND f.state = 3)
        """

    private func claimValues(_ job: FleetJob, _ run: String) -> [FleetValue] {
        [.text(run), .integer(Int64(job.number)), .integer(Int64(job.attempts)), .text(job.worker)]
    }
}
