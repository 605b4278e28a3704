import DefinitionModel

/// Lays the tokens of a definition out again. Lines stay lines; what changes is the space before and in them, and
/// quotes that no reader needs.
struct LayoutBuilder {
    /// A list or mapping whose entries have lines of their own.
    struct Block {
        var number: Int
        var isList: Bool
        /// Whether it is a list in the columns of the mapping around it, which has no end of its own.
        var isOpenEnded = false
        /// The column where its entries were.
        var column: Int
        /// The column where its entries are now.
        var indent: Int
    }

    let source: UnsafeBufferPointer<UInt8>
    private(set) var lines: [LayoutLine] = []
    /// The line that is being written.
    var line = LayoutLine()
    /// The lists and mappings around the current place.
    var blocks: [Block] = []
    /// The lists and mappings that have ended since the last text.
    private(set) var ended: [Block] = []
    private var blockCount = 0
    /// The column of what stands in the outermost brackets, but for the steps of the brackets.
    private var base = 0
    /// By how much each of the open brackets moves lines in it.
    private var steps: [Int] = []
    private var previous: YAMLToken?
    /// Whether the next text is a key on a line of its own, not a value.
    private var beginsEntry = false

    private init(_ source: UnsafeBufferPointer<UInt8>) { self.source = source }

    /// The lines of a text, from its tokens.
    static func lines(of source: UnsafeBufferPointer<UInt8>, _ tokens: [YAMLToken]) -> [LayoutLine] {
        var builder = LayoutBuilder(source)
        for token in tokens { builder.take(token) }
        return builder.lines
    }

    /// Whether the current place is in brackets.
    var isInBrackets: Bool { !steps.isEmpty }

    // MARK: - Structure

    private mutating func take(_ token: YAMLToken) {
        switch token.kind {
        case .blockSequenceStart: begin(isList: true, at: token)
        case .blockMappingStart: begin(isList: false, at: token)
        case .blockEnd:
            endOpenEndedList()
            end()
        case .key:
            if !isInBrackets { endOpenEndedList() }
            beginsEntry = !isInBrackets
            if !token.isEmpty { write(token) }
        case .value:
            if !isInBrackets { beginsEntry = true }
            write(token)
        case .blockEntry:
            if blocks.last?.isList != true { begin(isList: true, at: token, isOpenEnded: true) }
            beginsEntry = true
            write(token)
        case .end: finish(token)
        default: write(token)
        }
    }

    private mutating func begin(isList: Bool, at token: YAMLToken, isOpenEnded: Bool = false) {
        blockCount += 1
        let indent = blocks.last.map { $0.indent + 2 } ?? 0
        blocks.append(
            Block(number: blockCount, isList: isList, isOpenEnded: isOpenEnded, column: token.column, indent: indent)
        )
    }

    private mutating func end() {
        if let block = blocks.popLast() { ended.append(block) }
    }

    private mutating func endOpenEndedList() {
        if blocks.last?.isOpenEnded == true { end() }
    }

    // MARK: - Lines

