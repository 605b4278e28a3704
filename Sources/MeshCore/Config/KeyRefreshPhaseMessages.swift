/// What Key Refresh Phase Set asks a node to do (Mesh Protocol 4.3.2.59).
package enum KeyRefreshTransition: UInt8, CaseIterable, Hashable, Sendable, AccessField {
    /// Use the new keys: go to phase 2.
    case useNewKeys = 2
    /// Revoke the old keys: go through phase 3 back to normal.
    case revokeOldKeys = 3
}

/// Config Key Refresh Phase Get (Mesh Protocol 4.3.2.58).
package struct ConfigKeyRefreshPhaseGet: NetKeyIndexMessage, ConfigurationRequest {
    package typealias Status = ConfigKeyRefreshPhaseStatus
    package static let opcode: Opcode = 0x8015
    package var netKeyIndex: NetKeyIndex

    package init(netKeyIndex: NetKeyIndex) {
        self.netKeyIndex = netKeyIndex
    }
}

/// Config Key Refresh Phase Set (Mesh Protocol 4.3.2.59).
package struct ConfigKeyRefreshPhaseSet: ConfigurationRequest, FieldMessage {
    package typealias Status = ConfigKeyRefreshPhaseStatus
    package static let opcode: Opcode = 0x8016
    /// The NetKey of the subnet.
    package var netKeyIndex: NetKeyIndex
    /// What the node should do.
    package var transition: KeyRefreshTransition

    package init(netKeyIndex: NetKeyIndex, transition: KeyRefreshTransition) {
        self.netKeyIndex = netKeyIndex
        self.transition = transition
    }

    /// Reads three octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        netKeyIndex = try NetKeyIndex(reading: &reader)
        transition = try KeyRefreshTransition(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        netKeyIndex.write(to: &writer)
        transition.write(to: &writer)
    }

    package var subject: ConfigurationSubject { ConfigurationSubject(netKeyIndex: netKeyIndex) }
}

/// Config Key Refresh Phase Status (Mesh Protocol 4.3.2.60).
package struct ConfigKeyRefreshPhaseStatus: ConfigurationStatusMessage, FieldMessage {
    package static let opcode: Opcode = 0x8017
    package var status: ConfigStatusCode
    /// The NetKey of the subnet.
    package var netKeyIndex: NetKeyIndex
    /// The phase of the key refresh.
    package var phase: KeyRefreshPhase

    package init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex, phase: KeyRefreshPhase) {
        self.status = status
        self.netKeyIndex = netKeyIndex
        self.phase = phase
    }

    /// Reads four octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try ConfigStatusCode(reading: &reader)
        netKeyIndex = try NetKeyIndex(reading: &reader)
        phase = try KeyRefreshPhase(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        netKeyIndex.write(to: &writer)
        phase.write(to: &writer)
    }

    package var subject: ConfigurationSubject { ConfigurationSubject(netKeyIndex: netKeyIndex) }
}
