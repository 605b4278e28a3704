/// A text in YAML as its lines suggest: what stands under what, and where.
///
/// While somebody types, a text is rarely valid YAML. The reader of definitions stops at the first mistake; an outline
/// goes on, and is only used to find out where somebody is and what is declared where. It says nothing about values.
struct DefinitionOutline {
    /// A word or text with its place.
    struct Scalar: Equatable {
        /// The text, without quotes. Escapes stay as they are.
        var text: String
        /// The octets of the text, without quotes.
        var range: Range<Int>
    }

    /// What an entry holds.
    enum Kind {
        /// Nothing yet.
        case nothing
        /// A text.
        case scalar
        /// A mapping.
        case mapping
        /// A list.
        case sequence
    }

    /// An entry of a mapping, an item of a list, or a whole document.
    struct Node {
        /// The entry that it lies in; nil for a document.
        var parent: Int?
        /// The key; nil for an item and for a document.
        var key: Scalar?
        /// What it holds.
        var kind = Kind.nothing
        /// The text, of a scalar.
        var value: Scalar?
        /// The entries in it, in reading order.
        var children: [Int] = []
        /// The first octet.
        var start: Int
        /// The octet behind it and everything in it.
        var end: Int
        /// Whether it is a word alone, which may become a key.
        var isWord = false
        /// Whether a colon follows the key.
        var hasColon = false
        /// Whether what it holds stands in braces or brackets.
        var isFlow = false
    }

    /// All entries. An entry comes before those in it.
    private(set) var nodes: [Node]
    /// The documents.
    var documents: [Int] { nodes.indices.filter { nodes[$0].parent == nil } }

    /// The outline of a text.
    init(_ bytes: [UInt8]) {
        nodes = bytes.withUnsafeBufferPointer { bytes in
            var reader = OutlineReader(bytes)
            return reader.read()
        }
        for index in nodes.indices.reversed() {
            guard let parent = nodes[index].parent else { continue }
            nodes[parent].end = max(nodes[parent].end, nodes[index].end)
        }
    }

    /// A step from an entry to one in it.
    enum Step: Equatable {
        /// To the value of a key.
        case key(String)
        /// To an item of a list.
        case item
    }

    /// The entries from the document to an entry, which is the last.
    func line(to node: Int) -> [Int] {
        var line = [node]
        while let last = line.last, let parent = nodes[last].parent { line.append(parent) }
        return line.reversed()
    }

    /// The steps from the document to an entry.
    func path(to node: Int) -> [Step] {
        line(to: node).dropFirst().map { nodes[$0].key.map { .key($0.text) } ?? .item }
    }

    /// The entry in another one with that key; nil if there is none.
    func child(_ key: String, of node: Int) -> Int? {
        nodes[node].children.first { nodes[$0].key?.text == key }
    }

    /// A text, and the entry that it is the key or the value of.
    struct Place {
        /// The entry.
        var node: Int
        /// Whether the text is the key.
        var isKey: Bool
        /// The text.
        var scalar: Scalar
    }

    /// The text at an octet, or that ends there; nil if there is none.
    func place(at offset: Int) -> Place? {
        for (number, node) in nodes.enumerated() where node.start <= offset && offset <= node.end {
            if let key = node.key, key.range.lowerBound <= offset, offset <= key.range.upperBound {
                return Place(node: number, isKey: true, scalar: key)
            }
            if let value = node.value, value.range.lowerBound <= offset, offset <= value.range.upperBound {
                return Place(node: number, isKey: false, scalar: value)
            }
        }
        return nil
    }
}
