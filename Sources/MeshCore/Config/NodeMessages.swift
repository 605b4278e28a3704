/// The layout of Default TTL Set and Status: one octet.
package protocol DefaultTTLMessage: ConfigurationMessage, FieldMessage {
    /// 0 or 2...127; receivers refuse other values.
    var ttl: UInt8 { get }

    /// The message for that TTL.
    init(ttl: UInt8)
}

extension DefaultTTLMessage {
    /// Reads one octet; 0x01 and everything above 0x7F are prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        let ttl = try reader.readUInt8()
        guard ttl != 1, ttl <= 0x7F else { throw .prohibited(field: "default TTL", value: UInt64(ttl)) }
        self.init(ttl: ttl)
    }

    /// Appends one octet.
    package func write(to writer: inout ByteWriter) {
        writer.write(ttl)
    }
}

/// Config Default TTL Get (Mesh Protocol 4.3.2.6).
package struct ConfigDefaultTTLGet: ParameterlessMessage, ConfigurationRequest {
    /// The message that answers it.
    package typealias Status = ConfigDefaultTTLStatus
    /// In front of the parameters.
    package static let opcode: Opcode = 0x800C

    /// Asks for the state.
    package init() {}
}

/// Config Default TTL Set (Mesh Protocol 4.3.2.7).
package struct ConfigDefaultTTLSet: DefaultTTLMessage, ConfigurationRequest {
    /// The message that answers it.
    package typealias Status = ConfigDefaultTTLStatus
    /// In front of the parameters.
    package static let opcode: Opcode = 0x800D
    /// 0 or 2...127; nodes refuse other values.
    package var ttl: UInt8

    /// Sets the TTL.
    package init(ttl: UInt8) {
        self.ttl = ttl
    }
}

/// Config Default TTL Status (Mesh Protocol 4.3.2.8).
package struct ConfigDefaultTTLStatus: DefaultTTLMessage {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x800E
    /// 0 or 2...127.
    package var ttl: UInt8

    /// The TTL.
    package init(ttl: UInt8) {
        self.ttl = ttl
    }
}

/// Config Node Reset (Mesh Protocol 4.3.2.53): the node forgets its network.
package struct ConfigNodeReset: ParameterlessMessage, ConfigurationRequest {
    /// The message that answers it.
    package typealias Status = ConfigNodeResetStatus
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8049

    /// Resets the node.
    package init() {}
}

/// Config Node Reset Status (Mesh Protocol 4.3.2.54). The node forgets its keys after sending it, so that it may get
/// lost for good: no answer does not mean that the node was not reset.
package struct ConfigNodeResetStatus: ParameterlessMessage, ConfigurationMessage {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x804A

    /// The node is about to reset.
    package init() {}
}

/// Config Low Power Node PollTimeout Get (Mesh Protocol 4.3.2.67): asks a Friend about one of its Low Power nodes.
package struct ConfigLowPowerNodePollTimeoutGet: ConfigurationRequest, FieldMessage {
    /// The message that answers it.
    package typealias Status = ConfigLowPowerNodePollTimeoutStatus
    /// In front of the parameters.
    package static let opcode: Opcode = 0x802D
    /// The address of the Low Power node's primary element.
    package var lowPowerNodeAddress: UnicastAddress

    /// Asks about that node.
    package init(lowPowerNodeAddress: UnicastAddress) {
        self.lowPowerNodeAddress = lowPowerNodeAddress
    }

    /// Reads two octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        lowPowerNodeAddress = try UnicastAddress(reading: &reader)
    }

    /// Appends two octets.
    package func write(to writer: inout ByteWriter) {
        lowPowerNodeAddress.write(to: &writer)
    }

    /// The Low Power node.
    package var subject: ConfigurationSubject { ConfigurationSubject(elementAddress: lowPowerNodeAddress) }
}

/// Config Low Power Node PollTimeout Status (Mesh Protocol 4.3.2.68).
package struct ConfigLowPowerNodePollTimeoutStatus: ConfigurationMessage, FieldMessage {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x802E
    /// The address of the Low Power node's primary element.
    package var lowPowerNodeAddress: UnicastAddress
    /// In steps of 100 ms, 0x00000A...0x34BBFF; 0 if the node that answers is not that node's Friend.
    package var pollTimeout: UInt32

    /// The time after which the Friend gives the Low Power node up.
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

    /// Appends five octets.
    package func write(to writer: inout ByteWriter) {
        lowPowerNodeAddress.write(to: &writer)
        writer.writeUInt24LittleEndian(pollTimeout)
    }

    /// The Low Power node.
    package var subject: ConfigurationSubject { ConfigurationSubject(elementAddress: lowPowerNodeAddress) }
}
