/// Reads the YAML that definitions are written in: mappings, lists, and texts on one line. That is a few times faster
/// than libyaml, which takes most of the time of reading.
///
/// It gives the same tree as ``TreeBuilder``, or none: whatever else YAML has, and whatever is wrong, is left to
/// libyaml.
struct PlainTreeReader {
    /// Something that is left to libyaml.
    struct Unusual: Error {}

    private let text: UnsafeBufferPointer<UInt8>
    private let limits: ReadingLimits
    private var tree = DocumentTree()
    private var place = 0
    private var line: UInt32 = 1
    private var lineStart = 0
    /// Whether the texts of the line so far have only ASCII, so that columns are octets.
    private var isLineASCII = true
    /// A place on the line and the characters before it, so that columns of a long line are not counted from its start.
    private var measured = (place: 0, characters: 0)
    private var depth = 0

    private init(_ text: UnsafeBufferPointer<UInt8>, limits: ReadingLimits) {
        self.text = text
        self.limits = limits
        // About as many nodes as a file of that size has, so the list need not move while it grows. Unused memory is
        // never touched.
        tree.nodes.reserveCapacity(min(text.count / 10, limits.nodes))
    }

    /// The tree of a file with one document; nil if libyaml must read it.
    ///
    /// - Parameter text: UTF-8 without byte order mark, in which ``TextScan`` has found no problem.
    static func tree(
        of text: UnsafeBufferPointer<UInt8>,
        limits: ReadingLimits,
        symbols: inout SymbolTable
    ) -> DocumentTree? {
        var reader = PlainTreeReader(text, limits: limits)
        do throws(Unusual) {
            try reader.readDocument(&symbols)
        } catch {
            return nil
        }
        return reader.tree
    }

    private mutating func readDocument(_ symbols: inout SymbolTable) throws(Unusual) {
        _ = try skipSpace()
        guard place < text.count else { throw Unusual() }
        try readNode(isRoot: true, &symbols)
        guard place == text.count else { throw Unusual() }
    }

    // MARK: - Lines

    /// Reads a node at the current place, from where it goes on, to the next text after it.
    ///
    /// - Parameter isRoot: whether it is the whole document.
    private mutating func readNode(isRoot: Bool = false, _ symbols: inout SymbolTable) throws(Unusual) {
        let column = place - lineStart
        switch text[place] {
        case UInt8(ascii: "-") where isBlank(place + 1): return try readList(at: column, &symbols)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            try readBrackets(&symbols)
            return try endLine()
        default: break
        }
        let scalar = try scan(inBrackets: false)
        if scalar.isKey { return try readMapping(at: column, &symbols) }
        guard !isRoot else { throw Unusual() }
        try append(scalar, &symbols)
        try endLine()
    }

    private mutating func readMapping(at column: Int, _ symbols: inout SymbolTable) throws(Unusual) {
        let node = try begin(.mapping)
        repeat {
            let key = try scan(inBrackets: false)
            guard key.isKey else { throw Unusual() }
            try append(key, &symbols)
            place += 1
            try readValue(inMappingAt: column, &symbols)
        } while try isNextEntry(at: column) && !isDash()
        guard !isDashAt(column) else { throw Unusual() }
        end(node)
    }

