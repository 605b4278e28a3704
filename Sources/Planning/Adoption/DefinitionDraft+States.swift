import DefinitionModel
import MeshCore

extension DefinitionDraft {
    /// Everything that a definition can say about the states of a node as a whole. It does not mention unknown states.
    mutating func states(of node: Node) -> NodeSettings {
        let subject = Self.subject(node)
        var settings = NodeSettings()
        if let ttl = node.defaultTTL {
            if ttl == 1 || ttl > 127 {
                note(subject, "the default TTL \(ttl), which is no valid one")
            } else {
                settings.defaultTTL = Self.made(ttl)
            }
        }
        settings.secureNetworkBeacon = node.secureNetworkBeacon.map(Self.made)
        settings.relay = node.features.relay.isOn.map(Self.made)
        settings.proxy = node.features.proxy.isOn.map(Self.made)
        settings.friend = node.features.friend.isOn.map(Self.made)
        settings.networkTransmit = node.networkTransmit.map { Self.made($0.canonical) }
        // One message carries both states, so neither can be declared while the other is unknown.
        if let retransmit = node.relayRetransmit {
            if settings.relay != nil {
                settings.relayRetransmit = Self.made(retransmit.canonical)
            } else if node.features.relay == nil {
                note(subject, "how it repeats as a relay, since it is not known whether it is one")
            }
        }
        for state in node.states {
            if let declared = declaration(of: state, on: node) { settings.states.append(Self.made(declared)) }
        }
        if let table = node.bridgingTable { settings.bridgingTable = self.table(table, of: node) }
        return settings
    }

    /// The declaration of a state of the foundation models; nil if it cannot be declared. If that matters, a note says
    /// so.
    private mutating func declaration(of state: FoundationState, on node: Node) -> StateDefinition? {
        let kind = state.kind
        // A state that is not supported counts as off, and cannot be declared.
        if state.isNotSupported || kind.needsProxyFeature && node.features.proxy == .notSupported { return nil }
        let subject = Self.subject(node)
        guard kind.model == .configurationServer || node.hasPrimary(kind.model) else {
            note(subject, "\(kind.title): the node has no \(kind.model.name), which holds it")
            return nil
        }
        switch state {
        case .heartbeatPublication(let heartbeat): return self.heartbeat(heartbeat, on: node)
        case .heartbeatSubscription(let heartbeat): return self.heartbeat(heartbeat, on: node)
        case .nodeIdentity(let subnet, let identity):
            guard identity == .stopped, let name = names.netKeys[subnet] else { return nil }
            return .nodeIdentityOff(subnet: Self.made(name))
        case .privateNodeIdentity(let subnet, let identity):
            guard identity == .stopped, let name = names.netKeys[subnet] else { return nil }
            return .privateNodeIdentityOff(subnet: Self.made(name))
        case .sarTransmitter(let value): return .sarTransmitter(value)
        case .sarReceiver(let value): return .sarReceiver(value)
        case .privateBeacon(let value): return .privateBeacon(value)
        case .privateGATTProxy(let feature):
            if feature == .enabled, node.features.proxy == .enabled {
                note(subject, "Private GATT Proxy: it is on beside the open one, which no message can set")
                return nil
            }
            return .privateGATTProxy(feature == .enabled)
        case .onDemandPrivateProxy(let seconds): return .onDemandPrivateProxy(seconds: seconds)
        case .subnetBridge(let isOn): return .subnetBridge(isOn)
        }
    }

    private mutating func heartbeat(_ heartbeat: HeartbeatPublication, on node: Node) -> StateDefinition? {
        if heartbeat.isOff { return .heartbeatPublication(nil) }
        let subject = Self.subject(node)
        guard let count = heartbeat.countLog else {
            note(subject, "its heartbeats: how many it is to send is not known; \(command: .readBack()) finds out")
            return nil
        }
        let isPeriodic = heartbeat.periodLog != .off
        guard isPeriodic ? count != .off : count == .off && !heartbeat.features.isEmpty else {
            note(subject, "its heartbeats: it sends none, though to \(heartbeat.destination)")
            return nil
        }
        guard let subnet = names.netKeys[heartbeat.netKeyIndex], node.knows(heartbeat.netKeyIndex),
            let target = target(heartbeat.destination)
        else {
            note(subject, "its heartbeats: they go to an address or subnet that the database does not know")
            return nil
        }
        return .heartbeatPublication(
            HeartbeatPublishSettings(
                target: Self.made(target),
                count: count,
                period: heartbeat.periodLog,
                ttl: heartbeat.ttl,
                features: heartbeat.features.intersection([.relay, .proxy, .friend, .lowPower]),
                subnet: heartbeat.netKeyIndex == node.transportNetKey ? nil : Self.made(subnet)
            )
        )
    }

    private mutating func heartbeat(_ heartbeat: HeartbeatSubscription, on node: Node) -> StateDefinition? {
        guard !heartbeat.isOff, let source = heartbeat.source else { return .heartbeatSubscription(nil) }
        let subject = Self.subject(node)
        guard let period = heartbeat.periodLog, period != .off else {
            note(
                subject,
                heartbeat.periodLog == nil
                    ? "the heartbeats it counts: for how long is not known; \(command: .readBack()) finds out"
                    : "the heartbeats it counts: the time for them has run out"
            )
            return nil
        }
        let isOwn = heartbeat.destination == node.unicastAddress.address
        guard let from = target(source.address), isOwn || heartbeat.destination.kind == .group else {
            note(subject, "the heartbeats it counts: they go to \(heartbeat.destination), which is not its own address")
            return nil
        }
        return .heartbeatSubscription(
            HeartbeatSubscribeSettings(
                source: Self.made(from),
                destination: isOwn ? nil : target(heartbeat.destination).map(Self.made),
                period: period
            )
        )
    }

    /// The declaration of the bridging table; nil if an entry cannot be declared, because a declared table must be
    /// complete.
    private mutating func table(_ table: [BridgingTableEntry], of node: Node) -> Located<[BridgeDefinition]>? {
        let subject = Self.subject(node)
        guard node.hasPrimary(.bridgeConfigurationServer) else {
            if !table.isEmpty { note(subject, "its bridging table: it has no model that holds one") }
            return nil
        }
        var entries: [BridgeDefinition] = []
        for entry in table {
            guard let bridge = bridge(entry, on: node) else {
                note(
                    subject,
                    "its bridging table: the entry for \(entry.addresses.first) and \(entry.addresses.second) cannot be declared"
                )
                return nil
            }
            entries.append(bridge)
        }
        return Self.made(entries)
    }

    private func bridge(_ entry: BridgingTableEntry, on node: Node) -> BridgeDefinition? {
        let (first, second) = (entry.addresses.first.address, entry.addresses.second)
        let subnets = [entry.subnets.first, entry.subnets.second]
        let subnetNames = subnets.compactMap { node.knows($0) ? names.netKeys[$0] : nil }
        let isGroup = second.kind == .group
        guard subnetNames.count == 2, subnetNames[0] != subnetNames[1], first != second,
            second != GroupAddress.allNodes.address, !isGroup || entry.addresses.directions == .oneWay,
            let from = target(first), let to = target(second)
        else { return nil }
        return BridgeDefinition(
            subnets: subnetNames.map(Self.made),
            addresses: [Self.made(from), Self.made(to)],
            directions: entry.addresses.directions,
            location: Self.place
        )
    }
}

extension TransmitParameters {
    /// The same without the interval of repetitions that do not happen.
    fileprivate var canonical: TransmitParameters { count == 0 ? TransmitParameters(octet: 0) : self }
}
