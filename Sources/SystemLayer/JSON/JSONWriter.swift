extension JSONValue {
    /// The octets of a document: two spaces a level, as the mesh's own tools write it, and a final line feed.
    package func document() -> [UInt8] {
        var writer = JSONWriter(isIndented: true)
        writer.write(self)
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// The text of the value on one line, without a line feed.
    package var line: String {
        var writer = JSONWriter(isIndented: false)
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// Writes values as JSON (RFC 8259). In texts it escapes what some readers take for the end of a line, and
/// what steers a terminal or the direction of writing.
private struct JSONWriter {
    /// Whether every item gets a line of its own.
    let isIndented: Bool
    private(set) var bytes: [UInt8] = []
    private var depth = 0

    init(isIndented: Bool) {
        self.isIndented = isIndented
    }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let spelling): bytes += spelling.utf8
        case .string(let text): quote(text)
        case .array(let items):
            writeList(items, "[", "]") { writer, item in writer.write(item) }
        case .object(let members):
            writeList(members, "{", "}") { writer, member in
                writer.quote(member.name)
                writer.bytes += (writer.isIndented ? ": " : ":").utf8
                writer.write(member.value)
            }
        }
    }

    private mutating func writeList<Item>(
        _ items: [Item],
        _ opening: String,
        _ closing: String,
        _ write: (inout JSONWriter, Item) -> Void
    ) {
        bytes += opening.utf8
        depth += 1
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine()
            write(&self, item)
        }
        depth -= 1
        if !items.isEmpty { breakLine() }
        bytes += closing.utf8
    }

    private mutating func breakLine() {
        guard isIndented else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes += repeatElement(UInt8(ascii: " "), count: 2 * depth)
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes += "\\\"".utf8
            case "\\": bytes += "\\\\".utf8
            case "\n": bytes += "\\n".utf8
            case "\r": bytes += "\\r".utf8
            case "\t": bytes += "\\t".utf8
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{AD}", "\u{61C}", "\u{200E}", "\u{200F}",
                "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{FEFF}":
                let digits = String(scalar.value, radix: 16)
                bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
            default: bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
