internal import ArgumentParser
internal import Planning
internal import Store

/// How a plan that leads back is saved or carried out.
struct GoingBackOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "\(BearerChoice.help) Without it the plan is only shown.",
            valueName: "bearer"
        )
    )
    var via: [String] = []

    @OptionGroup var adapter: AdapterOptions

    @Flag(help: "Do not ask.")
    var autoApprove = false

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Save the plan for `meshplan apply FILE` and do nothing else.", valueName: "file")
    )
    var out: String?

    @Option(
        help: ArgumentHelp(
            "A CSV or YAML file with static values and public keys of devices. May be repeated.",
            valueName: "file"
        )
    )
    var secrets: [String] = []

    @Option(
        help: ArgumentHelp(
            "How long to listen for nodes that were reset before planning; 0 for not at all.",
            valueName: "duration"
        )
    )
    var listen = DurationArgument(milliseconds: 3_000)

    @Option(
        help: ArgumentHelp(
            "Go back again unless the changes are confirmed within this time, with meshplan confirm.",
            valueName: "duration"
        )
    )
    var confirmWithin: DurationArgument?

    @OptionGroup var run: RunOptions

    @Flag(help: "Show the details of each node however many there are.")
    var full = false

    @OptionGroup var guards: GuardOptions

    @OptionGroup var radio: RadioOptions

    @OptionGroup(title: "With --via simulator")
    var devices: SimulatedDeviceOptions

    @OptionGroup(title: "With --via simulator")
    var simulator: SimulatorOptions

    func validate() throws {
        guard !via.isEmpty else { return }
        if out != nil { throw ValidationError("--out saves the plan and sends nothing, so --via is not for it.") }
        _ = try BearerChoice.all(adapter.routes(via))
        try adapter.check(for: via)
        try devices.check(for: via)
    }

    /// What carries plans out.
    func run(as operation: String, in context: Context) throws -> ApplyRun {
        var run = ApplyRun(
            context: context,
            route: try MeshRoute(via: adapter.routes(via), devices, simulator),
            options: self.run.options,
            radio: radio,
            secrets: try SecretsReader(context: context, files: secrets),
            listening: listen.duration,
            isFull: full,
            isApproved: autoApprove,
            planner: PlannerOptions(allowed: guards.allowed)
        )
        run.operation = operation
        run.confirmWithin = confirmWithin?.duration
        return run
    }

    /// Shows the plan of a source, saves it, or carries it out.
    func carryOut(_ job: some PlanSource, as operation: String, in context: Context) throws -> ExitStatus {
        if !via.isEmpty { return try run(as: operation, in: context).carryOut(job) }
        if let out { try SavedPlan.check(target: out, in: context) }
        let database = try Workspace(context: context).open(job.network)
        let snapshot = try database.snapshot()
        let planned = try job.plan(snapshot, options: PlannerOptions(allowed: guards.allowed))
        let plan = planned.plan
        let estimator = try radio.estimator(database)
        job.show(plan, unresolved: snapshot.unresolved.count, estimator: estimator, isFull: full)
        try planned.checkGuards()
        guard let out else {
            if context.json == nil, !plan.isEmpty {
                context.output.line("\nNothing was sent. Carry it out with --via BEARER, or save it with --out FILE.")
            }
            return .success
        }
        try SavedPlan.write(plan, definition: job.text, to: out, database: database, context: context)
        if context.json == nil {
            context.output.line(
                "\nSaved to \(out.printable). Apply exactly this with: meshplan apply \(out.printable) --via BEARER"
            )
        }
        return .success
    }
}
