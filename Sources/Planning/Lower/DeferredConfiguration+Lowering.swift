package import DefinitionModel
package import MeshCore

/// The result of lowering a deferred configuration.
package struct LoweredConfiguration: Hashable, Sendable {
    /// The differences, as in ``Plan/changes``.
    package var changes: [Change] = []
    /// What to do. Changes and dependencies are indexes into the two lists here.
    package var steps: [Step] = []
    /// What the node does not support, and contradictions. The steps do not contain these, and are valid without them.
    /// They have no locations, because the definition is not available.
    package var problems: [Diagnostic] = []
    /// What waits for devices that were to become nodes and have not yet. The steps do not contain it.
    package var waiting: [WaitingChange] = []
}

extension DeferredConfiguration {
    /// What is left to do on the node, which is found in the network; see ``lowered(on:in:peers:among:findingNode:)``.
    package func lowered(in network: MeshNetwork) -> LoweredConfiguration {
        guard let recorded = network.nodes.first(where: { $0.uuid == node }) else {
            return LoweredConfiguration(problems: [problem("node `\(name)` is not in the network")])
        }
        var surroundings = GuardedSurroundings(network)
        return lowered(on: recorded, in: network, among: &surroundings) { uuid in
            network.nodes.first { $0.uuid == uuid }
        }
    }

    /// What is left to do on the node; nothing if it is already as desired. Takes time in proportion to the
    /// configuration and the node, not to the network.
    ///
    /// Publications to nodes without an address are left out. Those to ``target`` are a problem instead.
    ///
    /// - Parameters:
    ///   - recorded: the node as known, with its composition.
    ///   - network: its keys, groups and pending provisionings count; its nodes may be left out.
    ///   - peers: how many nodes, including this one, may have the same product and need as many messages. If there are
    ///     enough, it pays off to find out which models share a subscription list. Zero to never do that.
    ///   - surroundings: what guards know about all nodes; updated with what this node will be.
    ///   - findingNode: returns the record of another node; nil if there is none.
    package func lowered(
        on recorded: Node,
        in network: MeshNetwork,
        peers: Int = 0,
        among surroundings: inout GuardedSurroundings,
        findingNode: (DeviceUUID) -> Node?
    ) -> LoweredConfiguration {
        guard recorded.isCompositionKnown else {
            return LoweredConfiguration(problems: [problem("the composition of node `\(name)` is not known")])
        }
        var lowering = DeferredLowering(self, on: recorded, in: network)
        lowering.expandRules()
        lowering.resolveTargets(findingNode)
        lowering.leaveOutUnavailableKeys()
        return lowering.finish(peers: peers, among: &surroundings)
    }

    fileprivate func problem(_ message: String) -> Diagnostic {
        Diagnostic(.error, message, resource: "node." + name, hint: "Apply again when it is")
    }
}

/// The stages in which a deferred configuration is lowered.
private struct DeferredLowering {
    /// Stands in for locations in the definition, which is not available.
    private static let nowhere = SourceLocation(file: 0, line: 1, column: 1)

    let configuration: DeferredConfiguration
    let node: Node
    let network: MeshNetwork
    private var desired: DesiredNode
    private var names: ResourceNames
    private var diagnostics = CountedDiagnostics()
    /// Subnets in phase 2 of a key refresh whose new key the node has missed.
    private let closedSubnets: Set<NetKeyIndex>

    init(_ configuration: DeferredConfiguration, on node: Node, in network: MeshNetwork) {
        self.configuration = configuration
        self.node = node
        self.network = network
        let given = configuration.modelNames.map { ($0.identifier, $0.name) }
        names = ResourceNames(network: network, models: ModelNames(given))
        let refreshed = network.netKeys.filter { $0.phase == .usingNewKeys && node.hasMissedNewKey($0.index) }
        closedSubnets = Set(refreshed.map(\.index))
        let place = Self.nowhere
        var settings = DesiredSettings()
        settings.subnets = configuration.subnets.map { Declared($0, at: place) }
        settings.applicationKeys = configuration.applicationKeys.map { Declared($0, at: place) }
        let optional = configuration.optionalFeatures
        let origin = { (feature: FeatureSet) in optional.contains(feature) ? DeclarationOrigin.defaults(0) : .node }
        settings.defaultTTL = configuration.defaultTTL.map { Declared($0, at: place) }
        settings.relay = configuration.relay.map { Declared($0, at: place, by: origin(.relay)) }
        settings.relayRetransmit = configuration.relayRetransmit.map { Declared($0, at: place, by: origin(.relay)) }
        settings.proxy = configuration.proxy.map { Declared($0, at: place, by: origin(.proxy)) }
        settings.friend = configuration.friend.map { Declared($0, at: place, by: origin(.friend)) }
        settings.states = configuration.states.map { state in
            Declared(state.state, at: place, by: state.isOptional ? .defaults(0) : .node)
        }
        settings.bridgingTable = configuration.bridges.map { bridges in
            Declared(bridges, at: place, by: configuration.areBridgesOptional ? .defaults(0) : .node)
        }
        desired = DesiredNode(
            origin: .node(node),
            name: Located(configuration.name, at: place),
            isProtected: node.isProtected,
            removalPolicy: node.removalPolicy,
            settings: settings,
            models: configuration.models.map { DesiredModel($0, at: place) }
        )
    }

