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
            valueName: "duration",
            visibility: .hidden
        ),
        transform: DurationArgument.parse
    )
    var listen: DurationArgument?

    @Flag(help: ArgumentHelp("Always show the details of every node, even in large plans.", visibility: .hidden))
    var full = false
}

/// A command that makes its plan itself, without a definition in the folder, and saves it or carries it out.
protocol PlannedRunCommand: RoutedCommand {
    var planned: PlannedRunOptions { get }
    var execution: RunOptions { get }
    var guards: GuardOptions { get }
}

extension PlannedRunCommand {
    var via: [String] { planned.via }

    /// Checks the options against each other.
    func checkRun() throws(ValidationError) {
        try simulator.check(for: via)
        guard !via.isEmpty else {
            // Who approves beforehand counts on it being done.
            guard planned.autoApprove, planned.out == nil else { return }
            throw ValidationError("--auto-approve needs --via: without a way to the mesh this only shows a plan.")
        }
        if planned.out != nil {
            throw ValidationError("--out cannot be combined with --via, because it sends nothing.")
        }
        try way.check()
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
    ) throws -> ApplyInvocation {
        var run = ApplyInvocation(
            context: context,
            route: try way.route(),
            options: execution.options,
            radio: radio,
            secrets: try SecretsReader(context: context, files: secrets),
            listening: ResetListening(planned.listen),
            isFull: planned.full,
            isApproved: planned.autoApprove,
            planner: PlannerOptions(allowed: guards.allowed),
            patience: patience
        )
        run.operation = operation
        return run
    }

    /// Shows the plan of a source without sending anything, and saves it if asked to.
    func show(_ job: some PlanSource, in context: Context) throws -> ExitStatus {
        if let out = planned.out { try SavedPlan.check(target: out, in: context) }
        let database = try Workspace(context: context).open(job.network)
        let snapshot = try database.snapshot()
        let made = try job.plan(snapshot, options: PlannerOptions(allowed: guards.allowed))
        let plan = made.plan
        let estimator = try radio.estimator(database).fitting(snapshot)
        job.show(plan, unresolved: snapshot.unresolved.count, estimator: estimator, isFull: planned.full)
        try made.checkGuards(in: context)
        guard let out = planned.out else {
            // Whoever has asked for many carries them out.
            if context.json == nil, context.report == nil, !plan.isEmpty {
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
