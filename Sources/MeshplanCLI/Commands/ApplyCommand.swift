import ArgumentParser
import Bearers
import Execution
import MeshCore
import Planning
import Simulator
import Store

/// `meshplan apply`
struct ApplyCommand: RoutedCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Apply a definition or a saved plan to the network.",
        discussion: """
            A saved plan is carried out exactly, without a question; it is refused if the database has changed since. \
            Otherwise apply makes a plan, shows it and asks for approval. New devices are provisioned and configured \
            in one run. Nodes that do not answer, and devices that are not heard, are left for the next apply. The \
            first Ctrl-C waits for the answers to what was sent, the second stops at once; the database keeps \
            everything that was done.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A saved plan, or files and folders with the definition. (default: the definition in the current folder)",
            valueName: "path"
        ),
        completion: Completion.files
    )
    var paths: [String] = []

    @Option(help: ArgumentHelp("\(BearerChoice.help)", valueName: "bearer"))
    var via: [String]

    @OptionGroup var adapter: AdapterOptions

    @OptionGroup var capture: CaptureOptions

    @OptionGroup(visibility: .hidden) var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @Flag(help: "Do not ask for approval.")
    var autoApprove = false

    @Option(
        help: ArgumentHelp(
            "Apply only a plan with this digest, which plan and show print (at least 8 digits), without asking for approval.",
            valueName: "hex",
            visibility: .hidden
        )
    )
    var expectDigest: DigestArgument?

    @Option(
        help: ArgumentHelp(
            "A CSV or YAML file with static values and public keys of devices. May be repeated.",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var secrets: [String] = []

    @Flag(help: "\(RunOptions.againHelp)")
    var again = false

    @Option(
        help: ArgumentHelp(
            "\(ResetListening.help)",
            valueName: "duration",
            visibility: .hidden
        ),
        transform: DurationArgument.parse
    )
    var listen: DurationArgument?

    @OptionGroup var confirmation: ConfirmationOptions

    @OptionGroup var execution: RunOptions

    @Flag(help: ArgumentHelp("Always show the details of every node, even in large plans.", visibility: .hidden))
    var full = false

    @OptionGroup var variables: VariableOptions

    @OptionGroup(title: "Selection")
    var selection: SelectionOptions

    @OptionGroup(title: "Guards")
    var guards: GuardOptions

    @OptionGroup var planning: PlanOptions

    @OptionGroup var radio: RadioOptions

    @OptionGroup(title: "With --via simulator")
    var devices: SimulatedDeviceOptions

    @OptionGroup(title: "With --via simulator")
    var models: VendorModelOptions

    @OptionGroup(title: "With --via simulator", visibility: .hidden)
    var simulator: SimulatorOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        try way.check()
    }

    func run(in context: Context) throws -> ExitStatus {
        let context = try variables.applied(to: context)
        var run = ApplyInvocation(
            context: context,
            route: try way.route(),
            options: execution.options(offeringUsedValues: again),
            radio: radio,
            secrets: try SecretsReader(context: context, files: secrets),
            listening: ResetListening(listen),
            isFull: full,
            isApproved: autoApprove,
            expected: expectDigest,
            planner: planning.planner(selection, guards)
        )
        run.confirmWithin = confirmation.confirmWithin?.duration
        if paths.count == 1, let path = paths.first, SavedPlan.isNamed(by: path, in: context) {
            guard run.planner == PlannerOptions() else {
                throw Failure(
                    .usage,
                    "the saved plan \(path.printable) already contains the allowed guards and the selection",
                    hint: "Give those options to meshplan plan, and apply without them."
                )
            }
            return try run.savedPlan(at: path)
        }
        return try run.definition(paths, network: networks.network)
    }
}
