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
        case nothing
        case scalar
        case mapping
        case sequence
    }

    /// An entry of a mapping, an item of a list, or a whole document, without its texts. A large definition has half a
    /// million.
    struct Entry {
        /// The entry that it lies in; -1 for a document.
        var parent: Int32
        /// The octets of the key; nothing for an item and for a document.
        var key = Octets()
        /// The octets of the text, of a scalar.
        var value = Octets()
        /// The first octet.
        var start: Int32
        /// The octet behind it and everything in it.
        var end: Int32
        /// The entry behind those in it.
        var next: Int32 = 0
        /// What it holds.
        var kind = Kind.nothing
        /// Whether it is a word alone, which may become a key.
        var isWord = false
        /// Whether a colon follows the key.
        var hasColon = false
        /// Whether what it holds stands in braces or brackets.
        var isFlow = false
    }

    /// Octets of the text, or nothing.
    struct Octets {
        private var start: Int32 = -1
        private var count: Int32 = 0

        /// Nothing.
        init() {}

        /// These octets.
        init(_ range: Range<Int>) {
            start = Int32(range.lowerBound)
            count = Int32(range.count)
        }

        /// The octets; nil for nothing.
        var range: Range<Int>? { start < 0 ? nil : Int(start)..<Int(start) + Int(count) }
    }

    /// An entry with its texts.
    struct Node {
        fileprivate let entry: Entry
        fileprivate let number: Int
        fileprivate let outline: DefinitionOutline

        /// The entry that it lies in; nil for a document.
        var parent: Int? { entry.parent < 0 ? nil : Int(entry.parent) }
        /// The key; nil for an item and for a document.
        var key: Scalar? { entry.key.range.map(outline.scalar) }
        /// What it holds.
        var kind: Kind { entry.kind }
        /// The text, of a scalar.
        var value: Scalar? { entry.value.range.map(outline.scalar) }
        /// The first octet.
        var start: Int { Int(entry.start) }
        /// The octet behind it and everything in it.
        var end: Int { Int(entry.end) }
        /// Whether it is a word alone, which may become a key.
        var isWord: Bool { entry.isWord }
        /// Whether a colon follows the key.
        var hasColon: Bool { entry.hasColon }
        /// Whether what it holds stands in braces or brackets.
        var isFlow: Bool { entry.isFlow }
        /// The entries in it, in reading order.
        var children: [Int] {
            var children: [Int] = []
            var child = number + 1
            while child < Int(entry.next) {
                children.append(child)
                child = Int(outline.entries[child].next)
            }
            return children
        }
    }

    /// All entries with their texts, by number.
    struct Nodes: RandomAccessCollection {
        fileprivate let outline: DefinitionOutline

        /// The number of the first one.
        var startIndex: Int { 0 }
        /// How many there are.
        var endIndex: Int { outline.entries.count }

        /// An entry.
        subscript(number: Int) -> Node {
            Node(entry: outline.entries[number], number: number, outline: outline)
        }
    }

    /// The text.
    let bytes: [UInt8]
    /// All entries. An entry comes before those in it, and these before the ones behind it.
    let entries: [Entry]
    /// The documents.
    let documents: [Int]
    /// All entries with their texts.
    var nodes: Nodes { Nodes(outline: self) }

    /// The outline of a text.
    ///
    /// - Parameter isShallow: whether only the first entries of each document are wanted, and what they hold.
    init(_ bytes: [UInt8], isShallow: Bool = false) {
        self.bytes = bytes
        var entries = bytes.withUnsafeBufferPointer { bytes in
            var reader = OutlineReader(bytes, isShallow: isShallow)
            return reader.read()
        }
        var documents: [Int] = []
        for index in entries.indices.reversed() {
            entries[index].next = max(entries[index].next, Int32(index + 1))
            let parent = Int(entries[index].parent)
            guard parent >= 0 else {
                documents.append(index)
                continue
            }
            entries[parent].end = max(entries[parent].end, entries[index].end)
            entries[parent].next = max(entries[parent].next, entries[index].next)
        }
        self.entries = entries
        self.documents = documents.reversed()
    }

    /// The text in some octets.
    private func scalar(_ range: Range<Int>) -> Scalar {
        Scalar(text: String(decoding: bytes[range], as: UTF8.self), range: range)
    }

    /// A step from an entry to one in it.
    enum Step: Hashable {
        /// To the value of a key.
        case key(String)
        case item
    }

    /// The entries from the document to an entry, which is the last.
    func line(to node: Int) -> [Int] {
        var line = [node]
        while let last = line.last, entries[last].parent >= 0 { line.append(Int(entries[last].parent)) }
        return line.reversed()
    }

    /// The steps from the document to an entry.
    func path(to node: Int) -> [Step] {
        line(to: node).dropFirst().map { nodes[$0].key.map { .key($0.text) } ?? .item }
    }

    /// The entry in another one with that key; nil if there is none.
    func child(_ key: String, of node: Int) -> Int? {
        var child = node + 1
        while child < Int(entries[node].next) {
            if let range = entries[child].key.range, bytes[range].elementsEqual(key.utf8) { return child }
            child = Int(entries[child].next)
        }
        return nil
    }

    /// A text, and the entry that it is the key or the value of.
    struct Place {
        /// The entry.
        var node: Int
        var isKey: Bool
        var scalar: Scalar
    }

    /// The text at an octet, or that ends there; nil if there is none.
    func place(at offset: Int) -> Place? {
        for (number, entry) in entries.enumerated() where entry.start <= offset && offset <= entry.end {
            if let key = entry.key.range, key.lowerBound <= offset, offset <= key.upperBound {
                return Place(node: number, isKey: true, scalar: scalar(key))
            }
            if let value = entry.value.range, value.lowerBound <= offset, offset <= value.upperBound {
                return Place(node: number, isKey: false, scalar: scalar(value))
            }
        }
        return nil
    }
}
