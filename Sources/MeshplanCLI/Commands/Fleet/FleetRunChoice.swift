import ArgumentParser
import Store
import SystemLayer

/// Which run of a fleet is meant, and where the fleet is.
struct FleetRunChoice: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The run; the beginning of its name is enough. (default: the last one)", valueName: "run")
    )
    var run: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the fleet, or its fleet.yaml. (default: the current folder)",
            valueName: "folder"
        ),
        completion: Completion.folders
    )
    var fleet: String?

    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    /// The fleet and the run.
    ///
    /// - Throws: ``Failure`` if there is none.
    func found(
        in context: Context,
        isOpen: Bool = false
    ) throws -> (fleet: Fleet, store: FleetRunStore, run: FleetRunRecord) {
        let fleet = try Fleet(at: fleet ?? ".", in: context)
        let (store, record) = try FleetRunPlace(context, fleet).find(run, isOpen: isOpen)
        return (fleet, store, record)
    }
}

/// How many networks a worker does at a time, and what it shows of them.
struct FleetWorkerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many networks at a time, 1 to 256.", valueName: "number"))
    var workers = 4

    @Flag(help: "Also show what the command prints for each network.")
    var details = false

    func validate() throws {
        guard (1...256).contains(workers) else { throw ValidationError("--workers takes a number from 1 to 256.") }
    }

    /// The run of commands for a stored run. From now on signals are counted, and passed on to the commands.
    func fleetRun(_ fleet: Fleet, _ record: FleetRunRecord, in context: Context) throws(Failure) -> FleetDispatcher {
        let extra = try FleetExtra(record.request.extra)
        context.interrupts.arm()
        return FleetDispatcher(
            context: context,
            fleet: fleet,
            workers: workers,
            showsDetails: details,
            extra: extra
        )
    }
}
