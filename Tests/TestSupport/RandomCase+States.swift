import DefinitionModel
import MeshCore

extension RandomCase {
    private static let foundation: [ModelIdentifier] = [
        .sarConfigurationServer, .privateBeaconServer, .onDemandPrivateProxyServer, .bridgeConfigurationServer,
    ]

    /// Adds foundation models to the primary element, with what is known about their states.
    mutating func addFoundation(to node: inout Node) {
        guard !node.elements.isEmpty else { return }
        node.elements[0].models.insert(Model(identifier: .configurationServer), at: 0)
        node.elements[0].models += random.some(of: Self.foundation, 70).map { Model(identifier: $0) }
        let subnets = node.netKeys.map(\.index)
        if random.chance(20), let subnet = subnets.randomElement(using: &random) {
            node.record(.heartbeatPublication(makeHeartbeat(in: subnet)))
        }
        if random.chance(20) { node.record(.heartbeatSubscription(.off)) }
        let isProxy = node.features.proxy != .notSupported
        for subnet in subnets where isProxy && random.chance(20) { node.record(.nodeIdentity(subnet, .stopped)) }
        if node.hasPrimary(.sarConfigurationServer), random.chance(40) {
            node.record(.sarTransmitter(.standard))
            node.record(.sarReceiver(.standard))
        }
        if node.hasPrimary(.privateBeaconServer), random.chance(40) {
            node.record(.privateBeacon(makePrivateBeacon()))
            node.record(
                .privateGATTProxy(node.features.proxy == .notSupported ? .notSupported : .disabled)
            )
        }
        guard node.hasPrimary(.bridgeConfigurationServer) else { return }
        if random.chance(40) { node.record(.subnetBridge(random.chance(50))) }
        guard random.chance(40) else { return }
        node.bridgingTable = []
        guard subnets.count > 1 else { return }
        for _ in 0..<number(0...3) {
            guard let first = UnicastAddress(rawValue: number(0x10...0x12)),
                let second = UnicastAddress(rawValue: number(0x20...0x21))
            else { continue }
            let pair = random.chance(50) ? (subnets[0], subnets[1]) : (subnets[1], subnets[0])
            node.recordBridging(
                BridgingTableEntry(
                    subnets: NetKeyIndexPair(first: pair.0, second: pair.1),
                    addresses: BridgedAddresses(
                        first: first,
                        second: second.address,
                        directions: random.chance(50) ? .oneWay : .bothWays
                    )
                )
            )
        }
    }

    private mutating func makeHeartbeat(in subnet: NetKeyIndex) -> HeartbeatPublication {
        if random.chance(40) { return .off(netKeyIndex: subnet) }
        return HeartbeatPublication(
            destination: GroupAddress.allNodes.address,
            countLog: .endless,
            periodLog: HeartbeatPeriodLog(rawValue: UInt8(number(1...10))) ?? .off,
            ttl: 5,
            features: random.chance(50) ? [.relay] : [],
            netKeyIndex: subnet
        )
    }

    private mutating func makePrivateBeacon() -> PrivateBeaconState {
        PrivateBeaconState(
            isEnabled: random.chance(50),
            randomUpdateIntervalSteps: random.chance(50) ? UInt8(number(1...60)) : nil
        )
    }

    /// Adds settings for all nodes, and for those of one room.
    mutating func makeDefaults() {
        for selects in [false, true] where random.chance(40) {
            var entry = DefaultsDefinition(location: Self.place)
            if selects {
                var selector = NodeSelector(location: Self.place)
                selector.tags["room"] = located(random.chance(50) ? "kitchen" : "h*")
                selector.mayBeEmpty = true
                entry.nodes = selector
            }
            entry.settings = makeSettings()
            entry.settings.elements = [:]
            addStates(to: &entry.settings, of: nil)
            definition.defaults.append(entry)
        }
    }

    /// Adds desired states of one node, which usually supports them, or of nodes in general.
    mutating func addStates(to settings: inout NodeSettings, of node: Node?) {
        let nodes = definition.nodes.isEmpty ? [] : nodeNames
        var states: [StateDefinition] = []
        func has(_ model: ModelIdentifier) -> Bool { node?.hasPrimary(model) ?? true }
        if random.chance(20) { states.append(.heartbeatPublication(makeHeartbeatPublication())) }
        if random.chance(15), let source = nodes.randomElement(using: &random) {
            states.append(
                .heartbeatSubscription(
                    random.chance(30)
                        ? nil
                        : HeartbeatSubscribeSettings(
                            source: located(.name(source)),
                            destination: nil,
                            period: HeartbeatPeriodLog(rawValue: UInt8(number(1...10))) ?? .off
                        )
                )
            )
        }
        if random.chance(20), let subnet = definition.subnets.randomElement(using: &random) {
            states.append(.nodeIdentityOff(subnet: located(subnet.name.value)))
        }
        if has(.sarConfigurationServer), random.chance(20) {
            var transmitter = SARTransmitterState.standard
            transmitter.segmentIntervalStep = UInt8(number(4...6))
            states.append(.sarTransmitter(transmitter))
        }
        if has(.sarConfigurationServer), random.chance(20) { states.append(.sarReceiver(.standard)) }
        if has(.privateBeaconServer), random.chance(20) { states.append(.privateBeacon(makePrivateBeacon())) }
        if has(.privateBeaconServer), random.chance(20) { states.append(.privateGATTProxy(random.chance(20))) }
        if has(.onDemandPrivateProxyServer), random.chance(20) {
            let isOn = node?.features.proxy != .notSupported && random.chance(50)
            states.append(.onDemandPrivateProxy(seconds: isOn ? 30 : 0))
        }
        if has(.bridgeConfigurationServer), random.chance(20) { states.append(.subnetBridge(random.chance(50))) }
        settings.states = states.map { located($0) }
        if has(.bridgeConfigurationServer), random.chance(20) { settings.bridgingTable = located(makeBridges()) }
    }

