/// A state of the whole node in one of the foundation models (Mesh Protocol 4.2), with its value.
///
/// ``Node`` has properties for the states that nearly every node has: default TTL, beacon, relay, proxy, friend,
/// transmit. The states here are all handled alike, by their ``Kind``. A state that the node does not support can be
/// recorded as such, but not set.
package enum FoundationState: Hashable, Sendable {
    /// Heartbeat Publication (4.2.18).
    case heartbeatPublication(HeartbeatPublication)
    /// Heartbeat Subscription (4.2.19), without the heartbeats counted.
    case heartbeatSubscription(HeartbeatSubscription)
    /// Node Identity of a subnet (4.2.13). A node stops it by itself after 60 seconds.
    case nodeIdentity(NetKeyIndex, NodeIdentityState)
    /// SAR Transmitter (1.1, 4.2.48).
    case sarTransmitter(SARTransmitterState)
    /// SAR Receiver (1.1, 4.2.49).
    case sarReceiver(SARReceiverState)
    /// Private Beacon and Random Update Interval Steps (1.1, 4.2.44).
    case privateBeacon(PrivateBeaconState)
    /// Private GATT Proxy (1.1, 4.2.45).
    case privateGATTProxy(FeatureState)
    /// On-Demand Private GATT Proxy (1.1, 4.2.47): seconds of advertising after a solicitation, 0 for off.
    case onDemandPrivateProxy(seconds: UInt8)
    /// Private Node Identity of a subnet (1.1, 4.2.46). A node stops it by itself after 60 seconds.
    case privateNodeIdentity(NetKeyIndex, NodeIdentityState)
    /// Subnet Bridge (1.1, 4.2.41).
    case subnetBridge(Bool)

    /// A state without its value. A node has at most one of each kind. The order is that of the cases.
    package enum Kind: Hashable, Comparable, Sendable {
        case heartbeatPublication
        case heartbeatSubscription
        case nodeIdentity(NetKeyIndex)
        case sarTransmitter
        case sarReceiver
        case privateBeacon
        case privateGATTProxy
        case onDemandPrivateProxy
        case privateNodeIdentity(NetKeyIndex)
        case subnetBridge
    }

    /// The state without its value.
    package var kind: Kind {
        switch self {
        case .heartbeatPublication: .heartbeatPublication
        case .heartbeatSubscription: .heartbeatSubscription
        case .nodeIdentity(let subnet, _): .nodeIdentity(subnet)
        case .sarTransmitter: .sarTransmitter
        case .sarReceiver: .sarReceiver
        case .privateBeacon: .privateBeacon
        case .privateGATTProxy: .privateGATTProxy
        case .onDemandPrivateProxy: .onDemandPrivateProxy
        case .privateNodeIdentity(let subnet, _): .privateNodeIdentity(subnet)
        case .subnetBridge: .subnetBridge
        }
    }

    /// Whether the value means that the node does not support the state.
    package var isNotSupported: Bool { self == kind.notSupported }

    /// Whether a recorded value serves as well as this one, so that nothing has to be set. A part that this leaves open
    /// agrees with everything, and all ways of being off agree.
    package func agrees(with recorded: FoundationState?) -> Bool {
        switch (self, recorded) {
        case (.heartbeatPublication(let wanted), .heartbeatPublication(let found)):
            wanted == found || wanted.isOff && found.isOff
        case (.heartbeatSubscription(let wanted), .heartbeatSubscription(let found)):
            wanted == found || wanted.isOff && found.isOff
        case (.privateBeacon(let wanted), .privateBeacon(let found)):
            wanted.isEnabled == found.isEnabled
                && (wanted.randomUpdateIntervalSteps == nil
                    || wanted.randomUpdateIntervalSteps == found.randomUpdateIntervalSteps)
        default: self == recorded
        }
    }

    /// Whether a node that got this value may later report that one: a value that agrees with it, fewer heartbeats to
    /// send, or less time to count them, because both run down.
    package func explains(_ report: FoundationState) -> Bool {
        switch (self, report) {
        case (.heartbeatPublication(let set), .heartbeatPublication(let found)):
            agrees(with: report) || set.explains(found)
        case (.heartbeatSubscription(let set), .heartbeatSubscription(let found)):
            agrees(with: report) || set.explains(found)
        default: agrees(with: report)
        }
    }

    /// Whether a node with this recorded value may report that one although nobody changed it for good: a value that
    /// this one explains, or a running Node Identity, which stops by itself after 60 seconds (Mesh Protocol 4.2.13).
    package func allows(_ report: FoundationState) -> Bool {
        switch (self, report) {
        case (.nodeIdentity(let subnet, .stopped), .nodeIdentity(let found, .running)),
            (.privateNodeIdentity(let subnet, .stopped), .privateNodeIdentity(let found, .running)):
            subnet == found
        default: explains(report)
        }
    }

    /// This value, completed where it leaves something open by another value of the same kind.
    package func completed(by other: FoundationState?) -> FoundationState {
        guard case .privateBeacon(var state) = self, state.randomUpdateIntervalSteps == nil,
            case .privateBeacon(let known) = other
        else { return self }
        state.randomUpdateIntervalSteps = known.randomUpdateIntervalSteps
        return .privateBeacon(state)
    }
}

