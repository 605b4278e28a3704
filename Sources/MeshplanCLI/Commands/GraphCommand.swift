import ArgumentParser
import DefinitionModel
import Definitions
import MeshCore
import Pictures
import Planning
import Simulator
import Store
import SystemLayer

/// `meshplan graph`
struct GraphCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract: "Draw who controls whom.",
        discussion: """
            Writes a picture to standard output: nodes that send, the groups and nodes that they send to, and who listens, \
            as it will be once the definition is applied. Without a definition it shows what the database knows. \
            Subnets and keys have colours; R marks relays, P proxies. Nodes with requests in doubt, drifted nodes and what a \
            saved plan does are marked, too.

            Large networks are folded: first nodes that are alike share a box, then places that are built alike.
            """
    )

    /// What the picture is written as.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case svg, dot, mermaid, html, json
    }

    /// How much is folded.
    enum Fold: String, CaseIterable, ExpressibleByArgument {
        case none, nodes, places

        var folding: ControlGraph.Folding {
            switch self {
            case .none: .none
            case .nodes: .likeNodes
            case .places: .likePlaces
            }
        }
    }

    @OptionGroup var definition: DefinitionOptions
    @OptionGroup var networks: NetworkOptions

    @Option(help: ArgumentHelp("Mark what a saved plan adds, changes and removes.", valueName: "file"))
    var plan: String?

    @Option(help: ArgumentHelp("svg, dot (Graphviz), mermaid (Markdown), html or json.", valueName: "format"))
    var format = Format.svg

    @Option(
        help: ArgumentHelp(
            "Fold nothing (none), like nodes (nodes) or like places, too (places). (default: as little as stays legible)",
            valueName: "extent"
        )
    )
    var fold: Fold?

    var writesJSON: Bool { format == .json }

    func run(in context: Context) throws -> ExitStatus {
        let planning = try PlanningJob(context: context)
            .prepareIfPresent(definition.paths, network: networks.network)
        let workspace = Workspace(context: context)
        let name = try planning?.network ?? workspace.only(networks.network)
        // A definition can be drawn before there is a database.
        let isRecorded = try planning == nil || workspace.networks().contains(name)
        let database = isRecorded ? try workspace.open(name) : nil
        let snapshot = try database?.snapshot()
        let network = snapshot?.network ?? Self.empty(name, context)
        let (relations, diagnostics) = NetworkRelations.make(of: network, definition: planning?.definition)
        if let planning {
            let found = planning.diagnostics + diagnostics
            guard !found.contains(where: { $0.severity == .error }) else {
                throw InvalidDefinition(diagnostics: found, files: planning.files)
            }
            let view = DiagnosticView(files: planning.files, style: context.errorStyle)
            context.errorOutput.write(view.render(found.filter { $0.severity == .warning }))
        }
        var overlay = ControlGraph.Overlay(
            drifted: Set(network.drifts.keys),
            pending: Set(snapshot?.unresolved.map(\.node) ?? [])
        )
        if let plan { overlay.actions = try actions(of: plan, network: name, database, context) }
        let graph = ControlGraph(relations, network: name, overlay: overlay, folding: fold?.folding)
        switch format {
        case .svg: context.output.write(graph.svg())
        case .dot: context.output.write(graph.dot())
        case .mermaid: context.output.write(graph.mermaid())
        case .html: context.output.write(graph.html())
        case .json: context.json.map { GraphJSON(graph).write(to: $0) }
        }
        return .success
    }

    /// What a saved plan does to each node.
    private func actions(
        of path: String,
        network: String,
        _ database: MeshDatabase?,
        _ context: Context
    ) throws -> [DeviceUUID: NodeSummary.Action] {
        let (named, sealed) = try SavedPlan.read(path, in: context)
        guard named == network, let database else {
            throw Failure(
                .usage,
                "\(path) is a plan for the network `\(named)`, not for `\(network)`",
                hint: "Choose the network with --network \(named)."
            )
        }
        let plan = try SavedPlan.open(sealed, of: network, path: path, database: database)
        return Dictionary(plan.nodes.map { ($0.uuid, $0.action) }, uniquingKeysWith: { first, _ in first })
    }

    /// A network without nodes. Its keys secure nothing and are thrown away.
    private static func empty(_ name: String, _ context: Context) -> MeshNetwork {
        var generator = SeededGenerator(seed: 1)
        return MeshNetwork.new(name: name, at: context.now(), using: &generator)
    }
}
