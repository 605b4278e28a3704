/// Private Node Identity Get (Mesh Protocol 1.1).
package struct PrivateNodeIdentityGet: NetKeyIndexMessage, ConfigurationRequest {
    package typealias Status = PrivateNodeIdentityStatus
    package static let opcode: Opcode = 0x8066
    package var netKeyIndex: NetKeyIndex

    package init(netKeyIndex: NetKeyIndex) {
        self.netKeyIndex = netKeyIndex
    }
}

/// Private Node Identity Set (Mesh Protocol 1.1).
package struct PrivateNodeIdentitySet: NodeIdentitySetMessage {
    package typealias Status = PrivateNodeIdentityStatus
    package static let opcode: Opcode = 0x8067
    package var netKeyIndex: NetKeyIndex
    /// Whether the node should advertise with Private Node Identity.
    package var isEnabled: Bool

    package init(netKeyIndex: NetKeyIndex, isEnabled: Bool) {
        self.netKeyIndex = netKeyIndex
        self.isEnabled = isEnabled
    }
}

/// Private Node Identity Status (Mesh Protocol 1.1).
package struct PrivateNodeIdentityStatus: NodeIdentityStatusMessage {
    package static let opcode: Opcode = 0x8068
    package var status: ConfigStatusCode
    package var netKeyIndex: NetKeyIndex
    /// Whether the node advertises with Private Node Identity.
    package var identity: NodeIdentityState

    package init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex, identity: NodeIdentityState) {
        self.status = status
        self.netKeyIndex = netKeyIndex
        self.identity = identity
    }
}