    private mutating func readValue(inMappingAt column: Int, _ symbols: inout SymbolTable) throws(Unusual) {
        let (colon, colonLine, colonColumn) = (place, line, self.column(of: place))
        skipBlanks()
        guard isLineEnd else {
            switch text[place] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): try readBrackets(&symbols)
            case UInt8(ascii: "-") where isBlank(place + 1): throw Unusual()
            default:
                let scalar = try scan(inBrackets: false)
                guard !scalar.isKey else { throw Unusual() }
                try append(scalar, &symbols)
            }
            return try endLine()
        }
        _ = try skipSpace()
        if place < text.count, place - lineStart > column { return try readNode(&symbols) }
        if isDashAt(column) { return try readList(at: column, &symbols) }
        // Nothing stands there.
        guard tree.nodes.count < limits.nodes else { throw Unusual() }
        let nothing = symbols.intern(UnsafeBufferPointer(rebasing: text[colon..<colon]))
        tree.nodes.append(
            DocumentTree.Node(line: colonLine, column: colonColumn, value: nothing, length: 1, kind: .plain)
        )
    }

    private mutating func readList(at column: Int, _ symbols: inout SymbolTable) throws(Unusual) {
        let node = try begin(.sequence)
        repeat {
            place += 1
            skipBlanks()
            if isLineEnd {
                _ = try skipSpace()
                guard place < text.count, place - lineStart > column else { throw Unusual() }
            }
            try readNode(&symbols)
        } while try isNextEntry(at: column) && isDash()
        end(node)
    }

    /// Whether what follows is in the column of a list or mapping. Behind it, nothing may be.
    private func isNextEntry(at column: Int) throws(Unusual) -> Bool {
        guard place < text.count else { return false }
        guard place - lineStart <= column else { throw Unusual() }
        return place - lineStart == column
    }

    private func isDash() -> Bool { text[place] == UInt8(ascii: "-") && isBlank(place + 1) }

    private func isDashAt(_ column: Int) -> Bool { place < text.count && place - lineStart == column && isDash() }

    /// Whether nothing but a comment is left of the line.
    private var isLineEnd: Bool {
        place == text.count || text[place] == UInt8(ascii: "\n") || text[place] == UInt8(ascii: "#")
    }

    /// Goes on to the next text, which must be on another line.
    private mutating func endLine() throws(Unusual) {
        let isOver = try skipSpace()
        guard isOver || place == text.count else { throw Unusual() }
    }

    // MARK: - Brackets

    /// Reads a list or mapping in brackets.
    private mutating func readBrackets(_ symbols: inout SymbolTable) throws(Unusual) {
        let isList = text[place] == UInt8(ascii: "[")
        let closing = isList ? UInt8(ascii: "]") : UInt8(ascii: "}")
        let node = try begin(isList ? .sequence : .mapping)
        place += 1
        try skipInBrackets()
        if text[place] == closing {
            place += 1
            return end(node)
        }
        while true {
            if !isList {
                let key = try scan(inBrackets: true)
                guard key.isKey else { throw Unusual() }
                try append(key, &symbols)
                place += 1
                try skipInBrackets()
            }
            switch text[place] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): try readBrackets(&symbols)
            default:
                let scalar = try scan(inBrackets: true)
                guard !scalar.isKey else { throw Unusual() }
                try append(scalar, &symbols)
            }
            try skipInBrackets()
            let next = text[place]
            place += 1
            if next == closing { break }
            guard next == UInt8(ascii: ",") else { throw Unusual() }
            try skipInBrackets()
        }
        end(node)
    }

    private mutating func skipInBrackets() throws(Unusual) {
        _ = try skipSpace()
        guard place < text.count else { throw Unusual() }
    }

    // MARK: - Texts

    /// A text on one line.
    private struct Scalar {
        var start: Int
        /// The end, with quotes.
        var end: Int
        var kind: DocumentTree.Kind
        /// Whether a colon follows, so that it is a key.
        var isKey: Bool
    }

    /// Finds the text at the current place, which it does not leave.
    private mutating func scan(inBrackets: Bool) throws(Unusual) -> Scalar {
        guard place < text.count else { throw Unusual() }
        let scalar =
            switch text[place] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): try scanQuoted()
            default: try scanPlain(inBrackets: inBrackets)
            }
        // libyaml takes no longer keys.
        guard !scalar.isKey || scalar.end - scalar.start <= 1000 else { throw Unusual() }
        return scalar
    }

    private mutating func scanQuoted() throws(Unusual) -> Scalar {
        let quote = text[place]
        var end = place + 1
        while true {
            guard end < text.count else { throw Unusual() }
            let byte = text[end]
            end += 1
            if byte == quote { break }
            if byte == UInt8(ascii: "\\") || byte < 0x20 { throw Unusual() }
            if byte >= 0x80 { isLineASCII = false }
        }
        // Two single quotes mean one.
        if end < text.count, text[end] == quote { throw Unusual() }
        let isKey = end < text.count && text[end] == UInt8(ascii: ":")
        guard !isKey || isBlank(end + 1) else { throw Unusual() }
        return Scalar(start: place, end: end, kind: .quoted, isKey: isKey)
    }

    private mutating func scanPlain(inBrackets: Bool) throws(Unusual) -> Scalar {
        guard Self.beginsPlain(text[place]), !(text[place] == UInt8(ascii: "-") && !isInside(place + 1, inBrackets))
        else {
            throw Unusual()
        }
        let start = place
        var end = start + 1
        if text[start] >= 0x80 { isLineASCII = false }
        while end < text.count {
            let byte = text[end]
            if Self.isWord(byte) {
                end += 1
                continue
            }
            switch byte {
            case UInt8(ascii: "\n"): return plain(start, end)
            case UInt8(ascii: ":"):
                if isBlank(end + 1) {
                    guard text[end - 1] != UInt8(ascii: " ") else { throw Unusual() }
                    return Scalar(start: start, end: end, kind: .plain, isKey: true)
                }
                guard !inBrackets || isInside(end + 1, true) else { throw Unusual() }
            case UInt8(ascii: "#") where text[end - 1] == UInt8(ascii: " "): return plain(start, end)
            case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"):
                if inBrackets { return plain(start, end) }
            case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "?"): if inBrackets { throw Unusual() }
            case ..<0x20: throw Unusual()
            case 0x80...: isLineASCII = false
            default: break
            }
            end += 1
        }
        return plain(start, end)
    }

    /// A text without quotes, up to the spaces at its end.
    private func plain(_ start: Int, _ end: Int) -> Scalar {
        var end = end
        while end > start, text[end - 1] == UInt8(ascii: " ") { end -= 1 }
        return Scalar(start: start, end: end, kind: .plain, isKey: false)
    }

    /// Whether a text without quotes may begin so.
    private static func beginsPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"),
            UInt8(ascii: "#"), UInt8(ascii: "&"), UInt8(ascii: "*"), UInt8(ascii: "!"), UInt8(ascii: "|"),
            UInt8(ascii: ">"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "%"), UInt8(ascii: "@"),
            UInt8(ascii: "`"), UInt8(ascii: "?"), UInt8(ascii: ":"):
            false
        default: byte > 0x20
        }
    }

    /// Whether it is a letter or digit, or means nothing in YAML, wherever it stands in a text.
    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: " "):
            true
        default: false
        }
    }

    /// Whether a text without quotes goes on at a place.
    private func isInside(_ place: Int, _ isInBrackets: Bool) -> Bool {
        guard !isBlank(place) else { return false }
        switch text[place] {
        case UInt8(ascii: ","), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
            UInt8(ascii: "}"):
            return !isInBrackets
        default: return true
        }
    }

    // MARK: - Space

    /// Whether a space, line break or the end is at a place.
    private func isBlank(_ place: Int) -> Bool { place >= text.count || text[place] <= 0x20 }

    private mutating func skipBlanks() {
        while place < text.count, text[place] == UInt8(ascii: " ") { place += 1 }
    }

    /// Goes on to the next text, past line breaks and comments.
    ///
    /// - Returns: whether it is on another line.
    private mutating func skipSpace() throws(Unusual) -> Bool {
        var isOver = false
        while place < text.count {
            switch text[place] {
            case UInt8(ascii: " "): place += 1
            case UInt8(ascii: "\n"):
                place += 1
                line += 1
                lineStart = place
                isLineASCII = true
                isOver = true
            case UInt8(ascii: "#"):
                guard place == lineStart || text[place - 1] == UInt8(ascii: " ") else { throw Unusual() }
                while place < text.count, text[place] != UInt8(ascii: "\n") { place += 1 }
            case ..<0x20: throw Unusual()
            default:
                if place == lineStart { try checkLineStart() }
                return isOver
            }
        }
        return isOver
    }

    /// Refuses directives, and marks between documents.
    private func checkLineStart() throws(Unusual) {
        let byte = text[place]
        if byte == UInt8(ascii: "%") { throw Unusual() }
        guard byte == UInt8(ascii: "-") || byte == UInt8(ascii: "."), place + 2 < text.count else { return }
        if text[place + 1] == byte, text[place + 2] == byte { throw Unusual() }
    }

    // MARK: - Nodes

    /// The column of a place on the current line, in characters from 1.
    private mutating func column(of place: Int) -> UInt32 {
        if isLineASCII { return UInt32(clamping: place - lineStart + 1) }
        if measured.place < lineStart || measured.place > place { measured = (lineStart, 0) }
        measured.characters += width(measured.place, place)
        measured.place = place
        return UInt32(clamping: measured.characters + 1)
    }

    private func width(_ start: Int, _ end: Int) -> Int { text[start..<end].count { $0 & 0xC0 != 0x80 } }

    private mutating func begin(_ kind: DocumentTree.Kind) throws(Unusual) -> Int {
        guard depth < limits.depth, tree.nodes.count < limits.nodes else { throw Unusual() }
        depth += 1
        let column = column(of: place)
        tree.nodes.append(DocumentTree.Node(line: line, column: column, value: 0, length: 1, kind: kind))
        return tree.nodes.count - 1
    }

    private mutating func end(_ node: Int) {
        depth -= 1
        tree.nodes[node].value = UInt32(tree.nodes.count)
    }

    /// Appends a text and leaves it.
    private mutating func append(_ scalar: Scalar, _ symbols: inout SymbolTable) throws(Unusual) {
        let quotes = scalar.kind == .quoted ? 1 : 0
        let contents = (scalar.start + quotes)..<(scalar.end - quotes)
        guard contents.count <= limits.scalarSize, tree.nodes.count < limits.nodes else { throw Unusual() }
        let symbol = symbols.intern(UnsafeBufferPointer(rebasing: text[contents]))
        if symbols.hasReference(symbol) { tree.hasReferences = true }
        let length = isLineASCII ? scalar.end - scalar.start : width(scalar.start, scalar.end)
        let column = column(of: scalar.start)
        tree.nodes.append(
            DocumentTree.Node(
                line: line,
                column: column,
                value: symbol,
                length: UInt16(clamping: length),
                kind: scalar.kind
            )
        )
        place = scalar.end
    }
}
