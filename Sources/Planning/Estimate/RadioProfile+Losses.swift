extension RadioProfile {
    /// The shares of network PDUs that are lost on their way.
    struct Losses: Hashable, Sendable {
        /// Of those from the proxy to a node.
        var toNode: Double
        /// Of those from a node to the proxy.
        var fromNode: Double

        /// The share of exchanges of which a PDU is lost, so that something is sent again.
        ///
        /// - Parameters:
        ///   - up: PDUs to the node, a mean.
        ///   - down: PDUs from the node, a mean.
        func retryShare(up: Double, down: Double) -> Double {
            min(1 - survival(toNode, up) * survival(fromNode, down), 0.95)
        }

        /// The chance that none of so many PDUs is lost.
        private func survival(_ lost: Double, _ pdus: Double) -> Double {
            let whole = min(pdus, 10_000).rounded(.down)
            return power(1 - lost, Int(whole)) * (1 - lost * (pdus - whole))
        }
    }

    /// What is lost while relays beside the usual ones repeat everything in earshot of the proxy.
    ///
    /// A PDU is lost on a hop if all of its copies are. Nodes stand at all distances up to the profile's hops; beyond the
    /// first hop a PDU mostly comes over two relays, of which one is enough. The proxy hears every relay, nodes hear few: what relays add collides with what comes back. A copy of 0.376 ms collides with
    /// whatever starts so long before it or while it lasts: exp(-2 · 0.376 ms · events a second). The proxy repeats
    /// everything itself, too, and is deaf for 1.8 ms with each event, as long as 2.4 events of others are in the way.
    ///
    /// - Parameters:
    ///   - relays: how many there are.
    ///   - rate: network PDUs a second that they repeat.
    ///   - paths: relays over which a PDU comes beyond the first hop, 1 or 2.
    func losses(relays: Double = 0, rate: Double = 0, paths: Int = 2) -> Losses {
        guard copyLoss > 0 else { return Losses(toNode: 0, fromNode: 0) }
        let copies = Int(Self.transmissions)
        let heard = relays > 0 ? relays + Self.deafness : 0
        let survival = Self.survival(Self.collisionTime * Self.transmissions * heard * rate)
        let proxyLoss = 1 - (1 - copyLoss) * survival
        let hop = 1 - power(copyLoss, copies)
        return Losses(
            toNode: 1 - arriving(hop: hop, first: hop, paths),
            fromNode: 1 - arriving(hop: hop, first: 1 - power(proxyLoss, copies), paths)
        )
    }

    /// The share of PDUs that arrive, a mean over the distances at which nodes stand.
    ///
    /// - Parameters:
    ///   - hop: the share that comes over a hop.
    ///   - first: the same over that between the proxy and its neighbours.
    private func arriving(hop: Double, first: Double, _ paths: Int) -> Double {
        var (arriving, sum) = (first, 0.0)
        let distances = max(Int(hops.rounded()), 1)
        for _ in 0..<distances {
            sum += arriving
            arriving = 1 - power(1 - arriving * hop, paths)
        }
        return sum / Double(distances)
    }

    /// Seconds in which the beginning of another event hits a copy.
    private static let collisionTime = 0.000_752
    /// Being deaf for one own event, in events of others.
    private static let deafness = 0.001_8 / collisionTime

    /// exp(-x) for x of at least 0, the same on every platform.
    private static func survival(_ x: Double) -> Double {
        power(max(0, 1 - x / 1_024), 1_024)
    }
}

/// A whole power of a number, by squaring.
private func power(_ base: Double, _ exponent: Int) -> Double {
    var (result, square, rest) = (1.0, base, exponent)
    while rest > 0 {
        if rest & 1 == 1 { result *= square }
        square *= square
        rest >>= 1
    }
    return result
}
