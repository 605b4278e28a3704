import DefinitionModel
import MeshCore

/// Turns groups and publications that several nodes of a kind have beside their profile into rules.
///
/// For example, a lamp is in the group of its room, and a switch publishes to it. The nodes stay short, and a rule
/// selects them.
struct RuleFactoring {
    /// Which models on which nodes.
    private struct Subscription: Hashable {
        var group: Located<String>
        var model: ModelIdentifier
        /// Nil for every element that has the model.
        var element: UInt8?
    }

    private struct Publication: Hashable {
        var settings: PublishSettings
        var model: ModelIdentifier
        /// Nil for the first element that has the model.
        var element: UInt8?
    }

    private let draft: DefinitionDraft
    /// Indexes of nodes, ascending.
    private var subscribers: [Subscription: [Int]] = [:]
    private var publishers: [Publication: [Int]] = [:]
    /// The keys of the two dictionaries above, in order of appearance.
    private var subscriptionOrder: [Subscription] = []
    private var publicationOrder: [Publication] = []

    init(_ draft: DefinitionDraft) {
        self.draft = draft
    }

    /// Removes from nodes that share a profile what a rule can say.
    mutating func moveSettings(from nodes: inout [NodeDefinition], at positions: [Int], over base: NodeSettings) {
        let (subscribing, publishing) = sharedPlaces(nodes, positions, base)
        for position in positions {
            var elements = nodes[position].settings.elements
            var taken: [(group: Located<String>, model: ModelIdentifier, element: UInt8)] = []
            for index in elements.keys.sorted() {
                guard var element = elements[index] else { continue }
                for place in element.models.indices {
                    let address = ModelAddress(element: index, model: element.models[place].identifier.value)
                    if subscribing.contains(address),
                        let extra = Self.extraGroups(of: element.models[place], at: address, base)
                    {
                        taken += extra.map { ($0, address.model, index) }
                        element.models[place].subscribe = nil
                    }
                    if publishing.contains(address), let settings = element.models[place].publish?.value {
                        add(settings, at: address, of: position)
                        element.models[place].publish = nil
                    }
                }
                element.models.removeAll(where: \.isEmpty)
                elements[index] = element.models.isEmpty ? nil : element
            }
            nodes[position].settings.elements = elements
            add(taken, of: position)
        }
    }

    /// The models for which more than one of the nodes has groups beside the profile, or a publication.
    private func sharedPlaces(
        _ nodes: [NodeDefinition],
        _ positions: [Int],
        _ base: NodeSettings
    ) -> (subscribing: Set<ModelAddress>, publishing: Set<ModelAddress>) {
        var subscribing: [ModelAddress: Int] = [:]
        var publishing: [ModelAddress: Int] = [:]
        for position in positions {
            for (index, element) in nodes[position].settings.elements {
                for model in element.models {
                    let address = ModelAddress(element: index, model: model.identifier.value)
                    if Self.extraGroups(of: model, at: address, base) != nil { subscribing[address, default: 0] += 1 }
                    // Two publications for one model contradict each other, even if one is in a profile.
                    if model.publish?.value != nil, base.model(at: address)?.publish == nil {
                        publishing[address, default: 0] += 1
                    }
                }
            }
        }
        return (Set(subscribing.filter { $0.value > 1 }.keys), Set(publishing.filter { $0.value > 1 }.keys))
    }

    /// The groups of a model that its profile does not have. Nil if there are none, or if the model lacks some of the
    /// profile's groups, so that the node must list all of its groups.
    private static func extraGroups(
        of model: ModelDefinition,
        at address: ModelAddress,
        _ base: NodeSettings
    ) -> [Located<String>]? {
        guard let groups = model.subscribe?.value, !groups.isEmpty else { return nil }
        let shared = base.model(at: address)?.subscribe?.value ?? []
        guard shared.allSatisfy(groups.contains) else { return nil }
        return groups.filter { !shared.contains($0) }
    }

    private mutating func add(_ settings: PublishSettings, at address: ModelAddress, of position: Int) {
        let first = node(at: position).elements(with: address.model, on: nil).first
        let key = Publication(
            settings: settings,
            model: address.model,
            element: first == address.element ? nil : address.element
        )
        if publishers[key] == nil { publicationOrder.append(key) }
        publishers[key, default: []].append(position)
    }

