/// A line of a formatted definition, without its line break.
struct LayoutLine {
    /// Where the value of an entry of a mapping begins, which may stand below those of its neighbours.
    struct Value {
        var block: Int
        /// Where the value begins in ``LayoutLine/text``, in octets.
        var start: Int
        /// The column where it stood.
        var column: Int
    }

    /// A comment behind other text.
    struct Comment {
        /// The comment with its `#`.
        var text: [UInt8]
        /// The column where it stood.
        var column: Int
    }

    /// The spaces before the text.
    var indent = 0
    /// The text without the spaces before it.
    var text: [UInt8] = []
    /// The value of the entry that begins on the line; nil if there is none.
    var value: Value?
    /// The comment behind the text; nil if there is none.
    var comment: Comment?
    /// Whether the line belongs to a text that goes over several lines, so that its spaces and empty lines have a
    /// meaning.
    var isPartOfText = false
    var isComment = false

    /// Whether nothing is on the line, and that means nothing.
    var isBlank: Bool { text.isEmpty && comment == nil && !isPartOfText }

    /// How wide the line is without its comment, in characters.
    private var width: Int { indent + Self.width(of: text[...]) }

    static func width(of text: ArraySlice<UInt8>) -> Int { text.count { $0 & 0xC0 != 0x80 } }
}

extension [LayoutLine] {
    /// The lines as the contents of a file: values and comments below each other where they were, at most one blank
    /// line in a row, and none at the ends.
    consuming func written() -> [UInt8] {
        var lines = consume self
        lines.alignValues()
        lines.alignComments()
        var bytes: [UInt8] = []
        var blanks = 0
        for line in lines {
            if line.isBlank {
                blanks += 1
                continue
            }
            if blanks > 0, !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
            blanks = 0
            let start = bytes.count
            if !line.text.isEmpty {
                bytes += repeatElement(UInt8(ascii: " "), count: line.indent)
                bytes += line.text
            }
            if let comment = line.comment {
                let width = LayoutLine.width(of: bytes[start...])
                bytes += repeatElement(UInt8(ascii: " "), count: Swift.max(comment.column - width, 1)) + comment.text
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// The last column below which values are put. Behind a very long key, they would be mostly spaces.
    private static var lastColumn: Int { 200 }

    /// Puts the values of neighbouring entries below each other if two of them were so already.
    private mutating func alignValues() {
        var start = 0
        while start < count {
            var end = start + 1
            defer { start = end }
            guard let block = self[start].value?.block else { continue }
            while end < count, self[end].value?.block == block { end += 1 }
            guard end > start + 1 else { continue }
            let run = start..<end
            let ends = run.map { self[$0].valueStart }
            guard areAligned(run, ends), let column = ends.max(), column <= Self.lastColumn else { continue }
            for line in run { self[line].moveValue(to: column) }
        }
    }

    /// Whether two of some lines have values in the same column though what stands before these ends in different ones.
    private func areAligned(_ run: Range<Int>, _ ends: [Int]) -> Bool {
        // Of a few lines, looking back is quicker than hashing.
        guard run.count > 16 else {
            return ends.indices.contains { number in
                let column = self[run.lowerBound + number].value?.column
                let before = ends[..<number].indices.last { self[run.lowerBound + $0].value?.column == column }
                return before.map { ends[$0] != ends[number] } ?? false
            }
        }
        var places: [Int: Int] = [:]
        return zip(run, ends).contains { line, end in
            let column = self[line].value?.column ?? 0
            defer { places[column] = end }
            return places[column] ?? end != end
        }
    }

    /// Gives comments behind text their columns: two spaces behind the text, and below each other where neighbours were
    /// so already.
    private mutating func alignComments() {
        var group: [Int] = []
        var oldColumn = 0
        for line in indices {
            if self[line].isBlank || self[line].isComment {
                settle(&group)
            } else if let comment = self[line].comment {
                if comment.column != oldColumn { settle(&group) }
                oldColumn = comment.column
                group.append(line)
            }
        }
        settle(&group)
    }

    private mutating func settle(_ group: inout [Int]) {
        guard !group.isEmpty else { return }
        let column = group.map { self[$0].commentStart }.max() ?? 0
        for line in group { self[line].comment?.column = column }
        group = []
    }
}

extension LayoutLine {
    /// The column where the value begins behind a single space.
    fileprivate var valueStart: Int { indent + Self.width(of: text[..<(value?.start ?? 0)]) }

    /// The first column for a comment.
    fileprivate var commentStart: Int { width + 2 }

    /// Puts spaces before the value so that it begins in a column.
    fileprivate mutating func moveValue(to column: Int) {
        guard let value else { return }
        let spaces = column - valueStart
        text.insert(contentsOf: repeatElement(UInt8(ascii: " "), count: spaces), at: value.start)
        self.value?.start += spaces
    }
}
