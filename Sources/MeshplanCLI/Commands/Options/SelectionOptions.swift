import ArgumentParser
import DefinitionModel
import MeshCore
import Planning

/// The options that select nodes. Options of different kinds narrow the selection; among options of one kind, any may
/// match, but all tags must. In names, `*` stands for any run of characters.
struct SelectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Only nodes with this name; `*` matches anything. May be repeated.", valueName: "name"),
        completion: Completion.nodes
    )
    var node: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only nodes that subscribe or publish to this group, by name or address. May be repeated.",
            valueName: "name"
        ),
        completion: Completion.groups
    )
    var group: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only nodes that have this subnet. May be repeated.",
            valueName: "name",
            visibility: .hidden
        ),
        completion: Completion.subnets
    )
    var subnet: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only nodes with this tag in the definition, as in room=kitchen. May be repeated.",
            valueName: "tag=value"
        ),
        completion: Completion.tags
    )
    var tag: [String] = []

    @Option(
        help: ArgumentHelp(
            "Leave out nodes with this name; `*` matches anything. May be repeated.",
            valueName: "name",
            visibility: .hidden
        ),
        completion: Completion.nodes
    )
    var exclude: [String] = []

    func validate() throws {
        for text in tag where !text.contains("=") || text.hasPrefix("=") {
            throw ValidationError("`\(text)` is not a tag and its value, as in --tag room=kitchen.")
        }
    }

    /// Whether all nodes are selected.
    var isEmpty: Bool { node.isEmpty && group.isEmpty && subnet.isEmpty && tag.isEmpty && exclude.isEmpty }
}

/// Finds the nodes of a database that ``SelectionOptions`` select.
struct NodeSelection {
    private let network: MeshNetwork
    private let names: [DeviceUUID: [String]]
    private let tags: [DeviceUUID: [String: String]]
    private let hasDefinition: Bool
    private let context: Context?

    /// Takes the nodes of a database, with names and tags from a definition, if there is one.
    ///
    /// - Parameter context: shows a note if several nodes have a name; nil to show none.
    init(_ network: MeshNetwork, definition: Definition?, context: Context? = nil) {
        self.network = network
        self.context = context
        var names: [DeviceUUID: [String]] = [:]
        for node in network.nodes { names[node.uuid] = [node.name, node.uuid.description] }
        var tags: [DeviceUUID: [String: String]] = [:]
        for node in definition?.nodes ?? [] {
            names[node.uuid.value]?.append(node.name.value)
            tags[node.uuid.value] = node.tags.mapValues(\.value)
        }
        self.names = names
        self.tags = tags
        hasDefinition = definition != nil
    }

    /// Whether a node has a matching name, UUID or address.
    func isNamed(_ node: Node, by globs: [Glob]) -> Bool {
        let all = (names[node.uuid] ?? []) + [node.unicastAddress.description]
        return globs.contains { glob in all.contains { glob.matches($0) } }
    }

    /// The selected nodes, in the order of addresses.
    ///
    /// - Parameter candidates: the nodes to select from if the options name none.
    /// - Throws: ``Failure`` for a name that nothing has, or that several nodes have.
    func nodes(_ options: SelectionOptions, candidates isCandidate: (Node) -> Bool) throws(Failure) -> [Node] {
        try check(options)
        let named = options.node.map { Glob($0) }
        let excluded = options.exclude.map { Glob($0) }
        let groups = Set(network.groups.filter { group in isNamed(group, options.group) }.map(\.address.address))
        let subnets = Set(
            network.netKeys.filter { key in options.subnet.contains { Glob($0).matches(key.name) } }.map(\.index)
        )
        let wantedTags = options.tag.map { Self.tag($0) }
        let namesakes = try namesakes(of: options.node)
        return network.nodes.filter { node in
            if namesakes.contains(node.uuid) { return false }
            if named.isEmpty { guard isCandidate(node) else { return false } }
            return (named.isEmpty || isNamed(node, by: named)) && !isNamed(node, by: excluded)
                && (options.group.isEmpty || Self.uses(node, groups))
                && (options.subnet.isEmpty || node.netKeys.contains { subnets.contains($0.index) })
                && wantedTags.allSatisfy { name, glob in (tags[node.uuid]?[name]).map { glob.matches($0) } ?? false }
        }
    }

    /// Nodes that share a typed name with a managed node, which is the one meant.
    private func namesakes(of names: [String]) throws(Failure) -> Set<DeviceUUID> {
        var left: Set<DeviceUUID> = []
        for name in names where Glob(name).isLiteral {
            switch NodeLookup.find(name, in: network, for: .looking) {
            case .nobody: continue
            case .one(_, let namesakes): left.formUnion(namesakes.map(\.uuid))
            case .several(let nodes): throw NodeFinder.ambiguity(of: name, nodes)
            }
            if let context { _ = try NodeFinder(context: context, network: network, use: .looking).candidate(name) }
        }
        return left
    }

    /// Refuses unknown names: a misspelt name must not silently select nothing.
    private func check(_ options: SelectionOptions) throws(Failure) {
        for name in options.node + options.exclude {
            let globs = [Glob(name)]
            if !network.nodes.contains(where: { isNamed($0, by: globs) }) { throw unknown("node", name) }
        }
        for name in options.group where !network.groups.contains(where: { isNamed($0, [name]) }) {
            throw unknown("group", name)
        }
        for name in options.subnet where !network.netKeys.contains(where: { Glob(name).matches($0.name) }) {
            throw unknown("subnet", name)
        }
        for text in options.tag {
            guard hasDefinition else {
                throw Failure(.usage, "--tag needs a definition, because only that has tags", hint: "Name its path.")
            }
            let (name, glob) = Self.tag(text)
            guard tags.values.contains(where: { $0[name].map { glob.matches($0) } ?? false }) else {
                throw Failure(.usage, "no node of the database has the tag `\(text)`")
            }
        }
    }

    private func unknown(_ noun: String, _ name: String) -> Failure {
        Failure(.usage, "the database has no \(noun) `\(name)`", hint: "meshplan show lists what there is.")
    }

    private func isNamed(_ group: Group, _ names: [String]) -> Bool {
        names.contains { Glob($0).matches(group.name) || $0.lowercased() == group.address.description.lowercased() }
    }

    private static func tag(_ text: String) -> (name: String, value: Glob) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), Glob(parts.count > 1 ? String(parts[1]) : ""))
    }

    private static func uses(_ node: Node, _ groups: Set<Address>) -> Bool {
        node.elements.contains { element in
            element.models.contains { model in
                model.subscriptions.contains { groups.contains($0.address) }
                    || model.publication.map { groups.contains($0.address.address) } ?? false
            }
        }
    }
}