    /// Applies the rules to the models that the node turned out to have. If two rules ask for different publications,
    /// neither is set. The planner has left out the rules over which the node itself wins.
    mutating func expandRules() {
        var place = ModelRule.Place(rule: Self.nowhere, model: Self.nowhere)
        var conflicts: Set<ModelAddress> = []
        for index in desired.models.indices { desired.models[index].publication?.origin = .profile(0) }
        for (number, rule) in configuration.rules.enumerated() {
            // Only defaults set states by rules.
            place.origin = if case .state = rule.effect { .defaults(0) } else { .publication(number) }
            switch rule.expand(on: node, models: &desired.models, at: place) {
            case .applied: break
            case .missing:
                // A problem of the whole configuration is reported once, not again with each publication that waited.
                guard rule.isRequired, configuration.isWhole else { continue }
                let missing = MissingModel(
                    model: rule.model,
                    element: rule.element,
                    node: node,
                    name: configuration.name
                )
                report(missing.diagnostic(at: Self.nowhere))
            case .conflicting(let address, let other):
                guard conflicts.insert(address).inserted, configuration.isWhole else { continue }
                let name = configuration.name
                report(ModelRule.conflict(address, on: name, at: Self.nowhere, other: other))
            }
        }
        for index in desired.models.indices where conflicts.contains(desired.models[index].address) {
            desired.models[index].publication = nil
        }
    }

    /// Fills in the addresses that nodes have by now.
    mutating func resolveTargets(_ findNode: (DeviceUUID) -> Node?) {
        var awaited: Set<ModelAddress> = []
        for place in desired.models.indices {
            guard let publication = desired.models[place].publication?.value,
                case .element(of: let uuid, let index) = publication.target
            else { continue }
            if uuid == configuration.target { awaited.insert(desired.models[place].address) }
            let target = findNode(uuid)
            // A node that will be replaced no longer has an address.
            let isNode = target?.unprovisionedSeenAt == nil && network.pendingProvisioning(of: uuid) == nil
            guard isNode, let target else {
                if uuid == configuration.target {
                    problem(
                        "node `\(target?.name ?? uuid.description)` has no address yet",
                        "Apply again when it is a node"
                    )
                    desired.models[place].publication = nil
                }
                continue
            }
            guard target.elements.isEmpty || Int(index) < target.elements.count,
                let address = target.unicastAddress.element(index)
            else {
                problem(
                    "node `\(target.name)` has no element \(index)",
                    "Its elements are 0 to \(max(target.elements.count, 1) - 1)"
                )
                desired.models[place].publication = nil
                continue
            }
            names.name(index == 0 ? target.name : "\(target.name)/\(index)", at: address)
            desired.models[place].publication?.value?.target = .address(.unicast(address))
        }
        if configuration.target != nil { keepPublications(of: awaited) }
        resolveFoundation(findNode)
    }

    /// Fills addresses into states and bridging tables. States and entries that name other nodes without an address
    /// come later, with those nodes.
    private mutating func resolveFoundation(_ findNode: (DeviceUUID) -> Node?) {
        let target = configuration.target
        let network = network
        func resolve(_ wanted: DesiredPublication.Target) -> DesiredPublication.Target? {
            guard case .element(of: let uuid, let index) = wanted else { return wanted }
            let isReady = network.pendingProvisioning(of: uuid) == nil
            guard isReady, let other = findNode(uuid), other.unprovisionedSeenAt == nil,
                other.elements.isEmpty || Int(index) < other.elements.count,
                let address = other.unicastAddress.element(index)
            else { return nil }
            return .address(.unicast(address))
        }
        var missing = false
        var states: [Declared<DesiredFoundationState>] = []
        for var state in desired.settings.states {
            if let known = state.value.replacingTargets(resolve) {
                state.value = known
                states.append(state)
            } else {
                missing = true
            }
        }
        desired.settings.states = states
        if let bridges = desired.settings.bridgingTable {
            var known: [DesiredBridge] = []
            for var bridge in bridges.value {
                guard let first = resolve(bridge.first), let second = resolve(bridge.second) else {
                    missing = true
                    continue
                }
                (bridge.first, bridge.second) = (first, second)
                known.append(bridge)
            }
            desired.settings.bridgingTable = Declared(known, at: bridges.location, by: bridges.origin)
        }
        if missing, let target, resolve(.element(of: target, index: 0)) == nil {
            problem(
                "node `\(findNode(target)?.name ?? target.description)` has no address yet",
                "Apply again when it is a node"
            )
        }
    }

