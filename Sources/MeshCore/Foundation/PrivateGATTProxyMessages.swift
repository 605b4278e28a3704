/// Private GATT Proxy Get (Mesh Protocol 1.1).
package struct PrivateGATTProxyGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = PrivateGATTProxyStatus
    package static let opcode: Opcode = 0x8063

    package init() {}
}

/// Private GATT Proxy Set (Mesh Protocol 1.1).
package struct PrivateGATTProxySet: SwitchMessage, ConfigurationRequest {
    package typealias Status = PrivateGATTProxyStatus
    package static let opcode: Opcode = 0x8064
    /// Whether the node should advertise its proxy service with private identities.
    package var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }
}

/// Private GATT Proxy Status (Mesh Protocol 1.1).
package struct PrivateGATTProxyStatus: FeatureStatusMessage {
    package static let opcode: Opcode = 0x8065
    /// Whether the node advertises its proxy service with private identities.
    package var state: FeatureState

    package init(state: FeatureState) {
        self.state = state
    }
}

/// On-Demand Private Proxy Get (Mesh Protocol 1.1).
package struct OnDemandPrivateProxyGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = OnDemandPrivateProxyStatus
    package static let opcode: Opcode = 0x8069

    package init() {}
}

/// The layout of On-Demand Private Proxy messages: seconds (1).
package protocol OnDemandPrivateProxyMessage: ConfigurationMessage, FieldMessage {
    /// How many seconds the node advertises its proxy service after a valid Solicitation PDU; 0 if it does not.
    var seconds: UInt8 { get }

    /// The message with that time.
    init(seconds: UInt8)
}

extension OnDemandPrivateProxyMessage {
    /// Reads one octet.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(seconds: try reader.readUInt8())
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(seconds)
    }
}

/// On-Demand Private Proxy Set (Mesh Protocol 1.1).
package struct OnDemandPrivateProxySet: OnDemandPrivateProxyMessage, ConfigurationRequest {
    package typealias Status = OnDemandPrivateProxyStatus
    package static let opcode: Opcode = 0x806A
    /// How many seconds the node should advertise its proxy service after a valid Solicitation PDU; 0 to switch this
    /// off.
    package var seconds: UInt8

    package init(seconds: UInt8) {
        self.seconds = seconds
    }
}

/// On-Demand Private Proxy Status (Mesh Protocol 1.1).
package struct OnDemandPrivateProxyStatus: OnDemandPrivateProxyMessage {
    package static let opcode: Opcode = 0x806B
    /// How many seconds the node advertises its proxy service after a valid Solicitation PDU; 0 if it does not.
    package var seconds: UInt8

    package init(seconds: UInt8) {
        self.seconds = seconds
    }
}
