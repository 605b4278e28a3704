package import MeshCore

/// How much of the air messages take that all relays of a network repeat.
///
/// It is an upper bound, as far as the records are right: what a place would hear that hears every relay, each time for
/// as long as the longest advertisement lasts. Where relays are far apart, it is several times what any place hears.
package struct HopAirtime: Hashable, Sendable {
    /// How long the longest advertisement lasts on one channel: 47 octets at 1 Mbit/s.
    private static let advertisement = Duration.microseconds(376)

    /// How often the relays send a message, all together.
    private let repetitions: Int
    /// How often nodes send a message of their own, on average, times 100.
    private let ownHundredths: Int

    /// Takes from the records which nodes relay and how often they send; what is unknown counts as once.
    package init(_ network: MeshNetwork) {
        let nodes = network.nodes.filter { !$0.isExcluded }
        repetitions = nodes.filter { $0.features.relay == .enabled }
            .reduce(0) { $0 + Int($1.relayRetransmit?.transmissions ?? 1) }
        let own = nodes.reduce(0) { $0 + Int($1.networkTransmit?.transmissions ?? 1) }
        ownHundredths = own * 100 / max(nodes.count, 1)
    }

    /// The share of the air that messages take within a time, 0 for nothing and 1 for all of it.
    package func share(ofMessages count: Int, within duration: Duration) -> Double {
        let microseconds = Double(max(duration.microseconds, 1))
        let each = Double(repetitions * 100 + ownHundredths) / 100 * Double(Self.advertisement.microseconds)
        return Double(count) * each / microseconds
    }

    /// How many heartbeats each of some nodes may send within a time so that these alone take at most one percent of
    /// the air: 4, 2 or 1, the lowest number also where it is too much.
    package func heartbeats(ofEach nodes: Int, within duration: Duration) -> UInt32 {
        for count: UInt32 in [4, 2] where share(ofMessages: nodes * Int(count), within: duration) <= 0.01 {
            return count
        }
        return 1
    }
}