    /// Removes everything except the publications of those models.
    private mutating func keepPublications(of models: Set<ModelAddress>) {
        desired.models.removeAll { !models.contains($0.address) || $0.publication == nil }
        for index in desired.models.indices {
            let key = desired.models[index].publicationKey
            // Whether the key may be used is decided with the configuration as a whole.
            let isAllowed = key.map { desired.models[index].bindings?.value.contains($0) ?? true } ?? false
            desired.models[index].publication?.value?.key = key
            desired.models[index].bindings = nil
            desired.models[index].states = []
            if !isAllowed { desired.models[index].publication = nil }
        }
    }

    /// Leaves out keys that were not created, or that cannot be given to nodes during a key refresh.
    mutating func leaveOutUnavailableKeys() {
        if let list = desired.settings.subnets {
            desired.settings.subnets = Declared(list.value.filter { !isUnavailable($0) }, at: list.location)
        }
        if let list = desired.settings.applicationKeys {
            desired.settings.applicationKeys = Declared(list.value.filter { !isUnavailable($0) }, at: list.location)
        }
        for index in desired.models.indices {
            if let key = desired.models[index].publicationKey {
                // The key may follow from the bindings, and one of those may be left out below.
                desired.models[index].publication?.value?.key = key
                if isUnavailable(key) { desired.models[index].publication = nil }
            }
            if let list = desired.models[index].bindings {
                desired.models[index].bindings = Declared(list.value.filter { !isUnavailable($0) }, at: list.location)
            }
        }
    }

    private mutating func isUnavailable(_ key: NetKeyIndex) -> Bool {
        guard !node.knows(key) else { return false }
        if !network.netKeys.contains(where: { $0.index == key }) {
            problem("there is no NetKey with index \(key)", "See why it was not made")
        } else {
            return false
        }
        return true
    }

    private mutating func isUnavailable(_ key: AppKeyIndex) -> Bool {
        guard !node.knows(key) else { return false }
        if let appKey = network.appKeys.first(where: { $0.index == key }) {
            guard closedSubnets.contains(appKey.boundNetKey) else { return isUnavailable(appKey.boundNetKey) }
            let subnet = names.netKey(appKey.boundNetKey)
            problem("it has missed the new key of subnet `\(subnet)`", "Finish the key refresh first")
        } else {
            problem("there is no AppKey with index \(key)", "See why it was not made")
        }
        return true
    }

    /// Compares what is left with the record.
    func finish(peers: Int, among surroundings: inout GuardedSurroundings) -> LoweredConfiguration {
        var differ = NodeDiffer(
            network: network,
            names: names,
            leavingOutRefusedBut: Set(configuration.allowed),
            diagnostics: diagnostics
        )
        var desired = desired
        var difference = NodeDifference(origin: desired.origin, name: configuration.name)
        differ.preflight(&desired, node: node)
        differ.compare(desired, node: node, &difference)
        switch configuration.subnetLosses {
        case .included: break
        case .later: differ.leaveSubnetLossesForLater(of: node, &difference)
        case .alone: differ.leaveOnlySubnetLosses(of: node, &difference)
        }
        differ.leaveOutRefused(of: node, among: &surroundings, &difference)
        for refusal in differ.guards.diagnostics(allowed: differ.allowed) { differ.diagnostics.report(refusal) }
        // A part that waited for a node contains only the entries that name that node.
        if configuration.target != nil { difference.bridges.removeAll { $0.after == nil } }
        for index in difference.models.indices { difference.models[index].awaited = nil }
        difference.models.removeAll(where: \.isEmpty)
        let sharing = node.product.flatMap { differ.sharedLists[$0] } ?? .unknown
        difference.addInquiries(on: node, sharing: sharing, peers: peers)
        var builder = PlanBuilder(names: names)
        builder.add(difference, node: node, boundNetKeys: differ.boundNetKeys)
        let steps = builder.finish().steps
        let problems = differ.diagnostics.finished().filter { $0.severity > .note }.map { diagnostic in
            var problem = diagnostic
            problem.location = nil
            problem.related = []
            return problem
        }
        return LoweredConfiguration(
            changes: builder.changes,
            steps: steps,
            problems: problems,
            waiting: difference.waiting
        )
    }

    private mutating func problem(_ message: String, _ hint: String) {
        report(
            Diagnostic(
                .error,
                "node `\(configuration.name)`: \(message)",
                at: Self.nowhere,
                resource: "node." + configuration.name,
                hint: hint
            )
        )
    }

    private mutating func report(_ diagnostic: Diagnostic) {
        diagnostics.report(diagnostic)
    }
}

extension DesiredModel {
    fileprivate init(_ model: DeferredModel, at place: SourceLocation) {
        let publication: Declared<DesiredPublication?>? =
            switch model.publication {
            case .unmanaged: nil
            case .off: Declared(nil, at: place)
            case .on(let publication): Declared(publication, at: place)
            }
        self.init(
            address: model.address,
            location: place,
            bindings: model.bindings.map { Declared($0, at: place) },
            subscriptions: model.subscriptions.map { Declared($0, at: place) },
            publication: publication,
            states: model.states.map { Declared($0, at: place) }
        )
    }
}
