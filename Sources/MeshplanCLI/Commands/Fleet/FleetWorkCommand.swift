import ArgumentParser
import Store

/// `meshplan fleet work`
struct FleetWorkCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "work",
        abstract: "Help with the open run of a fleet.",
        discussion: """
            Takes networks of the run until none is left, together with the command that began it and with other machines. \
            Each machine needs the folder of the fleet, and with --state the run is in the database that all share. A \
            machine whose definitions differ applies nothing: what it takes ends as out of date.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The folder of the fleet, or its fleet.yaml. (default: the current folder)",
            valueName: "folder"
        ),
        completion: Completion.folders
    )
    var folder: String?

    @Option(
        help: ArgumentHelp("The run; the beginning of its name is enough. (default: the open one)", valueName: "run")
    )
    var run: String?

    @Option(
        help: ArgumentHelp(
            "Take only networks with these tags, as in region=north. May be repeated.",
            valueName: "tag=value"
        )
    )
    var select: [String] = []

    @OptionGroup var bearer: FleetBearerOptions

    @OptionGroup var worker: FleetWorkerOptions

    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }
    var storeAccess: StoreAccess { store.access }

    func run(in context: Context) throws -> ExitStatus {
        let fleet = try Fleet(at: folder ?? ".", in: context)
        let (store, record) = try FleetRunPlace(context, fleet).find(run, isOpen: true)
        let run = try worker.fleetRun(fleet, record, in: context)
        return try FleetWork(run, store, record, via: bearer.via, selecting: select)()
    }
}

/// `meshplan fleet stop`
struct FleetStopCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Let the open run of a fleet begin no further network.",
        discussion: "Networks that are being changed are finished. meshplan fleet continue goes on with the run."
    )

    @OptionGroup var choice: FleetRunChoice

    var writesJSON: Bool { choice.format.json }
    var storeAccess: StoreAccess { choice.store.access }

    func run(in context: Context) throws -> ExitStatus {
        let (_, store, record) = try choice.found(in: context, isOpen: true)
        let reason = "\(context.process.user)@\(context.process.host) has stopped it at \(context.now().text)"
        guard try store.stop(record.id, because: reason) else {
            throw Failure(
                .failure,
                "the run \(record.id) is not open",
                hint: "See it with: meshplan fleet status --run \(record.id)"
            )
        }
        guard let stopped = try store.run(record.id) else { return .success }
        if context.json == nil {
            let running = try store.jobs(of: record.id).filter { $0.state == .running && !$0.isGate }.count
            context.output.line(
                "Stopped the run \(record.id)."
                    + (running > 0
                        ? " \(count(running, "network")) \(running == 1 ? "is" : "are") still being changed." : "")
            )
        } else {
            try FleetRunView(context).show(stopped, store, showsJobs: false)
        }
        return .success
    }
}

/// `meshplan fleet continue`
struct FleetContinueCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "continue",
        abstract: "Go on with a run of a fleet where it was.",
        discussion: """
            A run can go on after fleet stop, after Ctrl-C, and after all its processes were killed. What is done stays \
            done. A network whose change was cut off is planned again: the rest of what was approved is applied. With \
            --retry, what has failed or was left out is planned again, too, and needs approval.
            """
    )

    @OptionGroup var choice: FleetRunChoice

    @Flag(help: "Plan again what has failed, was done in part, did not pass or was left out.")
    var retry = false

    @Flag(help: "Do not ask for approval.")
    var autoApprove = false

    @OptionGroup var worker: FleetWorkerOptions

    var writesJSON: Bool { choice.format.json }
    var storeAccess: StoreAccess { choice.store.access }

    func run(in context: Context) throws -> ExitStatus {
        let (fleet, store, record) = try choice.found(in: context)
        let continuation = FleetContinuation(
            run: try worker.fleetRun(fleet, record, in: context),
            store: store,
            record: record,
            retries: retry,
            isApproved: autoApprove
        )
        return try continuation()
    }
}

/// `meshplan fleet runs`
struct FleetRunsCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs",
        abstract: "List the runs of a fleet, newest first.",
        discussion: "A database that several fleets share has the runs of all. The last hundred are kept."
    )

    @Argument(
        help: ArgumentHelp(
            "The folder of the fleet, or its fleet.yaml. (default: the current folder)",
            valueName: "folder"
        ),
        completion: Completion.folders
    )
    var folder: String?

    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }
    var storeAccess: StoreAccess { store.access }

    func run(in context: Context) throws -> ExitStatus {
        let store = try FleetRunPlace(context, try Fleet(at: folder ?? ".", in: context)).existing()
        let runs = try store?.runs() ?? []
        guard let store, !runs.isEmpty else {
            if context.json == nil { context.output.line("The fleet has had no run yet.") }
            return .success
        }
        FleetRunView(context).list(runs, try store.counts())
        return .success
    }
}
