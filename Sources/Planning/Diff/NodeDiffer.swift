import Catalogue
import DefinitionModel
package import MeshCore

/// Compares nodes with the desired state, one node per call.
struct NodeDiffer {
    let network: MeshNetwork
    var diagnostics: CountedDiagnostics
    var guards = GuardReports()
    /// Whether to leave out what guards refuse. It is set when nobody can be asked; then it leaves out, too, what may
    /// never be allowed.
    let leavesOutRefused: Bool
    /// The guards that the plan may pass all the same.
    let allowed: Set<PlanGuard>

    /// Names of NetKeys and AppKeys, for diagnostics.
    let names: ResourceNames
    /// The subnet of each AppKey, planned ones included.
    let boundNetKeys: [AppKeyIndex: NetKeyIndex]
    /// The subnets in a key refresh, with their phases.
    let refreshing: [NetKeyIndex: KeyRefreshPhase]
    /// What leaves the network, and so leaves the definition's nodes, too.
    let leaving: LeavingResources
    /// Whether to remove what earlier definitions asked for and this one does not. A partial desired state says nothing
    /// about what it leaves out.
    let removesDropped: Bool
    /// The models that share one subscription list, by product.
    let sharedLists: [Node.Product: SharedLists]
    /// How many entries each list has room for, by product.
    let rooms: [Node.Product: [ListCapacity.List: Int]]
    /// What nodes already have, and what is managed from now on.
    var claims: [NodeClaim] = []
    /// The nodes that get a key of such a subnet while its new key is distributed.
    var refreshingNodes: [NetKeyIndex: Set<DeviceUUID>] = [:]

    init(
        network: MeshNetwork,
        applicationKeys: [DesiredApplicationKey] = [],
        names: ResourceNames,
        leaving: LeavingResources = LeavingResources(),
        removesDropped: Bool = false,
        leavingOutRefusedBut allowed: Set<PlanGuard>? = nil,
        diagnostics: CountedDiagnostics
    ) {
        leavesOutRefused = allowed != nil
        self.allowed = allowed ?? []
        self.network = network
        self.leaving = leaving
        self.removesDropped = removesDropped
        self.diagnostics = diagnostics
        self.names = names
        var bound = Dictionary(network.appKeys.map { ($0.index, $0.boundNetKey) }) { first, _ in first }
        for key in applicationKeys { bound[key.index] = key.boundNetKey }
        boundNetKeys = bound
        sharedLists = network.sharedListsByProduct
        rooms = network.rooms
        refreshing = Dictionary(
            network.netKeys.filter { $0.phase != .normal }.map { ($0.index, $0.phase) }
        ) { first, _ in first }
    }

    mutating func difference(of desired: DesiredNode) -> NodeDifference? {
        let node = desired.baseline(in: network)
        var desired = desired
        var difference = NodeDifference(origin: desired.origin, name: desired.name.value)
        let management = NodeDifference.Management(
            name: desired.name.value,
            isProtected: desired.isProtected,
            removalPolicy: desired.removalPolicy
        )
        if !node.isManaged || management != NodeDifference.Management(node) { difference.management = management }
        checkRanges(of: desired, node: node)
        checkBoundStates(of: desired)
        checkAsDescribed(desired)
        if node.isCompositionKnown {
            preflight(&desired, node: node)
            compare(desired, node: node, &difference)
        } else {
            difference.readsComposition = true
            let whole = desired
            waitForComposition(&desired, node: node, &difference)
            compare(desired, node: node, &difference)
            deferRemovals(desired, &difference)
            if difference.deferred != nil { addExpected(whole, node: node, &difference) }
        }
        if let order = desired.order { check(order, in: desired) }
        guard !difference.isEmpty else { return nil }
        if difference.needsMessages, desired.order == nil { checkReachable(desired, node: node) }
        return difference
    }

    func leavesOut(_ planGuard: PlanGuard) -> Bool {
        leavesOutRefused && !(planGuard.isAllowable && allowed.contains(planGuard))
    }

