/// The fields of a message, or of a part of one, in their order. How it is read, written and described follows from it.
///
///     static let layout = Layout(
///         Self.init,
///         .field("element", \.elementAddress),
///         .field("ttl", \.ttl, in: 0...0x7F, error: "TTL")
///     )
package struct Layout<Message>: Sendable {
    let read: @Sendable (inout ByteReader) throws(DecodeError) -> Message
    let write: @Sendable (Message, inout ByteWriter) -> Void
    /// The fields in the notation of the catalogue: `element:address ttl:u8`.
    let notation: String

    /// The layout of what `make` makes from the values of the fields, which are read in their order. It may refuse
    /// values that do not go together.
    package init<each Value>(
        _ make: @escaping @Sendable (repeat each Value) throws(DecodeError) -> Message,
        _ field: repeat Field<Message, each Value>
    ) {
        read = { (reader) throws(DecodeError) in try make(repeat try (each field).read(&reader)) }
        write = { message, writer in repeat (each field).write((each field).value(message), &writer) }
        var notations: [String] = []
        repeat notations.append((each field).notation)
        notation = notations.joined(separator: " ")
    }
}

/// A field of a ``Layout``: where the message keeps its value, and how the value is read, written and described.
package struct Field<Message, Value>: Sendable {
    /// The field in the notation of the catalogue.
    let notation: String
    let value: @Sendable (Message) -> Value
    let read: @Sendable (inout ByteReader) throws(DecodeError) -> Value
    let write: @Sendable (Value, inout ByteWriter) -> Void
}

extension Field where Value: AccessField {
    /// A value that every message has.
    ///
    /// - Parameters:
    ///   - name: the name in the catalogue.
    ///   - type: the type in the catalogue, if it says more than that of the values.
    package static func field(
        _ name: String,
        _ value: @escaping @Sendable (Message) -> Value,
        as type: String? = nil
    ) -> Field {
        Field(
            notation: Value.notation(named: name, type),
            value: value,
            read: { (reader) throws(DecodeError) in try Value(reading: &reader) },
            write: { $0.write(to: &$1) }
        )
    }
}

extension Field {
    /// A value at the end that may be missing.
    package static func optional<Wrapped: AccessField>(
        _ name: String,
        _ value: @escaping @Sendable (Message) -> Wrapped?,
        as type: String? = nil
    ) -> Field where Value == Wrapped? {
        Field(
            notation: "[ \(Wrapped.notation(named: name, type)) ]",
            value: value,
            read: { (reader) throws(DecodeError) in reader.isAtEnd ? nil : try Wrapped(reading: &reader) },
            write: { $0?.write(to: &$1) }
        )
    }

    /// Values up to the end.
    package static func list<Element: AccessField>(
        _ name: String,
        _ value: @escaping @Sendable (Message) -> [Element],
        as type: String? = nil
    ) -> Field where Value == [Element] {
        Field(
            notation: type.map { "\(name):\($0)" } ?? Element.listNotation(named: name),
            value: value,
            read: { (reader) throws(DecodeError) in
                var elements: [Element] = []
                while !reader.isAtEnd { elements.append(try Element(reading: &reader)) }
                return elements
            },
            write: { elements, writer in for element in elements { element.write(to: &writer) } }
        )
    }

    /// Packed key indexes up to the end.
    package static func keyIndexes<Index: KeyIndex>(
        _ name: String,
        _ value: @escaping @Sendable (Message) -> [Index]
    ) -> Field where Value == [Index] {
        Field(
            notation: "\(name):key-indexes",
            value: value,
            read: { (reader) throws(DecodeError) in try reader.readKeyIndexList() },
            write: { $1.writeKeyIndexList($0) }
        )
    }

    /// Octets up to the end.
    package static func octets(
        _ name: String,
        _ value: @escaping @Sendable (Message) -> [UInt8],
        as type: String
    ) -> Field where Value == [UInt8] {
        Field(
            notation: "\(name):\(type)",
            value: value,
            read: { (reader) in Array(reader.readRest()) },
            write: { $1.write($0) }
        )
    }
}

extension Field where Value == UInt8 {
    /// An octet; others than those allowed are prohibited.
    ///
    /// - Parameters:
    ///   - name: the name in the catalogue.
    ///   - type: the type in the catalogue, if it says more than that of the values.
    ///   - range: the values that are allowed.
    ///   - error: what an error calls the field.
    package static func field(
        _ name: String,
        _ value: @escaping @Sendable (Message) -> UInt8,
        as type: String? = nil,
        in range: ClosedRange<Int>,
        error: String
    ) -> Field {
        Field(
            notation: Value.notation(named: name, type),
            value: value,
            read: { (reader) throws(DecodeError) in
                let value = try reader.readUInt8()
                guard range.contains(Int(value)) else { throw .prohibited(field: error, value: UInt64(value)) }
                return value
            },
            write: { $0.write(to: &$1) }
        )
    }
}

/// A value that consists of the fields of its layout.
package protocol FieldStructure: AccessField {
    static var layout: Layout<Self> { get }
}

extension FieldStructure {
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self = try Self.layout.read(&reader)
    }

    package func write(to writer: inout ByteWriter) {
        Self.layout.write(self, &writer)
    }

    package static var notation: String { layout.notation }
}

/// A message that is read and written field by field. Octets that are left over are refused.
package protocol FieldMessage: AccessMessage, AccessField {}

extension FieldMessage {
    package var parameters: [UInt8] {
        var writer = ByteWriter(capacity: 32)
        write(to: &writer)
        return writer.bytes
    }

    /// Reads the fields in their order.
    ///
    /// - Throws: ``DecodeError`` if a field is missing or prohibited, or octets are left over.
    package init(parameters: ArraySlice<UInt8>) throws(DecodeError) {
        var reader = ByteReader(parameters)
        try self.init(reading: &reader)
        try reader.expectEnd()
    }
}

/// A message of a foundation model, which consists of the fields of its layout.
package protocol FoundationMessage: FieldMessage, FieldStructure {}
