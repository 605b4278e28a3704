/// Config Low Power Node PollTimeout Get (Mesh Protocol 4.3.2.67): asks a Friend about one of its Low Power nodes.
package struct ConfigLowPowerNodePollTimeoutGet: ConfigurationRequest, FieldMessage {
    package typealias Status = ConfigLowPowerNodePollTimeoutStatus
    package static let opcode: Opcode = 0x802D
    /// The address of the Low Power node's primary element.
    package var lowPowerNodeAddress: UnicastAddress

    package init(lowPowerNodeAddress: UnicastAddress) {
        self.lowPowerNodeAddress = lowPowerNodeAddress
    }

    /// Reads two octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        lowPowerNodeAddress = try UnicastAddress(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        lowPowerNodeAddress.write(to: &writer)
    }

    /// The Low Power node.
    package var subject: ConfigurationSubject { ConfigurationSubject(elementAddress: lowPowerNodeAddress) }
}

/// Config Low Power Node PollTimeout Status (Mesh Protocol 4.3.2.68).
package struct ConfigLowPowerNodePollTimeoutStatus: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x802E
    /// The address of the Low Power node's primary element.
    package var lowPowerNodeAddress: UnicastAddress
    /// In steps of 100 ms, 0x00000A...0x34BBFF; 0 if the answering node is not that node's Friend.
    package var pollTimeout: UInt32

    package init(lowPowerNodeAddress: UnicastAddress, pollTimeout: UInt32) {
        self.lowPowerNodeAddress = lowPowerNodeAddress
        self.pollTimeout = pollTimeout
    }

    /// Reads five octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        lowPowerNodeAddress = try UnicastAddress(reading: &reader)
        pollTimeout = try reader.readUInt24LittleEndian()
        guard pollTimeout == 0 || (0x00_000A...0x34_BBFF).contains(pollTimeout) else {
            throw .prohibited(field: "PollTimeout", value: UInt64(pollTimeout))
        }
    }

    package func write(to writer: inout ByteWriter) {
        lowPowerNodeAddress.write(to: &writer)
        writer.writeUInt24LittleEndian(pollTimeout)
    }

    /// The Low Power node.
    package var subject: ConfigurationSubject { ConfigurationSubject(elementAddress: lowPowerNodeAddress) }
}