extension FoundationState.Kind {
    /// The model on the primary element that holds the state. A node without the model does not have the state.
    package var model: ModelIdentifier {
        switch self {
        case .heartbeatPublication, .heartbeatSubscription, .nodeIdentity: .configurationServer
        case .sarTransmitter, .sarReceiver: .sarConfigurationServer
        case .privateBeacon, .privateGATTProxy, .privateNodeIdentity: .privateBeaconServer
        case .onDemandPrivateProxy: .onDemandPrivateProxyServer
        case .subnetBridge: .bridgeConfigurationServer
        }
    }

    /// Whether only a node with the GATT Proxy feature, on or off, has the state.
    package var needsProxyFeature: Bool {
        switch self {
        case .nodeIdentity, .privateGATTProxy, .onDemandPrivateProxy, .privateNodeIdentity: true
        default: false
        }
    }

    /// Its word in addresses of resources and in JSON: `sar_transmitter`.
    package var word: String {
        switch self {
        case .heartbeatPublication: "heartbeat_publication"
        case .heartbeatSubscription: "heartbeat_subscription"
        case .nodeIdentity: "node_identity"
        case .sarTransmitter: "sar_transmitter"
        case .sarReceiver: "sar_receiver"
        case .privateBeacon: "private_beacon"
        case .privateGATTProxy: "private_gatt_proxy"
        case .onDemandPrivateProxy: "on_demand_private_proxy"
        case .privateNodeIdentity: "private_node_identity"
        case .subnetBridge: "subnet_bridge"
        }
    }

    /// The specification's name of it, for messages to people: `SAR Transmitter`.
    package var title: String {
        switch self {
        case .heartbeatPublication: "Heartbeat Publication"
        case .heartbeatSubscription: "Heartbeat Subscription"
        case .nodeIdentity: "Node Identity"
        case .sarTransmitter: "SAR Transmitter"
        case .sarReceiver: "SAR Receiver"
        case .privateBeacon: "Private Beacon"
        case .privateGATTProxy: "Private GATT Proxy"
        case .onDemandPrivateProxy: "On-Demand Private Proxy"
        case .privateNodeIdentity: "Private Node Identity"
        case .subnetBridge: "Subnet Bridge"
        }
    }

    /// The subnet, if a node has the state once for each subnet.
    package var subnet: NetKeyIndex? {
        switch self {
        case .nodeIdentity(let subnet), .privateNodeIdentity(let subnet): subnet
        default: nil
        }
    }

    /// The value that means "not supported"; nil if the state has none.
    package var notSupported: FoundationState? {
        switch self {
        case .nodeIdentity(let subnet): .nodeIdentity(subnet, .notSupported)
        case .privateGATTProxy: .privateGATTProxy(.notSupported)
        case .privateNodeIdentity(let subnet): .privateNodeIdentity(subnet, .notSupported)
        default: nil
        }
    }
}

/// The Private Beacon and Random Update Interval Steps states (Mesh Protocol 1.1, 4.2.44).
package struct PrivateBeaconState: Hashable, Sendable {
    /// Whether the node sends Mesh Private beacons.
    package var isEnabled: Bool
    /// The time after which the random in the beacon changes, in steps of 10 s; 0 for every beacon, nil to leave it
    /// unchanged.
    package var randomUpdateIntervalSteps: UInt8?

    package init(isEnabled: Bool, randomUpdateIntervalSteps: UInt8? = nil) {
        self.isEnabled = isEnabled
        self.randomUpdateIntervalSteps = randomUpdateIntervalSteps
    }
}