    /// Compares keys, models and states.
    mutating func compare(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        compareKeys(desired, node: node, &difference)
        if !leaving.isEmpty { compareLeavingKeys(desired, node: node, &difference) }
        compareModels(desired, node: node, &difference)
        compareHeldStates(desired, node: node, &difference)
        compareStates(desired, node: node, &difference)
        compareFoundation(desired, node: node, &difference)
    }

    mutating func checkReachable(_ desired: DesiredNode, node: Node) {
        let problem: (message: String, hint: String)
        if node.deviceKey == nil {
            problem = ("has no device key in the database", "Import a database that holds the device key of the node")
        } else if node.transportNetKey == nil {
            problem = ("has no NetKey in the database", "Import a database that lists the NetKeys of the node")
        } else {
            return
        }
        diagnostics.report(
            Diagnostic(
                .error,
                "node `\(desired.name.value)` \(problem.message), so nothing can be sent to it",
                at: desired.name.location,
                length: desired.name.value.count,
                resource: "node." + desired.name.value,
                hint: problem.hint
            )
        )
    }
}

extension Node {
    /// The NetKey that secures Configuration messages to the node: the primary one if the node has it, else the one
    /// with the lowest index. A plan deletes it only if the user allows that.
    package var transportNetKey: NetKeyIndex? { netKeys.min { $0.index < $1.index }?.index }
}

/// States that share a value. The defaults of colour models have the lightness of the lamp in them, which is that of
/// its Lightness Server (Mesh Model 6.1.3): whoever sets one sets all.
extension NodeDiffer {
    private static let sharing = ["lightness-default", "ctl-default", "hsl-default", "xyl-default"]

    /// Warns of two different values for the default lightness of an element: one of them can never hold, so no plan
    /// would ever be empty.
    mutating func checkBoundStates(of desired: DesiredNode) {
        var first: [UInt8: (name: String, lightness: Int64, location: SourceLocation)] = [:]
        for model in desired.models {
            for state in model.states where Self.sharing.contains(state.value.state.form.name) {
                guard let (fields, values) = state.value.state.decoded, let lightness = values.integer("lightness")
                else { continue }
                let element = model.address.element
                let form = state.value.state.form.name
                guard let other = first[element] else {
                    first[element] = (form, lightness, state.location)
                    continue
                }
                guard other.lightness != lightness else { continue }
                let type = fields.first { $0.name == "lightness" }?.type
                let (one, two) = (type?.word(of: other.lightness) ?? "", type?.word(of: lightness) ?? "")
                let name = desired.name.value
                diagnostics.report("bound \(other.name) \(form)", at: state.location) {
                    Diagnostic(
                        .warning,
                        "the lightness of \(form) is \(two), but that of \(other.name) is \(one), and both are one",
                        at: state.location,
                        resource: "node." + name,
                        hint:
                            "Whichever is set last counts, and the next plan sets the other one again; write the same "
                            + "lightness in both",
                        related: [Diagnostic.Related(message: "\(other.name) is here", location: other.location)]
                    )
                }
            }
        }
    }
}

