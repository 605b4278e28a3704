import DefinitionModel
import MeshCore

/// Moves what nodes of a kind have in common into profiles.
///
/// Nodes are of one kind if they have the same product and models, if their drafts say the same kinds of things, and if
/// they use the same application keys for the same models. The profile contains what most of them have; a node keeps
/// its deviations. Groups and publications in which nodes of a kind differ become rules.
struct ProfileFactoring {
    private typealias DraftNode = DefinitionDraft.DraftNode

    /// What nodes of one kind have in common.
    private struct Kind: Hashable {
        var company: UInt16?
        var product: UInt16?
        var models: [[ModelIdentifier]]
        /// What is said of the node and of each of its models. A node cannot leave out what its profile says.
        var said: [String]
        /// For each model: whether keys, subscriptions and publication are said.
        var saidOfModels: [UInt8]
    }

    private let draft: DefinitionDraft
    private var definition: Definition
    private var rules: RuleFactoring
    private var profileNames: Set<String> = []

    static func factored(_ draft: DefinitionDraft) -> Definition {
        var factoring = ProfileFactoring(draft)
        factoring.factor()
        return factoring.definition
    }

    private init(_ draft: DefinitionDraft) {
        self.draft = draft
        definition = draft.definition
        rules = RuleFactoring(draft)
    }

    private mutating func factor() {
        var order: [Kind] = []
        var members: [Kind: [Int]] = [:]
        for (position, node) in draft.nodes.enumerated() {
            let kind = kind(of: node)
            if members[kind] == nil { order.append(kind) }
            members[kind, default: []].append(position)
        }
        definition.nodes = draft.nodes.map(\.definition)
        for positions in order.flatMap({ sameKeys(members[$0] ?? []) }) {
            if positions.count > 1, let base = base(of: positions) {
                adopt(base, of: positions)
            } else {
                for position in positions { definition.nodes[position].settings = alone(draft.nodes[position]) }
            }
        }
        definition.subscriptions = rules.subscriptions(among: definition.nodes)
        definition.publications = rules.publications(among: definition.nodes)
    }

    private func kind(of node: DraftNode) -> Kind {
        let settings = node.definition.settings
        let product = draft.network.nodes[node.position].product
        var said = settings.states.map(\.value.path)
        func add(_ isSaid: Bool, _ key: String) { if isSaid { said.append(key) } }
        add(settings.subnets != nil, "subnets")
        add(settings.applicationKeys != nil, "application_keys")
        add(settings.defaultTTL != nil, "ttl")
        add(settings.secureNetworkBeacon != nil, "secure_network_beacon")
        add(settings.relay != nil, "relay")
        add(settings.proxy != nil, "proxy")
        add(settings.friend != nil, "friend")
        add(settings.networkTransmit != nil, "network_transmit")
        add(settings.relayRetransmit != nil, "relay_retransmit")
        add(settings.bridgingTable != nil, "table")
        let elements = settings.elements.keys.sorted().map { settings.elements[$0]?.models ?? [] }
        return Kind(
            company: product?.company,
            product: product?.product,
            models: elements.map { $0.map(\.identifier.value) },
            said: said,
            saidOfModels: elements.joined().map { model in
                (model.keys == nil ? 0 : 1) | (model.subscribe == nil ? 0 : 2) | (model.publish == nil ? 0 : 4)
            }
        )
    }

    /// Groups nodes by the application keys of their models, which show what the nodes are used for. A node with unique
    /// keys joins the largest group.
    private func sameKeys(_ positions: [Int]) -> [[Int]] {
        var order: [[[String]?]] = []
        var members: [[[String]?]: [Int]] = [:]
        for position in positions {
            let elements = draft.nodes[position].definition.settings.elements
            let keys = elements.keys.sorted().flatMap { index in
                (elements[index]?.models ?? []).map { $0.keys?.value.map(\.value) }
            }
            if members[keys] == nil { order.append(keys) }
            members[keys, default: []].append(position)
        }
        let sizes = order.map { members[$0]?.count ?? 0 }
        guard let most = sizes.max(), let index = sizes.firstIndex(of: most) else { return [] }
        let single = order.indices.filter { $0 != index && sizes[$0] == 1 }.flatMap { members[order[$0]] ?? [] }
        return order.indices.compactMap { position in
            let nodes = members[order[position]] ?? []
            return position == index ? (nodes + single).sorted() : sizes[position] == 1 ? nil : nodes
        }
    }

    // MARK: What nodes agree about

