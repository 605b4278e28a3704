internal import ArgumentParser
internal import Execution
internal import MeshCore
internal import Planning
internal import Store

/// `meshplan keys`
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Replace the keys of a network.",
        subcommands: [KeysRefreshCommand.self]
    )
}

/// `meshplan keys refresh`
struct KeysRefreshCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Replace the keys of a subnet on all its nodes, or go on with it.",
        discussion: """
            All nodes of the subnet get a new NetKey and new values of the application keys bound to it (phase 1), then \
            all send with them (phase 2), then all forget the old ones (phase 3). No phase begins before every node has \
            confirmed the one before, so that nobody is left behind; where a node does not answer the refresh stays as it \
            is, with exit code 4, and the same command goes on from there, at any time. --wait asks again for so long, \
            --exclude leaves a node out for good: it gets no new keys and is no member any more.
            """
    )

    @Argument(help: ArgumentHelp("The subnet, by name or NetKey index.", valueName: "subnet"))
    var subnet: String

    @Option(
        help: ArgumentHelp(
            BearerChoice.help,
            valueName: "bearer"
        )
    )
    var via: [String] = []

    @OptionGroup var adapter: AdapterOptions

    @OptionGroup var networks: NetworkOptions

    @Option(
        help: ArgumentHelp(
            "A node to leave out and exclude from the network, by name, address or UUID. May be repeated.",
            valueName: "node"
        )
    )
    var exclude: [String] = []

    @Option(
        help: ArgumentHelp("How long to ask nodes again that do not answer; 0 for not at all.", valueName: "duration")
    )
    var wait = DurationArgument(milliseconds: 0)

    @Flag(help: "Do not ask.")
    var autoApprove = false

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Save the plan for `meshplan apply FILE` and do nothing else.", valueName: "file")
    )
    var out: String?

    @Option(
        help: ArgumentHelp(
            "How long to listen for nodes that were reset before planning; 0 for not at all.",
            valueName: "duration"
        )
    )
    var listen = DurationArgument(milliseconds: 3_000)

    @OptionGroup var run: RunOptions

    @Flag(help: "Show the details of each node however many there are.")
    var full = false

    @OptionGroup var guards: GuardOptions

    @OptionGroup var radio: RadioOptions

    @OptionGroup var format: FormatOptions

    @OptionGroup(title: "With --via simulator")
    var devices: SimulatedDeviceOptions

    @OptionGroup(title: "With --via simulator")
    var simulator: SimulatorOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        guard !via.isEmpty else {
            if out == nil {
                throw ValidationError("Say how to reach the mesh with --via, or save the plan with --out.")
            }
            return
        }
        if out != nil { throw ValidationError("--out saves the plan and sends nothing, so --via is not for it.") }
        _ = try BearerChoice.all(adapter.routes(via))
        try adapter.check(for: via)
        try devices.check(for: via)
    }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let job = KeyRefreshJob(
            context: context,
            network: try workspace.only(networks.network),
            subnet: subnet,
            excluded: exclude
        )
        guard !via.isEmpty else { return try save(job, in: workspace, context) }
        var run = ApplyRun(
            context: context,
            route: try MeshRoute(via: adapter.routes(via), devices, simulator),
            options: self.run.options,
            radio: radio,
            secrets: try SecretsReader(context: context, files: []),
            listening: listen.duration,
            isFull: full,
            isApproved: autoApprove,
            planner: PlannerOptions(allowed: guards.allowed),
            patience: wait.duration
        )
        run.operation = "keys refresh"
        return try run.carryOut(job)
    }

    private func save(_ job: KeyRefreshJob, in workspace: Workspace, _ context: Context) throws -> ExitStatus {
        guard let out else { return .usage }
        try SavedPlan.check(target: out, in: context)
        let database = try workspace.open(job.network)
        let snapshot = try database.snapshot()
        let planned = try job.plan(snapshot, options: PlannerOptions(allowed: guards.allowed))
        let plan = planned.plan
        let estimator = try radio.estimator(database).relaying(in: snapshot.network)
        job.show(plan, unresolved: snapshot.unresolved.count, estimator: estimator, isFull: full)
        try planned.checkGuards()
        try SavedPlan.write(plan, to: out, database: database, context: context)
        if context.json == nil {
            context.output.line(
                "\nSaved to \(out.printable). Apply exactly this with: meshplan apply \(out.printable) --via BEARER"
            )
        }
        return .success
    }
}
