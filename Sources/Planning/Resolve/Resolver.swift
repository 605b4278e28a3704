import DefinitionModel
import MeshCore

/// Resolves a definition against a database, in stages. Each stage needs the names of the earlier ones.
struct Resolver {
    let definition: Definition
    let network: MeshNetwork
    var diagnostics: CountedDiagnostics
    var state = DesiredState()

    var netKeys: [String: NetKeyIndex] = [:]
    var appKeys: [String: AppKeyIndex] = [:]
    var groups: [String: SubscriptionAddress] = [:]
    /// Indexes of the definition's nodes by name.
    var nodeNumbers: [String: Int] = [:]
    /// What each of them is in the database; nil if a diagnostic says why it is nothing.
    var placements: [Placement?] = []
    /// Indexes in ``DesiredState/nodes`` of the definition's nodes.
    var desiredNumbers: [Int: Int] = [:]
    /// Names that could not be placed and already have a diagnostic.
    var failedNames: Set<String> = []

    /// The positions of the definition's profiles by name.
    let profilePlaces: [String: Int]

    /// Names of nodes with schedules that have no Time Server.
    var timeless: [String] = []

    /// What a node of the definition is in the database.
    enum Placement {
        /// The node at that index.
        case recorded(Int)
        /// Not a node, or not any more: a device.
        case device(DesiredNode.Device)
    }

    init(definition: Definition, network: MeshNetwork, diagnostics: CountedDiagnostics) {
        self.definition = definition
        self.network = network
        self.diagnostics = diagnostics
        profilePlaces = definition.profilePlaces
    }

    /// The desired state, as far as it could be resolved, and all diagnostics.
    static func resolve(
        _ definition: Definition,
        against network: MeshNetwork,
        diagnostics: inout CountedDiagnostics
    ) -> DesiredState {
        var resolver = Resolver(definition: definition, network: network, diagnostics: diagnostics)
        resolver.resolve()
        diagnostics = resolver.diagnostics
        return resolver.state
    }

    /// Runs all stages.
    ///
    /// - Returns: which nodes the selectors select, and which defaults apply to them.
    @discardableResult
    mutating func resolve() -> (nodes: NodeSelectorIndex, defaults: DefaultsSelection) {
        state.modelNames = definition.modelNames
        state.vendorModels = definition.vendorModels
        resolveSubnets()
        resolveApplicationKeys()
        resolveGroups()
        placeNodes()
        checkProducts()
        let selects =
            !definition.subscriptions.isEmpty || !definition.publications.isEmpty
            || definition.defaults.contains { $0.nodes != nil } || !definition.schedules.isEmpty
        let selection = NodeSelectorIndex(selects ? definition.nodes : [])
        let defaults = DefaultsSelection(definition, nodes: selection)
        resolveSettings(defaults)
        checkDefaults(selection)
        applySubscriptions(selection)
        applyPublications(selection)
        applySchedules(selection)
        resolveOrders(defaults)
        resolveRemovals()
        state.timeless = timeless
        return (selection, defaults)
    }

    mutating func resolveSubnets() {
        let network = network
        let matching = KeyMatching<NetKeyIndex>(
            noun: "subnet",
            recorded: network.netKeys.map { ($0.index, $0.name) },
            previousNames: definition.previousNames(of: .subnet),
            taken: { Set(UnknownKeys(network).netKeys.keys) }
        )
        let wanted = definition.subnets.map { KeyMatching<NetKeyIndex>.Wanted(name: $0.name, index: $0.index) }
        let matches = matching.matches(of: wanted, diagnostics: &diagnostics)
        for (subnet, match) in zip(definition.subnets, matches) {
            guard let match else {
                failedNames.insert("subnet." + subnet.name.value)
                continue
            }
            netKeys[subnet.name.value] = match.index
            state.subnets.append(
                DesiredSubnet(
                    name: subnet.name,
                    index: match.index,
                    source: subnet.key?.value ?? .generated,
                    recordedName: match.recordedName,
                    isProtected: subnet.isProtected?.value,
                    wasProtected: network.netKeys.first { $0.index == match.index }?.isProtected ?? false
                )
            )
        }
    }

