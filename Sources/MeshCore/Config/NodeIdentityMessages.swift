/// Whether a node advertises with Node Identity on a subnet (Mesh Protocol 4.2.13).
package enum NodeIdentityState: UInt8, CaseIterable, Hashable, Sendable, AccessField {
    package static let notation = "$:feature-state"
    /// It does not advertise with it.
    case stopped = 0
    /// It advertises with it, for at most 60 seconds.
    case running = 1
    case notSupported = 2
}

/// Config Node Identity Get (Mesh Protocol 4.3.2.43).
package struct ConfigNodeIdentityGet: NetKeyMessage, FoundationStateRequest {
    package typealias Status = ConfigNodeIdentityStatus
    package static let opcode: Opcode = 0x8046
    package static let layout = Layout(Self.init, .field("net_key_index", \.netKeyIndex))
    package var netKeyIndex: NetKeyIndex

    package init(netKeyIndex: NetKeyIndex) {
        self.netKeyIndex = netKeyIndex
    }
}

/// Config Node Identity Set (Mesh Protocol 4.3.2.44).
package struct ConfigNodeIdentitySet: NetKeyMessage, FoundationStateRequest {
    package typealias Status = ConfigNodeIdentityStatus
    package static let opcode: Opcode = 0x8047
    package static let layout = Layout(
        Self.init,
        .field("net_key_index", \.netKeyIndex),
        .field("identity", \.isEnabled)
    )
    package var netKeyIndex: NetKeyIndex
    package var isEnabled: Bool

    package init(netKeyIndex: NetKeyIndex, isEnabled: Bool) {
        self.netKeyIndex = netKeyIndex
        self.isEnabled = isEnabled
    }
}

/// Config Node Identity Status (Mesh Protocol 4.3.2.45).
package struct ConfigNodeIdentityStatus: NetKeyMessage, ConfigurationStatusMessage, FoundationStateStatus {
    package static let opcode: Opcode = 0x8048
    package static let layout = Layout(
        Self.init,
        .field("status", \.status),
        .field("net_key_index", \.netKeyIndex),
        .field("identity", \.identity)
    )
    package var status: ConfigStatusCode
    package var netKeyIndex: NetKeyIndex
    package var identity: NodeIdentityState

    package init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex, identity: NodeIdentityState) {
        self.status = status
        self.netKeyIndex = netKeyIndex
        self.identity = identity
    }

    package var foundationState: FoundationState { .nodeIdentity(netKeyIndex, identity) }
}
