/// One YAML document as an array of small nodes in reading order. A mapping is followed by its keys and values in turn,
/// a list by its entries, and each knows where its last descendant ends.
///
/// There are no objects and no dictionaries. Every node takes 16 octets, and aliases stay references, so a document
/// never takes more memory than a small multiple of its file.
struct DocumentTree {
    /// The kind of a node.
    enum Kind: UInt8 {
        /// Text without quotes.
        case plain
        /// Text in quotes or as a block.
        case quoted
        case sequence
        case mapping
        /// A reference to an earlier node.
        case alias
        /// Something that was reported already. Readers skip it.
        case unreadable

        /// Whether the node's value is a symbol.
        var isText: Bool { self == .plain || self == .quoted }
    }

    /// One node.
    struct Node {
        /// The line, from 1.
        var line: UInt32
        /// The column in characters, from 1.
        var column: UInt32
        /// For a text its symbol, for a list or mapping its end (the index after the last descendant), for an alias the
        /// index of the node that it refers to.
        var value: UInt32
        /// The number of characters in the file for a text on one line; otherwise 1.
        var length: UInt16
        var kind: Kind
    }

    /// The nodes in reading order; the first is the root. Empty for a document without content.
    var nodes: [Node] = []
    /// The file or instance of each node; empty if all lie in the file that is being read.
    var origins: [UInt32] = []
    /// Whether a text holds `$(`.
    var hasReferences = false
    /// For each node, whether it and its descendants are the same in every copy: there are no references and aliases
    /// among them. Empty as long as nobody has looked.
    private(set) var constants: [Bool] = []

    /// Finds out which nodes are the same in every copy.
    mutating func findConstants(_ symbols: SymbolTable) {
        var constants = Array(repeating: false, count: nodes.count)
        for index in nodes.indices.reversed() {
            switch nodes[index].kind {
            case .plain, .quoted: constants[index] = !symbols.hasReference(nodes[index].value)
            case .alias, .unreadable: break
            case .sequence, .mapping:
                var child = index + 1
                let end = next(after: index)
                while child < end, constants[child] { child = next(after: child) }
                constants[index] = child >= end
            }
        }
        self.constants = constants
    }

    /// The index of the node that follows a node and all its descendants.
    func next(after index: Int) -> Int {
        switch nodes[index].kind {
        case .sequence, .mapping: Int(nodes[index].value)
        case .plain, .quoted, .alias, .unreadable: index + 1
        }
    }

    /// Whether a node is a text without quotes whose symbol is in that range.
    func isPlain(_ index: Int, in symbols: Range<UInt32>) -> Bool {
        let node = nodes[index]
        return node.kind == .plain && symbols.contains(node.value)
    }

    /// The node itself, or the node that it refers to if it is an alias.
    func resolved(_ index: Int) -> Int {
        nodes[index].kind == .alias ? Int(nodes[index].value) : index
    }

    /// The value of a key in a mapping, with an alias resolved; nil if the mapping itself does not have the key.
    func value(of keyword: Keyword, in mapping: Int) -> Int? {
        guard nodes[mapping].kind == .mapping else { return nil }
        var key = mapping + 1
        let end = next(after: mapping)
        while key < end {
            let value = next(after: key)
            if nodes[key].kind.isText, Keyword(symbol: nodes[key].value) == keyword { return resolved(value) }
            key = next(after: value)
        }
        return nil
    }

    /// Whether nothing but the text of a key stands at a node.
    func isKey(_ node: Int, _ keyword: Keyword) -> Bool {
        nodes[node].kind.isText && Keyword(symbol: nodes[node].value) == keyword
    }
}
