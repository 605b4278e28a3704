/// Why octets from outside were refused. Offsets count from the start of what was decoded.
package enum DecodeError: Error, Hashable, Sendable {
    /// The input ends before a field of `needed` octets that starts at `offset`.
    case truncated(offset: Int, needed: Int)
    /// `count` octets follow the end of the message at `offset`.
    case trailing(offset: Int, count: Int)
    /// No form of the message has this length.
    case length(Int)
    /// A field holds a value that the specification prohibits or reserves.
    case prohibited(field: String, value: UInt64)
    /// The decoder does not know the opcode, type or version at the start.
    case unknownType(UInt64)
}

extension DecodeError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .truncated(let offset, let needed): "input ends at octet \(offset), \(needed) more expected"
        case .trailing(let offset, let count): "\(count) unexpected octets from octet \(offset) on"
        case .length(let length): "no form of the message has \(length) octets"
        case .prohibited(let field, let value): "\(field) has the prohibited value 0x\(String(value, radix: 16))"
        case .unknownType(let type): "type 0x\(String(type, radix: 16)) is not known"
        }
    }
}
