/// The opcode of an access message, of one, two or three octets (Mesh Protocol 3.7.3.1).
///
/// ``rawValue`` holds the octets as they are transmitted, most significant first: `0x00` Config AppKey Add, `0x8003`
/// Config AppKey Status, `0xD50A00` vendor opcode 0x15 of company 0x000A (whose identifier is little-endian).
package struct Opcode: RawRepresentable, Hashable, Comparable, Sendable {
    /// The one, two or three octets in transmission order.
    package let rawValue: UInt32

    /// Nil unless the octets are an opcode: 0x00 to 0x7E, 0x8000 to 0xBFFF or 0xC00000 to 0xFFFFFF.
    package init?(rawValue: UInt32) {
        switch rawValue {
        case 0x00...0x7E, 0x8000...0xBFFF, 0xC0_0000...0xFF_FFFF: self.rawValue = rawValue
        default: return nil
        }
    }

    /// A vendor opcode, 0 to 63, of a company; nil above 63.
    package init?(vendor opcode: UInt8, company: UInt16) {
        guard opcode < 0x40 else { return nil }
        rawValue = UInt32(0xC0 | opcode) << 16 | UInt32(company.byteSwapped)
    }

    /// Reads an opcode from the front of an access payload and leaves the parameters in `reader`.
    ///
    /// - Throws: ``DecodeError/truncated(offset:needed:)`` if octets are missing,
    ///   ``DecodeError/prohibited(field:value:)`` for 0x7F, which is reserved.
    package init(decoding reader: inout ByteReader) throws(DecodeError) {
        let first = try reader.readUInt8()
        switch first {
        case 0x7F: throw .prohibited(field: "opcode", value: 0x7F)
        case 0x00..<0x7F: rawValue = UInt32(first)
        case 0x80..<0xC0: rawValue = UInt32(first) << 8 | UInt32(try reader.readUInt8())
        default: rawValue = UInt32(first) << 16 | UInt32(try reader.readUInt16())
        }
    }

    /// The number of octets, 1 to 3.
    package var size: Int {
        switch rawValue {
        case 0x00...0x7E: 1
        case 0x8000...0xBFFF: 2
        default: 3
        }
    }

    /// The octets in transmission order.
    package var encoded: [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: rawValue >> (8 * UInt32($0))) }
    }

    /// The company of a vendor opcode; nil for an opcode of the specifications.
    package var company: UInt16? {
        size == 3 ? UInt16(truncatingIfNeeded: rawValue).byteSwapped : nil
    }

    /// Numeric order of the octets, so that shorter opcodes come first.
    package static func < (left: Opcode, right: Opcode) -> Bool { left.rawValue < right.rawValue }
}

extension Opcode: ExpressibleByIntegerLiteral {
    /// An opcode written in the source. A literal that is no opcode is a programming error and traps.
    package init(integerLiteral value: UInt32) {
        guard let opcode = Opcode(rawValue: value) else {
            preconditionFailure("0x\(value.hexadecimal) is not an opcode")
        }
        self = opcode
    }
}

extension Opcode: CustomStringConvertible {
    /// `0x00`, `0x8003`, `0xD50A00`.
    package var description: String { "0x" + Hexadecimal.encode(encoded).uppercased() }
}
