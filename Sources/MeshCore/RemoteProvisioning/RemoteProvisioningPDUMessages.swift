/// The layout of the messages that carry a PDU of the provisioning protocol: its number on the link (1), the PDU.
package protocol RemoteProvisioningPDUMessage: ConfigurationMessage, FieldMessage {
    /// The number of the PDU in its direction on the link, from 1 on.
    var number: UInt8 { get }
    /// The PDU, with its type as the first octet; at least one octet.
    var pdu: [UInt8] { get }

    /// The message with those fields.
    init(number: UInt8, pdu: [UInt8])
}

extension RemoteProvisioningPDUMessage {
    /// Reads at least two octets.
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

/// Remote Provisioning PDU Send (Mesh Protocol 1.1, 4.3.4.15): a PDU for the device.
package struct RemoteProvisioningPDUSend: RemoteProvisioningPDUMessage, ConfigurationRequest {
    /// The server answers once the device has the PDU.
    package typealias Status = RemoteProvisioningPDUOutboundReport
    package static let opcode: Opcode = 0x805D
    /// The number of the PDU to the device, from 1 on. A repetition has the same number and does not reach the device
    /// again.
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
    /// The number of the last PDU that the device has; 0 before the first.
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

/// Remote Provisioning PDU Report (Mesh Protocol 1.1, 4.3.4.17), sent without a request: a PDU from the device.
package struct RemoteProvisioningPDUReport: RemoteProvisioningPDUMessage {
    package static let opcode: Opcode = 0x805F
    /// The number of the PDU from the device, from 1 on.
    package var number: UInt8
    package var pdu: [UInt8]

    package init(number: UInt8, pdu: [UInt8]) {
        self.number = number
        self.pdu = pdu
    }
}
