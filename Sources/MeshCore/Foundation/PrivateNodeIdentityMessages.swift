/// Private Node Identity Get (Mesh Protocol 1.1).
package struct PrivateNodeIdentityGet: NetKeyIndexMessage, ConfigurationRequest {
    /// The message that answers it.
    package typealias Status = PrivateNodeIdentityStatus
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8066
    /// The NetKey of the subnet.
    package var netKeyIndex: NetKeyIndex

    /// Asks for the state on that subnet.
    package init(netKeyIndex: NetKeyIndex) {
        self.netKeyIndex = netKeyIndex
    }
}

/// Private Node Identity Set (Mesh Protocol 1.1).
package struct PrivateNodeIdentitySet: NodeIdentitySetMessage {
    /// The message that answers it.
    package typealias Status = PrivateNodeIdentityStatus
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8067
    /// The NetKey of the subnet.
    package var netKeyIndex: NetKeyIndex
    /// Whether to advertise with Private Node Identity.
    package var isEnabled: Bool

    /// Starts or stops advertising.
    package init(netKeyIndex: NetKeyIndex, isEnabled: Bool) {
        self.netKeyIndex = netKeyIndex
        self.isEnabled = isEnabled
    }
}

/// Private Node Identity Status (Mesh Protocol 1.1).
package struct PrivateNodeIdentityStatus: NodeIdentityStatusMessage {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8068
    /// The outcome.
    package var status: ConfigStatusCode
    /// The NetKey of the subnet.
    package var netKeyIndex: NetKeyIndex
    /// Whether the node advertises with Private Node Identity.
    package var identity: NodeIdentityState

    /// The state on that subnet.
    package init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex, identity: NodeIdentityState) {
        self.status = status
        self.netKeyIndex = netKeyIndex
        self.identity = identity
    }
}
