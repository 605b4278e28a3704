/// A strict reader of JSON documents (RFC 8259). Its errors have a line and a column, and it limits the depth.
package struct JSONParser {
    /// Deeper nesting is refused. A configuration database needs 9 levels.
    package static let maximumDepth = 64
    /// Larger documents are refused. A network of 30,000 nodes needs less.
    package static let maximumSize = 256 << 20

    private let bytes: [UInt8]
    private var offset = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads a document with one value.
    ///
    /// - Throws: ``JSONError`` with line and column (in octets, both counted from 1), or without them if the document
    ///   is too large or not text in UTF-8.
    package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        guard bytes.count <= maximumSize else {
            throw JSONError(.tooLarge, "the document is larger than \(maximumSize >> 20) MiB")
        }
        if let problem = otherFormat(bytes) { throw problem }
        var parser = JSONParser(bytes)
        // A byte order mark is not JSON, but some editors write one, and RFC 8259 lets a reader ignore it.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.offset = 3 }
        parser.skipSpace()
        let value = try parser.value()
        parser.skipSpace()
        guard parser.offset == bytes.count else { throw parser.failure("there is something after the end") }
        return value
    }

    /// The problem of a document that is not text in UTF-8 at all; nil if it may be.
    private static func otherFormat(_ bytes: [UInt8]) -> JSONError? {
        if bytes.starts(with: "SQLite format 3".utf8) {
            return JSONError(.database, "this is a database of SQLite, not JSON")
        }
        // JSON begins with an ASCII character, so one of the first two octets is zero in UTF-16.
        let marks: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF]]
        let isWide = bytes.count >= 2 && (bytes[0] == 0) != (bytes[1] == 0)
        guard isWide || marks.contains(where: bytes.starts) else { return nil }
        return JSONError(.utf16, "the document is UTF-16, not UTF-8")
    }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// An error at `position`, by default the present one.
    private func failure(_ message: String, at position: Int? = nil, isCut: Bool = false) -> JSONError {
        func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        let kind: JSONError.Kind =
            if bytes.allSatisfy(isSpace) {
                .empty
            } else if isCut || position == nil && offset >= bytes.count {
                .cutOff
            } else if position == nil, bytes[..<offset].allSatisfy(isSpace) {
                .foreign
            } else {
                .malformed
            }
        return JSONError(kind, located(message, at: position))
    }

    private func located(_ message: String, at position: Int?) -> String {
        let isAtEnd = position == nil && offset >= bytes.count
        let message =
            isAtEnd && message.hasSuffix(" is expected") && !message.hasPrefix("the document ends")
            ? "the document ends where \(message)" : message
        let before = bytes.prefix(position ?? offset)
        let line = before.count { $0 == 0x0A } + 1
        let column = before.count - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        return "line \(line), column \(column): \(message)"
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        switch next {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case nil: throw failure("the document ends where a value is expected")
        default:
            guard isDigit || next == UInt8(ascii: "-") else { throw failure("a value is expected") }
            return .number(try number())
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        guard depth < JSONParser.maximumDepth else { throw failure("nested more than \(JSONParser.maximumDepth) deep") }
        depth += 1
        offset += 1
        skipSpace()
        let value = try body(&self)
        depth -= 1
        return value
    }

    private static let fewMembers = 16

    private mutating func object() throws(JSONError) -> JSONValue {
        var members: [JSONMember] = []
        // Most objects have so few members that comparing is quicker than hashing.
        var names: Set<String> = []
        if next == UInt8(ascii: "}") {
            offset += 1
            return .object([])
        }
        while true {
            guard next == UInt8(ascii: "\"") else {
                // The most common mistake gets the most helpful message.
                let isTrailing = next == UInt8(ascii: "}")
                throw failure(isTrailing ? "a comma before the closing brace" : "a member name in quotes is expected")
            }
            let position = offset
            let name = try string()
            if members.count == Self.fewMembers { names = Set(members.map(\.name)) }
            let isNew =
                members.count < Self.fewMembers
                ? !members.contains { $0.name == name } : names.insert(name).inserted
            guard isNew else {
                throw failure("the member \"\(name)\" is there twice", at: position)
            }
            skipSpace()
            guard next == UInt8(ascii: ":") else { throw failure("a colon is expected") }
            offset += 1
            skipSpace()
            members.append(JSONMember(name, try value()))
            skipSpace()
            switch next {
            case UInt8(ascii: ","):
                offset += 1
                skipSpace()
            case UInt8(ascii: "}"):
                offset += 1
                return .object(members)
            default: throw failure("a comma or a closing brace is expected")
            }
        }
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        var items: [JSONValue] = []
        if next == UInt8(ascii: "]") {
            offset += 1
            return .array([])
        }
        while true {
            if next == UInt8(ascii: "]") { throw failure("a comma before the closing bracket") }
            items.append(try value())
            skipSpace()
            switch next {
            case UInt8(ascii: ","):
                offset += 1
                skipSpace()
            case UInt8(ascii: "]"):
                offset += 1
                return .array(items)
            default: throw failure("a comma or a closing bracket is expected")
            }
        }
    }

    private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let length = word.utf8CodeUnitCount
        guard bytes[offset...].prefix(length).elementsEqual("\(word)".utf8) else {
            let isCut = bytes.count - offset < length && "\(word)".utf8.starts(with: bytes[offset...])
            throw failure("a value is expected", isCut: isCut)
        }
        offset += length
        return value
    }

    /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
    private mutating func number() throws(JSONError) -> String {
        let start = offset
        if next == UInt8(ascii: "-") { offset += 1 }
        if next == UInt8(ascii: "0") {
            offset += 1
            if isDigit { throw failure("a number must not begin with 0") }
        } else {
            try digits()
        }
        if next == UInt8(ascii: ".") {
            offset += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            offset += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private var isDigit: Bool { next.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false }

    private mutating func digits() throws(JSONError) {
        guard isDigit else { throw failure("a digit is expected") }
        while isDigit { offset += 1 }
    }

    private mutating func string() throws(JSONError) -> String {
        let start = offset
        offset += 1
        let plainEnd = bytes[offset...].firstIndex { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 < 0x20 }
        var text: [UInt8] = []
        if let plainEnd {
            // Most strings have no escapes, and need no copy.
            if bytes[plainEnd] == UInt8(ascii: "\""),
                let string = String(validating: bytes[offset..<plainEnd], as: UTF8.self)
            {
                offset = plainEnd + 1
                return string
            }
            text += bytes[offset..<plainEnd]
            offset = plainEnd
        }
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw failure("a string that is not UTF-8", at: start)
                }
                return string
            case UInt8(ascii: "\\"):
                offset += 1
                try escape(into: &text)
            case ..<0x20:
                throw failure("a control character in a string")
            default:
                text.append(byte)
                offset += 1
            }
        }
        throw failure("a string without an end", at: start, isCut: true)
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        guard let byte = next else { throw failure("a string without an end", isCut: true) }
        if let character = JSONParser.plainEscape(byte) {
            offset += 1
            text.append(character)
            return
        }
        guard byte == UInt8(ascii: "u") else { throw failure("an unknown escape") }
        offset += 1
        var value = UInt32(try hexadecimal())
        if (0xD800..<0xDC00).contains(value), next == UInt8(ascii: "\\") {
            offset += 1
            guard next == UInt8(ascii: "u") else { throw failure("half a surrogate pair") }
            offset += 1
            let low = UInt32(try hexadecimal())
            guard (0xDC00..<0xE000).contains(low) else { throw failure("half a surrogate pair") }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw failure("half a surrogate pair") }
        text.append(contentsOf: String(Character(scalar)).utf8)
    }

    /// The octet that a letter after a reverse solidus stands for; nil for others.
    private static func plainEscape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt16 {
        let digits = bytes[offset...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw failure("four hexadecimal digits are expected", isCut: digits.count < 4) }
        offset += 4
        return value
    }
}
