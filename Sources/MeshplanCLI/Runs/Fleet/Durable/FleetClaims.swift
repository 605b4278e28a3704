import MeshCore
import Store

/// What other workers have of the present wave of a run.
struct FleetClaims {
    /// A worker with what it has.
    struct Claim {
        var worker: String
        /// The networks that it has; empty if it decides about the wave.
        var networks: [String]
        /// Until when it keeps them without another sign of life; nil if it keeps them no more.
        var until: Timestamp?
    }

    /// The claims, by the workers' names.
    var claims: [Claim]

    var workers: Set<String> { Set(claims.map(\.worker)) }

    /// Reads the claims of all workers but one.
    init(of run: FleetRunRecord, in store: FleetRunStore, but own: String) throws(StoreError) {
        let running = try store.jobs(of: run.id).filter {
            $0.state == .running && $0.wave == run.wave && $0.worker != own
        }
        let alive = try store.workers(of: run.id)
        claims = Dictionary(grouping: running, by: \.worker).sorted { $0.key < $1.key }.map { worker, jobs in
            Claim(
                worker: worker,
                networks: jobs.filter { !$0.isGate }.map(\.network),
                until: alive.first { $0.id == worker }?.until
            )
        }
    }
}
