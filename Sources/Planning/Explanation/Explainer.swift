package import DefinitionModel
package import MeshCore

/// Explains for each desired value which line of the definition sets it, by which path it reaches its node, and what it
/// overrides.
///
/// It follows the ranks of a value (the node, its profile, defaults that select it, defaults for all) and the top-level
/// rules itself, because the resolver does not keep overridden values.
package struct Explainer {
    let definition: Definition
    let network: MeshNetwork
    let state: DesiredState
    let names: ResourceNames
    let boundNetKeys: [AppKeyIndex: NetKeyIndex]
    /// Errors and notes about the definition. With errors, the desired state is unknown.
    package let diagnostics: [Diagnostic]

    let resolver: Resolver
    private let defaultsSelection: DefaultsSelection
    private let defaults: [SettingsTemplate]
    private let profiles: [SettingsTemplate]
    private let profilePlaces: [String: Int]
    /// Indexes of the top-level rules that select a node, by the node's index.
    let subscriptionRules: [Int: [Int]]
    let publicationRules: [Int: [Int]]

    /// Resolves a definition against the database.
    package init(_ definition: Definition, network: MeshNetwork) {
        self.definition = definition
        self.network = network
        var resolver = Resolver(definition: definition, network: network, diagnostics: CountedDiagnostics())
        let selections = resolver.resolve()
        diagnostics = resolver.diagnostics.finished()
        state = resolver.state
        names = ResourceNames(desired: state, network: network)
        var bound = Dictionary(network.appKeys.map { ($0.index, $0.boundNetKey) }) { first, _ in first }
        for key in state.applicationKeys { bound[key.index] = key.boundNetKey }
        boundNetKeys = bound
        defaultsSelection = selections.defaults
        defaults = definition.defaults.enumerated().map {
            resolver.template(of: $1, from: .defaults($0))
        }
        profiles = definition.profiles.enumerated().map {
            resolver.template(of: $1.settings, from: .profile($0))
        }
        profilePlaces = Dictionary(firstOf: definition.profiles.enumerated().map { ($1.name.value, $0) })
        func selected(_ selectors: [NodeSelector]) -> [Int: [Int]] {
            var rules: [Int: [Int]] = [:]
            for (rule, selector) in selectors.enumerated() {
                for node in selections.nodes.matches(selector) { rules[node, default: []].append(rule) }
            }
            return rules
        }
        subscriptionRules = selected(definition.subscriptions.map(\.nodes))
        publicationRules = selected(definition.publications.map(\.nodes))
        self.resolver = resolver
    }

    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    /// The names of the definition's nodes.
    package var nodeNames: [String] { definition.nodes.map(\.name.value) }

    /// The name of the first node whose name stands at a place that is looked for; nil if there is none.
    package func firstNode(named matches: (SourceLocation) -> Bool) -> String? {
        definition.nodes.first { matches($0.name.location) }?.name.value
    }

    /// Explains the node with a name, UUID or address; nil if the definition has no such node.
    package func node(_ text: String) -> NodeExplanation? {
        if let number = resolver.nodeNumbers[text] { return explanation(ofNode: number) }
        var uuid = DeviceUUID(text)
        if uuid == nil { uuid = network.nodes.first { $0.name == text }?.uuid }
        if uuid == nil, text.hasPrefix("0x"), let address = UInt16(text.dropFirst(2), radix: 16) {
            uuid = network.nodes.first { $0.addresses.contains(address) }?.uuid
        }
        guard let uuid, let number = definition.nodes.firstIndex(where: { $0.uuid.value == uuid }) else { return nil }
        return explanation(ofNode: number)
    }

    /// Explains the node at an index of the definition; nil if it is not in the desired state.
    func explanation(ofNode number: Int) -> NodeExplanation? {
        guard let index = resolver.desiredNumbers[number] else { return nil }
        let node = NodeExplainer(self, definition.nodes[number], state.nodes[index], layers: layers(of: number))
        return node.explanation(
            subscriptions: subscriptionRules[number] ?? [],
            publications: publicationRules[number] ?? []
        )
    }

    /// What is said about a node in general, the highest rank first.
    private func layers(of number: Int) -> [SettingsLayer] {
        let node = definition.nodes[number]
        var own = resolver
        let template = own.template(of: node.settings, from: .node)
        var layers = [SettingsLayer(way: .node, template: template, provisioning: node.provisioning)]
        if let name = node.profile?.value, let index = profilePlaces[name] {
            let provisioning = definition.profiles[index].provisioning
            layers.append(SettingsLayer(way: .profile(name), template: profiles[index], provisioning: provisioning))
        }
        for entry in (defaultsSelection.general + defaultsSelection.selected(number)).reversed() {
            let definition = definition.defaults[entry]
            let way = ValueSource.Way.defaults(entry + 1, nodes: definition.nodes?.text)
            layers.append(
                SettingsLayer(way: way, template: defaults[entry], provisioning: definition.provisioning)
            )
        }
        return layers
    }

    /// The groups of a top-level subscription.
    func groups(ofSubscription rule: Int) -> [SubscriptionAddress] {
        var own = resolver
        return definition.subscriptions[rule].groups.compactMap { own.group($0) }.sortedUnique()
    }

    /// The publication of a top-level publication.
    func publication(ofPublication rule: Int) -> DesiredPublication? {
        var own = resolver
        return own.publication(definition.publications[rule].settings)
    }
}

/// What a node, its profile or an entry of the defaults says.
struct SettingsLayer {
    var way: ValueSource.Way
    var template: SettingsTemplate
    var provisioning: ProvisioningSettings?
}

extension NodeSelector {
    /// The selector as text: `lamp-*, hub-1, room=kitchen`.
    var text: String {
        let names = (names ?? []).map(\.value)
        let tags = tags.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.value)" }
        return (names + tags).joined(separator: ", ")
    }
}
