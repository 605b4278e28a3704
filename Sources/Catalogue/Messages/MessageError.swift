import MeshCore

/// Why octets from outside are no message of the catalogue.
package struct MessageDecodeError: Error, Hashable, Sendable {
    /// The offset of the octet where it was found, counted from the first parameter.
    package let offset: Int
    /// The field that was being read; nil if it is the message as a whole.
    package let field: String?
    package let reason: Reason

    /// What is wrong.
    package enum Reason: Hashable, Sendable {
        /// So many octets more are needed.
        case truncated(needed: Int)
        /// So many octets follow the end of the message.
        case trailing(count: Int)
        /// The field holds a value that the specification prohibits.
        case prohibited(Int64)
        /// The field holds another value than the one of this form of the message.
        case otherForm(Int64)
        /// The octets that are left cannot be divided into fields of equal length.
        case uneven(count: Int)
        /// The text is not padded with zeros only or is no UTF-8.
        case text
        /// The catalogue knows the message by its name only.
        case nameOnly
    }

    package init(offset: Int, field: String? = nil, reason: Reason) {
        self.offset = offset
        self.field = field
        self.reason = reason
    }
}

extension MessageDecodeError: CustomStringConvertible {
    package var description: String {
        let place = (field.map { "\($0) " } ?? "") + "at octet \(offset)"
        return switch reason {
        case .truncated(let needed): "\(place): the message ends, \(needed) more octets are needed"
        case .trailing(let count): "\(place): \(count) octets too many"
        case .prohibited(let raw): "\(place): the value 0x\(String(UInt64(bitPattern: raw), radix: 16)) is prohibited"
        case .otherForm(let raw): "\(place): 0x\(String(UInt64(bitPattern: raw), radix: 16)) does not go with this form"
        case .uneven(let count): "\(place): \(count) octets cannot be divided into fields of equal length"
        case .text: "\(place): the text is not valid"
        case .nameOnly: "the parameters of this message are not known"
        }
    }
}

/// Why values are no message.
package enum MessageEncodeError: Error, Hashable, Sendable {
    /// The message has no such field; its fields are these.
    case unknownField(String, known: [String])
    case missing(String)
    /// The value does not fit into the field or is prohibited; the text says why.
    case value(String, String)
    /// The fields that are given stand together in no form of the message.
    case noForm
    /// The catalogue knows the message by its name only.
    case nameOnly
}

extension MessageEncodeError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownField(let name, let known):
            "the message has no field \(name)"
                + (known.isEmpty ? "" : "; its fields are \(known.joined(separator: ", "))")
        case .missing(let name): "the field \(name) is missing"
        case .value(let name, let reason): "\(name): \(reason)"
        case .noForm: "these fields do not stand together in any form of the message"
        case .nameOnly: "the fields of this message are not known; send it by opcode and parameters"
        }
    }
}
