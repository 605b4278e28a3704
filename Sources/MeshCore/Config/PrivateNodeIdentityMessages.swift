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
package struct PrivateNodeIdentitySet: ConfigurationRequest, FieldMessage {
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

    /// Reads three octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        netKeyIndex = try NetKeyIndex(reading: &reader)
        isEnabled = try Bool(reading: &reader)
    }

    /// Appends three octets.
    package func write(to writer: inout ByteWriter) {
        netKeyIndex.write(to: &writer)
        isEnabled.write(to: &writer)
    }

    /// The NetKey.
    package var subject: ConfigurationSubject { ConfigurationSubject(netKeyIndex: netKeyIndex) }
}

/// Private Node Identity Status (Mesh Protocol 1.1).
package struct PrivateNodeIdentityStatus: ConfigurationStatusMessage, FieldMessage {
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

    /// Reads four octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try ConfigStatusCode(reading: &reader)
        netKeyIndex = try NetKeyIndex(reading: &reader)
        identity = try NodeIdentityState(reading: &reader)
    }

    /// Appends four octets.
    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        netKeyIndex.write(to: &writer)
        identity.write(to: &writer)
    }

    /// The NetKey.
    package var subject: ConfigurationSubject { ConfigurationSubject(netKeyIndex: netKeyIndex) }
}
