import DefinitionModel
import MeshCore
import Pictures
import Planning
import Simulator
import Store

/// What pictures and reports of a network are made from: its definition, its database, or both.
///
/// Nothing of it changes. It is a class because it is large and passed on whole.
final class PictureSource {
    let name: String
    /// The definition; nil if there is none.
    let planning: PlanningJob.Prepared?
    /// The database; nil if there is none yet.
    let database: MeshDatabase?
    /// What the database knows; nil if there is none yet.
    let snapshot: Snapshot?
    /// The network as the database knows it; one without nodes if there is none yet.
    let network: MeshNetwork
    let relations: NetworkRelations
    /// What people call nodes, by name, where that is not the name.
    let nodeTitles: [String: String]
    let placement: Placement
    /// What is otherwise than declared, without what a plan would do.
    let overlay: ControlGraph.Overlay

    /// Reads definition and database, and shows warnings about the definition on standard error.
    ///
    /// - Parameters:
    ///   - paths: those of the definition; empty for the one in the working folder, if there is one.
    ///   - network: the name of the network; nil for the only one.
    /// - Throws: ``InvalidDefinition`` if the definition has errors; ``Failure`` if neither is there, or the network
    ///   cannot be chosen; otherwise the errors of reading files and databases.
    init(of paths: [String], network: String?, in context: Context) throws {
        let planning = try PlanningJob(context: context).prepareIfPresent(paths, network: network)
        let workspace = Workspace(context: context)
        let name = try planning?.network ?? workspace.only(network)
        // A definition can be drawn before there is a database.
        let isRecorded = try planning == nil || workspace.networks().contains(name)
        let database = isRecorded ? try workspace.open(name) : nil
        let snapshot = try database?.snapshot()
        let network = snapshot?.network ?? Self.empty(name, context)
        let (relations, diagnostics) = NetworkRelations.make(of: network, definition: planning?.definition)
        var placement = Placement()
        if let planning {
            var files = planning.files
            let floors = FloorFiles(context: context, paths: paths)
            let (places, problems) = floors.placement(of: planning.definition, &files)
            placement = places
            let found = planning.diagnostics + diagnostics + problems
            guard !found.contains(where: { $0.severity == .error }) else {
                throw InvalidDefinition(diagnostics: found, files: files)
            }
            let view = DiagnosticView(files: files, style: context.errorStyle)
            context.errorOutput.write(view.render(found.filter { $0.severity == .warning }))
        }
        self.name = name
        self.planning = planning
        self.database = database
        self.snapshot = snapshot
        self.network = network
        self.relations = relations
        nodeTitles = Dictionary(firstOf: relations.nodes.compactMap { node in node.title.map { (node.name, $0) } })
        self.placement = placement
        overlay = ControlGraph.Overlay(
            drifted: Set(network.drifts.keys),
            pending: Set(snapshot?.unresolved.map(\.node) ?? [])
        )
    }

    /// What people call the network: its title, or else its name.
    var title: String { relations.title ?? name }

    /// The picture of a floor; nil if no node is on it, and no drawing of it exists.
    ///
    /// - Parameter overlay: what should be seen of nodes.
    func picture(of floor: Placement.Floor, overlay: ControlGraph.Overlay) -> FloorPicture? {
        let markers = relations.nodes.compactMap { node -> FloorPicture.Marker? in
            guard let position = placement.positions[node.name], position.floor.value == floor.name else { return nil }
            var marker = FloorPicture.Marker(
                name: node.name,
                x: position.x,
                y: position.y,
                mark: overlay.mark(of: node),
                isRelay: node.isRelay,
                isProxy: node.isProxy
            )
            marker.title = node.title
            marker.kind = node.kind
            marker.details = node.tags.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            return marker
        }
        guard !markers.isEmpty || floor.drawing != nil else { return nil }
        var picture = FloorPicture(name: floor.name, title: floor.title, markers: markers)
        picture.drawing = floor.drawing
        (picture.width, picture.height) = (floor.width, floor.height)
        return picture
    }

    /// A network without nodes. Its keys secure nothing and are thrown away.
    private static func empty(_ name: String, _ context: Context) -> MeshNetwork {
        var generator = SeededGenerator(seed: 1)
        return MeshNetwork.new(name: name, at: context.now(), using: &generator)
    }
}
