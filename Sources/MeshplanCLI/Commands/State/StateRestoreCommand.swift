import ArgumentParser
import Store

/// `meshplan state restore`
struct StateRestoreCommand: GoingBackCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Plan a return to a former state of the network, and carry it out with --via.",
        discussion: """
            SERIAL is one that meshplan state history shows. Nodes, keys and groups become what they were then; a key \
            that was removed since gets its old value back. What no plan can restore is listed. Sequence numbers, \
            replay lists and the IV index never go back. The definition in your folder is not touched.
            """
    )

    @Argument(help: ArgumentHelp("The serial to go back to.", valueName: "serial"))
    var serial: UInt64

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

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

    @OptionGroup var goingBack: GoingBackOptions

    @OptionGroup var confirmation: ConfirmationOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        try checkRun()
    }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let network = try workspace.only(networks.network)
        let job = try RestoreJob(context, network: network, serial: serial, in: try workspace.open(network))
        return try carryOut(job, as: "restore", in: context)
    }
}
