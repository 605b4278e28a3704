internal import ArgumentParser
internal import Bearers
internal import Execution
internal import MeshCore
internal import Planning
internal import Simulator
internal import Store

/// `meshplan apply`
struct ApplyCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Apply a definition or a saved plan to the network.",
        discussion: """
            Given a saved plan, exactly that is carried out without a question; it is refused if the database has moved \
            on. Otherwise the plan is made, shown and asked for. Devices that are to become nodes are provisioned and \
            configured in one go. What does not answer or is not heard is left for the next apply. \
            The first Ctrl-C finishes what is in flight, the second ends at once; nothing that was done is lost.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A saved plan, or files and folders with the definition. (default: the definition in the current folder)",
            valueName: "path"
        )
    )
    var paths: [String] = []

    @OptionGroup var bearer: BearerOptions

    @OptionGroup var networks: NetworkOptions

    @Flag(help: "Do not ask for approval.")
    var autoApprove = false

    @Option(
        help: ArgumentHelp(
            "Apply only a plan with this digest, as plan and show tell it (8 digits at least), and do not ask then.",
            valueName: "hex"
        )
    )
    var expectDigest: DigestArgument?

    @Option(
        help: ArgumentHelp(
            "A CSV or YAML file with static values and public keys of devices. May be repeated.",
            valueName: "file"
        )
    )
    var secrets: [String] = []

    @Option(
        help: ArgumentHelp(
            "\(ResetListening.help)",
            valueName: "duration"
        ),
        transform: DurationArgument.parse
    )
    var listen: DurationArgument?

    @OptionGroup var confirmation: ConfirmationOptions

    @OptionGroup var execution: RunOptions

    @Flag(help: "Always show the details of every node, even in large plans.")
    var full = false

    @OptionGroup var planning: PlanOptions

    @OptionGroup var radio: RadioOptions

    @OptionGroup var format: FormatOptions

    @OptionGroup(title: "With --via simulator")
    var devices: SimulatedDeviceOptions

    @OptionGroup(title: "With --via simulator")
    var simulator: SimulatorOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        try devices.check(for: bearer.via)
        try simulator.check(for: bearer.via)
    }

    func run(in context: Context) throws -> ExitStatus {
        var run = ApplyRun(
            context: context,
            route: try MeshRoute(via: bearer.routes, devices, simulator, radio),
            options: execution.options,
            radio: radio,
            secrets: try SecretsReader(context: context, files: secrets),
            listening: ResetListening(listen),
            isFull: full,
            isApproved: autoApprove,
            expected: expectDigest,
            planner: planning.planner
        )
        run.confirmWithin = confirmation.confirmWithin?.duration
        if paths.count == 1, let path = paths.first, SavedPlan.isMeant(by: path, in: context) {
            guard run.planner == PlannerOptions() else {
                throw Failure(
                    .usage,
                    "\(path.printable) is a saved plan, in which it is settled what is allowed and selected",
                    hint: "Give those options to meshplan plan, and apply without them."
                )
            }
            return try run.savedPlan(at: path)
        }
        return try run.definition(paths, network: networks.network)
    }
}
