import ArgumentParser
import DefinitionModel
import MeshCore
import Planning
import Store
import SystemLayer

/// `meshplan plan`
struct PlanCommand: RoutedCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show the changes that make the network match its definition.",
        discussion: """
            Compares the definition with the mesh database. Nothing is sent and nothing is stored, unless --refresh \
            reads nodes back first; their answers are stored and used for the plan.
            """
    )

    @OptionGroup var definition: DefinitionOptions
    @OptionGroup(visibility: .hidden) var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Save the plan for `meshplan apply FILE`.", valueName: "file"),
        completion: Completion.files
    )
    var out: String?

    @Option(
        help: ArgumentHelp(
            "Also write the plan as Markdown, for the conversation of a pull request; refused plans, too.",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var markdown: String?

    @Flag(help: ArgumentHelp("Always show the details of every node, even in large plans.", visibility: .hidden))
    var full = false

    @Flag(help: "Exit with 2 instead of 0 if there are changes.")
    var detailedExitcode = false

    @OptionGroup var variables: VariableOptions

    @OptionGroup(title: "Selection")
    var selection: SelectionOptions

    @OptionGroup(title: "Guards")
    var guards: GuardOptions

    @OptionGroup var planning: PlanOptions

    @OptionGroup var radio: RadioOptions

    @OptionGroup var format: FormatOptions

    @OptionGroup(title: "Reading back first")
    var reading: PlanRefreshOptions

    @OptionGroup(title: "Reading back first")
    var adapter: AdapterOptions

    @OptionGroup(title: "Reading back first")
    var capture: CaptureOptions

    @OptionGroup(title: "Reading back first")
    var execution: RunOptions

    @OptionGroup(title: "Reading back first")
    var devices: SimulatedDeviceOptions

    @OptionGroup(title: "Reading back first")
    var models: VendorModelOptions

    @OptionGroup(title: "Reading back first", visibility: .hidden)
    var simulator: SimulatorOptions

    @Option(
        help: ArgumentHelp(
            "A file with secrets of devices, as apply takes it.",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var secrets: [String] = []

    var writesJSON: Bool { format.json }

    var via: [String] { reading.via }

    func validate() throws {
        try reading.check(way)
    }

    func run(in context: Context) throws -> ExitStatus {
        let context = try variables.applied(to: context)
        if let out { try SavedPlan.check(target: out, in: context) }
        if let markdown { try PlanMarkdown.check(target: markdown, in: context) }
        let options = planning.planner(selection, guards)
        let job = try PlanningJob(context: context).prepare(definition.paths, network: networks.network)
        let database = try Workspace(context: context).open(job.network)
        let estimator = try radio.estimator(
            database,
            simulation: via == ["simulator"] ? SimulationSetup(simulator, radio) : nil
        )
        let snapshot = try reading.snapshot(of: database, job, estimator, way, execution, options, in: context)
        var planned = try job.plan(snapshot, options: options)
        planned.plan.dependencies = try PlanDependencies(
            context: context,
            database: database,
            secrets: try SecretsReader(context: context, files: secrets),
            way: try via.isEmpty ? Settings.way(context) : way.route().dependency
        )
        .of(planned.plan)
        let plan = planned.plan
        if context.skipsDeallocation { ProcessMemory.keepUntilExit((job, snapshot, planned)) }
        let site = estimator.fitting(snapshot)
        job.show(plan, unresolved: snapshot.unresolved.count, estimator: site, isFull: full)
        if context.json == nil, let line = plan.dependenciesLine { context.output.line(line) }
        if let markdown { try PlanMarkdown(plan, of: job, snapshot, site).write(to: markdown, in: context) }
        try SequenceNotice(context, network: job.network).warn(of: snapshot, database)
        try ReturnNotice(context).warn(job, database)
        if planned.isRefused, let out {
            context.errorOutput.line("The plan is refused, so it is not saved to \(out.printable).")
        }
        try planned.checkGuards(in: context)
        if let out {
            try SavedPlan.write(
                plan,
                definition: job.text,
                to: out,
                database: database,
                context: context
            )
            // Whoever has asked for many says itself where they are.
            if context.json == nil, context.report == nil {
                context.output.line(
                    "\nSaved to \(out.printable). Apply exactly this plan with: meshplan apply "
                        + "\(out.printable.shellWord) --via \(via.first?.printable.shellWord ?? "BEARER")"
                )
            }
        }
        return detailedExitcode && !plan.isEmpty ? .changes : .success
    }
}
