import ArgumentParser
import DefinitionModel
import Definitions
import MeshCore
import Pictures
import Planning
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
    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp("Mark what a saved plan adds, changes and removes.", valueName: "file"),
        completion: Completion.files
    )
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

    @Option(
        help: ArgumentHelp("Draw the plan of a floor, with nodes in their places.", valueName: "name"),
        completion: Completion.floors
    )
    var floor: String?

    var writesJSON: Bool { format == .json }

    func run(in context: Context) throws -> ExitStatus {
        let source = try PictureSource(of: definition.paths, network: networks.network, in: context)
        var overlay = source.overlay
        if let plan { overlay.actions = try actions(of: plan, network: source.name, source.database, context) }
        if let floor { return try draw(floor, source, overlay, context) }
        let graph = ControlGraph(source.relations, network: source.name, overlay: overlay, folding: fold?.folding)
        switch format {
        case .svg: context.output.write(document: graph.svg())
        case .dot: context.output.write(document: graph.dot())
        case .mermaid: context.output.write(document: graph.mermaid())
        case .html: context.output.write(document: graph.html())
        case .json: context.json.map { GraphJSON(graph).write(to: $0) }
        }
        return .success
    }

    func validate() throws {
        guard floor != nil else { return }
        if fold != nil { throw ValidationError("--fold does not go with --floor: on a plan each node has its place.") }
        if format == .dot || format == .mermaid {
            throw ValidationError("--floor is drawn as svg, html or json.")
        }
    }

    private func draw(
        _ name: String,
        _ source: PictureSource,
        _ overlay: ControlGraph.Overlay,
        _ context: Context
    ) throws -> ExitStatus {
        let floors = source.placement.floors
        guard let floor = floors.first(where: { $0.name == name }) else {
            throw Failure(
                .usage,
                "there is no floor `\(name)`",
                hint: floors.isEmpty
                    ? "Nodes have no `position:` yet; the manual's page on pictures shows how."
                    : "There are \(floors.map { "`\($0.name)`" }.joined(separator: ", "))."
            )
        }
        guard let picture = source.picture(of: floor, overlay: overlay) else {
            throw Failure(.failure, "no node is on floor `\(name)`", hint: "Give nodes a `position:` on it.")
        }
        if let lines = context.json {
            FloorJSON(picture, network: source.name).write(to: lines)
        } else {
            context.output.write(document: format == .html ? picture.html(network: source.title) : picture.svg())
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
        return Dictionary(firstOf: plan.nodes.map { ($0.uuid, $0.action) })
    }
}
