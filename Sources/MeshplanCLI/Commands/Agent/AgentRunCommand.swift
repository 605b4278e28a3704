import ArgumentParser
import SystemLayer

/// `meshplan agent run`, or just `meshplan agent`
struct AgentRunCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Watch definitions, plan what changes, and do what is approved.",
        discussion: """
            Plans each network of a folder, or of a git repository, as soon as its definition or its database changes, \
            and tells what came of it. By itself it sends nothing; --apply applies plans whose digest somebody has \
            approved, and no others. SIGTERM ends it once running commands have ended properly.
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

    @Option(
        help: ArgumentHelp(
            "Take the definitions from this repository: the folder becomes a clone of the agent's own. (default: "
                + "$MESHPLAN_AGENT_GIT)",
            valueName: "remote"
        )
    )
    var git: String?

    @Option(help: ArgumentHelp("With --git: the branch.", valueName: "name"))
    var branch = "main"

    @Option(
        help: ArgumentHelp("The time from one look to the next. (default: 10s, with --git 60s)", valueName: "duration"),
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

    /// Refuses networks that nobody has said how to reach. A fleet that cannot be read is told later.
    private func checkWays(_ path: String, in context: Context) throws {
        guard applying.via.isEmpty, var fleet = try? Fleet(at: path, in: context) else { return }
        try fleet.select(select)
        try FleetBearerOptions.parse([]).check(fleet)
    }

    /// The variable that holds the repository's address, if no option does.
    private static let gitVariable = "MESHPLAN_AGENT_GIT"
    /// The file by whose lock one agent at a time works in a folder.
    private static let lockName = Workspace.folderName + "/agent.lock"

    var writesJSON: Bool { format.json }
    var storeAccess: StoreAccess { store.access }

    func validate() throws {
        guard (1...256).contains(workers) else { throw ValidationError("--workers takes a number from 1 to 256.") }
        if let every, !(1_000...86_400_000).contains(every.milliseconds) {
            throw ValidationError("--every takes a second at least.")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let path = folder ?? "."
        let remote = git ?? context.environment[Self.gitVariable].flatMap { $0.isEmpty ? nil : $0 }
        let clone = remote.map {
            AgentGit(context: context, folder: context.absolute(path), remote: $0, branch: branch)
        }
        try clone?.check()
        // Before anything else is written into its folder.
        try clone?.update()
        let place = AgentFolder(context, path: path, selection: select).folder
        guard try Files.kind(examining: place, as: path) == .folder else {
            throw Failure(.usage, "there is no folder \(path.printable)", hint: "Name the folder with the definitions.")
        }
        if applying.apply || watching.sampleDrift { try checkWays(path, in: context) }
        if let reports { try AgentReports.prepare(reports, in: context) }
        try telling.check(in: context)
        let post = try AgentPost(file: telling.webhookFile, in: context)
        _ = try Files.createFolder("\(place)/\(Workspace.folderName)", as: Workspace.folderName)
        guard let lock = try AppendFile(lockingPath: "\(place)/\(Self.lockName)", as: Self.lockName) else {
            throw Failure(
                .locked,
                "another agent works in \(path.printable)",
                hint: "One agent works in a folder at a time. End that one first."
            )
        }
        defer { withExtendedLifetime(lock) {} }
        let settings = AgentSettings(
            lookEvery: Int64((every?.milliseconds ?? (clone == nil ? 10_000 : 60_000)) / 1_000),
            applies: applying.apply,
            sampling: watching.sampling,
            testsAt: watching.testsAt?.seconds,
            posts: post != nil
        )
        let options = AgentRun.Options(
            path: path,
            selection: select,
            git: clone,
            isOnce: once,
            workers: workers,
            reports: reports,
            metrics: telling.metrics,
            approvals: applying.approved,
            via: applying.via,
            devices: applying.devices
        )
        context.interrupts.arm()
        return try AgentRun(context, options, settings, post)()
    }
}
