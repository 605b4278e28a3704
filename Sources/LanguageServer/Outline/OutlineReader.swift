/// Reads the lines of a text into the entries of a ``DefinitionOutline``.
struct OutlineReader {
    typealias Entry = DefinitionOutline.Entry
    typealias Octets = DefinitionOutline.Octets

    /// Deeper nesting is left out.
    static let depthLimit = 64
    /// What comes behind so many entries is left out. More than a definition may have, and each takes some memory.
    static let nodeLimit = 500_000

    let bytes: UnsafeBufferPointer<UInt8>
    var nodes: [Entry] = []
    /// Whether lines are passed over that stand deeper than the first entries of a document and what these begin with.
    private let isShallow: Bool
    /// The mappings and lists in block style that are open, with the columns of their entries.
    private var open: [(node: Int, column: Int)] = []
    /// The entry whose value may still come, on a deeper line, and the column of the entry.
    private var pending: (node: Int, column: Int)?
    /// The column of the entry whose value is the block of text that is being passed over.
    private var blockText: Int?
    /// What is known of the line that was asked for last: from where its end was looked for, and its end.
    private var line = 0..<0

    init(_ bytes: UnsafeBufferPointer<UInt8>, isShallow: Bool = false) {
        self.bytes = bytes
        self.isShallow = isShallow
        // About as many as there are. Unused memory is never touched.
        if !isShallow { nodes.reserveCapacity(min(bytes.count / 16, Self.nodeLimit) + 2) }
    }

    /// Reads everything.
    mutating func read() -> [Entry] {
        beginDocument(at: 0)
        var place = 0
        while place < bytes.count, nodes.count < Self.nodeLimit {
            let end = endOfLine(place)
            place = max(takeLine(place, end), end + 1)
        }
        return nodes
    }

    private mutating func beginDocument(at index: Int) {
        nodes.append(Entry(parent: -1, start: Int32(index), end: Int32(index)))
        open = []
        pending = (nodes.count - 1, -1)
        blockText = nil
    }

    mutating func endOfLine(_ index: Int) -> Int {
        // Each text in braces asks, and a line may hold millions of them.
        if line.contains(index) { return line.upperBound }
        var end = index
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
        line = index..<end
        return end
    }

