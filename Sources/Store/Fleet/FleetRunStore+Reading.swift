import MeshCore
import PostgreSQL

/// What readers see.
extension FleetRunStore {
    /// The runs, newest first.
    package func runs() throws(StoreError) -> [FleetRunRecord] {
        try found("ORDER BY created DESC, id", [])
    }

    /// The run with an identifier, of which the beginning is enough; nil if there is none, or several begin so.
    package func run(_ id: String) throws(StoreError) -> FleetRunRecord? {
        let runs = try runs().filter { $0.id.hasPrefix(id) }
        return runs.first { $0.id == id } ?? (runs.count == 1 ? runs[0] : nil)
    }

    private func found(_ condition: FleetSQL, _ values: [FleetValue]) throws(StoreError) -> [FleetRunRecord] {
        let statement = FleetStatement(
            "SELECT id, state, wave, waves, most, reason, request FROM meshplan_fleet_runs \(condition)",
            values,
            columns: 7
        )
        return try tables.transact([statement])[0].map { row throws(StoreError) in try FleetRunRecord(row) }
    }

    /// The jobs of a run, with the decisions at the end of its waves, in their order.
    package func jobs(of run: String) throws(StoreError) -> [FleetJob] {
        let statement = FleetStatement(
            """
            SELECT \(FleetRunStore.jobColumns) FROM meshplan_fleet_jobs WHERE run = $1 ORDER BY number
            """,
            [.text(run)],
            columns: FleetRunStore.jobColumnCount
        )
        return try tables.transact([statement])[0].map { row throws(StoreError) in try FleetJob(row) }
    }

    /// How many jobs of each run have a state, without decisions.
    package func counts() throws(StoreError) -> [String: [FleetJob.State: Int]] {
        let statement = FleetStatement(
            """
            SELECT run, state, CAST(count(*) AS bigint) FROM meshplan_fleet_jobs
            WHERE network <> '' GROUP BY run, state
            """,
            columns: 3
        )
        var counts: [String: [FleetJob.State: Int]] = [:]
        for row in try tables.transact([statement])[0] {
            guard let state = FleetJob.State(rawValue: try row.integer(1)) else { continue }
            counts[try row.text(0), default: [:]][state] = Int(try row.integer(2))
        }
        return counts
    }

    /// The workers of a run that are alive, in the order in which they joined.
    package func workers(of run: String) throws(StoreError) -> [FleetWorkerRecord] {
        let statement = FleetStatement(
            """
            SELECT id, since, expires FROM meshplan_fleet_workers WHERE run = $1 AND expires >= \(tables.now)
            ORDER BY since, id
            """,
            [.text(run)],
            columns: 3
        )
        return try tables.transact([statement])[0].map { row throws(StoreError) in
            FleetWorkerRecord(
                id: try row.text(0),
                since: Timestamp(rawValue: try row.integer(1)),
                // The next whole second.
                until: Timestamp(rawValue: try row.integer(2) / 1_000 + 1)
            )
        }
    }

    static let jobColumns: FleetSQL = "number, wave, network, state, attempts, worker, status, notes"
    static let jobColumnCount = 8
}

extension FleetRunRecord {
    fileprivate init(_ row: FleetRow) throws(StoreError) {
        let most = try row.integer(4)
        self.init(
            id: try row.text(0),
            waves: Int(clamping: try row.integer(3)),
            mostFailures: most < 0 ? nil : Int(clamping: most),
            request: try row.decoded(6)
        )
        // What a later version means by other numbers does not run here.
        state = State(rawValue: try row.integer(1)) ?? .stopped
        wave = Int(clamping: try row.integer(2))
        reason = try row.text(5)
    }
}

extension FleetJob {
    init(_ row: FleetRow) throws(StoreError) {
        self.init(
            number: Int(clamping: try row.integer(0)),
            wave: Int(clamping: try row.integer(1)),
            network: try row.text(2)
        )
        state = State(rawValue: try row.integer(3)) ?? .skipped
        attempts = Int(clamping: try row.integer(4))
        worker = try row.text(5)
        let status = try row.integer(6)
        self.status = status < 0 ? nil : Int32(clamping: status)
        notes = try row.decoded(7)
    }
}
