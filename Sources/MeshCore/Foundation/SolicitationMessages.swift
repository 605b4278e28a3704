/// A range of addresses in access messages (Mesh Protocol 1.1), 2 or 3 octets, least significant first: whether a
/// length follows (bit 0), start (bits 1-15), length (1).
extension UnicastAddressRange: AccessField {
    package static let notation = "has_length:u1=0 start:u15 / has_length:u1=1 start:u15 length:u8"

    /// Reads two or three octets. A range that starts at 0, leaves the unicast addresses, or takes a length octet for
    /// fewer than two addresses is prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        let bits = try reader.readUInt16LittleEndian()
        guard let start = UnicastAddress(rawValue: bits >> 1) else {
            throw .prohibited(field: "RangeStart", value: UInt64(bits >> 1))
        }
        let count = bits & 1 == 1 ? try reader.readUInt8() : 1
        let last = Int(start.rawValue) + Int(count) - 1
        guard bits & 1 == 0 || count >= 2, last <= Int(UnicastAddress.last.rawValue) else {
            throw .prohibited(field: "RangeLength", value: UInt64(count))
        }
        self.init(first: start, count: count)
    }

    /// Appends two octets for one address, otherwise three.
    package func write(to writer: inout ByteWriter) {
        writer.writeLittleEndian(first.rawValue << 1 | (count > 1 ? 1 : 0))
        if count > 1 { writer.write(count) }
    }
}

/// Solicitation PDU RPL Items Clear (Mesh Protocol 1.1): the node forgets the sequence numbers of Solicitation PDUs
/// from those addresses.
package struct SolicitationPDURPLItemsClear: ConfigurationRequest, FoundationMessage {
    package typealias Status = SolicitationPDURPLItemsStatus
    package static let opcode: Opcode = 0x8078
    package static let layout = Layout(Self.init, .field("", \.addresses))
    package var addresses: UnicastAddressRange

    package init(addresses: UnicastAddressRange) {
        self.addresses = addresses
    }

    package func isAnswered(by status: Status) -> Bool { status.addresses == addresses }
}

/// Solicitation PDU RPL Items Clear Unacknowledged (Mesh Protocol 1.1).
package struct SolicitationPDURPLItemsClearUnacknowledged: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x8079
    package static let layout = Layout(Self.init, .field("", \.addresses))
    package var addresses: UnicastAddressRange

    package init(addresses: UnicastAddressRange) {
        self.addresses = addresses
    }
}

/// Solicitation PDU RPL Items Status (Mesh Protocol 1.1).
package struct SolicitationPDURPLItemsStatus: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x807A
    package static let layout = Layout(Self.init, .field("", \.addresses))
    package var addresses: UnicastAddressRange

    package init(addresses: UnicastAddressRange) {
        self.addresses = addresses
    }
}
