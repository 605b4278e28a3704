/// The layout of Default TTL Set and Status: one octet.
package protocol DefaultTTLMessage: ConfigurationMessage, FieldMessage {
    /// The TTL, 0 or 2...127; receivers refuse other values.
    var ttl: UInt8 { get }

    /// The message with that TTL.
    init(ttl: UInt8)
}

extension DefaultTTLMessage {
    /// Reads one octet; 0x01 and everything above 0x7F are prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        let ttl = try reader.readUInt8()
        guard ttl != 1, ttl <= 0x7F else { throw .prohibited(field: "default TTL", value: UInt64(ttl)) }
        self.init(ttl: ttl)
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(ttl)
    }
}

/// Config Default TTL Get (Mesh Protocol 4.3.2.6).
package struct ConfigDefaultTTLGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigDefaultTTLStatus
    package static let opcode: Opcode = 0x800C

    package init() {}
}

/// Config Default TTL Set (Mesh Protocol 4.3.2.7).
package struct ConfigDefaultTTLSet: DefaultTTLMessage, ConfigurationRequest {
    package typealias Status = ConfigDefaultTTLStatus
    package static let opcode: Opcode = 0x800D
    /// The TTL, 0 or 2...127; nodes refuse other values.
    package var ttl: UInt8

    package init(ttl: UInt8) {
        self.ttl = ttl
    }
}

/// Config Default TTL Status (Mesh Protocol 4.3.2.8).
package struct ConfigDefaultTTLStatus: DefaultTTLMessage {
    package static let opcode: Opcode = 0x800E
    /// The TTL, 0 or 2...127.
    package var ttl: UInt8

    package init(ttl: UInt8) {
        self.ttl = ttl
    }
}
