import MeshCore
import Store
import SystemLayer

/// Applies to a fleet: plans all networks, asks once, and makes a run that applies exactly those plans, wave by wave.
struct FleetApply {
    var run: FleetDispatcher
    var waves: FleetWaves
    /// How many networks may fail or stay partial before no further one is begun; nil for any number.
    var mostFailures: Int?
    var isApproved: Bool
    var request: FleetRunRecord.Request
    /// The plans that were saved; nil to make them.
    var saved: SavedFleet?

    /// Plans, asks and applies.
    ///
    /// - Returns: the exit status of all.
    /// - Throws: ``Failure`` if nobody approves.
    func callAsFunction() throws -> ExitStatus {
        let context = run.context
        let networks = run.fleet.networks
        if saved != nil {
            guard !networks.isEmpty else {
                if context.json == nil {
                    context.output.line("There is nothing to apply.")
                } else {
                    FleetView(context, run.fleet, isJSON: true, run.showsDetails).showTotals([], "apply")
                }
                return .success
            }
            return try start(Array(networks.indices), leavingOut: []) { network in
                FleetJob.Notes(digest: saved?.digest(of: network))
            }
        }
        let view = FleetView(context, run.fleet, isJSON: context.json != nil, run.showsDetails)
        let commands = FleetJobCommands(request: request, fleet: run.fleet)
        let planned = run.run(commands.planning([:]), Array(networks.indices))
        // Without the summary of a plan nobody knows its digest.
        let changing = networks.indices.filter {
            planned[$0]?.status == .changes && planned[$0]?.summary?.digest != nil
        }
        let failed = networks.indices.filter { !changing.contains($0) && planned[$0]?.status != .success }
        view.showTotals(Array(planned.values), "plan")
        guard context.interrupts.count() == 0 else { return .interrupted }
        guard !changing.isEmpty else {
            // What was left out, or planned with other values, may still have something to do.
            if failed.isEmpty, request.extra.isEmpty { try closeRuns() }
            return FleetDispatcher.status(of: failed.compactMap { planned[$0] })
        }
        if !isApproved {
            try Prompt(context: context).confirm(
                "Apply these plans to \(count(changing.count, "network"))?",
                explanation: failed.isEmpty
                    ? "Nothing else is changed."
                    : "\(count(failed.count, "network")) that cannot be planned \(failed.count == 1 ? "is" : "are") left out."
            )
        }
        let byName = Dictionary(firstOf: zip(networks.map(\.name), networks.indices))
        return try start(changing, leavingOut: failed.map { (networks[$0].name, planned[$0]) }) { network in
            FleetJob.Notes(digest: byName[network].flatMap { planned[$0]?.summary?.digest })
        }
    }

    /// Closes open runs that nobody works on and that have left nothing to do: their commands have gone on by
    /// themselves.
    private func closeRuns() throws {
        let place = FleetRunPlace(run.context, run.fleet)
        guard let store = try place.existing() else { return }
        let names = Set(run.fleet.networks.map(\.name))
        for old in try place.checkFree() where old.request.takesBack == nil {
            guard try store.jobs(of: old.id).allSatisfy({ $0.isGate || names.contains($0.network) }) else { continue }
            _ = try store.stop(old.id, because: "nothing was left to do")
        }
    }

    /// Makes the run, wave by wave, and works on it.
    private func start(
        _ changing: [Int],
        leavingOut failed: [(name: String, result: FleetResult?)],
        notes: (String) -> FleetJob.Notes
    ) throws -> ExitStatus {
        let networks = run.fleet.networks
        var start = FleetRunStart(run: run, request: request, mostFailures: mostFailures)
        for wave in waves.divided(changing, tags: { networks[$0].tags }) {
            start.addWave(wave.map { (networks[$0].name, notes(networks[$0].name)) })
        }
        for (name, result) in failed { start.leaveOut(name, result) }
        return try start()
    }
}

/// What the networks of a wave must pass before the next one begins.
enum FleetGate: String, CaseIterable {
    /// Their nodes are read back, and nothing has drifted.
    case drift
    /// The tests of their definitions hold in the simulator.
    case tests

    /// The command that tells.
    func stage(_ via: @escaping (FleetNetwork) -> [String]) -> FleetDispatcher.Stage {
        switch self {
        case .drift: FleetDispatcher.Stage(command: .refresh, extra: { _ in [] }, via: via)
        case .tests: FleetDispatcher.Stage(command: .test, extra: { $0.variables })
        }
    }
}
