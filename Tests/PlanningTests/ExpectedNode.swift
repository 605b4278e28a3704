import DefinitionModel
import MeshCore
import TestSupport
import Testing

/// What a definition says of a node, worked out value by value by another way than the planner's.
struct ExpectedNode {
    let example: RandomCase
    let entry: NodeDefinition
    /// The node after the plan, and the network it is in.
    let node: Node
    let network: MeshNetwork
    let seed: UInt64

    /// What is said of it, the highest rank first, and whether only of nodes in general.
    private var layers: [(settings: NodeSettings, isDefault: Bool)] {
        let definition = example.definition
        var layers = [(entry.settings, false)]
        if let profile = definition.profiles.first(where: { $0.name.value == entry.profile?.value }) {
            layers.append((profile.settings, false))
        }
        let selected = definition.defaults.filter { $0.nodes.map { isSelected(by: $0) } ?? false }
        let general = definition.defaults.filter { $0.nodes == nil }
        return layers + (selected + general).map { ($0.settings, true) }
    }

    private func isSelected(by selector: NodeSelector) -> Bool {
        guard let pattern = selector.tags["room"]?.value, let room = entry.tags["room"]?.value else { return false }
        return pattern == room || pattern.hasSuffix("*") && room.hasPrefix(pattern.dropLast())
    }

    private func said<Value>(_ value: (NodeSettings) -> Value?) -> Value? {
        for layer in layers { if let said = value(layer.settings) { return said } }
        return nil
    }

    /// Checks all but the lists of models.
    func check() {
        if let ttl = said({ $0.defaultTTL })?.value { expect(node.defaultTTL == ttl, "ttl") }
        if let isOn = said({ $0.secureNetworkBeacon })?.value { expect(node.secureNetworkBeacon == isOn, "beacon") }
        if let wanted = said({ $0.networkTransmit })?.value {
            expect(isSame(node.networkTransmit, wanted), "network transmit")
        }
        expect(node.features.relay, said { $0.relay }, "relay")
        expect(node.features.proxy, said { $0.proxy }, "proxy")
        expect(node.features.friend, said { $0.friend }, "friend")
        if let wanted = said({ $0.relayRetransmit })?.value, node.features.relay != .notSupported {
            expect(isSame(node.relayRetransmit, wanted), "relay retransmit")
        }
        checkKeys()
        checkStates()
        checkBridges()
    }

    private func isSame(_ found: TransmitParameters?, _ wanted: TransmitParameters) -> Bool {
        found == wanted || wanted.count == 0 && found?.count == 0
    }

    private func expect(_ isMet: Bool, _ what: String) {
        #expect(isMet, "seed \(seed): \(what) of \(entry.name.value)")
    }

    private func expect(_ found: FeatureState?, _ wanted: Located<Bool>?, _ what: String) {
        // A feature that is not there is as good as off.
        guard let wanted = wanted?.value, found != .notSupported else { return }
        expect(found == (wanted ? .enabled : .disabled), what)
    }

    /// The names of the keys that the node needs for its models are among its keys; where it lists keys, these and the
    /// needed ones are all.
    private func checkKeys() {
        let names = Set(node.appKeys.compactMap { key in network.appKeys.first { $0.index == key.index }?.name })
        var needed: Set<String> = []
        for element in node.elements {
            for model in element.models {
                let published = model.isPublicationManaged ? model.publication?.appKeyIndex : nil
                for key in model.bindings where model.managedBindings.contains(key) || key == published {
                    if let name = network.appKeys.first(where: { $0.index == key })?.name { needed.insert(name) }
                }
            }
        }
        expect(needed.isSubset(of: names), "application keys of bindings")
        if let list = said({ $0.applicationKeys })?.value {
            let listed = Set(list.map(\.value))
            expect(listed.isSubset(of: names), "listed application keys")
            expect(names.subtracting(listed).isSubset(of: needed), "application keys that nobody asks for")
        }
        let subnets = Set(node.netKeys.compactMap { key in network.netKeys.first { $0.index == key.index }?.name })
        if let list = said({ $0.subnets })?.value {
            expect(Set(list.map(\.value)).isSubset(of: subnets), "listed subnets")
        }
        for key in node.appKeys {
            let bound = network.appKeys.first { $0.index == key.index }?.boundNetKey
            expect(bound.map { node.knows($0) } ?? false, "the subnet of application key \(key.index)")
        }
    }

    private func checkStates() {
        var seen: Set<String> = []
        for (settings, _) in layers {
            for state in settings.states where seen.insert(state.value.path).inserted { check(state.value) }
        }
    }