    private mutating func add(
        _ taken: [(group: Located<String>, model: ModelIdentifier, element: UInt8)],
        of position: Int
    ) {
        var elements: [Subscription: [UInt8]] = [:]
        var order: [Subscription] = []
        for entry in taken {
            let key = Subscription(group: entry.group, model: entry.model)
            if elements[key] == nil { order.append(key) }
            elements[key, default: []].append(entry.element)
        }
        for key in order {
            let places = elements[key] ?? []
            if places == node(at: position).elements(with: key.model, on: nil) {
                add(key, of: position)
            } else {
                for element in places {
                    add(Subscription(group: key.group, model: key.model, element: element), of: position)
                }
            }
        }
    }

    private mutating func add(_ key: Subscription, of position: Int) {
        if subscribers[key] == nil { subscriptionOrder.append(key) }
        subscribers[key, default: []].append(position)
    }

    private func node(at position: Int) -> Node { draft.network.nodes[draft.nodes[position].position] }

    // MARK: Rules

    /// The subscription rules. Models of the same nodes, and groups of the same models, share a rule.
    func subscriptions(among nodes: [NodeDefinition]) -> [SubscriptionDefinition] {
        struct Models: Hashable {
            var group: Located<String>
            var element: UInt8?
            var nodes: [Int]
        }
        struct Groups: Hashable {
            var models: [ModelIdentifier]
            var element: UInt8?
            var nodes: [Int]
        }
        var models: [Models: [ModelIdentifier]] = [:]
        var modelsOrder: [Models] = []
        for key in subscriptionOrder {
            let index = Models(group: key.group, element: key.element, nodes: subscribers[key] ?? [])
            if models[index] == nil { modelsOrder.append(index) }
            models[index, default: []].append(key.model)
        }
        var groups: [Groups: [Located<String>]] = [:]
        var groupsOrder: [Groups] = []
        for key in modelsOrder {
            let index = Groups(models: (models[key] ?? []).sorted(), element: key.element, nodes: key.nodes)
            if groups[index] == nil { groupsOrder.append(index) }
            groups[index, default: []].append(key.group)
        }
        let selectors = NodeSelectors(nodes.map(\.name.value))
        return groupsOrder.map { key in
            SubscriptionDefinition(
                groups: groups[key] ?? [],
                models: key.models.map(DefinitionDraft.made),
                nodes: selectors.selector(of: key.nodes),
                element: key.element.map(DefinitionDraft.made),
                location: DefinitionDraft.place
            )
        }
    }

    /// The publication rules. Nodes with the same publication share a rule.
    func publications(among nodes: [NodeDefinition]) -> [PublicationDefinition] {
        let selectors = NodeSelectors(nodes.map(\.name.value))
        return publicationOrder.map { key in
            PublicationDefinition(
                nodes: selectors.selector(of: publishers[key] ?? []),
                model: DefinitionDraft.made(key.model),
                element: key.element.map(DefinitionDraft.made),
                settings: key.settings,
                location: DefinitionDraft.place
            )
        }
    }
}

/// Finds the shortest selector for nodes.
private struct NodeSelectors {
    private let names: [String]
    private let sorted: [String]

    init(_ names: [String]) {
        self.names = names
        sorted = names.sorted()
    }

    /// `all`, a pattern that matches only these nodes, or their names.
    func selector(of positions: [Int]) -> NodeSelector {
        var selector = NodeSelector(location: DefinitionDraft.place)
        if positions.count == names.count { return selector }
        let chosen = positions.map { names[$0] }
        selector.names = (pattern(of: chosen).map { [$0] } ?? chosen).map(DefinitionDraft.made)
        return selector
    }

    /// A pattern such as `kitchen-*`, if it matches all of these names and no other.
    private func pattern(of chosen: [String]) -> String? {
        guard chosen.count > 1, let first = chosen.min(), let last = chosen.max() else { return nil }
        let common = String(zip(first, last).prefix { $0 == $1 }.map(\.0))
        guard let end = common.lastIndex(where: { $0 == "-" || $0 == "_" || $0 == "." }) else { return nil }
        let prefix = String(common[...end])
        let start = sorted.firstPlace { $0 >= prefix }
        guard start + chosen.count <= sorted.count, sorted[start + chosen.count - 1].hasPrefix(prefix),
            start + chosen.count == sorted.count || !sorted[start + chosen.count].hasPrefix(prefix)
        else { return nil }
        return prefix + "*"
    }
}

extension NodeSettings {
    /// What is said of a model; nil if nothing.
    fileprivate func model(at address: ModelAddress) -> ModelDefinition? {
        elements[address.element]?.models.first { $0.identifier.value == address.model }
    }
}
