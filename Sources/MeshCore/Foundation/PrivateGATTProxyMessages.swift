/// Private GATT Proxy Get (Mesh Protocol 1.1).
package struct PrivateGATTProxyGet: ParameterlessMessage, ConfigurationRequest {
    /// The message that answers it.
    package typealias Status = PrivateGATTProxyStatus
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8063

    /// Asks for the state.
    package init() {}
}

/// Private GATT Proxy Set (Mesh Protocol 1.1).
package struct PrivateGATTProxySet: SwitchMessage, ConfigurationRequest {
    /// The message that answers it.
    package typealias Status = PrivateGATTProxyStatus
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8064
    /// Whether the node is to advertise its proxy service with private identities.
    package var isEnabled: Bool

    /// Switches it.
    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }
}

/// Private GATT Proxy Status (Mesh Protocol 1.1).
package struct PrivateGATTProxyStatus: FeatureStatusMessage {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8065
    /// Whether the node advertises its proxy service with private identities.
    package var state: FeatureState

    /// The state.
    package init(state: FeatureState) {
        self.state = state
    }
}

/// On-Demand Private Proxy Get (Mesh Protocol 1.1).
package struct OnDemandPrivateProxyGet: ParameterlessMessage, ConfigurationRequest {
    /// The message that answers it.
    package typealias Status = OnDemandPrivateProxyStatus
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8069

    /// Asks for the state.
    package init() {}
}

/// The layout of On-Demand Private Proxy messages: seconds (1).
package protocol OnDemandPrivateProxyMessage: ConfigurationMessage, FieldMessage {
    /// For how many seconds the node advertises its proxy service after a valid Solicitation PDU, 0 for not at all.
    var seconds: UInt8 { get }

    /// The message for that time.
    init(seconds: UInt8)
}

extension OnDemandPrivateProxyMessage {
    /// Reads one octet.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(seconds: try reader.readUInt8())
    }

    /// Appends one octet.
    package func write(to writer: inout ByteWriter) {
        writer.write(seconds)
    }
}

/// On-Demand Private Proxy Set (Mesh Protocol 1.1).
package struct OnDemandPrivateProxySet: OnDemandPrivateProxyMessage, ConfigurationRequest {
    /// The message that answers it.
    package typealias Status = OnDemandPrivateProxyStatus
    /// In front of the parameters.
    package static let opcode: Opcode = 0x806A
    /// For how many seconds the node is to advertise its proxy service after a valid Solicitation PDU, 0 for not at all.
    package var seconds: UInt8

    /// Sets the time.
    package init(seconds: UInt8) {
        self.seconds = seconds
    }
}

/// On-Demand Private Proxy Status (Mesh Protocol 1.1).
package struct OnDemandPrivateProxyStatus: OnDemandPrivateProxyMessage {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x806B
    /// For how many seconds the node advertises its proxy service after a valid Solicitation PDU, 0 for not at all.
    package var seconds: UInt8

    /// The time.
    package init(seconds: UInt8) {
        self.seconds = seconds
    }
}
