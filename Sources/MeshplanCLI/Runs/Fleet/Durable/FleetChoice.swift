import Store
import SystemLayer

/// The networks of a run that a worker takes, where it does not take all.
struct FleetChoice {
    let names: Set<String>
    private let run: FleetRunRecord
    let numbers: Set<Int>

    /// Chooses networks by their tags.
    ///
    /// - Parameter conditions: as ``Fleet/select(_:)`` takes them.
    /// - Returns: nil without conditions.
    /// - Throws: ``Failure`` if the run has no such network; ``StoreError`` if the run's store cannot be used.
    init?(_ conditions: [String], of run: FleetRunRecord, in store: FleetRunStore, _ fleet: Fleet) throws {
        guard !conditions.isEmpty else { return nil }
        var chosen = fleet
        try chosen.select(conditions)
        let names = Set(chosen.networks.map(\.name))
        let jobs = try store.jobs(of: run.id).filter { !$0.isGate && names.contains($0.network) }
        guard !jobs.isEmpty else {
            throw Failure(
                .usage,
                "the run \(run.id) has no network with these tags",
                hint: "See its networks with: meshplan fleet status --run \(run.id)"
            )
        }
        self.run = run
        self.names = Set(jobs.map(\.network))
        numbers = Set(jobs.map(\.number))
    }

    /// Whether a worker may decide about a wave: gates ask about all its networks, which it may not reach.
    func mayDecide(_ wave: Int, in store: FleetRunStore) throws(StoreError) -> Bool {
        guard !run.request.gates.isEmpty else { return true }
        return try store.jobs(of: run.id).allSatisfy { $0.isGate || $0.wave != wave || names.contains($0.network) }
    }

    /// Whether nothing is left to do for any of the networks.
    func isDone(in store: FleetRunStore) throws(StoreError) -> Bool {
        try !store.jobs(of: run.id).contains {
            numbers.contains($0.number) && [.waiting, .running].contains($0.state)
        }
    }
}
