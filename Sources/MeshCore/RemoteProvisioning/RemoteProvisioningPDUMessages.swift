/// The layout of the messages that carry a PDU of the provisioning protocol: its number on the link (1), the PDU.
package protocol RemoteProvisioningPDUMessage: ConfigurationMessage, FieldMessage {
    /// Counts the PDUs that went one way on the link, from 1 on.
    var number: UInt8 { get }
    /// The PDU, its type first; at least one octet.
    var pdu: [UInt8] { get }

    /// The message with that PDU.
    init(number: UInt8, pdu: [UInt8])
}

extension RemoteProvisioningPDUMessage {
    /// Reads two octets or more.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        let number = try reader.readUInt8()
        guard !reader.isAtEnd else { throw .truncated(offset: reader.offset, needed: 1) }
        self.init(number: number, pdu: Array(reader.readRest()))
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(number)
        writer.write(pdu)
    }
}

/// Remote Provisioning PDU Send (Mesh Protocol 1.1, 4.3.4.15): what the server is to send to the device.
package struct RemoteProvisioningPDUSend: RemoteProvisioningPDUMessage, ConfigurationRequest {
    /// The message that answers it, once the device has the PDU.
    package typealias Status = RemoteProvisioningPDUOutboundReport
    package static let opcode: Opcode = 0x805D
    /// Counts the PDUs to the device, from 1 on. A repetition has the same number and does not reach the device again.
    package var number: UInt8
    package var pdu: [UInt8]

    package init(number: UInt8, pdu: [UInt8]) {
        self.number = number
        self.pdu = pdu
    }

    /// Whether the report is about the same PDU.
    package func isAnswered(by status: Status) -> Bool { status.number == number }
}

/// Remote Provisioning PDU Outbound Report (Mesh Protocol 1.1, 4.3.4.16): number (1).
package struct RemoteProvisioningPDUOutboundReport: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x805E
    /// The last PDU that the device has; 0 before the first.
    package var number: UInt8

    package init(number: UInt8) {
        self.number = number
    }

    /// Reads one octet.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        number = try reader.readUInt8()
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(number)
    }
}

/// Remote Provisioning PDU Report (Mesh Protocol 1.1, 4.3.4.17), unasked for: what the device has sent.
package struct RemoteProvisioningPDUReport: RemoteProvisioningPDUMessage {
    package static let opcode: Opcode = 0x805F
    /// Counts the PDUs from the device, from 1 on.
    package var number: UInt8
    package var pdu: [UInt8]

    package init(number: UInt8, pdu: [UInt8]) {
        self.number = number
        self.pdu = pdu
    }
}
