package import MeshCore

/// A desired ``FoundationState``. Its addresses may not be known yet, and parts of it may depend on the node.
package enum DesiredFoundationState: Hashable, Sendable {
    case value(FoundationState)
    /// Heartbeats to send; nil for none.
    case heartbeatPublication(DesiredHeartbeatPublication?)
    case heartbeatSubscription(DesiredHeartbeatSubscription)

    package var kind: FoundationState.Kind {
        switch self {
        case .value(let state): state.kind
        case .heartbeatPublication: .heartbeatPublication
        case .heartbeatSubscription: .heartbeatSubscription
        }
    }

    var targets: [DesiredPublication.Target] {
        switch self {
        case .value, .heartbeatPublication(nil): []
        case .heartbeatPublication(let heartbeat?): [heartbeat.target]
        case .heartbeatSubscription(let heartbeat):
            [heartbeat.source] + (heartbeat.destination.map { [$0] } ?? [])
        }
    }

    /// The same with other addresses; nil if one of them has no replacement.
    func replacingTargets(
        _ replace: (DesiredPublication.Target) -> DesiredPublication.Target?
    ) -> DesiredFoundationState? {
        switch self {
        case .value, .heartbeatPublication(nil): return self
        case .heartbeatPublication(var heartbeat?):
            guard let target = replace(heartbeat.target) else { return nil }
            heartbeat.target = target
            return .heartbeatPublication(heartbeat)
        case .heartbeatSubscription(var heartbeat):
            guard let source = replace(heartbeat.source) else { return nil }
            heartbeat.source = source
            if let destination = heartbeat.destination {
                guard let target = replace(destination) else { return nil }
                heartbeat.destination = target
            }
            return .heartbeatSubscription(heartbeat)
        }
    }

    /// Whether a node without the state already agrees.
    var isOff: Bool {
        switch self {
        case .heartbeatPublication(let heartbeat): heartbeat == nil
        case .heartbeatSubscription: false
        case .value(let state):
            switch state {
            case .heartbeatPublication(let heartbeat): heartbeat.isOff
            case .heartbeatSubscription(let heartbeat): heartbeat.isOff
            case .nodeIdentity(_, let identity), .privateNodeIdentity(_, let identity): identity != .running
            case .privateBeacon(let state): !state.isEnabled
            case .privateGATTProxy(let state): state != .enabled
            case .onDemandPrivateProxy(let seconds): seconds == 0
            case .subnetBridge(let isOn): !isOn
            case .sarTransmitter, .sarReceiver: false
            }
        }
    }

    /// The subnet whose NetKey the node needs for it; nil if it names none.
    var neededSubnet: NetKeyIndex? {
        if case .heartbeatPublication(let heartbeat?) = self { heartbeat.netKeyIndex } else { nil }
    }

    /// The value on a node; nil while an address is unknown.
    func value(on node: Node) -> FoundationState? {
        switch self {
        case .value(let state): return state
        case .heartbeatPublication(nil):
            return .heartbeatPublication(.off(netKeyIndex: node.transportNetKey ?? .primary))
        case .heartbeatPublication(let heartbeat?):
            guard let destination = heartbeat.target.address else { return nil }
            return .heartbeatPublication(
                HeartbeatPublication(
                    destination: destination,
                    countLog: heartbeat.count,
                    periodLog: heartbeat.period,
                    ttl: heartbeat.ttl,
                    features: heartbeat.features,
                    netKeyIndex: heartbeat.netKeyIndex ?? node.heartbeatSubnet
                )
            )
        case .heartbeatSubscription(let heartbeat):
            guard let source = heartbeat.source.address, let element = UnicastAddress(rawValue: source.rawValue) else {
                return nil
            }
            var destination = node.unicastAddress.address
            if let target = heartbeat.destination {
                guard let address = target.address else { return nil }
                destination = address
            }
            return .heartbeatSubscription(
                HeartbeatSubscription(source: element, destination: destination, periodLog: heartbeat.period)
            )
        }
    }
}

extension Node {
    /// The subnet for heartbeats without a named subnet: the present one, so that another NetKey does not move them, or
    /// else that of messages to the node.
    fileprivate var heartbeatSubnet: NetKeyIndex {
        if case .heartbeatPublication(let recorded) = state(.heartbeatPublication), !recorded.isOff,
            knows(recorded.netKeyIndex)
        {
            return recorded.netKeyIndex
        }
        return transportNetKey ?? .primary
    }
}

extension DesiredPublication.Target {
    /// The 16-bit address; nil while it is unknown.
    var address: Address? {
        if case .address(let address) = self { address.address } else { nil }
    }

    /// The node whose address is not known yet; nil if there is none.
    var awaitedNode: DeviceUUID? {
        if case .element(of: let node, index: _) = self { node } else { nil }
    }
}

/// A heartbeat publication whose target may not have an address yet.
package struct DesiredHeartbeatPublication: Hashable, Sendable {
    package var target: DesiredPublication.Target
    /// How many heartbeats are sent periodically.
    package var count: HeartbeatPublicationCountLog
    package var period: HeartbeatPeriodLog
    /// Their TTL, 0...127.
    package var ttl: UInt8
    /// The features whose changes send a heartbeat.
    package var features: FeatureSet
    /// The subnet; nil for that of messages to the node.
    package var netKeyIndex: NetKeyIndex?
}

/// A heartbeat subscription whose source may not have an address yet.
package struct DesiredHeartbeatSubscription: Hashable, Sendable {
    package var source: DesiredPublication.Target
    /// The destination of the counted heartbeats; nil for the node's primary element.
    package var destination: DesiredPublication.Target?
    /// How long to count them.
    package var period: HeartbeatPeriodLog
}

/// An entry of a bridging table whose addresses may not be known yet.
package struct DesiredBridge: Hashable, Sendable {
    /// The subnets of the first and of the second address.
    package var subnets: NetKeyIndexPair
    /// The first address; always an element.
    package var first: DesiredPublication.Target
    package var second: DesiredPublication.Target
    package var directions: BridgingDirections

    /// The cost to add an entry.
    static let cost = MessageCost.exchange(request: 10, status: 11)

    /// The nodes whose addresses are not known yet.
    var awaitedNodes: [DeviceUUID] { [first.awaitedNode, second.awaitedNode].compactMap { $0 } }

    /// The entry; nil while an address is unknown.
    var entry: BridgingTableEntry? {
        guard let address = first.address, let element = UnicastAddress(rawValue: address.rawValue),
            let second = second.address
        else { return nil }
        return BridgingTableEntry(
            subnets: subnets,
            addresses: BridgedAddresses(first: element, second: second, directions: directions)
        )
    }
}
