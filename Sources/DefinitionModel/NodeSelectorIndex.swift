import MeshCore

/// Finds the nodes of a definition that a selector selects, without a walk over all nodes for each selector.
package struct NodeSelectorIndex: Sendable {
    private let nodes: [NodeDefinition]
    /// Positions in ``nodes`` by name.
    private let positions: [String: Int]
    /// Positions sorted by the octets of the name, so that the matches of `kitchen-*` lie together.
    private let sortedByName: [Int]
    /// Positions by tag and value, ascending.
    private let tagged: [String: [String: [Int]]]

    package init(_ nodes: [NodeDefinition]) {
        self.nodes = nodes
        positions = Dictionary(firstOf: zip(nodes.lazy.map(\.name.value), nodes.indices))
        sortedByName = nodes.indices.sorted { nodes[$0].name.value < nodes[$1].name.value }
        var tagged: [String: [String: [Int]]] = [:]
        for (position, node) in nodes.enumerated() {
            for (tag, value) in node.tags { tagged[tag, default: [:]][value.value, default: []].append(position) }
        }
        self.tagged = tagged
    }

    /// The positions of the selected nodes in the definition's list, ascending.
    package func matches(_ selector: NodeSelector) -> [Int] {
        var matches: [Int]?
        if let names = selector.names { matches = union(names.map { positions(named: $0.value) }) }
        for (tag, value) in selector.tags {
            let found = positions(tag: tag, value: value.value)
            matches = matches.map { intersection($0, found) } ?? found
        }
        return matches ?? Array(nodes.indices)
    }

    /// An upper bound of the nodes that ``matches(_:)`` looks at, each as often as a pattern may go back in its name.
    package func work(_ selector: NodeSelector) -> Int {
        if selector.isAll { return nodes.count }
        let ofNames = (selector.names ?? []).reduce(0) { sum, name in
            let glob = Glob(name.value)
            return sum + (glob.isLiteral ? 1 : candidates(glob).count * glob.cost)
        }
        return selector.tags.reduce(ofNames) { sum, tag in
            let glob = Glob(tag.value.value)
            guard !glob.isLiteral else { return sum + (tagged[tag.key]?[tag.value.value]?.count ?? 1) }
            return sum + nodes.count * glob.cost
        }
    }

    package func matchesAny(_ selector: NodeSelector) -> Bool {
        if selector.isAll { return !nodes.isEmpty }
        return !matches(selector).isEmpty
    }

    package func position(named name: String) -> Int? { positions[name] }

    /// The tags of all nodes, sorted.
    package var tags: [String] { tagged.keys.sorted() }

    package func hasTag(_ tag: String) -> Bool { tagged[tag] != nil }

    /// The values that nodes give to a tag, sorted.
    package func values(of tag: String) -> [String] { tagged[tag]?.keys.sorted() ?? [] }

    private func positions(named text: String) -> [Int] {
        let glob = Glob(text)
        if glob.isLiteral { return positions[text].map { [$0] } ?? [] }
        return candidates(glob).filter { glob.matches(nodes[$0].name.value) }.sorted()
    }

    /// The positions of the nodes whose names begin as the pattern does.
    private func candidates(_ glob: Glob) -> ArraySlice<Int> {
        let prefix = glob.prefix
        let start = firstPlace { $0 >= prefix }
        let end = firstPlace { $0 >= prefix && !$0.hasPrefix(prefix) }
        return sortedByName[start..<max(start, end)]
    }

    /// The first place in ``sortedByName`` whose name is behind a border.
    private func firstPlace(_ isBehind: (String) -> Bool) -> Int {
        var low = 0
        var high = sortedByName.count
        while low < high {
            let middle = (low + high) / 2
            if isBehind(nodes[sortedByName[middle]].name.value) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func positions(tag: String, value: String) -> [Int] {
        guard let values = tagged[tag] else { return [] }
        let glob = Glob(value)
        if glob.isLiteral { return values[value] ?? [] }
        return values.filter { glob.matches($0.key) }.flatMap(\.value).sorted()
    }

    private func union(_ lists: [[Int]]) -> [Int] {
        if lists.count == 1 { return lists[0] }
        return Set(lists.joined()).sorted()
    }

    private func intersection(_ left: [Int], _ right: [Int]) -> [Int] {
        var matches: [Int] = []
        var index = 0
        for position in left {
            while index < right.count, right[index] < position { index += 1 }
            if index < right.count, right[index] == position { matches.append(position) }
        }
        return matches
    }
}
