internal import MeshCore

/// A JSON value that loses nothing: members keep their order and numbers their spelling (RFC 8259).
///
/// Foundation's decoder is not used because it tells neither the position of a problem in a document nor the
/// spelling of numbers it was not asked for, and what is unknown must survive import and export.
package indirect enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number as it is spelt, `1.0e3`.
    case number(String)
    /// A string, unescaped.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object; names are unique.
    case object([JSONMember])
}

/// One member of an object.
package struct JSONMember: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// Its value.
    package var value: JSONValue

    /// A member.
    package init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }
}

extension JSONValue {
    /// What kind of value it is, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// An integer as a number.
    static func integer(_ value: some BinaryInteger) -> JSONValue {
        .number(String(value))
    }

    /// The bytes of the document, two spaces a level, as the mesh's own tools write it, with a final line feed.
    func document() -> [UInt8] {
        var bytes: [UInt8] = []
        write(into: &bytes, indentation: 0)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private func write(into bytes: inout [UInt8], indentation: Int) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let spelling): bytes += spelling.utf8
        case .string(let text): JSONValue.quote(text, into: &bytes)
        case .array(let items):
            JSONValue.writeList(items, brackets: ("[", "]"), into: &bytes, indentation) { item, bytes in
                item.write(into: &bytes, indentation: indentation + 1)
            }
        case .object(let members):
            JSONValue.writeList(members, brackets: ("{", "}"), into: &bytes, indentation) { member, bytes in
                JSONValue.quote(member.name, into: &bytes)
                bytes += ": ".utf8
                member.value.write(into: &bytes, indentation: indentation + 1)
            }
        }
    }

    private static func writeList<Item>(
        _ items: [Item],
        brackets: (String, String),
        into bytes: inout [UInt8],
        _ indentation: Int,
        _ write: (Item, inout [UInt8]) -> Void
    ) {
        bytes += brackets.0.utf8
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "\n"))
            bytes += repeatElement(UInt8(ascii: " "), count: 2 * (indentation + 1))
            write(item, &bytes)
        }
        if !items.isEmpty {
            bytes.append(UInt8(ascii: "\n"))
            bytes += repeatElement(UInt8(ascii: " "), count: 2 * indentation)
        }
        bytes += brackets.1.utf8
    }

    private static func quote(_ text: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: bytes += "\\n".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0x09: bytes += "\\t".utf8
            case ..<0x20: bytes += ("\\u00" + byte.hexadecimal).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
