package import DefinitionModel
package import MeshCore

/// A part of the definition that a plan is made without, as if its lines were gone: nodes, what selects only them, and
/// groups that only they use.
package struct PlanRemoval: Hashable, Sendable {
    /// Tags and values, which may contain `*`: removes the nodes with one of them.
    package var tags: [PlanSelection.Tag]
    /// Names of nodes, which may contain `*`.
    package var names: [String]
    /// Whether the nodes are reset, whatever the definition says.
    package var resets: Bool

    /// The removal of nodes with one of the tags or names.
    package init(tags: [PlanSelection.Tag] = [], names: [String] = [], resets: Bool = false) {
        self.tags = tags
        self.names = names
        self.resets = resets
    }

    /// The nodes to remove, as positions in the definition.
    func nodes(of definition: Definition) -> [Int] {
        let tagged = tags.map { ($0.name, Glob($0.value)) }
        let named = names.map { Glob($0) }
        return definition.nodes.indices.filter { position in
            let node = definition.nodes[position]
            return tagged.contains { tag, glob in node.tags[tag].map { glob.matches($0.value) } ?? false }
                || named.contains { $0.matches(node.name.value) }
        }
    }

    /// An error for each criterion that removes nothing, with a suggestion.
    package func problems(definition: Definition, network: MeshNetwork) -> [Diagnostic] {
        var declared = network
        // Nodes that have left the definition already cannot be named here.
        declared.nodes = []
        var selection = PlanSelection(nodes: names)
        var problems = selection.problems(definition: definition, network: declared)
        for tag in tags {
            selection = PlanSelection(tags: [tag])
            problems += selection.problems(definition: definition, network: declared)
        }
        return problems
    }
}

extension Definition {
    /// The definition without some nodes, and without the rules and defaults that select no other node. Publications to
    /// the nodes end.
    func removing(_ positions: [Int]) -> Definition {
        guard !positions.isEmpty else { return self }
        var rest = self
        let removed = Set(positions)
        let names = Set(positions.map { nodes[$0].name.value })
        rest.nodes = nodes.indices.filter { !removed.contains($0) }.map { nodes[$0] }
        let index = NodeSelectorIndex(rest.nodes)
        // A selector that is empty for another reason is still reported.
        let before = NodeSelectorIndex(nodes)
        func isEmptied(_ selector: NodeSelector) -> Bool { before.matchesAny(selector) && !index.matchesAny(selector) }
        func without(_ selector: NodeSelector) -> NodeSelector {
            var selector = selector
            selector.names?.removeAll { names.contains($0.value) }
            return selector
        }
        rest.subscriptions = subscriptions.filter { !isEmptied($0.nodes) }.map { rule in
            var rule = rule
            rule.nodes = without(rule.nodes)
            return rule
        }
        rest.publications = publications.filter { !isEmptied($0.nodes) && !$0.settings.leads(to: names) }.map { rule in
            var rule = rule
            rule.nodes = without(rule.nodes)
            return rule
        }
        rest.defaults = defaults.filter { !($0.nodes.map(isEmptied) ?? false) }.map { entry in
            var entry = entry
            entry.nodes = entry.nodes.map(without)
            entry.settings.endPublications(to: names)
            return entry
        }
        for index in rest.profiles.indices { rest.profiles[index].settings.endPublications(to: names) }
        for index in rest.nodes.indices { rest.nodes[index].settings.endPublications(to: names) }
        return rest
    }
}

extension PublishSettings {
    fileprivate func leads(to nodes: Set<String>) -> Bool {
        switch target.value {
        case .name(let name), .element(node: let name, index: _): nodes.contains(name)
        case .address: false
        }
    }
}

extension NodeSettings {
    /// Makes models that publish to one of these nodes publish to nobody.
    fileprivate mutating func endPublications(to nodes: Set<String>) {
        guard !elements.isEmpty else { return }
        for (index, element) in elements {
            for model in element.models.indices {
                guard let publish = element.models[model].publish, let settings = publish.value,
                    settings.leads(to: nodes)
                else { continue }
                elements[index]?.models[model].publish = Located(nil, at: publish.location)
            }
        }
    }
}

extension DesiredState {
    /// Lets groups leave that only removed nodes used.
    ///
    /// - Parameter whole: what is desired with those nodes.
    mutating func leaveGroups(emptiedSince whole: DesiredState) {
        var emptied = whole.groupsInUse.subtracting(groupsInUse)
        // A group that another one belongs to stays with that one.
        var hasChanged = true
        while hasChanged, !emptied.isEmpty {
            let parents = Set(groups.lazy.filter { !emptied.contains($0.group.address) }.compactMap(\.group.parent))
            hasChanged = !emptied.isDisjoint(with: parents)
            emptied.subtract(parents)
        }
        guard !emptied.isEmpty else { return }
        leaving.groups.formUnion(
            groups.lazy.filter { $0.recorded != nil }.map(\.group.address).filter(emptied.contains)
        )
        groups.removeAll { emptied.contains($0.group.address) }
        claims.removeAll { if case .group(let address) = $0 { emptied.contains(address) } else { false } }
    }

    private var groupsInUse: Set<SubscriptionAddress> {
        var used: Set<SubscriptionAddress> = []
        func add(_ target: DesiredPublication.Target) {
            if case .address(let address) = target, let group = address.group { used.insert(group) }
        }
        for node in nodes {
            for model in node.models {
                used.formUnion(model.subscriptions?.value ?? [])
                if let publication = model.publication?.value { add(publication.target) }
            }
            for rule in node.rules {
                switch rule.effect {
                case .subscribe(let addresses): used.formUnion(addresses)
                case .publish(let publication): add(publication.target)
                case .state: break
                }
            }
            for state in node.settings.states { state.value.targets.forEach(add) }
        }
        return used
    }
}
