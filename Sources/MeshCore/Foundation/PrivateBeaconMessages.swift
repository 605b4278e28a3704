/// Private Beacon Get (Mesh Protocol 1.1).
package struct PrivateBeaconGet: ParameterlessMessage, FoundationStateRequest {
    package typealias Status = PrivateBeaconStatus
    package static let opcode: Opcode = 0x8060

    package init() {}
}

/// Private Beacon Set (Mesh Protocol 1.1).
package struct PrivateBeaconSet: FoundationStateRequest, FoundationMessage {
    package typealias Status = PrivateBeaconStatus
    package static let opcode: Opcode = 0x8061
    package static let layout = Layout(
        Self.init,
        .field("private_beacon", \.isEnabled),
        .optional("random_update_interval_steps", \.randomUpdateIntervalSteps)
    )
    /// Whether the node should send Mesh Private beacons.
    package var isEnabled: Bool
    /// The time after which the random in the beacon changes, in steps of 10 s; 0 for every beacon, nil to leave it
    /// unchanged.
    package var randomUpdateIntervalSteps: UInt8?

    package init(isEnabled: Bool, randomUpdateIntervalSteps: UInt8? = nil) {
        self.isEnabled = isEnabled
        self.randomUpdateIntervalSteps = randomUpdateIntervalSteps
    }
}

/// Private Beacon Status (Mesh Protocol 1.1).
package struct PrivateBeaconStatus: FoundationStateStatus, FoundationMessage {
    package static let opcode: Opcode = 0x8062
    package static let layout = Layout(
        Self.init,
        .field("private_beacon", \.isEnabled),
        .field("random_update_interval_steps", \.randomUpdateIntervalSteps)
    )
    /// Whether the node sends Mesh Private beacons.
    package var isEnabled: Bool
    /// The time after which the random in the beacon changes, in steps of 10 s; 0 for every beacon.
    package var randomUpdateIntervalSteps: UInt8

    package init(isEnabled: Bool, randomUpdateIntervalSteps: UInt8) {
        self.isEnabled = isEnabled
        self.randomUpdateIntervalSteps = randomUpdateIntervalSteps
    }

    package var foundationState: FoundationState {
        .privateBeacon(
            PrivateBeaconState(isEnabled: isEnabled, randomUpdateIntervalSteps: randomUpdateIntervalSteps)
        )
    }
}

/// Private GATT Proxy Get (Mesh Protocol 1.1).
package struct PrivateGATTProxyGet: ParameterlessMessage, FoundationStateRequest {
    package typealias Status = PrivateGATTProxyStatus
    package static let opcode: Opcode = 0x8063

    package init() {}
}

/// Private GATT Proxy Set (Mesh Protocol 1.1).
package struct PrivateGATTProxySet: FoundationStateRequest, FoundationMessage {
    package typealias Status = PrivateGATTProxyStatus
    package static let opcode: Opcode = 0x8064
    package static let layout = Layout(Self.init, .field("private_gatt_proxy", \.isEnabled))
    /// Whether the node should advertise its proxy service with private identities.
    package var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }
}

/// Private GATT Proxy Status (Mesh Protocol 1.1).
package struct PrivateGATTProxyStatus: FoundationStateStatus, FoundationMessage {
    package static let opcode: Opcode = 0x8065
    package static let layout = Layout(Self.init, .field("private_gatt_proxy", \.state))
    /// Whether the node advertises its proxy service with private identities.
    package var state: FeatureState

    package init(state: FeatureState) {
        self.state = state
    }

    package var foundationState: FoundationState { .privateGATTProxy(state) }
}

/// Private Node Identity Get (Mesh Protocol 1.1).
package struct PrivateNodeIdentityGet: NetKeyMessage, FoundationStateRequest {
    package typealias Status = PrivateNodeIdentityStatus
    package static let opcode: Opcode = 0x8066
    package static let layout = Layout(Self.init, .field("net_key_index", \.netKeyIndex))
    package var netKeyIndex: NetKeyIndex

    package init(netKeyIndex: NetKeyIndex) {
        self.netKeyIndex = netKeyIndex
    }
}

/// Private Node Identity Set (Mesh Protocol 1.1).
package struct PrivateNodeIdentitySet: NetKeyMessage, FoundationStateRequest {
    package typealias Status = PrivateNodeIdentityStatus
    package static let opcode: Opcode = 0x8067
    package static let layout = Layout(
        Self.init,
        .field("net_key_index", \.netKeyIndex),
        .field("private_identity", \.isEnabled)
    )
    package var netKeyIndex: NetKeyIndex
    package var isEnabled: Bool

    package init(netKeyIndex: NetKeyIndex, isEnabled: Bool) {
        self.netKeyIndex = netKeyIndex
        self.isEnabled = isEnabled
    }
}

/// Private Node Identity Status (Mesh Protocol 1.1).
package struct PrivateNodeIdentityStatus: NetKeyMessage, ConfigurationStatusMessage, FoundationStateStatus {
    package static let opcode: Opcode = 0x8068
    package static let layout = Layout(
        Self.init,
        .field("status", \.status),
        .field("net_key_index", \.netKeyIndex),
        .field("private_identity", \.identity)
    )
    package var status: ConfigStatusCode
    package var netKeyIndex: NetKeyIndex
    package var identity: NodeIdentityState

    package init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex, identity: NodeIdentityState) {
        self.status = status
        self.netKeyIndex = netKeyIndex
        self.identity = identity
    }

    package var foundationState: FoundationState { .privateNodeIdentity(netKeyIndex, identity) }
}

/// On-Demand Private Proxy Get (Mesh Protocol 1.1).
package struct OnDemandPrivateProxyGet: ParameterlessMessage, FoundationStateRequest {
    package typealias Status = OnDemandPrivateProxyStatus
    package static let opcode: Opcode = 0x8069

    package init() {}
}

/// On-Demand Private Proxy Set (Mesh Protocol 1.1).
package struct OnDemandPrivateProxySet: FoundationStateRequest, FoundationMessage {
    package typealias Status = OnDemandPrivateProxyStatus
    package static let opcode: Opcode = 0x806A
    package static let layout = Layout(Self.init, .field("on_demand_private_gatt_proxy", \.seconds))
    /// How many seconds the node should advertise its proxy service after a valid Solicitation PDU; 0 to switch this
    /// off.
    package var seconds: UInt8

    package init(seconds: UInt8) {
        self.seconds = seconds
    }
}

/// On-Demand Private Proxy Status (Mesh Protocol 1.1).
package struct OnDemandPrivateProxyStatus: FoundationStateStatus, FoundationMessage {
    package static let opcode: Opcode = 0x806B
    package static let layout = Layout(Self.init, .field("on_demand_private_gatt_proxy", \.seconds))
    /// How many seconds the node advertises its proxy service after a valid Solicitation PDU; 0 if it does not.
    package var seconds: UInt8

    package init(seconds: UInt8) {
        self.seconds = seconds
    }

    package var foundationState: FoundationState { .onDemandPrivateProxy(seconds: seconds) }
}
