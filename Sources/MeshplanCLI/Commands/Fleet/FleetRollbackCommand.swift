import ArgumentParser
import Store

/// `meshplan fleet rollback`
struct FleetRollbackCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Take back what a run of a fleet has changed.",
        discussion: """
            Each network that the run has changed returns to the definition in force before, or to its state where there was \
            none, beginning with the last wave. A network that something else has changed since is left alone, and \
            named. Plans all, asks once, and carries exactly those plans out. It is a run of its own, which can be \
            stopped and continued. If the last run is one that takes back another and was cut off, it goes on.
            """
    )

    @OptionGroup var choice: FleetRunChoice

    @OptionGroup var bearer: FleetBearerOptions

    @Flag(help: "Do not ask for approval.")
    var autoApprove = false

    @OptionGroup var worker: FleetWorkerOptions

    @Option(
        help: ArgumentHelp(
            "With --via simulator: a YAML file with unprovisioned devices. May be repeated.",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var devices: [String] = []

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("Behind --: options for the command of every network.", valueName: "option")
    )
    var extra: [String] = []

    var writesJSON: Bool { choice.format.json }
    var storeAccess: StoreAccess { choice.store.access }

    func run(in context: Context) throws -> ExitStatus {
        let (fleet, store, record) = try choice.found(in: context)
        // Whoever was cut short repeats the command, and does not mean to go forward again.
        if choice.run == nil, record.state == .open, let other = record.request.takesBack {
            let isSame = bearer.via.isEmpty || bearer.via == record.request.via
            guard isSame, devices.isEmpty, extra.isEmpty || extra == record.request.extra else {
                throw Failure(
                    .usage,
                    "the run \(record.id), which takes back the run \(other.printable), is not over, and goes on with the "
                        + "options that it was begun with",
                    hint: "Leave the options out, or end it first with: meshplan fleet stop"
                )
            }
            if context.json == nil {
                context.output.line("The run \(record.id) goes on, which takes back the run \(other.printable).")
            }
            let run = try worker.fleetRun(fleet, record, in: context)
            return try FleetContinuation(run: run, store: store, record: record, retries: false, isApproved: true)()
        }
        var request = try FleetRunRecord.Request(of: "rollback", extra, fleet, in: context)
        request.takesBack = record.id
        // What the run needed to reach its networks, its reversal needs, too.
        request.via = bearer.via.isEmpty ? record.request.via : bearer.via
        request.devices = record.request.devices
        request.addDevices(devices, of: fleet, in: context)
        let words = try FleetExtra(extra)
        try words.check(for: .rollback)
        var run = try worker.fleetRun(fleet, record, in: context)
        run.extra = words
        let rollback = FleetRollback(
            run: run,
            store: store,
            record: record,
            request: request,
            isApproved: autoApprove
        )
        return try rollback()
    }
}