extension NodeDiffer {
    /// Notes subscriptions of a model that has no application key and gets none. It hears nothing that is sent to its
    /// groups.
    ///
    /// Models of an element may share one subscription list (Mesh Protocol 4.2.4); then a subscription of one serves
    /// another that has a key. Only if no model of the element has a key, the subscription is certainly useless.
    mutating func checkHearing(_ model: DesiredModel, recorded: Model, on node: Node, _ desired: DesiredNode) {
        guard let list = model.subscriptions, !list.value.isEmpty, hasNoKey(model, recorded: recorded) else { return }
        guard ModelCatalogue.abilities(of: model.address.model)?.appKeyBinding != false else { return }
        // Skips a node without any key: this definition does not manage its keys, or not yet.
        guard
            node.elements.contains(where: { $0.models.contains { !$0.bindings.isEmpty } })
                || desired.models.contains(where: { $0.bindings?.value.isEmpty == false })
        else { return }
        let element = Int(model.address.element)
        guard node.elements.indices.contains(element) else { return }
        for other in node.elements[element].models where other.identifier != model.address.model {
            let address = ModelAddress(element: model.address.element, model: other.identifier)
            let index = desired.models.place(of: address)
            let isDesired = index < desired.models.count && desired.models[index].address == address
            let wanted = isDesired ? desired.models[index] : DesiredModel(address: address, location: list.location)
            guard hasNoKey(wanted, recorded: other) else { return }
        }
        let name = names.model(model.address.model)
        diagnostics.report("deaf \(model.address)", at: list.location) {
            Diagnostic(
                .note,
                "`\(name)` on element \(element) of node `\(desired.name.value)` subscribes without an application key, so it "
                    + "hears nothing; add `keys:` to the model, or `element:` to the rule",
                at: list.location,
                resource: "node." + desired.name.value
            )
        }
    }

    private func hasNoKey(_ model: DesiredModel, recorded: Model) -> Bool {
        guard model.publicationKey == nil else { return false }
        return model.bindings?.value.isEmpty ?? recorded.bindings.isEmpty
    }
}

/// What a node is asked before values are set for a moment, and what it is given back afterwards.
extension NodeDiffer {
    /// Adds the values to hold and to restore, if the difference stores scenes, or if an earlier run has not restored
    /// everything.
    func compareHeldStates(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        var holding: [HeldStateRequest] = []
        let stored = difference.models.flatMap(\.states).flatMap(\.set.state.contents)
        if !stored.isEmpty {
            let servers = node.elements.indices.filter { node.elements[$0].place(of: .sceneServer) != nil }
            for element in touched(by: stored, servers: servers, on: node) {
                holding += requests(on: element, in: desired, node: node).filter { node.held(like: $0.state) == nil }
            }
        }
        difference.holding = holding
        difference.restoring = node.held.compactMap { request(for: $0, in: desired, node: node) } + holding
    }

    /// The elements whose states change when those values are set: theirs, and those of light controllers that the same
    /// Scene Server stores, because a light that is set leaves its controller.
    private func touched(by values: [ElementState], servers: [Int], on node: Node) -> [Int] {
        var elements = Set(values.map { Int($0.element) })
        for element in node.elements.indices where node.elements[element].place(of: .lightControlServer) != nil {
            let server = servers.last { $0 <= element }
            if values.contains(where: { part in servers.last { $0 <= Int(part.element) } == server }) {
                elements.insert(element)
            }
        }
        return elements.sorted()
    }

    /// The states of an element that say what its light does: those of models with a key that no other of these models
    /// extends.
    private func requests(on element: Int, in desired: DesiredNode, node: Node) -> [HeldStateRequest] {
        guard node.elements.indices.contains(element), let index = UInt8(exactly: element) else { return [] }
        var requests: [HeldStateRequest] = []
        for model in node.elements[element].models {
            for state in StateCatalogue.states(of: model.identifier) where state.isInScenes {
                guard state.server == model.identifier, let form = ModelStateForm(state) else { continue }
                let held = HeldState(model: ModelAddress(element: index, model: model.identifier), form: form)
                if let request = request(for: held, in: desired, node: node) { requests.append(request) }
            }
        }
        let extended = Set(requests.map(\.state.model.model))
            .reduce(into: Set<ModelIdentifier>()) { $0.formUnion(Self.allExtended(by: $1)) }
        return requests.filter { !extended.contains($0.state.model.model) }
    }

    private static func allExtended(by model: ModelIdentifier) -> Set<ModelIdentifier> {
        var found: Set<ModelIdentifier> = []
        var open = ModelCatalogue.model(model)?.extends ?? []
        while let next = open.popLast() {
            if found.insert(next).inserted { open += ModelCatalogue.model(next)?.extends ?? [] }
        }
        return found
    }

