import SystemLayer

/// Plans all networks of a fleet, and saves the plans to be applied later, exactly as they are.
struct FleetPlanSaving {
    var run: FleetDispatcher
    var paths: FleetPaths
    var target: FleetPlansFolder

    /// Plans and saves.
    ///
    /// - Returns: the exit status of all.
    /// - Throws: ``Failure`` or ``FileError`` if nothing can be saved. Then the place is as it was.
    func callAsFunction() throws -> ExitStatus {
        let context = run.context
        let networks = run.fleet.networks
        let folder = try target.begin()
        defer { try? Files.removeFolder(folder) }
        let stage = FleetDispatcher.Stage(
            command: .plan,
            arguments: { [.flag("--detailed-exitcode"), .option("--out", "\(folder)/\($0.name).mplan")] }
        )
        let results = run.run(stage, Array(networks.indices))
        let view = FleetView(context, run.fleet, isJSON: context.json != nil, run.showsDetails)
        view.showTotals(Array(results.values), "plan")
        guard context.interrupts.count() == 0 else {
            context.errorOutput.line("Interrupted, so no plans are saved to \(target.path.printable).")
            return .interrupted
        }
        let plans = try self.plans(results, folder)
        guard !plans.entries.isEmpty || !plans.upToDate.isEmpty else {
            context.errorOutput.line(
                "No network could be planned, so nothing is saved to \(target.path.printable)."
            )
            return FleetDispatcher.status(of: results.values)
        }
        guard let digest = plans.digest else { throw Failure(.failure, "there is not enough memory") }
        try target.finish(folder, plans, digest)
        FleetPlansView(context: context, path: target.path).showSaved(plans, digest)
        return FleetDispatcher.status(of: results.values)
    }

    private func plans(_ results: [Int: FleetResult], _ folder: String) throws -> FleetPlans {
        var plans = FleetPlans(
            entries: [],
            upToDate: [],
            leftOut: [],
            madeAt: run.context.now().text,
            user: run.context.process.user,
            host: run.context.process.host
        )
        for (index, network) in run.fleet.networks.enumerated() {
            let result = results[index]
            switch (result?.status, result?.summary?.digest) {
            case (.success, _): plans.upToDate.append(network.name)
            case (.changes, let digest?):
                let file = "\(folder)/\(network.name).mplan"
                guard Files.kind(file) == .file else {
                    throw Failure(
                        .failure,
                        "the plan of \(network.name) was not saved",
                        hint: "See whether there is room for it, and try again."
                    )
                }
                plans.entries.append(
                    FleetPlans.Entry(
                        network: paths.written(network),
                        digest: digest,
                        changes: result?.summary?.text("plan") ?? "",
                        checksum: try FleetPlansFolder.checksum(file, as: "\(target.path)/\(network.name).mplan")
                    )
                )
            default: plans.leftOut.append(network.name)
            }
        }
        return plans
    }
}
