package import MeshCore

/// How much of the air messages of one PDU take that the relays of a network repeat.
///
/// It is an upper bound, as far as the records are right: what a place would hear that hears every relay, each time for
/// as long as the longest advertisement lasts. Where relays are far apart, it is several times what any place hears.
package struct HopAirtime: Hashable, Sendable {
    /// How long the longest advertisement lasts on one channel: 47 octets at 1 Mbit/s.
    private static let advertisement = Duration.microseconds(376)
    /// How long one with three octets of an access message lasts: 39 octets.
    private static let shortAdvertisement = Duration.microseconds(312)

    /// How often each relay sends a message of others again.
    private let repetitions: [DeviceUUID: Int]
    /// How often each node sends a message of its own.
    private let own: [DeviceUUID: Int]
    /// How often the relays send a message, all together.
    private let allRepetitions: Int
    /// How often nodes send a message of their own, on average, times 100.
    private let ownHundredths: Int

    /// Takes from the records which nodes relay and how often they send; what is unknown counts as once.
    package init(_ network: MeshNetwork) {
        let nodes = network.nodes.filter { !$0.isExcluded }
        let relays = nodes.filter { $0.features.relay == .enabled }
            .map { ($0.uuid, Int($0.relayRetransmit?.transmissions ?? 1)) }
        repetitions = Dictionary(relays) { first, _ in first }
        own = Dictionary(nodes.map { ($0.uuid, Int($0.networkTransmit?.transmissions ?? 1)) }) { first, _ in first }
        allRepetitions = relays.reduce(0) { $0 + $1.1 }
        ownHundredths = own.values.reduce(0, +) * 100 / max(nodes.count, 1)
    }

    /// The share of the air that messages take within a time that all relays repeat, 0 for nothing and 1 for all of it.
    package func share(ofMessages count: Int, within duration: Duration) -> Double {
        let microseconds = Double(max(duration.microseconds, 1))
        let each = Double(allRepetitions * 100 + ownHundredths) / 100 * Double(Self.advertisement.microseconds)
        return Double(count) * each / microseconds
    }

    /// How often a relay sends a message of others again; 0 for a node that does not relay.
    package func repetitions(by node: DeviceUUID) -> Int { repetitions[node] ?? 0 }

    /// How long a short message of a node takes that all relays repeat.
    package func answer(of node: DeviceUUID) -> Duration { Self.shortAdvertisement * (sent(by: node) + allRepetitions) }

    /// How long a short message from us takes.
    ///
    /// - Parameters:
    ///   - proxy: the proxy that sends it for us; nil if that is not known.
    ///   - repetitions: how often the relays that it reaches send it again, all together; nil for all relays.
    package func request(over proxy: DeviceUUID?, repetitions: Int?) -> Duration {
        let first = proxy.map { sent(by: $0) } ?? own.values.max() ?? 1
        return Self.shortAdvertisement * (first + (repetitions ?? allRepetitions))
    }

    private func sent(by node: DeviceUUID) -> Int { own[node] ?? 1 }
}
