/// The records of a text of separated values (RFC 4180), one by one. It reads quotes, doubled quotes and line breaks
/// inside them, LF and CR LF. It skips blank lines, lines of nothing but separators, and lines that start with `#`.
struct DelimitedText {
    /// A value.
    struct Field {
        /// Its text without quotes, and without the spaces around it unless they are in quotes.
        var text: String
        /// Its start, in octets from the start of the text.
        var offset: Int
    }

    /// The reason why a record cannot be read. Reading continues after it.
    struct Problem: Error, Hashable {
        var message: String
        var hint: String
        /// The place, in octets from the start of the text.
        var offset: Int
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var separator: UInt8
    private var offset: Int

    static let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]

    /// A reader that starts at an offset. The separator is the one that occurs most often in the first line with
    /// content.
    init(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) {
        self.bytes = bytes
        offset = start
        separator = Self.separators[0]
        skipLinesWithoutContent()
        let line = bytes[offset...].prefix { $0 != Self.lineFeed }
        var counts = Self.separators.map { _ in 0 }
        var isQuoted = false
        for byte in line {
            if byte == Self.quote { isQuoted.toggle() }
            if !isQuoted, let index = Self.separators.firstIndex(of: byte) { counts[index] += 1 }
        }
        let most = counts.max() ?? 0
        separator = Self.separators[counts.firstIndex(of: most) ?? 0]
    }

    /// The next record; nil at the end.
    mutating func next() throws(Problem) -> [Field]? {
        while true {
            skipLinesWithoutContent()
            guard offset < bytes.count else { return nil }
            let record = try readRecord()
            if record.contains(where: { !$0.text.isEmpty }) { return record }
        }
    }

    // MARK: - Parts

    static let mostFields = 1_000

    private static let lineFeed = UInt8(ascii: "\n")
    private static let quote = UInt8(ascii: "\"")

    private mutating func skipLinesWithoutContent() {
        while offset < bytes.count {
            let start = bytes[offset...].firstIndex { !Self.isBlank($0) } ?? bytes.count
            guard start == bytes.count || bytes[start] == Self.lineFeed || bytes[start] == UInt8(ascii: "#") else {
                return
            }
            skipLine()
        }
    }

    /// Whether it is a space or the CR of a CR LF. A tab may be a separator, so ``next()`` handles it.
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0D }

    private mutating func skipLine() {
        let end = bytes[offset...].firstIndex(of: Self.lineFeed)
        offset = end.map { $0 + 1 } ?? bytes.count
    }

    private mutating func readRecord() throws(Problem) -> [Field] {
        var fields: [Field] = []
        while true {
            guard fields.count < Self.mostFields else {
                let place = fields[0].offset
                skipLine()
                throw Problem(
                    message: "the row has more than \(Self.mostFields) values",
                    hint: "make several tables of it",
                    offset: place
                )
            }
            fields.append(try readField())
            guard offset < bytes.count, bytes[offset] == separator else { break }
            offset += 1
        }
        // Skips the line break, unless the text ends here.
        if offset < bytes.count { offset += 1 }
        return fields
    }

    /// Reads up to the separator or line break after a field.
    private mutating func readField() throws(Problem) -> Field {
        while offset < bytes.count, bytes[offset] != separator, bytes[offset] == 0x20 || bytes[offset] == 0x09 {
            offset += 1
        }
        let start = offset
        guard offset < bytes.count, bytes[offset] == Self.quote else {
            while offset < bytes.count, bytes[offset] != separator, bytes[offset] != Self.lineFeed { offset += 1 }
            var end = offset
            while end > start, Self.isBlank(bytes[end - 1]) || bytes[end - 1] == 0x09 { end -= 1 }
            return Field(text: String(decoding: bytes[start..<end], as: UTF8.self), offset: start)
        }
        offset += 1
        var text: [UInt8] = []
        while true {
            guard offset < bytes.count else {
                throw Problem(message: "the quotes are never closed", hint: "close them", offset: start)
            }
            let byte = bytes[offset]
            offset += 1
            if byte != Self.quote {
                text.append(byte)
            } else if offset < bytes.count, bytes[offset] == Self.quote {
                text.append(byte)
                offset += 1
            } else {
                break
            }
        }
        while offset < bytes.count, bytes[offset] != separator, Self.isBlank(bytes[offset]) || bytes[offset] == 0x09 {
            offset += 1
        }
        guard offset == bytes.count || bytes[offset] == separator || bytes[offset] == Self.lineFeed else {
            let place = offset
            skipLine()
            throw Problem(
                message: "text behind closing quotes",
                hint: "double each quote inside quotes",
                offset: place
            )
        }
        return Field(text: String(decoding: text, as: UTF8.self), offset: start)
    }
}
