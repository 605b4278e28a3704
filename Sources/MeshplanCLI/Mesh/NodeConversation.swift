import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store

/// What is common to commands that ask one node of the database something outside of a plan.
struct NodeConversation {
    var context: Context
    var route: MeshRoute
    /// The definition and database that know the node.
    var knowledge: ScanKnowledge

    /// The node of the database with a name, UUID or address; a name of the definition counts, too.
    ///
    /// - Throws: ``Failure`` if there is none, or if several nodes match; see ``NodeLookup``.
    func node(_ text: String, for use: NodeLookup.Use = .looking) throws -> Node {
        guard let node = try knownNode(text, for: use) else {
            let names = Set(
                (knowledge.network?.nodes.map(\.name) ?? []) + (knowledge.definition?.nodes.map(\.name.value) ?? [])
            )
            throw NodeFinder.missing(text, among: names)
        }
        return node
    }

    /// The same; nil if there is none.
    ///
    /// - Throws: ``Failure`` if several nodes match.
    func knownNode(_ text: String, for use: NodeLookup.Use = .looking) throws(Failure) -> Node? {
        guard let network = knowledge.network else { return nil }
        context.json?.learn(network)
        let found = try NodeFinder(context: context, network: network, use: use).node(text)
        // The definition may already have another name for the node than the database.
        let defined = knowledge.definition?.nodes.first { $0.name.value == text }?.uuid.value
        return network.nodes.first { $0.uuid == defined } ?? found
    }

    func name(of node: Node) -> String { (knowledge.names.name(of: node.uuid) ?? node.name).printable }

    /// An AppKey that is bound to a model of the node's primary element, and whose subnet the node is in.
    ///
    /// - Throws: ``Failure`` if the composition is unknown, or if the model is missing or has no key.
    func key(for model: ModelIdentifier, of node: Node) throws -> AppKey {
        let name = name(of: node)
        guard node.isCompositionKnown else {
            throw Failure(
                .failure,
                "the composition of \(name) is not known",
                hint: "Name it in the definition; meshplan apply reads it."
            )
        }
        let servers = node.elements.first?.models.filter { $0.identifier == model } ?? []
        let title = ModelCatalogue.model(model)?.title ?? model.description
        let bindings = servers.flatMap(\.bindings).sorted()
        let keys = bindings.compactMap { binding in knowledge.network?.appKeys.first { $0.index == binding } }
        guard let key = keys.first(where: { key in node.netKeys.contains { $0.index == key.boundNetKey } }) else {
            throw Failure(
                .failure,
                servers.isEmpty
                    ? "\(name) has no \(title) on its primary element"
                    : "the \(title) of \(name) has no application key, which is needed to ask it",
                hint: servers.isEmpty
                    ? nil : "Declare it: elements: { 0: { \(model.name): { keys: [NAME] } } }, then meshplan apply."
            )
        }
        return key
    }

    /// Asks a node while holding the lock of the database.
    ///
    /// - Parameter operation: what others who want the lock are told.
    /// - Returns: the answer.
    /// - Throws: ``Failure`` if the node does not answer or cannot be asked, or if the run is interrupted; otherwise
    ///   the errors of locking the database and of opening the route.
    func ask<Value>(
        _ node: Node,
        for operation: String,
        _ body: (Executor) -> NodeAnswer<Value>
    ) throws -> Value {
        guard let (database, _, _) = knowledge.database else { throw Failure(.failure, "there is no database here") }
        let lease = try Workspace(context: context).lock(database, for: operation)
        let access = try open()
        switch body(executor(database, lease, access.bearer)) {
        case .answered(let value): return value
        case .unanswered:
            throw Failure(
                .partial,
                "\(name(of: node)) does not answer",
                hint: "Check that it has power and that other nodes relay messages to it."
            )
        case .unreachable(let reason, let hint):
            throw Failure(.failure, "\(name(of: node)) cannot be asked: \(reason)", hint: hint?.worded)
        case .stopped(.interrupted): throw Failure(.interrupted, "interrupted before the node answered")
        case .stopped(let ending):
            throw Failure(ending: ending) ?? Failure(.failure, "\(name(of: node)) was not asked")
        }
    }

    func executor(_ database: MeshDatabase, _ lease: WriteLease, _ bearer: any Bearer) -> Executor {
        var options = ExecutionOptions()
        if let name = knowledge.database?.name {
            route.nameCommands(in: &options.link, of: name, context)
        }
        return Executor(
            database: database,
            lease: lease,
            bearer: bearer,
            options: options,
            context: context.execution()
        )
    }

    func open() throws -> BearerAccess {
        try route.open(
            in: context,
            network: knowledge.network ?? .empty,
            heard: knowledge.database?.snapshot.replay ?? [],
            named: knowledge.database?.name,
            vendorModels: knowledge.vendorModels
        )
    }
}
