/// A state of a node as a whole that the models of the foundation hold (Mesh Protocol 4.2), with its value.
///
/// The states that nearly every node has (default TTL, beacon, relay, proxy, friend, transmit) stand in ``Node`` by
/// themselves. These here are all handled in one way, by their ``Kind``. Where a node says that it has not got a state,
/// that is its value: it can be recorded and not be set.
package enum FoundationState: Hashable, Sendable {
    /// Heartbeat Publication (4.2.18).
    case heartbeatPublication(HeartbeatPublication)
    /// Heartbeat Subscription (4.2.19), without what it has counted.
    case heartbeatSubscription(HeartbeatSubscription)
    /// Node Identity of a subnet (4.2.13). A node stops by itself after a minute.
    case nodeIdentity(NetKeyIndex, NodeIdentityState)
    /// SAR Transmitter (1.1, 4.2.47).
    case sarTransmitter(SARTransmitterState)
    /// SAR Receiver (1.1, 4.2.48).
    case sarReceiver(SARReceiverState)
    /// Private Beacon and Random Update Interval Steps (1.1, 4.2.44).
    case privateBeacon(PrivateBeaconState)
    /// Private GATT Proxy (1.1, 4.2.45).
    case privateGATTProxy(FeatureState)
    /// On-Demand Private GATT Proxy (1.1, 4.2.47): seconds of advertising after a solicitation, 0 for off.
    case onDemandPrivateProxy(seconds: UInt8)
    /// Private Node Identity of a subnet (1.1, 4.2.46). A node stops by itself after a minute.
    case privateNodeIdentity(NetKeyIndex, NodeIdentityState)
    /// Subnet Bridge (1.1, 4.2.41).
    case subnetBridge(Bool)

    /// Which state, without its value. A node has one of each kind; the order is that of the cases.
    package enum Kind: Hashable, Comparable, Sendable {
        /// Heartbeat Publication.
        case heartbeatPublication
        /// Heartbeat Subscription.
        case heartbeatSubscription
        /// Node Identity of a subnet.
        case nodeIdentity(NetKeyIndex)
        /// SAR Transmitter.
        case sarTransmitter
        /// SAR Receiver.
        case sarReceiver
        /// Private Beacon.
        case privateBeacon
        /// Private GATT Proxy.
        case privateGATTProxy
        /// On-Demand Private GATT Proxy.
        case onDemandPrivateProxy
        /// Private Node Identity of a subnet.
        case privateNodeIdentity(NetKeyIndex)
        /// Subnet Bridge.
        case subnetBridge
    }

    /// Which state it is.
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

    /// Whether the value says that the node has not got the state.
    package var isNotSupported: Bool { self == kind.notSupported }

    /// Whether a recorded value is as good as this one: then there is nothing to be set. What this leaves open agrees
    /// with everything, and one way of being off with any other.
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

    /// Whether a node to which this was set may report that later: what agrees with it, and fewer heartbeats to be sent
    /// or a shorter time to count them, for both run down.
    package func explains(_ report: FoundationState) -> Bool {
        switch (self, report) {
        case (.heartbeatPublication(let set), .heartbeatPublication(let found)):
            agrees(with: report) || set.explains(found)
        case (.heartbeatSubscription(let set), .heartbeatSubscription(let found)):
            agrees(with: report) || set.explains(found)
        default: agrees(with: report)
        }
    }

    /// Whether a node of which this is recorded may be found like that though nobody has changed it for good: what this
    /// explains, and a Node Identity that runs, which stops by itself within a minute (Mesh Protocol 4.2.13).
    package func allows(_ report: FoundationState) -> Bool {
        switch (self, report) {
        case (.nodeIdentity(let subnet, .stopped), .nodeIdentity(let found, .running)),
            (.privateNodeIdentity(let subnet, .stopped), .privateNodeIdentity(let found, .running)):
            subnet == found
        default: explains(report)
        }
    }

    /// This with what it leaves open as another value of the same kind has it.
    package func completed(by other: FoundationState?) -> FoundationState {
        guard case .privateBeacon(var state) = self, state.randomUpdateIntervalSteps == nil,
            case .privateBeacon(let known) = other
        else { return self }
        state.randomUpdateIntervalSteps = known.randomUpdateIntervalSteps
        return .privateBeacon(state)
    }
}

extension FoundationState.Kind {
    /// The model on the primary element that holds the state; a node without it has no such state.
    package var model: ModelIdentifier {
        switch self {
        case .heartbeatPublication, .heartbeatSubscription, .nodeIdentity: .configurationServer
        case .sarTransmitter, .sarReceiver: .sarConfigurationServer
        case .privateBeacon, .privateGATTProxy, .privateNodeIdentity: .privateBeaconServer
        case .onDemandPrivateProxy: .onDemandPrivateProxyServer
        case .subnetBridge: .bridgeConfigurationServer
        }
    }

    /// Whether the state exists only on a node that has the GATT Proxy feature, on or off.
    package var needsProxyFeature: Bool {
        switch self {
        case .nodeIdentity, .privateGATTProxy, .onDemandPrivateProxy, .privateNodeIdentity: true
        default: false
        }
    }

    /// The word for it in addresses of resources and in JSON: `sar_transmitter`.
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

    /// The specification's name of it in messages: `SAR Transmitter`.
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

    /// The subnet of a state that a node has for each of its subnets.
    package var subnet: NetKeyIndex? {
        switch self {
        case .nodeIdentity(let subnet), .privateNodeIdentity(let subnet): subnet
        default: nil
        }
    }

    /// The value by which a node says that it has not got the state; nil where there is no such value.
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
    /// After how many steps of 10 s the random in the beacon changes, 0 for with every beacon; nil leaves it as it is.
    package var randomUpdateIntervalSteps: UInt8?

    package init(isEnabled: Bool, randomUpdateIntervalSteps: UInt8? = nil) {
        self.isEnabled = isEnabled
        self.randomUpdateIntervalSteps = randomUpdateIntervalSteps
    }
}
