import Catalogue
import DefinitionModel
import Execution
import MeshCore
import Planning
import Store
import SystemLayer

/// What is common to commands that operate nodes: finding targets, and talking to the mesh while holding the lock.
///
/// Nothing of it changes. It is a class because all that such a command does and shows holds it.
final class OperatingContext {
    /// Opens the database and the route.
    let conversation: NodeConversation
    /// The network as the database has it.
    let network: MeshNetwork
    /// The models that are known by name: those of the Bluetooth SIG, and the vendor models of files that the command
    /// line names, or else of the definition.
    let models: KnownModels
    /// How the present command is called: for the lock, and for errors.
    let operation: String
    /// What people call nodes and groups.
    let titles: NetworkTitles

    /// Finds the database.
    ///
    /// - Parameter network: the network's name; nil for the only one.
    /// - Throws: ``Failure`` if there is no database; ``FileError`` and ``InvalidDefinition`` for a file with vendor
    ///   models that cannot be used.
    init(
        _ operation: String,
        in context: Context,
        over route: @autoclosure () throws -> MeshRoute,
        definition paths: [String],
        network name: String?
    ) throws {
        let knowledge = try ScanKnowledge(context, paths: paths, network: name)
        guard let network = knowledge.network else {
            // Says what there is instead of the database.
            let workspace = Workspace(context: context)
            _ = try workspace.open(try name ?? knowledge.definition?.network.value ?? workspace.only(nil))
            throw Failure(.failure, "there is no database here")
        }
        let route = try route()
        let vendorModels = try VendorModelFiles(context: context).models(route.modelFiles) ?? knowledge.vendorModels
        models = KnownModels(vendorModels)
        conversation = NodeConversation(context: context, route: route, knowledge: knowledge)
        self.network = network
        self.operation = operation
        titles = NetworkTitles(network, definition: knowledge.definition)
    }

    private var context: Context { conversation.context }

    /// What a target stands for.
    ///
    /// - Throws: ``Failure`` if it is nothing of the network.
    func resolve(_ text: String) throws(Failure) -> ResolvedTarget {
        do throws(TargetError) {
            return try resolver.resolve(try OperatingTarget(text))
        } catch {
            throw Failure(.usage, error.message.printable, hint: error.advice?.worded.printable)
        }
    }

    /// Finds what targets stand for, with the names and tags of the definition.
    var resolver: TargetResolver {
        var names: [String: DeviceUUID] = [:]
        var tags: [DeviceUUID: [String: String]]?
        if let definition = conversation.knowledge.definition {
            for node in definition.nodes { names[node.name.value] = node.uuid.value }
            tags = Dictionary(firstOf: definition.nodes.map { ($0.uuid.value, $0.tags.mapValues(\.value)) })
        }
        return TargetResolver(network, names: names, tags: tags)
    }

    /// The name of a node as commands take it.
    func name(ofNode index: Int) -> String { conversation.name(of: network.nodes[index]) }

    /// What people call a node; nil if it has no title.
    func title(ofNode index: Int) -> String? { titles.node(network.nodes[index].uuid)?.printable }

    /// The members of an event that say which node it is about: its name, and its title if it has one.
    func members(ofNode index: Int) -> [JSONMember] {
        [JSONMember("node", name(ofNode: index).json)]
            + (title(ofNode: index).map { [JSONMember("title", $0.json)] } ?? [])
    }

    /// Talks to the mesh while holding the lock of the database.
    ///
    /// - Parameters:
    ///   - needs: what our own node needs for it.
    ///   - body: uses the session.
    /// - Returns: what `body` returns, and whether everything went on to its end. If not, the reason was shown.
    /// - Throws: ``Failure`` if it could not begin; otherwise the errors of locking the database and of opening the
    ///   route.
    func operate<Result>(
        with needs: Set<OwnModel>,
        _ body: (OperatingSession) -> Result
    ) throws -> (result: Result, status: ExitStatus) {
        guard let (database, _, _) = conversation.knowledge.database else {
            throw Failure(.failure, "there is no database here")
        }
        let lease = try Workspace(context: context).lock(database, for: operation)
        let access = try conversation.open()
        let (result, ending) = conversation.executor(database, lease, access.bearer).operate(with: needs, body)
        let failure = ending == .interrupted ? Failure(.interrupted, "interrupted") : Failure(ending: ending)
        guard let result else { throw failure ?? Failure(.failure, "nothing was sent") }
        if let failure { return (result, FailureView(context).show(failure)) }
        return (result, access.simulation?.report(context) ?? .success)
    }
}

extension Failure {
    /// The failure for a state that cannot be read or set.
    init(_ error: StateError) {
        self.init(.usage, error.message.printable, hint: error.advice?.worded.printable)
    }
}
