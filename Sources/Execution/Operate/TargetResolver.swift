import DefinitionModel
package import MeshCore
import Planning

/// What a target stands for in a network.
package struct ResolvedTarget: Hashable, Sendable {
    /// An element of a node.
    package struct Element: Hashable, Sendable {
        /// The position of the node in the network.
        package let node: Int
        package let element: Int
        /// The models that the target is about, in the order of the element; all of the element unless it is a group.
        package let models: [Model]
    }

    /// The elements in the order of their addresses.
    package var elements: [Element]
    /// The group; nil if the target is none.
    package var group: Group?
    /// Whether the target chooses nodes by a pattern or a tag.
    package var isSelector: Bool

    /// Whether it may stand for several nodes, so that a change of them is one event for whoever sees it.
    package var isForSeveral: Bool { group != nil || isSelector }

    /// Whether somebody has to approve that a command acts on so many nodes of it: a selector may select more than was
    /// meant. A group of the network, and a node by its name, are what they are.
    ///
    /// - Parameters:
    ///   - count: how many nodes the command acts on.
    ///   - network: the network of the target.
    package func needsApproval(actingOn count: Int, in network: MeshNetwork) -> Bool {
        let all = network.operableCount
        return isSelector && all >= Self.fewestGuarded && count * 100 > all * Self.mostUnasked
    }

    /// In a network of fewer nodes nobody is asked.
    private static let fewestGuarded = 10
    /// The share of the nodes that a selector may act on without a question, in percent.
    private static let mostUnasked = 30
}