    /// The requests for a state under keys that are bound to its models; nil if there is no such key.
    private func request(for state: HeldState, in desired: DesiredNode, node: Node) -> HeldStateRequest? {
        func key(_ model: ModelAddress) -> AppKeyIndex? {
            desired.model(at: model)?.stateKey ?? node.model(at: model)?.bindings.first { node.knows($0) }
        }
        let setServer = ModelAddress(element: state.model.element, model: state.form.setServer)
        guard let readingKey = key(state.model), let key = key(setServer) else { return nil }
        return HeldStateRequest(HeldState(model: state.model, form: state.form), key: key, readingKey: readingKey)
    }
}

extension ModelStateForm {
    /// The form of a state of which there is one; nil if it cannot be set, or if something selects its instance.
    fileprivate init?(_ state: StateDescription) {
        guard state.keys.isEmpty, state.fixedKeys.items.isEmpty, let server = state.server,
            let setServer = state.setServer, let parameters = try? state.getParameters()
        else { return nil }
        self.init(
            name: state.name,
            server: server,
            setServer: setServer,
            getPayload: state.getMessage.opcode.encoded + parameters,
            statusOpcode: state.statusMessage.opcode
        )
    }
}

extension NodeDiffer {
    /// Compares the states of the Configuration Server; an unknown one counts as different.
    mutating func compareStates(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        let settings = desired.settings
        difference.defaultTTL = compare(settings.defaultTTL, node.defaultTTL)
        difference.secureNetworkBeacon = compare(settings.secureNetworkBeacon, node.secureNetworkBeacon)
        difference.proxy = compare(settings.proxy, node.features.proxy.isOn)
        difference.friend = compare(settings.friend, node.features.friend.isOn)
        if let wanted = settings.networkTransmit, !wanted.value.isEquivalent(to: node.networkTransmit) {
            difference.networkTransmit = ValueDifference(before: node.networkTransmit, after: wanted.value)
        }
        compareRelay(desired, node: node, &difference)
    }

    private func compare<Value: Equatable>(_ wanted: Declared<Value>?, _ recorded: Value?) -> ValueDifference<Value>? {
        guard let wanted, wanted.value != recorded else { return nil }
        return ValueDifference(before: recorded, after: wanted.value)
    }

    /// One message sets both Relay and Relay Retransmit.
    private mutating func compareRelay(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        let settings = desired.settings
        difference.relay = compare(settings.relay, node.features.relay.isOn)
        if let wanted = settings.relayRetransmit, !wanted.value.isEquivalent(to: node.relayRetransmit) {
            difference.relayRetransmit = ValueDifference(before: node.relayRetransmit, after: wanted.value)
        }
        guard difference.relay != nil || difference.relayRetransmit != nil else { return }
        guard let isOn = settings.relay?.value ?? node.features.relay.isOn else {
            reportUnknownRelay(desired)
            difference.relayRetransmit = nil
            return
        }
        difference.relaySetting = (isOn, settings.relayRetransmit?.value ?? node.relayRetransmit)
    }

    mutating func reportUnknownRelay(_ desired: DesiredNode) {
        let location = desired.settings.relayRetransmit?.location ?? desired.name.location
        diagnostics.report("unknown relay", at: location) {
            Diagnostic(
                .error,
                "whether node `\(desired.name.value)` relays is unknown, and its retransmit is set together with that",
                at: location,
                resource: "node." + desired.name.value,
                hint: "Say `features: { relay: on }` or `off` for it"
            )
        }
    }
}

extension FeatureState? {
    /// On or off; nil if unknown or not supported.
    var isOn: Bool? {
        switch self {
        case .enabled: true
        case .disabled: false
        case .notSupported, nil: nil
        }
    }
}

extension TransmitParameters {
    /// Whether both have the same effect: the interval of repetitions that do not happen makes no difference.
    func isEquivalent(to other: TransmitParameters?) -> Bool {
        guard let other else { return false }
        return self == other || count == 0 && other.count == 0
    }
}
