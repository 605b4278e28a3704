/// A sequence of access messages (Mesh Protocol 1.1, Opcodes Aggregator). The length of each precedes it, in one octet
/// (bits 1-7) or, if bit 0 is set, in two (bits 1-15, least significant octet first).
enum AggregatedItems {
    /// The longest item that the length field can express.
    static let longestItem = 0x7FFF

    /// Reads items to the end.
    ///
    /// - Throws: ``DecodeError`` if an item is truncated, or a length takes two octets where one is enough.
    static func read(_ reader: inout ByteReader) throws(DecodeError) -> [[UInt8]] {
        var items: [[UInt8]] = []
        while !reader.isAtEnd {
            let low = try reader.readUInt8()
            var length = Int(low >> 1)
            if low & 1 == 1 {
                length |= Int(try reader.readUInt8()) << 7
                guard length > 0x7F else { throw .length(length) }
            }
            items.append(Array(try reader.read(length)))
        }
        return items
    }

    /// Appends items. An item longer than ``longestItem`` is cut; no access message is that long.
    static func write(_ items: [[UInt8]], to writer: inout ByteWriter) {
        for item in items {
            let item = item.prefix(longestItem)
            if item.count <= 0x7F {
                writer.write(UInt8(item.count) << 1)
            } else {
                writer.writeLittleEndian(UInt16(item.count) << 1 | 1)
            }
            writer.write(Array(item))
        }
    }

    /// The items as a field. They may be empty only in a status.
    static func field<Message>(
        _ name: String,
        _ items: @escaping @Sendable (Message) -> [[UInt8]],
        mayBeEmpty: Bool
    ) -> Field<Message, [[UInt8]]> {
        Field(
            notation: "\(name):data",
            value: items,
            read: { (reader) throws(DecodeError) in
                let items = try read(&reader)
                guard mayBeEmpty || !items.contains([]) else { throw .prohibited(field: "Item", value: 0) }
                return items
            },
            write: { write($0, to: &$1) }
        )
    }

    /// The number of octets that an item of that length takes, its length field included.
    static func size(of length: Int) -> Int { length + (length <= 0x7F ? 1 : 2) }
}

/// Opcodes Aggregator Sequence (Mesh Protocol 1.1): several requests to one element in one message.
package struct OpcodesAggregatorSequence: ConfigurationRequest, FoundationMessage {
    package typealias Status = OpcodesAggregatorStatus
    package static let opcode: Opcode = 0x8072
    package static let layout = Layout(
        Self.init,
        .field("element", \.elementAddress),
        AggregatedItems.field("items", \.items, mayBeEmpty: false)
    )
    /// The element that receives the requests.
    package var elementAddress: UnicastAddress
    /// The requests, each an opcode and its parameters. They may contain keys.
    package var items: [[UInt8]]

    package init(elementAddress: UnicastAddress, items: [[UInt8]]) {
        self.elementAddress = elementAddress
        self.items = items
    }

    package var subject: ConfigurationSubject { ConfigurationSubject(elementAddress: elementAddress) }

    /// The number of octets that a request of that length adds to a sequence, or an answer to a status.
    package static func size(ofItem length: Int) -> Int { AggregatedItems.size(of: length) }
}

extension OpcodesAggregatorSequence: CustomStringConvertible, CustomReflectable {
    /// Shows the number of requests, and hides their contents, which may hold keys.
    package var description: String { "OpcodesAggregatorSequence(\(elementAddress), \(items.count) items)" }
    /// Hides the items, which may hold keys.
    package var customMirror: Mirror { Mirror(self, children: ["elementAddress": elementAddress]) }
}

/// The outcome of a whole Opcodes Aggregator Sequence (Mesh Protocol 1.1).
package enum OpcodesAggregatorStatusCode: UInt8, CaseIterable, Hashable, Sendable, AccessField {
    package static let notation = "$:aggregator-status"
    case success = 0x00
    /// The node has no such element.
    case invalidAddress = 0x01
    /// The model of an item does not accept messages under this key.
    case wrongAccessKey = 0x02
    /// No model of the element knows the opcode of an item.
    case wrongOpcode = 0x03
    /// An item is not a valid message.
    case messageNotUnderstood = 0x04
    /// The answers do not fit into one message.
    case responseOverflow = 0x05
}

/// Opcodes Aggregator Status (Mesh Protocol 1.1): the answers in the order of the requests, up to the first failure.
package struct OpcodesAggregatorStatus: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x8073
    package static let layout = Layout(
        Self.init,
        .field("status", \.status),
        .field("element", \.elementAddress),
        AggregatedItems.field("status_items", \.items, mayBeEmpty: true)
    )
    package var status: OpcodesAggregatorStatusCode
    /// The element that received the requests.
    package var elementAddress: UnicastAddress
    /// The answers, each an opcode and its parameters; empty for a request without an answer.
    package var items: [[UInt8]]

    package init(status: OpcodesAggregatorStatusCode, elementAddress: UnicastAddress, items: [[UInt8]]) {
        self.status = status
        self.elementAddress = elementAddress
        self.items = items
    }

    package var subject: ConfigurationSubject { ConfigurationSubject(elementAddress: elementAddress) }
}