/// Finds what targets stand for. It asks the database alone, and whoever knows tags.
package struct TargetResolver {
    private let network: MeshNetwork
    private let names: [String: DeviceUUID]
    private let tags: [DeviceUUID: [String: String]]?
    private let provisioners: Set<DeviceUUID>

    /// A resolver for one state of a database.
    ///
    /// - Parameters:
    ///   - names: further names of nodes, as a definition gives them.
    ///   - tags: the tags of nodes; nil if nobody knows them.
    package init(
        _ network: MeshNetwork,
        names: [String: DeviceUUID] = [:],
        tags: [DeviceUUID: [String: String]]? = nil
    ) {
        self.network = network
        self.names = names
        self.tags = tags
        provisioners = Set(network.provisioners.map(\.uuid))
    }

    /// What several targets stand for together: each element once, in the order of addresses.
    ///
    /// - Throws: ``TargetError`` for the first that is nothing.
    package func resolve(_ targets: [OperatingTarget]) throws(TargetError) -> ResolvedTarget {
        var models: [Int: [Int: [Model]]] = [:]
        var group: Group?
        for target in targets {
            let resolved = try resolve(target)
            group = targets.count == 1 ? resolved.group : nil
            for part in resolved.elements {
                let known = models[part.node]?[part.element] ?? []
                let added = part.models.filter { model in !known.contains { $0.identifier == model.identifier } }
                models[part.node, default: [:]][part.element] = known + added
            }
        }
        let elements = models.sorted { $0.key < $1.key }.flatMap { node, elements in
            elements.sorted { $0.key < $1.key }.map { element, models in
                ResolvedTarget.Element(node: node, element: element, models: models)
            }
        }
        return ResolvedTarget(elements: elements, group: group, isSelector: targets.contains(where: \.isSelector))
    }

    /// What a target stands for.
    ///
    /// - Throws: ``TargetError`` if it is nothing, or several things where one is meant.
    package func resolve(_ target: OperatingTarget) throws(TargetError) -> ResolvedTarget {
        switch target {
        case .nodes(let name, let element):
            let glob = Glob(name)
            return glob.isLiteral ? try node(name, element) : try nodes(matching: glob, name, element)
        case .group(let name): return try group(name)
        case .tag(let name, let value): return try tagged(name, value)
        }
    }

    // MARK: Nodes

    private func node(_ name: String, _ element: Int?) throws(TargetError) -> ResolvedTarget {
        let place: Int?
        switch NodeLookup.find(name, in: network, for: .looking) {
        case .one(let node, namesakes: _): place = network.nodes.firstIndex { $0.uuid == node.uuid }
        case .several(let nodes): throw .severalNodes(name, nodes.map(\.text))
        case .nobody: place = names[name].flatMap { uuid in network.nodes.firstIndex { $0.uuid == uuid } }
        }
        guard let place else { throw unknown(name) }
        let node = network.nodes[place]
        // The address of an element other than the primary one means that element.
        let addressed = Self.element(of: node, named: name)
        let parts = elements(of: place, only: element ?? addressed)
        guard !parts.isEmpty else {
            throw .noElement(element ?? 0, node: node.name, count: max(node.elements.count, 1))
        }
        return ResolvedTarget(elements: parts, group: nil, isSelector: false)
    }

    private static func element(of node: Node, named text: String) -> Int? {
        guard text != node.name, text.lowercased().hasPrefix("0x"),
            let address = UInt16(text.dropFirst(2), radix: 16), address > node.unicastAddress.rawValue
        else { return nil }
        return Int(address - node.unicastAddress.rawValue)
    }

    private func nodes(matching glob: Glob, _ name: String, _ element: Int?) throws(TargetError) -> ResolvedTarget {
        var parts: [ResolvedTarget.Element] = []
        let others = Set(names.filter { glob.matches($0.key) }.values)
        for (index, node) in network.nodes.enumerated() where isOperable(node) {
            guard glob.matches(node.name) || others.contains(node.uuid) else { continue }
            parts += elements(of: index, only: element)
        }
        guard !parts.isEmpty else { throw .noMatch(name) }
        return ResolvedTarget(elements: parts, group: nil, isSelector: true)
    }

    private func elements(of place: Int, only element: Int?) -> [ResolvedTarget.Element] {
        let records = network.nodes[place].elements
        // Every node has a primary element, even if nobody has recorded it.
        return (records.isEmpty ? [Element()] : records).enumerated().compactMap { index, record in
            guard element ?? index == index else { return nil }
            return ResolvedTarget.Element(node: place, element: index, models: record.models)
        }
    }

    /// Whether a pattern or a tag may mean a node: neither provisioners nor former nodes.
    private func isOperable(_ node: Node) -> Bool { node.isOperable && !provisioners.contains(node.uuid) }

    private func unknown(_ name: String) -> TargetError {
        if network.groups.contains(where: { $0.name == name }) {
            return .noNode(name, suggestion: OperatingTarget.groupPrefix + name)
        }
        if names[name] != nil { return .onlyDefined(name) }
        let known = network.nodes.map(\.name) + names.keys
        return .noNode(name, suggestion: Suggestion.nearest(to: name, among: known))
    }

    // MARK: Groups and tags

    private func group(_ name: String) throws(TargetError) -> ResolvedTarget {
        guard let group = network.group(called: name) else {
            let nearest = Suggestion.nearest(to: name, among: network.groups.map(\.name))
            throw .noGroup(name, suggestion: nearest.map { OperatingTarget.groupPrefix + $0 })
        }
        var parts: [ResolvedTarget.Element] = []
        for (index, node) in network.nodes.enumerated() where isOperable(node) {
            for element in node.elements.indices {
                let models = Self.members(of: group.address, node, element)
                guard !models.isEmpty else { continue }
                parts.append(ResolvedTarget.Element(node: index, element: element, models: models))
            }
        }
        guard !parts.isEmpty else { throw .emptyGroup(group.name) }
        return ResolvedTarget(elements: parts, group: group, isSelector: false)
    }

    /// The models of an element that get what is sent to a group: those that subscribe to it, and those that share
    /// their Subscription List.
    private static func members(of group: SubscriptionAddress, _ node: Node, _ element: Int) -> [Model] {
        let models = node.elements[element].models
        let subscribers = Set(models.filter { $0.subscriptions.contains(group) }.map(\.identifier))
        guard !subscribers.isEmpty else { return [] }
        let sharing = node.extensionGroups(onElement: element).filter { !subscribers.isDisjoint(with: $0) }
        let members = subscribers.union(sharing.flatMap(\.self))
        return models.filter { members.contains($0.identifier) }
    }

    /// The groups to which one of some models of an element listens, by its own subscriptions or by a list that it
    /// shares.
    static func groups(
        of identifiers: Set<ModelIdentifier>,
        _ node: Node,
        _ element: Int
    ) -> Set<SubscriptionAddress> {
        let models = node.elements[element].models
        let own = identifiers.intersection(models.map(\.identifier))
        guard !own.isEmpty, models.contains(where: { !$0.subscriptions.isEmpty }) else { return [] }
        let sharing = node.extensionGroups(onElement: element).filter { !own.isDisjoint(with: $0) }
        let sources = own.union(sharing.flatMap(\.self))
        return Set(models.filter { sources.contains($0.identifier) }.flatMap(\.subscriptions))
    }

    private func tagged(_ name: String, _ value: String) throws(TargetError) -> ResolvedTarget {
        let text = "\(name)=\(value)"
        guard let tags else { throw .tagsUnknown(text) }
        let glob = Glob(value)
        var parts: [ResolvedTarget.Element] = []
        for (index, node) in network.nodes.enumerated() where isOperable(node) {
            guard let own = tags[node.uuid]?[name], glob.matches(own) else { continue }
            parts += elements(of: index, only: nil)
        }
        guard !parts.isEmpty else {
            let known = Set(tags.values.flatMap { $0.map { "\($0.key)=\($0.value)" } })
            if known.contains(text) { throw .onlyDefinedTag(text) }
            throw .noTag(text, suggestion: Suggestion.nearest(to: text, among: known))
        }
        return ResolvedTarget(elements: parts, group: nil, isSelector: true)
    }
}

extension MeshNetwork {
    /// The group with a name or an address; nil if there is none.
    func group(called text: String) -> Group? {
        let address = text.lowercased()
        return groups.first { $0.name == text || $0.address.description.lowercased() == address }
    }

    /// How many nodes it has that can be operated, without provisioners.
    package var operableCount: Int {
        let provisioners = Set(provisioners.map(\.uuid))
        return nodes.count { $0.isOperable && !provisioners.contains($0.uuid) }
    }
}

extension Node {
    /// Whether it is a node at present, as far as is known.
    fileprivate var isOperable: Bool { !isExcluded && unprovisionedSeenAt == nil }
}
