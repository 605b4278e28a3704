import MeshCore

/// The place of a node in a simulated building. It never changes.
package struct RadioPlace: Hashable, Sendable {
    /// How many hops it is from the client; 0 for the node beside the client.
    package var level: UInt8
    /// Its direction, in units of 1/65,536 of a circle.
    package var bearing: UInt16

    package init(level: UInt8, bearing: UInt16) {
        self.level = level
        self.bearing = bearing
    }

    /// The angle between two directions.
    static func angle(_ first: UInt16, _ second: UInt16) -> UInt16 { min(first &- second, second &- first) }
}

extension RadioPlace {
    /// Places for all nodes. A node keeps the place that it has; the others are spread evenly over the levels from 1
    /// on.
    ///
    /// Nodes that can relay are placed from the innermost level outwards, the others from the outermost inwards, so
    /// that a few nodes already give the requested hops. It does not matter whether a relay is on: nodes do not move
    /// when one is switched off.
    ///
    /// - Parameters:
    ///   - hops: how many levels, at least 1; fewer if there are not enough nodes that can relay.
    ///   - root: the node at level 0.
    ///   - canRelay: for each node, whether it has the relay feature.
    ///   - bearings: the direction of each node.
    ///   - kept: the places that nodes already have.
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
        // How many nodes are already at each level: those that can relay, and the others.
        var counts = [[Int](repeating: 0, count: depth + 1), [Int](repeating: 0, count: depth + 1)]
        for node in others {
            guard let place = kept[node] else { continue }
            counts[canRelay[node] ? 0 : 1][min(max(Int(place.level), 1), depth)] += 1
        }
        return canRelay.indices.map { node in
            guard node != root else { return RadioPlace(level: 0, bearing: kept[node]?.bearing ?? bearings[node]) }
            // A node that was beside the client, and is not any more, goes one level back.
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
