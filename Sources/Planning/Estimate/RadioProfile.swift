/// What is assumed of the radio when the time of a plan is estimated: mean values of one kind of site.
///
/// The figures of the named profiles are those the simulated radio of the same name has; where they come from is said
/// at each property.
package struct RadioProfile: Hashable, Sendable {
    /// Its name, as `--radio` takes it.
    package var name: String
    /// The interval of a GATT connection in seconds: 7.5 ms is the least that Bluetooth allows, phones take 15 to 30.
    package var connectionInterval: Double
    /// Proxy PDUs in one connection event, each way.
    package var pdusPerConnectionEvent: Double
    /// How long one advertiser is busy with one network PDU, in seconds.
    package var advertisingTime: Double
    /// Advertisers that each proxy and relay has.
    package var advertisingSets: Double
    /// Radio hops between proxy and nodes.
    package var hops: Double
    /// How long a relay takes from hearing a PDU to queueing it, in seconds.
    package var relayTurnaround: Double
    /// What a node needs to act on a request, with the pause before it answers (Mesh Protocol 3.7.3.1), in seconds.
    package var answering: Double
    /// The share of copies of a PDU that one receiver does not hear, interference included, 0..<1.
    package var copyLoss: Double
    /// How long it takes to connect to a proxy or device that was found, in seconds.
    package var connecting: Double
    /// By what a run takes longer than the figures say, as earlier runs have shown; 1 if nothing was learned.
    package var correction: Double = 1

    /// Relays in earshot of each other, which share the air: the mean of a simulated office of 100 nodes.
    package static let relaysInEarshot = 5.6
    /// Relays that one proxy can hear at the most: an assumption that only keeps networks of thousands of relays from being
    /// estimated as if all stood in one hall, where nothing would get through.
    package static let mostRelaysInEarshot = 50.0
    /// Transmissions of a PDU by each sender, the first one included: Network and Relay Retransmit of stock firmware.
    package static let transmissions = 3.0
    /// Seconds that a receiver is taken up by one advertising event at the most that the air can carry (pure ALOHA).
    package static let airTime = 0.000_75
    /// How long advertising is listened to before a proxy is chosen, in seconds.
    package static let listening = 1.5
    /// A provisioning session from link open to link closed, in seconds, as measured with real chips; a person who is
    /// asked for a value comes on top.
    package static let provisioningSession = 0.55
    /// The mean wait until a device is heard that advertises once a second, as usual after the first minute.
    package static let hearing = 0.5

    /// Nobody else on the air, four advertising sets, no losses.
    package static let ideal = RadioProfile(
        name: "ideal",
        connectionInterval: 0.0075,
        pdusPerConnectionEvent: 6,
        advertisingTime: advertisingTime(interval: 0.020),
        advertisingSets: 4,
        hops: 1,
        relayTurnaround: 0.000_9,
        answering: 0.037,
        copyLoss: 0,
        connecting: 0
    )

    /// Stock firmware in a building with people and phones in it.
    package static let office = RadioProfile(
        name: "office",
        connectionInterval: 0.015,
        pdusPerConnectionEvent: 4,
        advertisingTime: advertisingTime(interval: 0.020),
        advertisingSets: 1,
        hops: 2,
        relayTurnaround: 0.008_5,
        answering: 0.040_5,
        copyLoss: 0.05 + 0.95 * 0.055,
        connecting: 1.9
    )

    /// Old controllers, small queues, a crowded band, the smallest ATT_MTU.
    package static let harsh = RadioProfile(
        name: "harsh",
        connectionInterval: 0.030,
        pdusPerConnectionEvent: 0.5,
        advertisingTime: 0.110,
        advertisingSets: 1,
        hops: 3,
        relayTurnaround: 0.017_5,
        answering: 0.047_5,
        copyLoss: 0.25 + 0.75 * 0.26,
        connecting: 4
    )

    /// An exchange over a GATT connection to the very node, in seconds: half an interval on the average until each of the
    /// two goes, and the node's share.
    package var directRoundTrip: Double { connectionInterval + answering }

    /// What each network PDU of an exchange beyond the first two adds to it over such a connection, in seconds: nodes send
    /// segments 60 ms apart, clients sooner, acknowledgments at once.
    package static let directSegment = 0.02

    /// The profiles by name, from kind to cruel.
    package static let named = [ideal, office, harsh]

    /// C (I + 5 ms) + 1.8 ms + 2 ms: C repetitions after the first transmission at interval I with the mean advertising
    /// delay, three channels, and the host's gap.
    private static func advertisingTime(interval: Double) -> Double {
        (transmissions - 1) * (interval + 0.005) + 0.0018 + 0.002
    }
}