    mutating func resolveApplicationKeys() {
        let network = network
        let matching = KeyMatching<AppKeyIndex>(
            noun: "application key",
            recorded: network.appKeys.map { ($0.index, $0.name) },
            previousNames: definition.previousNames(of: .applicationKey),
            taken: { Set(UnknownKeys(network).appKeys.keys) }
        )
        let recorded = Dictionary(network.appKeys.map { ($0.index, $0.boundNetKey) }) { first, _ in first }
        let wanted = definition.applicationKeys.map { KeyMatching<AppKeyIndex>.Wanted(name: $0.name, index: $0.index) }
        let matches = matching.matches(of: wanted, diagnostics: &diagnostics)
        for (key, match) in zip(definition.applicationKeys, matches) {
            guard let match, let boundNetKey = netKey(key.subnet) else {
                failedNames.insert("key." + key.name.value)
                continue
            }
            appKeys[key.name.value] = match.index
            if let bound = recorded[match.index], bound != boundNetKey {
                diagnostics.report(
                    Diagnostic(
                        .error,
                        "application key `\(key.name.value)` is bound to the subnet with index \(bound)",
                        at: key.subnet.location,
                        length: key.subnet.value.count,
                        resource: "application_key." + key.name.value,
                        hint: "A key keeps its subnet for life; give the key for `\(key.subnet.value)` another name"
                    )
                )
            }
            state.applicationKeys.append(
                DesiredApplicationKey(
                    name: key.name,
                    index: match.index,
                    boundNetKey: boundNetKey,
                    source: key.key?.value ?? .generated,
                    recordedName: match.recordedName,
                    isProtected: key.isProtected?.value,
                    wasProtected: network.appKeys.first { $0.index == match.index }?.isProtected ?? false
                )
            )
        }
    }

    mutating func netKey(_ name: Located<String>) -> NetKeyIndex? {
        if let index = netKeys[name.value] { return index }
        reportUnknown("subnet", name, prefix: "subnet.")
        return nil
    }

    mutating func appKey(_ name: Located<String>) -> AppKeyIndex? {
        if let index = appKeys[name.value] { return index }
        reportUnknown("application key", name, prefix: "key.")
        return nil
    }

    mutating func reportUnknown(_ noun: String, _ name: Located<String>, prefix: String) {
        guard !failedNames.contains(prefix + name.value) else { return }
        diagnostics.report("unknown \(noun)", at: name.location) {
            Diagnostic(
                .error,
                "there is no \(noun) with the name `\(name.value)`",
                at: name.location,
                length: name.value.count,
                hint: "Names are those of this definition"
            )
        }
    }
}

/// Compares what nodes told they are made of with what the files of their products say.
extension Resolver {
    /// Warns of nodes whose devices are made otherwise than their places expect: they may be the wrong devices, or the
    /// file is wrong, and with it how many addresses other places of that product need. The nodes keep their own
    /// addresses either way, since devices are given as many as they say.
    mutating func checkProducts() {
        guard !definition.products.isEmpty else { return }
        for (number, placement) in placements.enumerated() {
            guard case .recorded(let position)? = placement, network.nodes[position].isCompositionKnown,
                let product = declaredProduct(of: definition.nodes[number]),
                let described = definition.products[product.value],
                let problem = problem(of: network.nodes[position], product.value, described)
            else { continue }
            let name = definition.nodes[number].name.value
            diagnostics.report("product \(problem)", at: product.location) {
                Diagnostic(
                    .warning,
                    "node `\(name)` \(problem)",
                    at: product.location,
                    resource: "node." + name,
                    hint: """
                        If it is the right device, correct its product; if it is not, give its place to another: \
                        \(command: .replace(node: name))
                        """,
                    related: [Diagnostic.Related(message: "described here", location: described.name.location)]
                )
            }
        }
    }

    private func declaredProduct(of node: NodeDefinition) -> Located<ProductIdentifier>? {
        node.product ?? node.profile.flatMap { profilePlaces[$0.value] }.flatMap { definition.profiles[$0].product }
    }

    /// How a node differs from its product; nil if it does not.
    private func problem(
        of node: Node,
        _ identifier: ProductIdentifier,
        _ described: ProductDescription
    ) -> String? {
        let title = "product `\(described.name.value)`"
        if let told = node.product, told.company != identifier.company || told.product != identifier.product {
            let own = ProductIdentifier(company: told.company, product: told.product)
            let known = definition.products[own].map { "product `\($0.name.value)` (\(own))" } ?? "\(own)"
            return "is made as \(known), and not as \(title) (\(identifier))"
        }
        let elements = described.composition.elements
        guard node.elements.count == elements.count else {
            let noun = node.elements.count == 1 ? "element" : "elements"
            return "has \(node.elements.count) \(noun), and its \(title) has \(elements.count)"
        }
        // Another version may have other models. Those that are needed and missing are errors anyway.
        guard node.product?.version == described.composition.version else { return nil }
        for (index, element) in elements.enumerated() {
            let models = node.elements[index].models
            guard let missing = element.models.first(where: { model in !models.contains { $0.identifier == model } })
            else { continue }
            return "has no `\(definition.modelNames.name(of: missing))` on element \(index), and its \(title) has"
        }
        return nil
    }
}