    private func check(_ wanted: StateDefinition) {
        let hasProxy = node.features.proxy != .notSupported
        switch wanted {
        case .heartbeatPublication(let heartbeat): checkPublication(heartbeat)
        case .heartbeatSubscription(nil):
            guard case .heartbeatSubscription(let found) = node.state(.heartbeatSubscription) else {
                return expect(false, "heartbeat subscription")
            }
            expect(found.isOff, "heartbeat subscription")
        case .heartbeatSubscription(let heartbeat?):
            guard case .heartbeatSubscription(let found) = node.state(.heartbeatSubscription) else {
                return expect(false, "heartbeat subscription")
            }
            expect(
                found.source?.address == address(of: heartbeat.source.value)
                    && found.destination == node.unicastAddress.address && found.periodLog == heartbeat.period,
                "heartbeat subscription"
            )
        case .nodeIdentityOff(let subnet):
            // Nothing is advertised where the proxy is off.
            guard let index = index(of: subnet.value), node.knows(index), node.features.proxy != .disabled, hasProxy
            else { return }
            if node.state(.nodeIdentity(index)) == .nodeIdentity(index, .notSupported) { return }
            expect(node.state(.nodeIdentity(index)) == .nodeIdentity(index, .stopped), "node identity")
        case .privateNodeIdentityOff: break
        case .sarTransmitter(let state):
            guard node.hasPrimary(.sarConfigurationServer) else { return }
            expect(node.state(.sarTransmitter) == .sarTransmitter(state), "SAR transmitter")
        case .sarReceiver(let state):
            guard node.hasPrimary(.sarConfigurationServer) else { return }
            expect(node.state(.sarReceiver) == .sarReceiver(state), "SAR receiver")
        case .privateBeacon(let state):
            guard node.hasPrimary(.privateBeaconServer) else { return }
            guard case .privateBeacon(let found) = node.state(.privateBeacon) else {
                return expect(false, "private beacon")
            }
            let steps = state.randomUpdateIntervalSteps
            expect(
                found.isEnabled == state.isEnabled && (steps == nil || steps == found.randomUpdateIntervalSteps),
                "private beacon"
            )
        case .privateGATTProxy(let isOn):
            guard node.hasPrimary(.privateBeaconServer), hasProxy else { return }
            if node.state(.privateGATTProxy)?.isNotSupported ?? false { return }
            expect(node.state(.privateGATTProxy) == .privateGATTProxy(isOn ? .enabled : .disabled), "private proxy")
        case .onDemandPrivateProxy(let seconds):
            guard node.hasPrimary(.onDemandPrivateProxyServer), hasProxy else { return }
            expect(
                node.state(.onDemandPrivateProxy) == .onDemandPrivateProxy(seconds: seconds),
                "on-demand private proxy"
            )
        case .subnetBridge(let isOn):
            guard node.hasPrimary(.bridgeConfigurationServer) else { return }
            expect(node.state(.subnetBridge) == .subnetBridge(isOn), "subnet bridge")
        }
    }

    private func checkPublication(_ wanted: HeartbeatPublishSettings?) {
        guard case .heartbeatPublication(let found) = node.state(.heartbeatPublication) else {
            return expect(false, "heartbeat publication")
        }
        guard let wanted else { return expect(found.isOff, "heartbeat publication") }
        expect(
            found.destination == address(of: wanted.target.value) && found.periodLog == wanted.period
                && found.countLog == wanted.count && found.ttl == wanted.ttl && found.features == wanted.features
                && node.knows(found.netKeyIndex)
                && (wanted.subnet.map { found.netKeyIndex == index(of: $0.value) } ?? true),
            "heartbeat publication"
        )
    }

    private func checkBridges() {
        guard node.hasPrimary(.bridgeConfigurationServer), let table = said({ $0.bridgingTable })?.value else { return }
        let wanted = table.map { bridge in
            bridge.subnets.map { index(of: $0.value)?.rawValue ?? 0xFFFF }
                + bridge.addresses.map { address(of: $0.value)?.rawValue ?? 0 }
                + [bridge.directions == .bothWays ? 1 : 0]
        }
        let found = (node.bridgingTable ?? []).map { entry in
            [
                entry.subnets.first.rawValue, entry.subnets.second.rawValue, entry.addresses.first.rawValue,
                entry.addresses.second.rawValue, entry.addresses.directions == .bothWays ? 1 : 0,
            ]
        }
        expect(Set(wanted) == Set(found), "bridging table: \(wanted) and \(found)")
    }

    private func index(of subnet: String) -> NetKeyIndex? { network.netKeys.first { $0.name == subnet }?.index }

    private func address(of target: PublishTarget) -> Address? {
        guard case .name(let name) = target else { return nil }
        if name == "all-nodes" { return GroupAddress.allNodes.address }
        let uuid = example.definition.nodes.first { $0.name.value == name }?.uuid.value
        return network.nodes.first { $0.uuid == uuid }?.unicastAddress.address
    }
}

extension RandomCase {
    /// The models of which the definition says all groups, by itself or by rules.
    func declaredLists(of entry: NodeDefinition, _ node: Node) -> Set<ModelAddress> {
        let profile = definition.profiles.first { $0.name.value == entry.profile?.value }
        var lists: Set<ModelAddress> = []
        for settings in [entry.settings, profile?.settings].compactMap({ $0 }) {
            for (index, element) in settings.elements {
                for model in element.models where model.subscribe != nil {
                    lists.insert(ModelAddress(element: index, model: model.identifier.value))
                }
            }
        }
        for rule in definition.subscriptions where rule.nodes.tags.isEmpty || entry.tags["room"]?.value == "kitchen" {
            for (index, element) in node.elements.enumerated() {
                for model in element.models where rule.models.contains(where: { $0.value == model.identifier }) {
                    lists.insert(ModelAddress(element: UInt8(index), model: model.identifier))
                }
            }
        }
        return lists
    }
}
