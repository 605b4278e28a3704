internal import MeshCore

/// Finds the nodes that selectors mean without looking at every node for every selector.
struct NodeSelection {
    private let nodes: [NodeDefinition]
    private let numbers: [String: Int]
    /// Node positions by tag and exact value, for the tags that selectors ask for.
    private let byTag: [String: [String: [Int]]]

    /// - Parameters:
    ///   - nodes: The definition's nodes.
    ///   - numbers: Their positions by name.
    ///   - selectors: The selectors that will be asked for.
    init(_ nodes: [NodeDefinition], numbers: [String: Int], for selectors: [NodeSelector]) {
        self.nodes = nodes
        self.numbers = numbers
        var tags: Set<String> = []
        for selector in selectors { tags.formUnion(selector.tags.filter { !$0.value.value.contains("*") }.keys) }
        var byTag: [String: [String: [Int]]] = [:]
        for tag in tags {
            var values: [String: [Int]] = [:]
            for (position, node) in nodes.enumerated() {
                if let value = node.tags[tag] { values[value.value, default: []].append(position) }
            }
            byTag[tag] = values
        }
        self.byTag = byTag
    }

    /// Positions of the selected nodes, ascending.
    func nodes(selectedBy selector: NodeSelector) -> [Int] {
        candidates(of: selector).filter { position in
            selector.tags.allSatisfy { tag, pattern in
                nodes[position].tags[tag].map { matches($0.value, pattern: pattern.value) } ?? false
            }
        }
    }

    /// Whether the selector names the node outright and not by a pattern or a tag.
    static func names(_ node: String, in selector: NodeSelector) -> Bool {
        selector.names?.contains { $0.value == node } ?? false
    }

    private func candidates(of selector: NodeSelector) -> [Int] {
        if let names = selector.names {
            if names.allSatisfy({ !$0.value.contains("*") }) {
                return names.compactMap { numbers[$0.value] }.sortedUnique()
            }
            return nodes.indices.filter { position in
                names.contains { matches(nodes[position].name.value, pattern: $0.value) }
            }
        }
        var smallest: [Int]?
        for (tag, value) in selector.tags where !value.value.contains("*") {
            let positions = byTag[tag]?[value.value] ?? []
            if positions.count < smallest?.count ?? .max { smallest = positions }
        }
        return smallest ?? Array(nodes.indices)
    }

    private func matches(_ text: String, pattern: String) -> Bool {
        pattern.contains("*") ? glob(Array(text.utf8), Array(pattern.utf8)) : text == pattern
    }

    /// Whether the text matches a pattern in which `*` stands for any run of characters; in time proportional to the
    /// product of both lengths at worst.
    private func glob(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
        let star = UInt8(ascii: "*")
        var place = 0
        var position = 0
        var lastStar: (place: Int, position: Int)?
        while position < text.count {
            if place < pattern.count, pattern[place] == star {
                lastStar = (place, position)
                place += 1
            } else if place < pattern.count, pattern[place] == text[position] {
                place += 1
                position += 1
            } else if let star = lastStar {
                lastStar = (star.place, star.position + 1)
                place = star.place + 1
                position = star.position + 1
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == star }
    }
}
