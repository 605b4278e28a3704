import Store
import SystemLayer

/// The commands for the jobs of a run.
struct FleetJobCommands {
    var request: FleetRunRecord.Request
    var fleet: Fleet
    /// The ways to every network that replace those of the run, because this machine has others.
    var via: [String] = []
    /// The plans that were saved before; nil if the run makes them itself.
    var saved: SavedFleet?

    func routes(_ network: FleetNetwork) -> [String] {
        let all = via.isEmpty ? request.via : via
        return all.isEmpty ? network.via : all.map { $0.replacing("$(network)", with: network.name) }
    }

    /// Plans jobs.
    ///
    /// - Parameter jobs: the jobs by their networks; needed only by a run that takes another one back.
    func planning(_ jobs: [String: FleetJob]) -> FleetDispatcher.Stage {
        guard request.takesBack != nil else {
            return FleetDispatcher.Stage(
                command: .plan,
                extra: { $0.choosing },
                arguments: { _ in [.flag("--detailed-exitcode")] }
            )
        }
        return FleetDispatcher.Stage(
            command: .plan,
            takesDefinition: false,
            words: { goingBack(jobs[$0.name]) },
            countsChanges: true,
            extra: { $0.choosing }
        )
    }

    func carryingOut(_ job: FleetJob) -> FleetDispatcher.Stage {
        let devices = request.devices.map { path in
            ChildWord.option("--devices", path.hasPrefix("/") ? path : fleet.folder + "/" + path)
        }
        if let saved { return saved.stage(routes, devices) }
        return FleetDispatcher.Stage(
            command: request.takesBack == nil ? .apply : .rollback,
            takesDefinition: request.takesBack == nil,
            words: request.takesBack == nil ? nil : { _ in goingBack(job) },
            via: routes,
            arguments: { _ in [.option("--expect-digest", job.notes.digest ?? "none")] + devices }
        )
    }

    private func goingBack(_ job: FleetJob?) -> [ChildWord] {
        let serial = job?.notes.target ?? 0
        return job?.notes.isRestoring == true
            ? [.command(.state), .command(.restore), .number(serial)]
            : [.command(.rollback), .option("--to", String(serial))]
    }
}

extension FleetJob.Notes {
    init(digest: String?) {
        self.init()
        self.digest = digest
    }
}
