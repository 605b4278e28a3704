import ArgumentParser
import DefinitionModel
import Execution
import MeshCore
import Planning
import Store

/// `meshplan refresh`
struct RefreshCommand: RoutedCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Read the configuration of nodes back over the radio.",
        discussion: """
            Asks the nodes that definitions manage, or the selected nodes, for all of their configuration with the \
            fewest messages, and records their answers with the time. Nothing is changed on a node. Differences from \
            the record are drift: meshplan drift shows them, and meshplan apply restores what the definition declares. \
            The record of a node that does not answer stays. So does any value whose answer is missing or not \
            understood: it is listed with the octets of the answer, and the command exits with 4.
            """
    )

    @OptionGroup var definition: DefinitionOptions

    @Option(help: ArgumentHelp("\(BearerChoice.help)", valueName: "bearer"))
    var via: [String]

    @OptionGroup var adapter: AdapterOptions

    @OptionGroup var capture: CaptureOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup(title: "Selection")
    var selection: SelectionOptions

    @Option(
        help: ArgumentHelp(
            "Only nodes that were last read back longer ago than this, or never, such as 12h or 7d.",
            valueName: "age"
        )
    )
    var olderThan: AgeArgument?

    @Flag(help: "Also read nodes that no definition manages.")
    var all = false

    @Flag(
        help: ArgumentHelp(
            """
            Read the composition pages beside page 0 and the metadata of the models of every node again; by default, \
            they are only read from nodes with the Large Composition Data Server for which they are unknown.
            """
        )
    )
    var pages = false

    @Flag(
        help: ArgumentHelp(
            """
            Put several requests to a node with the Opcodes Aggregator Server into one message: far fewer messages, \
            but slower where many PDUs are lost.
            """
        )
    )
    var aggregate = false

    @OptionGroup var execution: RunOptions

    @OptionGroup var radio: RadioOptions

    @OptionGroup var format: FormatOptions

    @OptionGroup(title: "With --via simulator")
    var devices: SimulatedDeviceOptions

    @OptionGroup(title: "With --via simulator")
    var models: VendorModelOptions

    @OptionGroup(title: "With --via simulator", visibility: .hidden)
    var simulator: SimulatorOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        try way.check()
    }

    func run(in context: Context) throws -> ExitStatus {
        let knowledge = try ScanKnowledge(context, paths: definition.paths, network: networks.network)
        let workspace = Workspace(context: context)
        guard let (database, _, name) = knowledge.database else {
            _ = try workspace.open(try networks.network ?? knowledge.definition?.network.value ?? workspace.only(nil))
            return .failure
        }
        let lease = try workspace.lock(database, for: "refresh")
        var options = execution.options
        if pages { options.pages = .all }
        options.readsInSequences = aggregate
        let route = try way.route()
        let refresh = RefreshSession(
            context: context,
            route: route,
            options: options,
            database: database,
            lease: lease,
            name: name,
            estimator: try radio.estimator(
                database,
                connections: execution.expectedConnections,
                window: execution.window,
                simulation: route.simulation
            )
        )
        let snapshot = try database.snapshot(with: lease)
        let nodes = try NodeSelection(snapshot.network, definition: knowledge.definition, context: context).nodes(
            selection
        ) { node in
            RefreshSession.isReadable(node, in: snapshot.network) && (all || node.isManaged)
        }
        return try refresh.run(olderThan.map { refresh.stale(nodes, seconds: $0.seconds) } ?? nodes, of: snapshot)
    }
}
