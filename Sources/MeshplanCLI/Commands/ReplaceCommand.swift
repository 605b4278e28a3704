import ArgumentParser
import DefinitionModel
import Definitions
import MeshCore

/// `meshplan replace`
struct ReplaceCommand: AssigningCommand {
    static let configuration = CommandConfiguration(
        commandName: "replace",
        abstract: "Give the place of a broken node to another device.",
        discussion: """
            Writes the new UUID where the definition has the old one: in NETWORK.assignments, or in the definition \
            itself. The next plan provisions the new device under the name of the node, gives it everything that the \
            definition says, and points the others to it. The old device is excluded; its addresses are not given \
            again before the IV index allows it.

            Without a UUID and with --via, unassigned devices blink one after the other, as with meshplan assign.
            """
    )

    @Argument(help: ArgumentHelp("The node whose device is broken.", valueName: "node"), completion: Completion.nodes)
    var node: String

    @Argument(
        help: ArgumentHelp("The device that takes its place: a UUID, or the text of a label.", valueName: "uuid")
    )
    var device: String?

    @OptionGroup var assigning: AssigningOptions

    @OptionGroup var adapter: AdapterOptions

    @OptionGroup var capture: CaptureOptions

    @OptionGroup(title: "With --apply")
    var execution: RunOptions

    @OptionGroup var radio: RadioOptions

    @OptionGroup(title: "With --via simulator")
    var devices: SimulatedDeviceOptions

    @OptionGroup(title: "With --via simulator")
    var models: VendorModelOptions

    @OptionGroup(title: "With --via simulator", visibility: .hidden)
    var simulator: SimulatorOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        try checkAssigning(hasDevice: device != nil)
        guard device != nil || !via.isEmpty else {
            throw ValidationError("Name the device that takes its place, or the way to the devices with --via.")
        }
        if format.json, device == nil { throw ValidationError("--json needs a UUID.") }
    }

    func run(in context: Context) throws -> ExitStatus {
        let context = try assigning.variables.applied(to: context)
        var assignments = try Assignments(context, paths: assigning.definitions, network: networks.network)
        let present = try assignments.node(node)
        guard !present.awaitsDevice else {
            throw Failure(
                .usage,
                "`\(node.printable)` has no device that could be replaced",
                hint: "Give it one with meshplan assign."
            )
        }
        guard let device else {
            var run = try assigningRun(assignments, context, only: node)
            return try run.run()
        }
        guard let uuid = LabelText.uuid(in: device) else { throw AssigningOptions.noUUID(in: device) }
        let former = try assignments.replace(node, by: uuid)
        if let lines = context.json {
            lines.write([
                "type": "replaced", "node": node.json, "before": (former ?? uuid).description.json,
                "after": uuid.description.json,
            ])
        } else {
            context.output.line(
                former.map { "\(node.printable) has \(uuid) now, instead of \($0)." }
                    ?? "\(node.printable) has \(uuid) already. If that device is broken, name the one that takes its place."
            )
            if !assigning.apply { context.output.line("Next: meshplan plan") }
        }
        guard assigning.apply, let apply = try applying(context) else { return .success }
        return try apply(node)
    }
}
