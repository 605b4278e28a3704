package import DefinitionModel

/// How many hops nodes should be away, if radio reached as far everywhere: from where nodes are on the floors.
package enum HopPrediction {
    /// A node in its place.
    package struct Station: Hashable, Sendable {
        /// Where it is; nil if nobody says.
        package var position: NodePosition?
        package var isRelay: Bool

        package init(position: NodePosition?, isRelay: Bool) {
            self.position = position
            self.isRelay = isRelay
        }
    }

    /// The hops from a proxy, the link of the proxy included: 1 for the proxy itself. Nil for nodes without a position,
    /// on other floors, or out of reach.
    ///
    /// - Parameters:
    ///   - stations: all nodes.
    ///   - proxy: the index of the proxy.
    ///   - range: how far radio reaches, in millimetres.
    package static func hops(_ stations: [Station], from proxy: Int, range: Int) -> [Int?] {
        var hops: [Int?] = Array(repeating: nil, count: stations.count)
        guard let start = stations[proxy].position, range > 0 else { return hops }
        // Nodes are sorted into squares as large as the range, so that only neighbours are compared.
        var squares: [Square: [Int]] = [:]
        for (index, station) in stations.enumerated() {
            guard let position = station.position, position.floor.value == start.floor.value else { continue }
            squares[Square(position, range), default: []].append(index)
        }
        hops[proxy] = 1
        var layer = [proxy]
        while !layer.isEmpty {
            var next: [Int] = []
            for sender in layer where sender == proxy || stations[sender].isRelay {
                guard let position = stations[sender].position, let distance = hops[sender] else { continue }
                for square in Square(position, range).around {
                    squares[square]?.removeAll { index in
                        guard let other = stations[index].position, isNear(position, other, range) else { return false }
                        if hops[index] == nil {
                            hops[index] = distance + 1
                            next.append(index)
                        }
                        return true
                    }
                }
            }
            layer = next
        }
        return hops
    }

    private static func isNear(_ one: NodePosition, _ other: NodePosition, _ range: Int) -> Bool {
        let (x, y) = (one.x - other.x, one.y - other.y)
        return x * x + y * y <= range * range
    }

    private struct Square: Hashable {
        var column: Int
        var row: Int

        init(column: Int, row: Int) {
            self.column = column
            self.row = row
        }

        init(_ position: NodePosition, _ size: Int) {
            column = position.x / size
            row = position.y / size
        }

        /// The square and its eight neighbours.
        var around: [Square] {
            (-1...1).flatMap { right in (-1...1).map { down in Square(column: column + right, row: row + down) } }
        }
    }
}