    /// The first octet from a place that is no space.
    func skippingSpaces(_ index: Int, _ end: Int) -> Int {
        var index = index
        while index < end, isSpace(bytes[index]) { index += 1 }
        return index
    }

    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == 13 }

    /// Adds an entry to another one.
    mutating func add(to parent: Int, key: Range<Int>?, start: Int, end: Int) -> Int {
        nodes.append(
            Entry(
                parent: Int32(parent),
                key: key.map { Octets($0) } ?? Octets(),
                start: Int32(start),
                end: Int32(end)
            )
        )
        return nodes.count - 1
    }

    // MARK: - Lines

    /// Takes a line, and gives where it has ended: behind the end of the line if braces or brackets go on below.
    private mutating func takeLine(_ start: Int, _ end: Int) -> Int {
        let first = skippingSpaces(start, end)
        guard first < end else { return end }
        let column = first - start
        if isShallow, open.count > 1, column > open[0].column { return end }
        if let outer = blockText {
            if column > outer { return end }
            blockText = nil
        }
        guard bytes[first] != UInt8(ascii: "#") else { return end }
        if column == 0, end - start >= 3 {
            let mark = bytes[start..<start + 3]
            if mark.allSatisfy({ $0 == UInt8(ascii: "-") }) || mark.allSatisfy({ $0 == UInt8(ascii: ".") }) {
                // The first document has begun already.
                if nodes.count > 1 { beginDocument(at: start) }
                return end
            }
        }
        return takeContent(first, end, column, depth: 0)
    }

    private mutating func takeContent(_ first: Int, _ end: Int, _ column: Int, depth: Int) -> Int {
        guard depth < Self.depthLimit, open.count < 4 * Self.depthLimit else { return end }
        let isItem = bytes[first] == UInt8(ascii: "-") && (first + 1 >= end || isSpace(bytes[first + 1]))
        while let last = open.last, last.column > column { open.removeLast() }
        // The items of a list may stand in the column of its key.
        if !isItem, let last = open.last, last.column == column, nodes[last.node].kind == .sequence {
            open.removeLast()
        }
        if let entry = pending, entry.column >= column {
            let isListOfKey = isItem && entry.column == column && nodes[entry.node].key.range != nil
            if !isListOfKey { pending = nil }
        }
        if isItem { return takeItem(first, end, column, depth: depth) }
        if let (key, behind) = key(first, end) {
            guard let mapping = container(.mapping, column) else { return end }
            let entry = add(to: mapping, key: key, start: first, end: behind)
            nodes[entry].hasColon = true
            pending = (entry, column)
            return takeValue(of: entry, behind, end)
        }
        if let entry = pending {
            let behind = takeValue(of: entry.node, first, end)
            if nodes[entry.node].kind == .scalar { nodes[entry.node].isWord = true }
            return behind
        }
        // A word in the column of keys will be one.
        guard let last = open.last, last.column == column, nodes[last.node].kind == .mapping,
            !"{[\"'".utf8.contains(bytes[first])
        else { return end }
        let word = plainScalar(first, end)
        let entry = add(to: last.node, key: word, start: first, end: word.upperBound)
        nodes[entry].isWord = true
        return end
    }

    private mutating func takeItem(_ first: Int, _ end: Int, _ column: Int, depth: Int) -> Int {
        guard let list = container(.sequence, column) else { return end }
        let item = add(to: list, key: nil, start: first, end: first + 1)
        pending = (item, column)
        let next = skippingSpaces(first + 1, end)
        guard next < end, bytes[next] != UInt8(ascii: "#") else { return end }
        return takeContent(next, end, column + next - first, depth: depth + 1)
    }

    /// The open mapping or list in a column, or the entry that waits for a value and becomes one.
    private mutating func container(_ kind: DefinitionOutline.Kind, _ column: Int) -> Int? {
        if let last = open.last, last.column == column, nodes[last.node].kind == kind { return last.node }
        if let entry = pending {
            nodes[entry.node].kind = kind
            open.append((entry.node, column))
            return entry.node
        }
        // In the wrong column: most likely meant for the nearest one.
        guard let last = open.last, nodes[last.node].kind == kind else { return nil }
        return last.node
    }

    // MARK: - Values

    /// Takes what stands behind a key or a dash.
    private mutating func takeValue(of entry: Int, _ start: Int, _ end: Int) -> Int {
        var index = skippingSpaces(start, end)
        // Anchors and tags say nothing here.
        while index < end, bytes[index] == UInt8(ascii: "&") || bytes[index] == UInt8(ascii: "!") {
            while index < end, !isSpace(bytes[index]) { index += 1 }
            index = skippingSpaces(index, end)
        }
        guard index < end, bytes[index] != UInt8(ascii: "#") else { return end }
        let column = pending?.column ?? 0
        pending = nil
        switch bytes[index] {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return takeFlow(of: entry, index, outer: column)
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            nodes[entry].kind = .scalar
            nodes[entry].end = Int32(end)
            blockText = column
        default:
            let scalar = quotedScalar(index, end)?.scalar ?? plainScalar(index, end)
            nodes[entry].kind = .scalar
            nodes[entry].value = Octets(scalar)
            nodes[entry].end = Int32(scalar.upperBound)
        }
        return end
    }

    /// The key that begins at a place, and the octet behind its colon; nil if none begins there.
    private func key(_ first: Int, _ end: Int) -> (Range<Int>, Int)? {
        if bytes[first] == UInt8(ascii: "{") || bytes[first] == UInt8(ascii: "[") { return nil }
        // A quote that nobody closes is not the beginning of a long key.
        if let (scalar, behind) = quotedScalar(first, end), behind > scalar.upperBound {
            let colon = skippingSpaces(behind, end)
            return colon < end && bytes[colon] == UInt8(ascii: ":") ? (scalar, colon + 1) : nil
        }
        var index = first
        while index < end {
            if bytes[index] == UInt8(ascii: ":"), index + 1 >= end || isSpace(bytes[index + 1]) {
                var last = index
                while last > first, isSpace(bytes[last - 1]) { last -= 1 }
                return (first..<last, index + 1)
            }
            if bytes[index] == UInt8(ascii: "#"), index > first, isSpace(bytes[index - 1]) { return nil }
            index += 1
        }
        return nil
    }

    /// The text in quotes that begins at a place, and the octet behind it; nil if it does not begin with a quote. Where
    /// the closing quote is missing, the text ends with the line.
    func quotedScalar(_ first: Int, _ end: Int) -> (scalar: Range<Int>, behind: Int)? {
        let quote = bytes[first]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        var index = first + 1
        while index < end {
            if bytes[index] == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                index = min(index + 2, end)
            } else if bytes[index] == quote {
                guard quote == UInt8(ascii: "'"), index + 1 < end, bytes[index + 1] == quote else {
                    return (first + 1..<index, index + 1)
                }
                index += 2
            } else {
                index += 1
            }
        }
        return (first + 1..<max(first + 1, end), end)
    }

    /// The text without quotes from a place to the end of the line or a comment.
    private func plainScalar(_ first: Int, _ end: Int) -> Range<Int> {
        var last = first
        var index = first
        while index < end {
            if bytes[index] == UInt8(ascii: "#"), index > first, isSpace(bytes[index - 1]) { break }
            if !isSpace(bytes[index]) { last = index + 1 }
            index += 1
        }
        return first..<last
    }
}