    private mutating func write(_ token: YAMLToken) {
        let indent = indent(for: token)
        let isNewLine = takeGap(before: token, indent: indent)
        if isNewLine {
            line.indent = indent
        } else {
            separate(token)
        }
        if !isInBrackets, previous?.kind == .value, !isNewLine, let block = blocks.last {
            line.value = LayoutLine.Value(block: block.number, start: line.text.count, column: token.column)
        }
        switch token.kind {
        case .listStart, .mappingStart:
            if !isInBrackets { base = isNewLine ? indent : contentIndent(isEntry: blocks.last?.isList != true) }
            let isFirst = line.text.allSatisfy { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: " ") }
            steps.append(token.kind == .listStart && isFirst ? 1 : 2)
        case .listEnd, .mappingEnd: _ = steps.popLast()
        default: break
        }
        write(text: token)
        previous = token
        ended = []
        beginsEntry = false
    }

    /// The column of the token if it begins a line.
    private func indent(for token: YAMLToken) -> Int {
        guard isInBrackets else { return contentIndent(isEntry: beginsEntry) }
        return bracketIndent - (token.isClosing ? steps.last ?? 0 : 0)
    }

    /// The column of what stands in the current brackets.
    var bracketIndent: Int { base + steps.reduce(0, +) }

    /// The column of an entry of the innermost list or mapping, or of what is in an entry.
    func contentIndent(isEntry: Bool = false) -> Int {
        guard let block = blocks.last else { return 0 }
        return block.indent + (isEntry ? 0 : 2)
    }

    /// The column where a text goes on that begins at the current place.
    var continuationIndent: Int { isInBrackets ? bracketIndent : contentIndent() }

    mutating func breakLine() {
        lines.append(line)
        line = LayoutLine()
    }

    /// Appends the space between the token before and one on the same line.
    private mutating func separate(_ token: YAMLToken) {
        guard let previous else { return }
        if previous.kind == .comma, token.isClosing, line.text.last == UInt8(ascii: ",") { line.text.removeLast() }
        switch (previous.kind, token.kind) {
        case (.listStart, _), (_, .listEnd), (.mappingStart, .mappingEnd), (_, .comma): return
        case (.alias, .value), (.anchor, .value), (.tag, .value), (.key, .value): break
        case (.mappingStart, .value), (.comma, .value): break
        case (_, .value): return
        default: break
        }
        line.text.append(UInt8(ascii: " "))
    }

    private mutating func finish(_ token: YAMLToken) {
        _ = takeGap(before: token, indent: 0)
        if !line.text.isEmpty || line.comment != nil || line.isPartOfText { breakLine() }
    }

    // MARK: - Between tokens

    /// Takes the comments and blank lines before a token.
    ///
    /// - Parameter indent: the column of the token if it begins a line.
    /// - Returns: whether it begins a line.
    private mutating func takeGap(before token: YAMLToken, indent: Int) -> Bool {
        var start = previous?.end ?? 0
        let end = max(token.start, start)
        // A text behind `|` ends where the next line begins.
        var isLineStart = previous == nil || previous?.kind == .block
        if previous?.kind == .block, start < end || token.kind != .end { breakLine() }
        var isNewLine = isLineStart
        while start < end {
            let lineEnd = source[start..<end].firstIndex(of: UInt8(ascii: "\n"))
            let piece = source[start..<(lineEnd ?? end)]
            if let mark = piece.firstIndex(of: UInt8(ascii: "#")) {
                take(
                    comment: Array(source[mark..<(lineEnd ?? end)]),
                    column: column(of: mark),
                    isOwnLine: isLineStart,
                    before: token,
                    indent: indent
                )
            } else if isLineStart, lineEnd != nil {
                lines.append(LayoutLine())
            }
            guard let lineEnd else { break }
            if !isLineStart { breakLine() }
            isLineStart = true
            isNewLine = true
            start = lineEnd + 1
        }
        return isNewLine
    }

    private mutating func take(
        comment: [UInt8],
        column: Int,
        isOwnLine: Bool,
        before token: YAMLToken,
        indent: Int
    ) {
        let text = comment.trimmingEnd()
        guard isOwnLine else {
            line.comment = LayoutLine.Comment(text: text, column: column)
            return
        }
        let own = LayoutLine(
            indent: commentIndent(column: column, before: token, indent: indent),
            text: text,
            isComment: true
        )
        lines.append(own)
    }

    /// The column for a comment on a line of its own: that of what follows, or that of the list or mapping before it
    /// which it was indented like.
    private func commentIndent(column: Int, before token: YAMLToken, indent: Int) -> Int {
        if isInBrackets { return bracketIndent }
        let next = token.kind == .end ? 0 : token.column
        guard column > next else { return indent }
        let owner = ended.filter { $0.column <= column && $0.column > next }.max { $0.column < $1.column }
        return owner?.indent ?? indent
    }

    /// The column of an octet, in characters.
    private func column(of offset: Int) -> Int {
        var column = 0
        var index = offset
        while index > 0, source[index - 1] != UInt8(ascii: "\n") {
            index -= 1
            if source[index] & 0xC0 != 0x80 { column += 1 }
        }
        return column
    }
}

