import MeshCore

/// Where a node stands in a simulated building; it stays there, whatever becomes of it.
package struct RadioPlace: Hashable, Sendable {
    /// How many hops it is from the client, 0 for the node beside it.
    package var level: UInt8
    /// In which direction, in parts of a circle of 65,536.
    package var bearing: UInt16

    /// A place.
    package init(level: UInt8, bearing: UInt16) {
        self.level = level
        self.bearing = bearing
    }

    /// How far two directions are apart.
    static func angle(_ first: UInt16, _ second: UInt16) -> UInt16 { min(first &- second, second &- first) }
}

extension RadioPlace {
    /// Places for all nodes: those that they have, else evenly over the levels from 1 on.
    ///
    /// Nodes that can relay begin at the innermost level, the others at the outermost, so that a few nodes already give the
    /// hops asked for. Whether a relay is on is of no account: nodes do not move when one is switched off.
    ///
    /// - Parameters:
    ///   - hops: how many levels, 1 or more; fewer where those that can relay do not suffice.
    ///   - root: the node at level 0.
    ///   - canRelay: for each node whether it has the feature.
    ///   - bearings: the direction of each node.
    ///   - kept: the places that nodes have already.
    static func spread(
        hops: Int,
        root: Int,
        canRelay: [Bool],
        bearings: [UInt16],
        kept: [RadioPlace?]
    ) -> [RadioPlace] {
        let others = canRelay.indices.filter { $0 != root }
        let relays = others.count { canRelay[$0] }
        let depth = min(max(hops, 1), relays + (relays < others.count ? 1 : 0), Int(UInt8.max))
        guard depth > 0 else { return canRelay.indices.map { RadioPlace(level: 0, bearing: bearings[$0]) } }
        // How many stand at each level already: those that can relay, and the others.
        var counts = [[Int](repeating: 0, count: depth + 1), [Int](repeating: 0, count: depth + 1)]
        for node in others {
            guard let place = kept[node] else { continue }
            counts[canRelay[node] ? 0 : 1][min(max(Int(place.level), 1), depth)] += 1
        }
        return canRelay.indices.map { node in
            guard node != root else { return RadioPlace(level: 0, bearing: kept[node]?.bearing ?? bearings[node]) }
            // A node that was beside the client and is not any more goes one step back.
            if let place = kept[node] { return RadioPlace(level: max(place.level, 1), bearing: place.bearing) }
            let kind = canRelay[node] ? 0 : 1
            let inward = Array(1...depth)
            let levels = canRelay[node] ? inward : inward.reversed()
            var best = levels[0]
            for level in levels where counts[kind][level] < counts[kind][best] { best = level }
            counts[kind][best] += 1
            return RadioPlace(level: UInt8(best), bearing: bearings[node])
        }
    }
}