    /// The profile of those nodes; nil if they agree about nothing.
    private func base(of positions: [Int]) -> NodeSettings? {
        let settings = positions.map { draft.nodes[$0].definition.settings }
        var base = NodeSettings()
        base.applicationKeys = Self.commonest(positions.map { listedAppKeys(draft.nodes[$0]) }) ?? nil
        base.subnets = Self.commonest(positions.map { listedSubnets(draft.nodes[$0]) }) ?? nil
        base.defaultTTL = Self.commonest(settings.map(\.defaultTTL)) ?? nil
        base.secureNetworkBeacon = Self.commonest(settings.map(\.secureNetworkBeacon)) ?? nil
        base.relay = Self.commonest(settings.map(\.relay)) ?? nil
        base.proxy = Self.commonest(settings.map(\.proxy)) ?? nil
        base.friend = Self.commonest(settings.map(\.friend)) ?? nil
        base.networkTransmit = Self.commonest(settings.map(\.networkTransmit)) ?? nil
        base.relayRetransmit = Self.commonest(settings.map(\.relayRetransmit)) ?? nil
        base.bridgingTable = Self.commonest(settings.map { Self.filled($0.bridgingTable) }) ?? nil
        for index in settings[0].states.indices {
            if let state = Self.commonest(settings.map { $0.states[index] }) { base.states.append(state) }
        }
        for (index, element) in settings[0].elements {
            var models: [ModelDefinition] = []
            for place in element.models.indices {
                let model = Self.base(of: settings.map { $0.elements[index]?.models[place] ?? element.models[place] })
                if !model.isEmpty { models.append(model) }
            }
            if !models.isEmpty {
                base.elements[index] = ElementDefinition(location: DefinitionDraft.place, models: models)
            }
        }
        return base == NodeSettings() ? nil : base
    }

    private static func base(of models: [ModelDefinition]) -> ModelDefinition {
        var base = ModelDefinition(identifier: models[0].identifier)
        base.keys = commonest(models.map { filled($0.keys) }) ?? nil
        // Rules add to lists, so the list of a profile contains only what most nodes have.
        var counts: [Located<String>: Int] = [:]
        for model in models {
            for group in model.subscribe?.value ?? [] { counts[group, default: 0] += 1 }
        }
        let common = Set(counts.filter { $0.value * 2 > models.count }.keys)
        let first = models.first { common.isSubset(of: $0.subscribe?.value ?? []) } ?? models[0]
        let groups = (first.subscribe?.value ?? []).filter(common.contains)
        if !groups.isEmpty, groups.count == common.count { base.subscribe = DefinitionDraft.made(groups) }
        let publications = models.map { model in model.publish.flatMap { $0.value } }
        if let publication = commonest(publications, moreThanHalf: true) ?? nil {
            base.publish = DefinitionDraft.made(publication)
        }
        // A node cannot take back what its profile says of a state, so a profile has only what all nodes have.
        if models.allSatisfy({ $0.states == models[0].states }) { base.states = models[0].states }
        if models.allSatisfy({ $0.scenes == models[0].scenes }) { base.scenes = models[0].scenes }
        return base
    }

    private static func filled<Item>(_ list: Located<[Item]>?) -> Located<[Item]>? {
        list.flatMap { $0.value.isEmpty ? nil : $0 }
    }

    /// The most frequent value, the earliest of several. Nil if no two nodes have the same value, or if a majority is
    /// required and there is none.
    private static func commonest<Value: Hashable>(_ values: [Value], moreThanHalf: Bool = false) -> Value? {
        var counts: [Value: (count: Int, first: Int)] = [:]
        for (position, value) in values.enumerated() { counts[value, default: (0, position)].count += 1 }
        guard let best = counts.max(by: { ($0.value.count, -$0.value.first) < ($1.value.count, -$1.value.first) }),
            best.value.count > (moreThanHalf ? values.count / 2 : 1)
        else { return nil }
        return best.key
    }

    private func listedAppKeys(_ node: DraftNode) -> Located<[Located<String>]>? {
        node.impliesAppKeys ? nil : node.definition.settings.applicationKeys
    }

    private func listedSubnets(_ node: DraftNode) -> Located<[Located<String>]>? {
        node.impliesNetKeys ? nil : node.definition.settings.subnets
    }

    // MARK: What is left to nodes

    /// The settings of a node without a profile: everything that is not empty.
    private func alone(_ node: DraftNode) -> NodeSettings { rest(of: node, over: NodeSettings()) }

