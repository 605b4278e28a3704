/// Access messages packed behind each other (Mesh Protocol 1.1, Opcodes Aggregator): each is preceded by its length, in
/// one octet (bits 1-7) or, where bit 0 is set, in two (bits 1-15, least significant octet first).
struct AggregatedItems {
    /// The longest item that the length field can express.
    static let longestItem = 0x7FFF

    /// Reads items to the end; a length that needs only one octet but takes two is refused.
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

    /// Appends items; what is longer than ``longestItem`` is cut, which no access message is.
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

    /// Octets that an item of that length takes.
    static func size(of length: Int) -> Int { length + (length <= 0x7F ? 1 : 2) }
}

/// Opcodes Aggregator Sequence (Mesh Protocol 1.1): several requests to one element in one message.
package struct OpcodesAggregatorSequence: ConfigurationRequest, FieldMessage {
    package typealias Status = OpcodesAggregatorStatus
    package static let opcode: Opcode = 0x8072
    /// The element that takes the requests.
    package var elementAddress: UnicastAddress
    /// The requests, each an opcode and its parameters; may contain keys.
    package var items: [[UInt8]]

    package init(elementAddress: UnicastAddress, items: [[UInt8]]) {
        self.elementAddress = elementAddress
        self.items = items
    }

    /// Reads to the end.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        elementAddress = try UnicastAddress(reading: &reader)
        items = try AggregatedItems.read(&reader)
        guard !items.contains([]) else { throw .prohibited(field: "Item", value: 0) }
    }

    package func write(to writer: inout ByteWriter) {
        elementAddress.write(to: &writer)
        AggregatedItems.write(items, to: &writer)
    }

    package var subject: ConfigurationSubject { ConfigurationSubject(elementAddress: elementAddress) }

    /// Octets that a request adds to a sequence, and an answer to its status.
    package static func size(ofItem length: Int) -> Int { AggregatedItems.size(of: length) }
}

extension OpcodesAggregatorSequence: CustomStringConvertible, CustomReflectable {
    /// How many requests; never what is in them.
    package var description: String { "OpcodesAggregatorSequence(\(elementAddress), \(items.count) items)" }
    /// Shows no items.
    package var customMirror: Mirror { Mirror(self, children: ["elementAddress": elementAddress]) }
}

/// What came of an Opcodes Aggregator Sequence as a whole (Mesh Protocol 1.1).
package enum OpcodesAggregatorStatusCode: UInt8, CaseIterable, Hashable, Sendable, AccessField {
    /// All items were processed.
    case success = 0x00
    /// There is no such element.
    case invalidAddress = 0x01
    /// An item is of a model that takes no messages under this key.
    case wrongAccessKey = 0x02
    /// No model of the element knows the opcode of an item.
    case wrongOpcode = 0x03
    /// An item is no valid message.
    case messageNotUnderstood = 0x04
    /// The answers do not fit into one message.
    case responseOverflow = 0x05
}

/// Opcodes Aggregator Status (Mesh Protocol 1.1): the answers in the order of the requests, up to the first that
/// failed.
package struct OpcodesAggregatorStatus: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x8073
    /// What came of the sequence.
    package var status: OpcodesAggregatorStatusCode
    /// The element that took the requests.
    package var elementAddress: UnicastAddress
    /// The answers, each an opcode and its parameters; empty for a request that has no answer.
    package var items: [[UInt8]]

    package init(status: OpcodesAggregatorStatusCode, elementAddress: UnicastAddress, items: [[UInt8]]) {
        self.status = status
        self.elementAddress = elementAddress
        self.items = items
    }

    /// Reads to the end.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try OpcodesAggregatorStatusCode(reading: &reader)
        elementAddress = try UnicastAddress(reading: &reader)
        items = try AggregatedItems.read(&reader)
    }

    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        elementAddress.write(to: &writer)
        AggregatedItems.write(items, to: &writer)
    }

    package var subject: ConfigurationSubject { ConfigurationSubject(elementAddress: elementAddress) }
}
