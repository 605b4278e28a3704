extension Field where Value == [UInt8] {
    /// At least one octet.
    fileprivate static func provisioningPDU(_ value: @escaping @Sendable (Message) -> [UInt8]) -> Field {
        Field(
            notation: "provisioning_pdu:octets",
            value: value,
            read: { (reader) throws(DecodeError) in
                guard !reader.isAtEnd else { throw .truncated(offset: reader.offset, needed: 1) }
                return Array(reader.readRest())
            },
            write: { $1.write($0) }
        )
    }
}

/// Remote Provisioning PDU Send (Mesh Protocol 1.1, 4.3.4.15): a PDU for the device.
package struct RemoteProvisioningPDUSend: ConfigurationRequest, FoundationMessage {
    /// The server answers once the device has the PDU.
    package typealias Status = RemoteProvisioningPDUOutboundReport
    package static let opcode: Opcode = 0x805D
    package static let layout = Layout(Self.init, .field("outbound_pdu_number", \.number), .provisioningPDU(\.pdu))
    /// The number of the PDU to the device, from 1 on. A repetition has the same number and does not reach the device
    /// again.
    package var number: UInt8
    /// The PDU, with its type as the first octet; at least one octet.
    package var pdu: [UInt8]

    package init(number: UInt8, pdu: [UInt8]) {
        self.number = number
        self.pdu = pdu
    }

    /// Whether the report is about the same PDU.
    package func isAnswered(by status: Status) -> Bool { status.number == number }
}

/// Remote Provisioning PDU Outbound Report (Mesh Protocol 1.1, 4.3.4.16): number (1).
package struct RemoteProvisioningPDUOutboundReport: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x805E
    package static let layout = Layout(Self.init, .field("outbound_pdu_number", \.number))
    /// The number of the last PDU that the device has; 0 before the first.
    package var number: UInt8

    package init(number: UInt8) {
        self.number = number
    }
}

/// Remote Provisioning PDU Report (Mesh Protocol 1.1, 4.3.4.17), sent without a request: a PDU from the device.
package struct RemoteProvisioningPDUReport: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x805F
    package static let layout = Layout(Self.init, .field("inbound_pdu_number", \.number), .provisioningPDU(\.pdu))
    /// The number of the PDU from the device, from 1 on.
    package var number: UInt8
    /// The PDU, with its type as the first octet; at least one octet.
    package var pdu: [UInt8]

    package init(number: UInt8, pdu: [UInt8]) {
        self.number = number
        self.pdu = pdu
    }
}
