import DefinitionModel

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
                line.text += token.kind == .plain ? Array(raw) : Self.requoted(Array(raw), token.kind)
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
