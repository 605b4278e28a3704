import ArgumentParser
import MeshCore
import Planning

/// The options of `assign` and `replace`: where the definition is, how devices are reached, and what follows.
struct AssigningOptions: ParsableArguments {
    @Option(
        name: .customLong("definition"),
        help: ArgumentHelp(
            "A file or folder with the definition. May be repeated. (default: the current folder)",
            valueName: "path"
        ),
        completion: Completion.files
    )
    var definitions: [String] = []

    @OptionGroup var variables: VariableOptions

    @Option(help: ArgumentHelp("Ask at the terminal, and reach devices so. \(BearerChoice.help)", valueName: "bearer"))
    var via: [String] = []

    @Flag(help: "Provision and configure each device as soon as it has its place, without asking for approval.")
    var apply = false

    @Option(
        help: ArgumentHelp("How long to listen before the first device is shown.", valueName: "duration"),
        transform: DurationArgument.parse
    )
    var time = DurationArgument(milliseconds: 3_000)

    @Option(
        help: ArgumentHelp("For how long a device blinks at a time, 1s to 60s.", valueName: "duration"),
        transform: DurationArgument.parse
    )
    var blink = DurationArgument(milliseconds: 30_000)

    @Option(
        help: ArgumentHelp(
            "With --apply: a CSV or YAML file with static values and public keys of devices. May be repeated.",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var secrets: [String] = []

    @Flag(help: "With --apply: \(RunOptions.againHelp)")
    var again = false

    static func noUUID(in text: String) -> Failure {
        Failure(
            .usage,
            "there is no UUID in `\(text.printable)`",
            hint: "Give 32 hexadecimal digits, with or without hyphens, or the text of a label that contains them."
        )
    }
}

/// A command that gives devices their places.
protocol AssigningCommand: RoutedCommand {
    var assigning: AssigningOptions { get }
    var execution: RunOptions { get }
}

extension AssigningCommand {
    var via: [String] { assigning.via }

    /// Checks the options against each other.
    ///
    /// - Parameter hasDevice: whether the command line names the device.
    func checkAssigning(hasDevice: Bool = false) throws(ValidationError) {
        let blink = assigning.blink
        guard (1_000...60_000).contains(blink.milliseconds), blink.milliseconds % 1_000 == 0 else {
            throw ValidationError("--blink takes whole seconds from 1s to 60s.")
        }
        guard !via.isEmpty else {
            if assigning.apply { throw ValidationError("--apply needs --via.") }
            return
        }
        if hasDevice, !assigning.apply { throw ValidationError("--via needs --apply where the device is named.") }
        try way.check()
    }

    /// The interactive run.
    ///
    /// - Parameter only: the node whose device is replaced; nil to assign devices to all places.
    func assigningRun(
        _ assignments: Assignments,
        _ context: Context,
        only: String? = nil
    ) throws -> AssigningSession {
        AssigningSession(
            context: context,
            route: try way.route(),
            knowledge: try ScanKnowledge(context, paths: assigning.definitions, network: networks.network),
            assignments: assignments,
            listening: assigning.time.duration,
            blinking: UInt8(clamping: assigning.blink.milliseconds / 1_000),
            only: only,
            apply: try applying(context),
            give: { assignments, device, place in
                if only == nil {
                    try assignments.assign(device, to: place)
                } else {
                    _ = try assignments.replace(place, by: device)
                }
            }
        )
    }

    /// Carries out the plan for one node; nil if that is left to a later apply.
    func applying(_ context: Context) throws -> ((String) throws -> ExitStatus)? {
        guard assigning.apply else { return nil }
        let secrets = try SecretsReader(context: context, files: assigning.secrets)
        let route = try way.route()
        return { place in
            let run = ApplyInvocation(
                context: context,
                route: route,
                options: execution.options(offeringUsedValues: assigning.again),
                radio: radio,
                secrets: secrets,
                listening: ResetListening(nil),
                isFull: false,
                isApproved: true,
                expected: nil,
                planner: PlannerOptions(selection: PlanSelection(nodes: [place]))
            )
            return try run.definition(assigning.definitions, network: networks.network)
        }
    }
}
