import DefinitionModel

/// A file without any problem of YAML, and its trees.
struct ParsedFile {
    /// The text.
    let bytes: [UInt8]
    /// The trees of its documents.
    let trees: [DocumentTree]
    /// Whether its values mean the same wherever they stand: there are neither anchors nor directives.
    let isSeparable: Bool

    /// The same file with another text, of which only the entries that differ are parsed.
    ///
    /// The entries of a mapping whose keys begin their lines are separable: the same lines alone give the same events.
    /// Where this is not certain, or the lines hold any problem, nothing is given; then the whole file must be read.
    ///
    /// - Parameter symbols: the texts that the trees refer to.
    /// - Returns: nil if the whole file must be parsed.
    func updated(to text: [UInt8], symbols: inout SymbolTable, limits: ReadingLimits) -> ParsedFile? {
        guard bytes != text else { return self }
        guard isSeparable, let tree = trees.first, trees.count == 1, text.count <= limits.fileSize else { return nil }
        return bytes.withUnsafeBufferPointer { old in
            text.withUnsafeBufferPointer { new in
                guard let change = TextChange(from: old, to: new),
                    let entries = EntryLines(of: tree, in: old, around: change.old, limits: limits),
                    let part = entries.parsed(
                        UnsafeBufferPointer(rebasing: new[entries.octets.lowerBound..<new.count - entries.rest]),
                        symbols: &symbols,
                        limits: limits
                    )
                else { return nil }
                let updated = entries.replaced(by: part, in: tree, addedLines: change.addedLines, symbols)
                guard updated.nodes.count <= limits.nodes else { return nil }
                return ParsedFile(bytes: text, trees: [updated], isSeparable: true)
            }
        }
    }
}

/// The part of a text that another one has in place of it.
struct TextChange {
    /// The octets that are replaced.
    let old: Range<Int>
    /// By how many lines the text becomes longer.
    let addedLines: Int

    /// What distinguishes two texts; nil if nothing does.
    init?(from old: UnsafeBufferPointer<UInt8>, to new: UnsafeBufferPointer<UInt8>) {
        let shorter = min(old.count, new.count)
        let (left, right) = (UnsafeRawBufferPointer(old), UnsafeRawBufferPointer(new))
        var start = 0
        while start + 8 <= shorter,
            left.loadUnaligned(fromByteOffset: start, as: UInt64.self)
                == right.loadUnaligned(fromByteOffset: start, as: UInt64.self)
        {
            start += 8
        }
        while start < shorter, old[start] == new[start] { start += 1 }
        var tail = 0
        while tail + 8 <= shorter - start,
            left.loadUnaligned(fromByteOffset: old.count - tail - 8, as: UInt64.self)
                == right.loadUnaligned(fromByteOffset: new.count - tail - 8, as: UInt64.self)
        {
            tail += 8
        }
        while tail < shorter - start, old[old.count - tail - 1] == new[new.count - tail - 1] { tail += 1 }
        guard start < old.count - tail || start < new.count - tail else { return nil }
        self.old = start..<old.count - tail
        addedLines = new[start..<new.count - tail].lineEnds - old[self.old].lineEnds
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// How many lines end here.
    fileprivate var lineEnds: Int { count { $0 == UInt8(ascii: "\n") } }
}

/// The lines of some neighbouring entries of a mapping in block style.
struct EntryLines {
    /// The mapping and those around it, the outermost first.
    private(set) var mappings: [Int]
    /// The nodes of the entries.
    private(set) var nodes: Range<Int>
    /// The octets of the lines.
    private(set) var octets: Range<Int>
    /// How many octets follow.
    private(set) var rest: Int
    /// The number of the first line, from 0.
    private(set) var line: Int
    /// The column of the keys, from 0.
    private(set) var column: Int

    /// The entries, as few as possible, that a change of a text lies in; nil if it lies in none.
    ///
    /// The line break at the end of the entries is not changed, so that what follows goes on to begin a line.
    init?(
        of tree: DocumentTree,
        in text: UnsafeBufferPointer<UInt8>,
        around change: Range<Int>,
        limits: ReadingLimits
    ) {
        let firstLine = text[..<change.lowerBound].lineEnds
        let lastLine = firstLine + text[change].lineEnds
        var found: EntryLines?
        var mappings = [0]
        while let mapping = mappings.last, let key = Self.firstKey(of: mapping, in: tree) {
            // The first line behind the mapping, if anything is there.
            var behind = tree.next(after: mapping)
            var first: Int?
            var next = key
            while next < tree.next(after: mapping) {
                let line = Int(tree.nodes[next].line) - 1
                if line <= firstLine { first = next }
                if line > lastLine {
                    behind = next
                    break
                }
                next = tree.next(after: tree.next(after: next))
            }
            guard let first else { break }
            let line = Int(tree.nodes[first].line) - 1
            let column = Int(tree.nodes[first].column) - 1
            let start = text.start(ofLine: line, from: change.lowerBound, on: firstLine)
            var end = text.count
            if behind < tree.nodes.count {
                let line = Int(tree.nodes[behind].line) - 1
                guard line > lastLine else { break }
                end = text.start(ofLine: line, from: change.upperBound, on: lastLine)
                guard text.beginsLine(end, Int(tree.nodes[behind].column) - 1) else { break }
            }
            guard text.beginsLine(start, column) else { break }
            found = EntryLines(
                mappings: mappings,
                nodes: first..<behind,
                octets: start..<end,
                rest: text.count - end,
                line: line,
                column: column
            )
            let value = tree.next(after: first)
            guard end - start > limits.separateOctets, tree.next(after: value) == behind,
                tree.nodes[value].kind == .mapping
            else { break }
            mappings.append(value)
        }
        guard let found else { return nil }
        self = found
    }