extension [UInt8] {
    /// The same without spaces, tabs and carriage returns at the end.
    func trimmingEnd() -> [UInt8] {
        var end = endIndex
        while end > startIndex, [0x20, 0x09, 0x0D].contains(self[end - 1]) { end -= 1 }
        return Array(self[..<end])
    }
}

extension LayoutBuilder {
    /// Appends what a token says.
    mutating func write(text token: YAMLToken) {
        let raw = source[token.start..<token.end]
        switch token.kind {
        case .block: write(block: Array(raw))
        case .plain, .singleQuoted, .doubleQuoted:
            if raw.contains(UInt8(ascii: "\n")) {
                write(severalLines: Array(raw), isDoubleQuoted: token.kind == .doubleQuoted)
            } else {
                if token.kind == .plain { line.text += raw } else { line.text += Self.requoted(Array(raw), token.kind) }
            }
        default: line.text += raw
        }
    }

    /// A text in quotes without them if no reader needs them, and else in double quotes unless that needs escapes.
    private static func requoted(_ raw: [UInt8], _ kind: YAMLToken.Kind) -> [UInt8] {
        let text = String(decoding: raw.dropFirst().dropLast(), as: UTF8.self)
        guard !text.contains("\\"), kind == .doubleQuoted || !text.contains("'") else { return raw }
        if DefinitionValue.quotedIfNeeded(text) == text { return Array(text.utf8) }
        return text.contains("\"") ? raw : Array("\"\(text)\"".utf8)
    }

    /// Appends a text over several lines. What stands before and behind each break has no meaning.
    private mutating func write(severalLines raw: [UInt8], isDoubleQuoted: Bool) {
        let indent = continuationIndent
        for (number, part) in raw.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            var text = Array(number == 0 ? part : part.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
            let trimmed = text.trimmingEnd()
            // A space behind a backslash has a meaning.
            if !isDoubleQuoted || trimmed.last != UInt8(ascii: "\\") { text = trimmed }
            if number > 0 {
                breakLine()
                line.indent = indent
                line.isPartOfText = true
            }
            line.text += text
        }
    }

    /// Appends a text behind `|` or `>`, all of whose lines move alike.
    private mutating func write(block raw: [UInt8]) {
        var parts = raw.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
        // The last break ends a line and begins none.
        if parts.last?.isEmpty == true { parts.removeLast() }
        guard let header = parts.first else { return }
        parts.removeFirst()
        line.text += header.trimmingEnd()
        let marks = header.prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: " ") }
        let old: Int
        let new: Int
        if let digit = marks.first(where: { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }) {
            let step = Int(digit - UInt8(ascii: "0"))
            old = (blocks.last { !$0.isOpenEnded }?.column ?? 0) + step
            new = (blocks.last?.indent ?? 0) + step
        } else {
            // Without any text, all lines are empty ones, however many spaces they have.
            old = parts.first { !$0.isAllSpaces }.map(\.leadingSpaces) ?? .max
            new = blocks.isEmpty ? 2 : contentIndent()
        }
        var rest: [[UInt8]] = []
        if !marks.contains(UInt8(ascii: "+")) {
            while let last = parts.last, last.isAllSpaces, last.count <= old {
                rest.append([])
                parts.removeLast()
            }
        }
        for part in parts {
            breakLine()
            line.isPartOfText = true
            guard !part.isAllSpaces || part.count > old else { continue }
            line.indent = new
            line.text = Array(part.dropFirst(min(old, part.leadingSpaces)))
        }
        if !rest.isEmpty { breakLine() }
    }
}

extension [UInt8] {
    fileprivate var leadingSpaces: Int { prefix { $0 == UInt8(ascii: " ") }.count }
    fileprivate var isAllSpaces: Bool { allSatisfy { $0 == UInt8(ascii: " ") } }
}
