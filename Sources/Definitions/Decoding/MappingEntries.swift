/// A key of a mapping and its value.
struct MappingEntry {
    /// The node of the key.
    var key: Int
    /// The symbol of the key.
    var symbol: UInt32
    /// The node of the value, aliases resolved.
    var value: Int

    /// Which key of the language it is; nil for a free one.
    var keyword: Keyword? { Keyword(symbol: symbol) }
}

/// The entries of a mapping in reading order.
///
/// Those of a mapping without aliases among its keys, merges and mistakes are read off the tree one after the other, so
/// that the hundreds of thousands of mappings of a large definition take no memory of their own; others are listed.
struct MappingEntries: Sequence, ExpressibleByArrayLiteral {
    /// Which keys there are.
    let keywords: KeywordSet
    /// How many entries there are.
    let count: Int

    private let tree: DocumentTree
    /// The nodes of the entries that are read off the tree.
    private let nodes: Range<Int>
    private let listed: [MappingEntry]

    /// The entries of a mapping whose keys are texts that stand in it themselves, each once.
    init(of mapping: Int, in tree: DocumentTree, count: Int, keywords: KeywordSet) {
        self.tree = tree
        self.count = count
        self.keywords = keywords
        nodes = mapping + 1..<tree.next(after: mapping)
        listed = []
    }

    /// Those entries.
    init(listed entries: [MappingEntry]) {
        var keywords = KeywordSet()
        for entry in entries { keywords.insert(entry.symbol) }
        self.keywords = keywords
        count = entries.count
        tree = DocumentTree()
        nodes = 0..<0
        listed = entries
    }

    /// No entries, or those.
    init(arrayLiteral entries: MappingEntry...) {
        self.init(listed: entries)
    }

    /// Goes through the entries.
    struct Iterator: IteratorProtocol {
        fileprivate let entries: MappingEntries
        fileprivate var node: Int
        fileprivate var place = 0

        mutating func next() -> MappingEntry? {
            if node < entries.nodes.upperBound {
                let (key, value) = (node, node + 1)
                node = entries.tree.next(after: value)
                return MappingEntry(
                    key: key,
                    symbol: entries.tree.nodes[key].value,
                    value: entries.tree.resolved(value)
                )
            }
            guard place < entries.listed.count else { return nil }
            place += 1
            return entries.listed[place - 1]
        }
    }

    func makeIterator() -> Iterator { Iterator(entries: self, node: nodes.lowerBound) }
}

/// Keys of the language, one bit each, and whether there are others.
struct KeywordSet: Hashable, Sendable {
    private var bits: UInt128 = 0
    private var hasOthers = false

    /// Adds a key by its symbol.
    mutating func insert(_ symbol: UInt32) {
        if symbol < UInt128.bitWidth { bits |= 1 << UInt128(symbol) } else { hasOthers = true }
    }

    /// Whether the key with that symbol is in it.
    func contains(_ symbol: UInt32) -> Bool {
        symbol < UInt128.bitWidth && bits & 1 << UInt128(symbol) != 0
    }

    /// Whether all keys are in the other set, too.
    func isSubset(of other: KeywordSet) -> Bool { bits & ~other.bits == 0 && (!hasOthers || other.hasOthers) }
}

/// The entries of a list in reading order, aliases resolved, without those that are unreadable: read off the tree one
/// after the other.
struct ListEntries: Sequence {
    private var tree = DocumentTree()
    private var nodes = 0..<0

    /// No entries.
    init() {}

    /// The entries of a list.
    init(of list: Int, in tree: DocumentTree) {
        nodes = list + 1..<tree.next(after: list)
        self.tree = tree
    }

    /// Whether there are none.
    var isEmpty: Bool { !contains { _ in true } }

    /// How many there are, which takes going through them.
    var count: Int { reduce(0) { count, _ in count + 1 } }

    /// Goes through the entries.
    struct Iterator: IteratorProtocol {
        fileprivate let tree: DocumentTree
        fileprivate var node: Int
        fileprivate let end: Int

        mutating func next() -> Int? {
            while node < end {
                let entry = tree.resolved(node)
                node = tree.next(after: node)
                if tree.nodes[entry].kind != .unreadable { return entry }
            }
            return nil
        }
    }

    func makeIterator() -> Iterator { Iterator(tree: tree, node: nodes.lowerBound, end: nodes.upperBound) }
}
