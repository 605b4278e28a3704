import ArgumentParser
import SystemLayer

/// What all commands for fleets take.
struct FleetOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The folder of the fleet, or its fleet.yaml. (default: the current folder)",
            valueName: "folder"
        ),
        completion: Completion.files
    )
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "Only networks with these tags, as in city=Graz,floor=2; network=graz-* selects by name. May be repeated.",
            valueName: "tag=value"
        )
    )
    var select: [String] = []

    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    /// The fleet, with the selected networks.
    func fleet(in context: Context) throws -> Fleet {
        var fleet = try Fleet(at: folder ?? ".", in: context)
        try fleet.select(select)
        return fleet
    }
}

/// What commands for fleets take that run another command for each network.
struct FleetRunOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many networks at a time, 1 to 256.", valueName: "number"))
    var workers = 4

    @Flag(help: "Also show what the command prints for each network.")
    var details = false

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("Behind --: options for the command of every network.", valueName: "option")
    )
    var extra: [String] = []

    func validate() throws {
        guard (1...256).contains(workers) else { throw ValidationError("--workers takes a number from 1 to 256.") }
    }
}

/// A command for a fleet that runs another one for each network.
protocol FleetRunCommand: ContextCommand {
    var options: FleetOptions { get }
    var running: FleetRunOptions { get }
}

extension FleetRunCommand {
    var writesJSON: Bool { options.format.json }
    var storeAccess: StoreAccess { options.store.access }

    /// The run for the selected networks. From now on signals are counted, and passed on to the commands.
    ///
    /// - Parameter saved: the networks of saved plans, in place of those of the folder.
    /// - Throws: ``Failure`` if the command does not take what stands behind `--`.
    func fleetRun(of verb: FleetVerb, in context: Context, saved: Fleet? = nil) throws -> FleetDispatcher {
        let extra = try FleetExtra(running.extra)
        try extra.check(for: verb)
        let run = FleetDispatcher(
            context: context,
            fleet: try saved ?? options.fleet(in: context),
            workers: running.workers,
            showsDetails: running.details,
            extra: extra
        )
        context.interrupts.arm()
        return run
    }

    func runForAll(_ stage: FleetDispatcher.Stage, in context: Context) throws -> ExitStatus {
        let run = try fleetRun(of: stage.command, in: context)
        let networks = run.fleet.networks
        let results = run.run(stage, Array(networks.indices))
        let view = FleetView(context, run.fleet, isJSON: context.json != nil, running.details)
        view.showTotals(Array(results.values), stage.command.rawValue)
        return context.interrupts.count() > 0 ? .interrupted : FleetDispatcher.status(of: results.values)
    }
}

/// The option for the way to all networks.
struct FleetBearerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How to reach every network, instead of the ways that fleet.yaml lists; $(network) stands for its name. May be "
                + "repeated.",
            valueName: "bearer"
        )
    )
    var via: [String] = []

    func routes(_ network: FleetNetwork) -> [String] {
        via.isEmpty ? network.via : via.map { $0.replacing("$(network)", with: network.name) }
    }

    /// Refuses networks that cannot be reached.
    ///
    /// - Throws: ``Failure`` that names the first of them.
    func check(_ fleet: Fleet) throws(Failure) {
        guard let network = fleet.networks.first(where: { routes($0).isEmpty }) else { return }
        throw Failure(
            .usage,
            "nothing says how to reach the network \(network.name)",
            hint: "Give it `via` in fleet.yaml, or all of them --via."
        )
    }
}
