/// Whether a node advertises with Node Identity on a subnet (Mesh Protocol 4.2.13).
package enum NodeIdentityState: UInt8, CaseIterable, Hashable, Sendable, AccessField {
    /// It does not advertise with it.
    case stopped = 0
    /// It advertises with it, for at most 60 seconds.
    case running = 1
    /// It does not support it.
    case notSupported = 2
}

/// The layout of messages that start or stop advertising with a node's identity: NetKey index (2), on or off (1).
package protocol NodeIdentitySetMessage: ConfigurationRequest, FieldMessage {
    /// The NetKey of the subnet.
    var netKeyIndex: NetKeyIndex { get }
    /// Whether the node should advertise.
    var isEnabled: Bool { get }

    /// The message with those fields.
    init(netKeyIndex: NetKeyIndex, isEnabled: Bool)
}

extension NodeIdentitySetMessage {
    /// Reads three octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(netKeyIndex: try NetKeyIndex(reading: &reader), isEnabled: try Bool(reading: &reader))
    }

    package func write(to writer: inout ByteWriter) {
        netKeyIndex.write(to: &writer)
        isEnabled.write(to: &writer)
    }

    package var subject: ConfigurationSubject { ConfigurationSubject(netKeyIndex: netKeyIndex) }
}

/// The layout of messages that tell whether a node advertises with its identity: status (1), NetKey index (2), state
/// (1).
package protocol NodeIdentityStatusMessage: ConfigurationStatusMessage, FieldMessage {
    /// The NetKey of the subnet.
    var netKeyIndex: NetKeyIndex { get }
    /// Whether the node advertises.
    var identity: NodeIdentityState { get }

    /// The message with those fields.
    init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex, identity: NodeIdentityState)
}

extension NodeIdentityStatusMessage {
    /// Reads four octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(
            status: try ConfigStatusCode(reading: &reader),
            netKeyIndex: try NetKeyIndex(reading: &reader),
            identity: try NodeIdentityState(reading: &reader)
        )
    }

    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        netKeyIndex.write(to: &writer)
        identity.write(to: &writer)
    }

    package var subject: ConfigurationSubject { ConfigurationSubject(netKeyIndex: netKeyIndex) }
}

/// Config Node Identity Get (Mesh Protocol 4.3.2.43).
package struct ConfigNodeIdentityGet: NetKeyIndexMessage, ConfigurationRequest {
    package typealias Status = ConfigNodeIdentityStatus
    package static let opcode: Opcode = 0x8046
    package var netKeyIndex: NetKeyIndex

    package init(netKeyIndex: NetKeyIndex) {
        self.netKeyIndex = netKeyIndex
    }
}

/// Config Node Identity Set (Mesh Protocol 4.3.2.44).
package struct ConfigNodeIdentitySet: NodeIdentitySetMessage {
    package typealias Status = ConfigNodeIdentityStatus
    package static let opcode: Opcode = 0x8047
    package var netKeyIndex: NetKeyIndex
    /// Whether the node should advertise with Node Identity.
    package var isEnabled: Bool

    package init(netKeyIndex: NetKeyIndex, isEnabled: Bool) {
        self.netKeyIndex = netKeyIndex
        self.isEnabled = isEnabled
    }
}

/// Config Node Identity Status (Mesh Protocol 4.3.2.45).
package struct ConfigNodeIdentityStatus: NodeIdentityStatusMessage {
    package static let opcode: Opcode = 0x8048
    package var status: ConfigStatusCode
    package var netKeyIndex: NetKeyIndex
    /// Whether the node advertises with Node Identity.
    package var identity: NodeIdentityState

    package init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex, identity: NodeIdentityState) {
        self.status = status
        self.netKeyIndex = netKeyIndex
        self.identity = identity
    }
}
