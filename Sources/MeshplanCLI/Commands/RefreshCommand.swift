internal import ArgumentParser
internal import DefinitionModel
internal import Execution
internal import MeshCore
internal import Planning
internal import Store

/// `meshplan refresh`
struct RefreshCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Read the configuration of nodes back over the radio.",
        discussion: """
            Asks the nodes that definitions manage, or those that are selected, for all of their configuration with the \
            fewest messages, and records what they tell and when. Nothing is changed on a node. What contradicts the \
            record is drift: meshplan drift shows it, and meshplan apply puts back what the definition says. \
            A node that does not answer keeps what is recorded of it. So does a value of a node whose answer cannot be \
            understood or never comes while others do: it is named, with the octets of the answer, and the command ends with 4.
            """
    )

    @OptionGroup var definition: DefinitionOptions

    @OptionGroup var bearer: BearerOptions

    @OptionGroup var networks: NetworkOptions

    @OptionGroup(title: "Selection")
    var selection: SelectionOptions

    @Option(
        help: ArgumentHelp(
            "Only nodes that were not read back for so long, or never, such as 12h or 7d.",
            valueName: "age"
        )
    )
    var olderThan: AgeArgument?

    @Flag(help: "Nodes that no definition manages, too.")
    var all = false

    @Flag(
        help: ArgumentHelp(
            """
            Read the composition pages beside page 0 and the metadata of the models of every node anew; otherwise only \
            those of nodes with the Large Composition Data Server of which they are not known.
            """
        )
    )
    var pages = false

    @Flag(
        help: ArgumentHelp(
            """
            Ask nodes with the Opcodes Aggregator Server several things at once: far fewer messages, but slower where \
            many PDUs are lost.
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
    var simulator: SimulatorOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        try devices.check(for: bearer.via)
        try simulator.check(for: bearer.via)
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
        let route = try MeshRoute(via: bearer.routes, devices, simulator, radio)
        let refresh = RefreshRun(
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
            RefreshRun.isReadable(node, in: snapshot.network) && (all || node.isManaged)
        }
        return try refresh.run(olderThan.map { refresh.stale(nodes, seconds: $0.seconds) } ?? nodes, of: snapshot)
    }
}
