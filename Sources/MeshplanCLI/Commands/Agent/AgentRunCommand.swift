import ArgumentParser
import SystemLayer

/// `meshplan agent run`, or just `meshplan agent`
struct AgentRunCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Watch definitions, plan what changes, and do what is approved.",
        discussion: """
            Plans each network of a folder as soon as its definition or its database changes, and tells what came of \
            it. The folder is data that others write: databases, key, settings and approvals are in a folder of the \
            agent's own. By itself it sends nothing; --apply applies plans whose digest somebody has approved, and no \
            others. SIGTERM ends it once running commands have ended properly.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The folder with the definitions, or its fleet.yaml. (default: the current folder)",
            valueName: "folder"
        ),
        completion: Completion.files
    )
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "Only networks with these tags, as for meshplan fleet. May be repeated.",
            valueName: "tag=value"
        )
    )
    var select: [String] = []

    @OptionGroup var own: AgentStateOptions

    @Option(
        help: ArgumentHelp("The time from one look to the next. (default: 10s)", valueName: "duration"),
        transform: DurationArgument.parse
    )
    var every: DurationArgument?

    @Flag(help: "Do what there is to do, and end with the gravest status of all networks; 2 if changes wait.")
    var once = false

    @Option(
        help: ArgumentHelp("Write a Markdown file for each plan, and a README.md for all.", valueName: "folder"),
        completion: Completion.folders
    )
    var reports: String?

    @OptionGroup(title: "Approved plans")
    var applying: AgentApplyOptions

    @OptionGroup(title: "Drift and tests")
    var watching: AgentWatchOptions

    @OptionGroup(title: "Telling")
    var telling: AgentTellOptions

    @Option(help: ArgumentHelp("How many networks at a time, 1 to 256.", valueName: "number"))
    var workers = 4

    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }
    var storeAccess: StoreAccess { store.access }

    func validate() throws {
        guard (1...256).contains(workers) else { throw ValidationError("--workers takes a number from 1 to 256.") }
        if let every, !(1_000...86_400_000).contains(every.milliseconds) {
            throw ValidationError("--every takes a second at least.")
        }
        if applying.apply || watching.sampleDrift, applying.via.isEmpty {
            throw ValidationError("Nothing says how to reach the networks: name the way with --via.")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let path = folder ?? "."
        let watched = AgentFolder.place(path, in: context)
        guard try Files.kind(examining: watched, as: path) == .folder else {
            throw Failure(.usage, "there is no folder \(path.printable)", hint: "Name the folder with the definitions.")
        }
        let place = AgentPlace(own.stateFolder, in: context)
        try place.prepare(besides: watched)
        if let reports { try AgentReports.prepare(reports, in: context) }
        try telling.check(in: context)
        guard let lock = try AppendFile(lockingPath: place.path(AgentPlace.lockName), as: AgentPlace.lockName) else {
            throw Failure(
                .locked,
                "another agent works in \(place.folder.printable)",
                hint: "One agent works in a folder at a time. End that one first."
            )
        }
        defer { withExtendedLifetime(lock) {} }
        let settings = AgentSettings(
            lookEvery: Int64((every?.milliseconds ?? 10_000) / 1_000),
            applies: applying.apply,
            sampling: watching.sampling,
            testsAt: watching.testsAt?.seconds
        )
        let options = AgentLoop.Options(
            path: path,
            selection: select,
            place: place,
            isOnce: once,
            workers: workers,
            reports: reports,
            metrics: telling.metrics,
            approvals: applying.approved,
            via: applying.via,
            devices: applying.devices
        )
        context.interrupts.arm()
        return try AgentLoop(context, options, settings)()
    }
}
