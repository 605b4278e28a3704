import ArgumentParser
import DefinitionModel
import Planning
import Store

/// The options for saving or carrying out a plan that a command makes itself, without a definition in the folder.
struct PlannedRunOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "\(BearerChoice.help) Without it nothing is sent.",
            valueName: "bearer"
        )
    )
    var via: [String] = []

    @OptionGroup var adapter: AdapterOptions

    @OptionGroup var capture: CaptureOptions

    @Flag(help: "Do not ask for approval.")
    var autoApprove = false

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Save the plan for `meshplan apply FILE` and do nothing else.", valueName: "file"),
        completion: Completion.files
    )
    var out: String?

    @Option(
        help: ArgumentHelp(
            "\(ResetListening.help)",
            valueName: "duration"
        ),
        transform: DurationArgument.parse
    )
    var listen: DurationArgument?

    @OptionGroup var run: RunOptions

    @Flag(help: "Always show the details of every node, even in large plans.")
    var full = false

    @OptionGroup var guards: GuardOptions

    @OptionGroup var way: RouteOptions

    func validate() throws {
        try way.simulator.check(for: via)
        guard !via.isEmpty else { return }
        if out != nil { throw ValidationError("--out cannot be combined with --via, because it sends nothing.") }
        _ = try BearerChoice.all(adapter.routes(via))
        try adapter.check(for: via)
        try way.devices.check(for: via)
    }

    /// The run that carries out plans.
    ///
    /// - Parameters:
    ///   - operation: the command, for the history.
    ///   - secrets: files with out-of-band data of devices.
    ///   - patience: for how long nodes that do not answer are asked again.
    func applyRun(
        as operation: String,
        secrets: [String] = [],
        patience: Duration = .zero,
        in context: Context
    ) throws -> ApplyRun {
        var run = ApplyRun(
            context: context,
            route: try way.route(via: adapter.routes(via), capture),
            options: self.run.options,
            radio: way.radio,
            secrets: try SecretsReader(context: context, files: secrets),
            listening: ResetListening(listen),
            isFull: full,
            isApproved: autoApprove,
            planner: PlannerOptions(allowed: guards.allowed),
            patience: patience
        )
        run.operation = operation
        return run
    }

    /// Shows the plan of a source without sending anything, and saves it if asked to.
    func show(_ job: some PlanSource, in context: Context) throws -> ExitStatus {
        if let out { try SavedPlan.check(target: out, in: context) }
        let database = try Workspace(context: context).open(job.network)
        let snapshot = try database.snapshot()
        let planned = try job.plan(snapshot, options: PlannerOptions(allowed: guards.allowed))
        let plan = planned.plan
        let estimator = try way.radio.estimator(database).fitting(snapshot)
        job.show(plan, unresolved: snapshot.unresolved.count, estimator: estimator, isFull: full)
        try planned.checkGuards(in: context)
        guard let out else {
            if context.json == nil, !plan.isEmpty {
                context.output.line("\nNothing was sent. Carry it out with --via BEARER, or save it with --out FILE.")
            }
            return .success
        }
        try SavedPlan.write(
            plan,
            definition: job.text,
            returnGoal: job.returnGoal,
            to: out,
            database: database,
            context: context
        )
        if context.json == nil {
            context.output.line(
                "\nSaved to \(out.printable). Apply exactly this plan with: meshplan apply "
                    + "\(out.printable.shellWord) --via BEARER"
            )
        }
        return .success
    }
}
