/// A JSON value that loses nothing: members keep their order, and numbers their spelling (RFC 8259).
///
/// Foundation's decoder is not suitable. It does not tell where in a document a problem is, nor how an unknown member
/// spells its number; but unknown members must survive import and export.
package indirect enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number as it is spelt, `1.0e3`.
    case number(String)
    /// A string, unescaped.
    case string(String)
    case array([JSONValue])
    /// An object; names are unique.
    case object([JSONMember])
}

/// One member of an object.
package struct JSONMember: Hashable, Sendable {
    package var name: String
    package var value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }
}

extension JSONValue {
    /// What kind of value it is, for messages.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    package static func integer(_ value: some BinaryInteger) -> JSONValue {
        .number(String(value))
    }
}