    private func rest(of node: DraftNode, over base: NodeSettings) -> NodeSettings {
        let full = node.definition.settings
        var rest = NodeSettings()
        func differing<Value: Equatable>(_ path: KeyPath<NodeSettings, Value?>) -> Value? {
            full[keyPath: path] == base[keyPath: path] ? nil : full[keyPath: path]
        }
        // Implied keys are declared only if the profile says something else.
        rest.applicationKeys =
            base.applicationKeys == nil ? listedAppKeys(node) : differing(\NodeSettings.applicationKeys)
        rest.subnets = base.subnets == nil ? listedSubnets(node) : differing(\NodeSettings.subnets)
        rest.defaultTTL = differing(\.defaultTTL)
        rest.secureNetworkBeacon = differing(\.secureNetworkBeacon)
        rest.relay = differing(\.relay)
        rest.proxy = differing(\.proxy)
        rest.friend = differing(\.friend)
        rest.networkTransmit = differing(\.networkTransmit)
        rest.relayRetransmit = differing(\.relayRetransmit)
        rest.bridgingTable =
            base.bridgingTable == nil ? Self.filled(full.bridgingTable) : differing(\NodeSettings.bridgingTable)
        rest.states = full.states.filter { !base.states.contains($0) }
        for (index, element) in full.elements {
            let shared = base.elements[index]?.models ?? []
            let models = element.models.compactMap { model in
                let other = shared.first { $0.identifier == model.identifier }
                let rest = Self.rest(of: model, over: other)
                return rest.isEmpty ? nil : rest
            }
            if !models.isEmpty {
                rest.elements[index] = ElementDefinition(location: DefinitionDraft.place, models: models)
            }
        }
        return rest
    }

    private static func rest(of model: ModelDefinition, over base: ModelDefinition?) -> ModelDefinition {
        var rest = ModelDefinition(identifier: model.identifier)
        rest.keys = base?.keys == nil ? filled(model.keys) : model.keys == base?.keys ? nil : model.keys
        rest.subscribe =
            base?.subscribe == nil
            ? filled(model.subscribe) : model.subscribe == base?.subscribe ? nil : model.subscribe
        if let publish = model.publish, publish != base?.publish, publish.value != nil || base?.publish != nil {
            rest.publish = publish
        }
        if base?.states == nil { rest.states = model.states }
        if base?.scenes.isEmpty != false { rest.scenes = model.scenes }
        return rest
    }

    /// Gives nodes a profile, and makes rules for what several of them have in addition.
    private mutating func adopt(_ base: NodeSettings, of positions: [Int]) {
        let name = profileName(of: positions)
        definition.profiles.append(ProfileDefinition(name: DefinitionDraft.made(name), settings: base))
        for position in positions {
            definition.nodes[position].profile = DefinitionDraft.made(name)
            definition.nodes[position].settings = rest(of: draft.nodes[position], over: base)
        }
        rules.moveSettings(from: &definition.nodes, at: positions, over: base)
    }

    // MARK: Names

    /// A name from the words that most of the nodes' names share, else from the purpose of their models.
    private mutating func profileName(of positions: [Int]) -> String {
        var counts: [String: Int] = [:]
        for position in positions {
            for word in Set(words(of: position)) { counts[word, default: 0] += 1 }
        }
        let sets = positions.map { Set(words(of: $0)) }
        let common = Set(counts.filter { $0.value * 2 > positions.count && !Self.isRivalled($0.key, in: sets) }.keys)
        let longest = positions.map { words(of: $0).filter(common.contains) }.max { $0.count < $1.count } ?? []
        let name = longest.isEmpty ? tellingModel(of: positions[0]) ?? "profile" : longest.joined(separator: "-")
        var candidate = name
        var number = 1
        while !profileNames.insert(candidate).inserted {
            number += 1
            candidate = "\(name)-\(number)"
        }
        return candidate
    }

    /// Whether several names have another word in common in place of this one: the profile of lamps at walls and at
    /// windows is not that of lamps at walls.
    private static func isRivalled(_ word: String, in names: [Set<String>]) -> Bool {
        var others: [String: Int] = [:]
        for name in names where !name.contains(word) {
            for other in name { others[other, default: 0] += 1 }
        }
        return others.contains { other, count in
            count > 1 && !names.contains { $0.contains(word) && $0.contains(other) }
        }
    }

    /// The words in a node's name, without numbers.
    private func words(of position: Int) -> [String] {
        draft.nodes[position].definition.name.value.lowercased().split { !$0.isLetter }.filter { $0.count > 1 }
            .map(String.init)
    }

    /// The name of the catalogue's most specific model on the node, which is the one with the highest identifier,
    /// because lamps and sensors extend generic models. Nil if there are only foundation models.
    private func tellingModel(of position: Int) -> String? {
        let models = draft.nodes[position].definition.settings.elements.values.flatMap {
            $0.models.map(\.identifier.value)
        }
        let best = models.filter { !$0.isVendor && $0.model >= 0x1000 && ModelCatalogue.model($0) != nil }.max()
        guard let name = best?.name else { return nil }
        for ending in ["-setup-server", "-server", "-client"] where name.hasSuffix(ending) {
            return String(name.dropLast(ending.count))
        }
        return name
    }
}

extension ModelDefinition {
    var isEmpty: Bool {
        keys == nil && subscribe == nil && publish == nil && states == nil && scenes.isEmpty
    }
}
