/// The layout of Network Transmit Set and Status: one octet.
package protocol NetworkTransmitMessage: ConfigurationMessage, FieldMessage {
    /// How the node repeats network PDUs that it originates.
    var transmit: TransmitParameters { get }

    /// The message with those parameters.
    init(transmit: TransmitParameters)
}

extension NetworkTransmitMessage {
    /// Reads one octet.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(transmit: try TransmitParameters(reading: &reader))
    }

    package func write(to writer: inout ByteWriter) {
        transmit.write(to: &writer)
    }
}

/// Config Network Transmit Get (Mesh Protocol 4.3.2.69).
package struct ConfigNetworkTransmitGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigNetworkTransmitStatus
    package static let opcode: Opcode = 0x8023

    package init() {}
}

/// Config Network Transmit Set (Mesh Protocol 4.3.2.70).
package struct ConfigNetworkTransmitSet: NetworkTransmitMessage, ConfigurationRequest {
    package typealias Status = ConfigNetworkTransmitStatus
    package static let opcode: Opcode = 0x8024
    /// How the node should repeat network PDUs that it originates.
    package var transmit: TransmitParameters

    package init(transmit: TransmitParameters) {
        self.transmit = transmit
    }
}

/// Config Network Transmit Status (Mesh Protocol 4.3.2.71).
package struct ConfigNetworkTransmitStatus: NetworkTransmitMessage {
    package static let opcode: Opcode = 0x8025
    /// How the node repeats network PDUs that it originates.
    package var transmit: TransmitParameters

    package init(transmit: TransmitParameters) {
        self.transmit = transmit
    }
}
