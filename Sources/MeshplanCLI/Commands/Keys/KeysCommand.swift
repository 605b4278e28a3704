import ArgumentParser
import Execution
import MeshCore
import Planning
import Store

/// `meshplan keys`
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Replace the keys of a network, or write them for Wireshark.",
        subcommands: [KeysRefreshCommand.self, KeysExportCommand.self]
    )
}

/// `meshplan keys refresh`
struct KeysRefreshCommand: PlannedRunCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Replace the keys of a subnet on all its nodes, or continue doing so.",
        discussion: """
            All nodes of the subnet get a new NetKey and new values of the application keys bound to it (phase 1), \
            then all send with them (phase 2), then all forget the old ones (phase 3). No phase begins before every \
            node has confirmed the previous one. If a node does not answer, the refresh stops with exit code 4, and \
            the same command continues it later. --wait asks again for that long. --exclude leaves a node out for \
            good: it gets no new keys and is no longer a member.
            """
    )

    @Argument(
        help: ArgumentHelp("The subnet, by name or NetKey index.", valueName: "subnet"),
        completion: Completion.subnets
    )
    var subnet: String

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp(
            "A node to leave out and exclude from the network, by name, address or UUID. May be repeated.",
            valueName: "node"
        ),
        completion: Completion.nodes
    )
    var exclude: [String] = []

    @Option(
        help: ArgumentHelp("For how long to retry nodes that do not answer; 0 for not at all.", valueName: "duration"),
        transform: DurationArgument.parse
    )
    var wait = DurationArgument(milliseconds: 0)

    @OptionGroup var planned: PlannedRunOptions

    @OptionGroup var adapter: AdapterOptions

    @OptionGroup var capture: CaptureOptions

    @OptionGroup var execution: RunOptions

    @OptionGroup var guards: GuardOptions

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
        try checkRun()
    }

    func run(in context: Context) throws -> ExitStatus {
        let job = KeyRefreshJob(
            context: context,
            network: try Workspace(context: context).only(networks.network),
            subnet: subnet,
            excluded: exclude
        )
        guard !via.isEmpty else { return try show(job, in: context) }
        return try applyRun(as: "keys refresh", patience: wait.duration, in: context).carryOut(job)
    }
}