    private mutating func makeHeartbeatPublication() -> HeartbeatPublishSettings? {
        if random.chance(30) { return nil }
        var target = PublishTarget.name("all-nodes")
        if let node = nodeNames.randomElement(using: &random), random.chance(50) { target = .name(node) }
        return HeartbeatPublishSettings(
            target: located(target),
            count: .endless,
            period: HeartbeatPeriodLog(rawValue: UInt8(number(1...10))) ?? .off,
            ttl: 5,
            features: random.chance(50) ? [.relay] : [],
            subnet: random.chance(30) ? definition.subnets.randomElement(using: &random)?.name : nil
        )
    }

    private mutating func makeBridges() -> [BridgeDefinition] {
        guard definition.subnets.count > 1, nodeNames.count > 1 else { return [] }
        var bridges: [BridgeDefinition] = []
        for _ in 0..<number(0...2) {
            let subnets = definition.subnets.map(\.name).shuffled(using: &random).prefix(2)
            let nodes = nodeNames.shuffled(using: &random).prefix(2)
            let bridge = BridgeDefinition(
                subnets: Array(subnets),
                addresses: nodes.map { located(.name($0)) },
                directions: random.chance(50) ? .oneWay : .bothWays,
                location: Self.place
            )
            // Avoids a second entry for the same subnets and addresses.
            let isNew = bridges.allSatisfy {
                $0.subnets.map(\.value) != bridge.subnets.map(\.value)
                    || $0.addresses.map(\.value) != bridge.addresses.map(\.value)
            }
            if isNew { bridges.append(bridge) }
        }
        return bridges
    }

    /// Renames some things that the database knows by name, with a declaration of the renaming.
    mutating func renameSome() {
        for place in definition.subnets.indices where definition.subnets[place].index == nil && random.chance(20) {
            let old = definition.subnets[place].name.value
            guard network.netKeys.contains(where: { $0.name == old }) else { continue }
            move(.subnet, old)
            definition.subnets[place].name = located("moved-" + old)
            for key in definition.applicationKeys.indices where definition.applicationKeys[key].subnet.value == old {
                definition.applicationKeys[key].subnet = located("moved-" + old)
            }
            rename { $0.rename(subnet: old, to: "moved-" + old) }
        }
        for place in definition.groups.indices where definition.groups[place].address == nil && random.chance(20) {
            let old = definition.groups[place].name.value
            guard network.groups.contains(where: { $0.name == old }) else { continue }
            move(.group, old)
            definition.groups[place].name = located("moved-" + old)
            for group in definition.groups.indices where definition.groups[group].parent?.value == old {
                definition.groups[group].parent = located("moved-" + old)
            }
            for rule in definition.subscriptions.indices {
                definition.subscriptions[rule].groups = definition.subscriptions[rule].groups.map {
                    $0.value == old ? located("moved-" + old) : $0
                }
            }
            for rule in definition.publications.indices {
                definition.publications[rule].settings.rename(old, to: "moved-" + old)
            }
            rename { $0.rename(group: old, to: "moved-" + old) }
        }
    }

    private mutating func move(_ kind: NamedKind, _ old: String) {
        definition.moved.append(MovedDefinition(kind: kind, from: located(old), to: located("moved-" + old)))
    }

    private mutating func rename(_ change: (inout NodeSettings) -> Void) {
        for place in definition.nodes.indices { change(&definition.nodes[place].settings) }
        for place in definition.profiles.indices { change(&definition.profiles[place].settings) }
        for place in definition.defaults.indices { change(&definition.defaults[place].settings) }
    }

    /// Makes the node that carries the messages of all others continue to do so.
    mutating func keepCarrying(_ entry: inout NodeDefinition) {
        entry.settings.relay = located(true)
        entry.settings.proxy = located(true)
        entry.settings.states.removeAll { if case .privateGATTProxy = $0.value { true } else { false } }
    }
}

extension NodeSettings {
    fileprivate mutating func rename(subnet old: String, to new: String) {
        func renamed(_ name: Located<String>) -> Located<String> {
            name.value == old ? Located(new, at: name.location) : name
        }
        if let list = subnets { subnets = Located(list.value.map(renamed), at: list.location) }
        if let table = bridgingTable {
            let bridges = table.value.map { bridge in
                var bridge = bridge
                bridge.subnets = bridge.subnets.map(renamed)
                return bridge
            }
            bridgingTable = Located(bridges, at: table.location)
        }
        for place in states.indices {
            switch states[place].value {
            case .nodeIdentityOff(let subnet): states[place].value = .nodeIdentityOff(subnet: renamed(subnet))
            case .heartbeatPublication(var heartbeat?):
                heartbeat.subnet = heartbeat.subnet.map(renamed)
                states[place].value = .heartbeatPublication(heartbeat)
            default: break
            }
        }
    }

    fileprivate mutating func rename(group old: String, to new: String) {
        for element in elements.keys {
            guard var models = elements[element]?.models else { continue }
            for place in models.indices {
                if let list = models[place].subscribe {
                    let names = list.value.map { $0.value == old ? Located(new, at: $0.location) : $0 }
                    models[place].subscribe = Located(names, at: list.location)
                }
                if var publish = models[place].publish?.value {
                    publish.rename(old, to: new)
                    models[place].publish?.value = publish
                }
            }
            elements[element]?.models = models
        }
    }
}

extension PublishSettings {
    fileprivate mutating func rename(_ old: String, to new: String) {
        if target.value == .name(old) { target.value = .name(new) }
    }
}
