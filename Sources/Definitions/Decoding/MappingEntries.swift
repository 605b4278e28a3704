/// A key of a mapping and its value.
struct MappingEntry {
    /// The node of the key.
    var key: Int
    /// The symbol of the key.
    var symbol: UInt32
    /// The node of the value, with aliases resolved.
    var value: Int

    /// The key of the language that it is; nil for a free one.
    var keyword: Keyword? { Keyword(symbol: symbol) }
}

/// The entries of a mapping in reading order.
///
/// Without aliases among its keys, merges and mistakes, the entries of a mapping are read from the tree one by one. So
/// the hundreds of thousands of mappings of a large definition take no memory of their own. The entries of other
/// mappings are listed.
struct MappingEntries: Sequence, ExpressibleByArrayLiteral {
    /// The keys that occur.
    let keywords: KeywordSet
    let count: Int

    private let tree: DocumentTree
    /// The nodes of the entries that are read from the tree.
    private let nodes: Range<Int>
    private let listed: [MappingEntry]

    /// The entries of a mapping whose keys are all texts in the mapping itself, each once.
    init(of mapping: Int, in tree: DocumentTree, count: Int, keywords: KeywordSet) {
        self.tree = tree
        self.count = count
        self.keywords = keywords
        nodes = mapping + 1..<tree.next(after: mapping)
        listed = []
    }

    init(listed entries: [MappingEntry]) {
        var keywords = KeywordSet()
        for entry in entries { keywords.insert(entry.symbol) }
        self.keywords = keywords
        count = entries.count
        tree = DocumentTree()
        nodes = 0..<0
        listed = entries
    }

    init(arrayLiteral entries: MappingEntry...) {
        self.init(listed: entries)
    }

    /// Visits the entries.
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

/// A set of keys of the language, one bit each, and whether there are other keys.
struct KeywordSet: Hashable, Sendable {
    /// How many keys of the language have a bit. A key behind them would be taken for an unknown one.
    static let capacity = 2 * UInt128.bitWidth

    private var low: UInt128 = 0
    private var high: UInt128 = 0
    private var hasOthers = false

    init() {}

    init(_ keywords: [Keyword]) {
        for (symbol, keyword) in Keyword.all.enumerated() where keywords.contains(keyword) { insert(UInt32(symbol)) }
    }

    mutating func insert(_ symbol: UInt32) {
        switch Int(symbol) {
        case ..<UInt128.bitWidth: low |= 1 << UInt128(symbol)
        case ..<KeywordSet.capacity: high |= 1 << (UInt128(symbol) - UInt128(UInt128.bitWidth))
        default: hasOthers = true
        }
    }

    func contains(_ symbol: UInt32) -> Bool {
        switch Int(symbol) {
        case ..<UInt128.bitWidth: low & 1 << UInt128(symbol) != 0
        case ..<KeywordSet.capacity: high & 1 << (UInt128(symbol) - UInt128(UInt128.bitWidth)) != 0
        default: false
        }
    }

    /// Whether the other set has all these keys, too.
    func isSubset(of other: KeywordSet) -> Bool {
        low & ~other.low == 0 && high & ~other.high == 0 && (!hasOthers || other.hasOthers)
    }
}

/// The entries of a list in reading order, with aliases resolved and without unreadable ones. They are read from the
/// tree one by one.
struct ListEntries: Sequence {
    private var tree = DocumentTree()
    private var nodes = 0..<0

    init() {}

    init(of list: Int, in tree: DocumentTree) {
        nodes = list + 1..<tree.next(after: list)
        self.tree = tree
    }

    var isEmpty: Bool { !contains { _ in true } }

    /// The number of entries. Counting visits them all.
    var count: Int { reduce(0) { count, _ in count + 1 } }

    /// Visits the entries.
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