    private init(mappings: [Int], nodes: Range<Int>, octets: Range<Int>, rest: Int, line: Int, column: Int) {
        self.mappings = mappings
        self.nodes = nodes
        self.octets = octets
        self.rest = rest
        self.line = line
        self.column = column
    }

    /// The first key of a mapping in block style, which begins where its first key does; nil of any other node.
    private static func firstKey(of mapping: Int, in tree: DocumentTree) -> Int? {
        let key = mapping + 1
        guard key < tree.nodes.count, tree.nodes[mapping].kind == .mapping, tree.next(after: mapping) > key,
            tree.nodes[mapping].line == tree.nodes[key].line, tree.nodes[mapping].column == tree.nodes[key].column
        else { return nil }
        return key
    }

    /// The tree of lines that take the place of these, as one mapping; nil if they are not whole entries of the same
    /// mapping, or anything is wrong with them.
    func parsed(
        _ text: UnsafeBufferPointer<UInt8>,
        symbols: inout SymbolTable,
        limits: ReadingLimits
    ) -> DocumentTree? {
        guard TextScan.firstProblem(text) == nil, TextScan.byteOrderMarkLength(text) == 0,
            // The end of an empty entry behind `?` is where the next one begins.
            !text.hasLongKeys, var parser = YAMLParser(text)
        else { return nil }
        var inner = limits
        inner.depth -= mappings.count - 1
        var builder = TreeBuilder(file: 0, limits: inner)
        var diagnostics = DiagnosticCollector(limit: 1)
        var isDocument = false
        while true {
            guard
                let progress = try? parser.next({ event in
                    builder.take(event, symbols: &symbols, diagnostics: &diagnostics)
                }), diagnostics.reports == 0, builder.isSeparable, builder.isUnmarked
            else { return nil }
            switch progress {
            case .unfinished: continue
            case .document where !isDocument: isDocument = true
            case .document, .failed: return nil
            case .end:
                let tree = builder.tree
                guard isDocument, let key = Self.firstKey(of: 0, in: tree), tree.nodes[key].line == 1,
                    Int(tree.nodes[key].column) == column + 1
                else { return nil }
                return tree
            }
        }
    }

    /// The tree with other entries in place of these.
    func replaced(
        by part: DocumentTree,
        in tree: DocumentTree,
        addedLines: Int,
        _ symbols: SymbolTable
    ) -> DocumentTree {
        var updated = DocumentTree()
        let added = part.nodes.count - 1 - nodes.count
        updated.nodes.reserveCapacity(tree.nodes.count + added)
        updated.nodes += tree.nodes[..<nodes.lowerBound]
        for node in part.nodes.dropFirst() {
            updated.nodes.append(node.moved(lines: line, nodes: nodes.lowerBound - 1))
        }
        for node in tree.nodes[nodes.upperBound...] {
            updated.nodes.append(node.moved(lines: addedLines, nodes: added))
        }
        for mapping in mappings {
            updated.nodes[mapping].value = UInt32(Int(updated.nodes[mapping].value) + added)
        }
        updated.hasReferences =
            part.hasReferences
            || tree.hasReferences && updated.nodes.contains { $0.kind.isText && symbols.hasReference($0.value) }
        return updated
    }
}

extension DocumentTree.Node {
    /// The same node further down, behind further nodes.
    fileprivate func moved(lines: Int, nodes: Int) -> DocumentTree.Node {
        var moved = self
        moved.line = UInt32(Int(line) + lines)
        if kind == .sequence || kind == .mapping { moved.value = UInt32(Int(value) + nodes) }
        return moved
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The first octet of a line, looked for from an octet on a line that is known.
    fileprivate func start(ofLine line: Int, from octet: Int, on known: Int) -> Int {
        var start = octet
        var current = known
        while current < line, start < count {
            if self[start] == UInt8(ascii: "\n") { current += 1 }
            start += 1
        }
        guard line <= known else { return start }
        while start > 0 {
            if self[start - 1] == UInt8(ascii: "\n") {
                if current == line { break }
                current -= 1
            }
            start -= 1
        }
        return start
    }

    /// Whether nothing but spaces stands before a column of the line that begins at an octet, and something there.
    fileprivate func beginsLine(_ start: Int, _ column: Int) -> Bool {
        start + column < count && self[start..<start + column].allSatisfy { $0 == UInt8(ascii: " ") }
            && self[start + column] != UInt8(ascii: " ") && self[start + column] != UInt8(ascii: "?")
    }

    /// Whether a question mark stands before a space or the end of a line, as before a key of the long form.
    fileprivate var hasLongKeys: Bool {
        indices.contains { index in
            guard self[index] == UInt8(ascii: "?") else { return false }
            return index + 1 >= count || self[index + 1] <= UInt8(ascii: " ")
        }
    }
}
