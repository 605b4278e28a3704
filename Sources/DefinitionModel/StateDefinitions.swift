package import MeshCore

/// A ``FoundationState`` as a definition declares it: names unresolved.
package enum StateDefinition: Hashable, Sendable {
    /// `heartbeat: { publish: … }`; nil stops the publication.
    case heartbeatPublication(HeartbeatPublishSettings?)
    /// `heartbeat: { subscribe: … }`; nil stops counting.
    case heartbeatSubscription(HeartbeatSubscribeSettings?)
    /// `node_identity: { SUBNET: off }`.
    case nodeIdentityOff(subnet: Located<String>)
    /// `sar_transmitter`.
    case sarTransmitter(SARTransmitterState)
    /// `sar_receiver`.
    case sarReceiver(SARReceiverState)
    /// `private_beacon`.
    case privateBeacon(PrivateBeaconState)
    /// `private_gatt_proxy`.
    case privateGATTProxy(Bool)
    /// `on_demand_private_proxy`: seconds, 0 for off.
    case onDemandPrivateProxy(seconds: UInt8)
    /// `private_node_identity: { SUBNET: off }`.
    case privateNodeIdentityOff(subnet: Located<String>)
    /// `subnet_bridge`, on or off.
    case subnetBridge(Bool)

    /// The key under which a definition declares it.
    package var path: String {
        switch self {
        case .heartbeatPublication: "heartbeat.publish"
        case .heartbeatSubscription: "heartbeat.subscribe"
        case .nodeIdentityOff(let subnet): "node_identity.\(subnet.value)"
        case .sarTransmitter: "sar_transmitter"
        case .sarReceiver: "sar_receiver"
        case .privateBeacon: "private_beacon"
        case .privateGATTProxy: "private_gatt_proxy"
        case .onDemandPrivateProxy: "on_demand_private_proxy"
        case .privateNodeIdentityOff(let subnet): "private_node_identity.\(subnet.value)"
        case .subnetBridge: "subnet_bridge.state"
        }
    }

    /// Whether both give the same value, regardless of their locations.
    package func isSame(as other: StateDefinition) -> Bool {
        switch (self, other) {
        case (.heartbeatPublication(let left?), .heartbeatPublication(let right?)): left.isSame(as: right)
        case (.heartbeatSubscription(let left?), .heartbeatSubscription(let right?)):
            left.source.value == right.source.value && left.destination?.value == right.destination?.value
                && left.period == right.period
        case (.nodeIdentityOff, .nodeIdentityOff), (.privateNodeIdentityOff, .privateNodeIdentityOff):
            path == other.path
        default: self == other
        }
    }
}

/// A heartbeat publication as declared.
package struct HeartbeatPublishSettings: Hashable, Sendable {
    /// The destination; never a virtual group.
    package var target: Located<PublishTarget>
    /// How many heartbeats are sent periodically.
    package var count: HeartbeatPublicationCountLog
    /// How often they are sent; off if only switched features send them.
    package var period: HeartbeatPeriodLog
    /// Their TTL, 0...127.
    package var ttl: UInt8
    /// Features that send a heartbeat when they are switched.
    package var features: FeatureSet
    /// The subnet; nil for the one that messages to the node use.
    package var subnet: Located<String>?

    package init(
        target: Located<PublishTarget>,
        count: HeartbeatPublicationCountLog,
        period: HeartbeatPeriodLog,
        ttl: UInt8,
        features: FeatureSet,
        subnet: Located<String>?
    ) {
        self.target = target
        self.count = count
        self.period = period
        self.ttl = ttl
        self.features = features
        self.subnet = subnet
    }

    fileprivate func isSame(as other: HeartbeatPublishSettings) -> Bool {
        target.value == other.target.value && count == other.count && period == other.period && ttl == other.ttl
            && features == other.features && subnet?.value == other.subnet?.value
    }
}

/// A heartbeat subscription as declared.
package struct HeartbeatSubscribeSettings: Hashable, Sendable {
    /// The element whose heartbeats the node counts.
    package var source: Located<PublishTarget>
    /// Their destination: a group that is not virtual; nil for the node itself.
    package var destination: Located<PublishTarget>?
    /// How long the node counts them.
    package var period: HeartbeatPeriodLog

    package init(
        source: Located<PublishTarget>,
        destination: Located<PublishTarget>?,
        period: HeartbeatPeriodLog
    ) {
        self.source = source
        self.destination = destination
        self.period = period
    }
}

/// An entry of a bridging table as declared.
package struct BridgeDefinition: Hashable, Sendable {
    package var subnets: [Located<String>]
    /// The two addresses; each belongs to the subnet at the same position. The first is an element.
    package var addresses: [Located<PublishTarget>]
    /// The direction in which messages pass.
    package var directions: BridgingDirections
    package var location: SourceLocation

    /// An entry with exactly two subnets and two addresses.
    package init(
        subnets: [Located<String>],
        addresses: [Located<PublishTarget>],
        directions: BridgingDirections,
        location: SourceLocation
    ) {
        self.subnets = subnets
        self.addresses = addresses
        self.directions = directions
        self.location = location
    }

    /// Whether both bridge the same, regardless of their locations.
    package func isSame(as other: BridgeDefinition) -> Bool {
        subnets.map(\.value) == other.subnets.map(\.value) && addresses.map(\.value) == other.addresses.map(\.value)
            && directions == other.directions
    }
}
