import MeshCore

/// Who hears whom, by positions in the world's list of nodes.
struct RadioNeighbours: Hashable, Sendable {
    /// One direction of a link.
    struct Neighbour: Hashable, Sendable {
        /// The position of the node that hears.
        var node: Int
        /// The share of copies lost, nil for that of the settings.
        var copyLoss: Double?
    }

    /// For each node those that hear it.
    private(set) var neighbours: [[Neighbour]]

    /// Nobody hears anybody.
    init(nodeCount: Int) {
        neighbours = Array(repeating: [], count: nodeCount)
    }

    /// Lets two different nodes hear each other.
    mutating func connect(_ first: Int, _ second: Int, copyLoss: Double? = nil) {
        // Looking through the shorter list keeps a star of n nodes from costing n² steps.
        let (short, other) = neighbours[first].count < neighbours[second].count ? (first, second) : (second, first)
        guard first != second, !neighbours[short].contains(where: { $0.node == other }) else { return }
        neighbours[first].append(Neighbour(node: second, copyLoss: copyLoss))
        neighbours[second].append(Neighbour(node: first, copyLoss: copyLoss))
    }

    /// All links once, the lower position first.
    var links: [(Int, Int, Double?)] {
        neighbours.enumerated().flatMap { first, heard in
            heard.filter { $0.node > first }.map { (first, $0.node, $0.copyLoss) }
        }
    }
}

extension RadioNeighbours {
    /// Spreads nodes over hops from `root`; see ``WorldSettings/Topology/hops(_:)``.
    ///
    /// - Parameter isRelay: for each node whether its relay is on.
    init(hops: Int, root: Int, isRelay: [Bool]) {
        self.init(nodeCount: isRelay.count)
        guard isRelay.indices.contains(root) else { return }
        let relays = isRelay.indices.filter { isRelay[$0] && $0 != root }
        let others = isRelay.indices.filter { !isRelay[$0] && $0 != root }
        let depth = min(max(hops, 1), relays.count + 1)
        // Level 0 is the root; relays go round the inner levels so that each has at least one.
        var relaysByLevel: [[Int]] = Array(repeating: [], count: depth + 1)
        relaysByLevel[0] = [root]
        if depth == 1 {
            for node in relays + others { connect(root, node) }
            return
        }
        for (turn, relay) in relays.enumerated() { relaysByLevel[turn % (depth - 1) + 1].append(relay) }
        for level in 1..<depth {
            for (turn, relay) in relaysByLevel[level].enumerated() {
                attach(relay, to: relaysByLevel[level - 1], turn: turn)
            }
        }
        // The outermost level first, so that a few nodes already give the hops asked for.
        for (turn, node) in others.enumerated() {
            attach(node, to: relaysByLevel[depth - turn % depth - 1], turn: turn / depth)
        }
    }

    private mutating func attach(_ node: Int, to parents: [Int], turn: Int) {
        guard !parents.isEmpty else { return }
        connect(parents[turn % parents.count], node)
        if parents.count > 1 { connect(parents[(turn + 1) % parents.count], node) }
    }
}
