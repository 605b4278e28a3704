/// Config Relay Get (Mesh Protocol 4.3.2.12).
package struct ConfigRelayGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigRelayStatus
    package static let opcode: Opcode = 0x8026

    package init() {}
}

/// Config Relay Set (Mesh Protocol 4.3.2.13).
package struct ConfigRelaySet: ConfigurationRequest, FieldMessage {
    package typealias Status = ConfigRelayStatus
    package static let opcode: Opcode = 0x8027
    /// Whether the node should relay.
    package var isEnabled: Bool
    /// How relayed network PDUs are repeated.
    package var retransmit: TransmitParameters

    package init(isEnabled: Bool, retransmit: TransmitParameters) {
        self.isEnabled = isEnabled
        self.retransmit = retransmit
    }

    /// Reads two octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        isEnabled = try Bool(reading: &reader)
        retransmit = try TransmitParameters(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        isEnabled.write(to: &writer)
        retransmit.write(to: &writer)
    }
}

/// Config Relay Status (Mesh Protocol 4.3.2.14).
package struct ConfigRelayStatus: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x8028
    /// Whether the feature is on, off or not supported.
    package var state: FeatureState
    /// How relayed network PDUs are repeated.
    package var retransmit: TransmitParameters

    package init(state: FeatureState, retransmit: TransmitParameters) {
        self.state = state
        self.retransmit = retransmit
    }

    /// Reads two octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        state = try FeatureState(reading: &reader)
        retransmit = try TransmitParameters(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        state.write(to: &writer)
        retransmit.write(to: &writer)
    }
}
