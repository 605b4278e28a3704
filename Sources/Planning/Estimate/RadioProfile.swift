/// What is assumed of the radio when the time of a plan is estimated: mean values of one kind of site.
///
/// The figures of the named profiles are those the simulated radio of the same name has; where they come from is said
/// at each property.
package struct RadioProfile: Hashable, Sendable {
    /// The name by which users choose it.
    package var name: String
    /// The interval of a GATT connection in seconds: 7.5 ms is the least that Bluetooth allows, phones take 15 to 30.
    package var connectionInterval: Double
    /// Proxy PDUs in one connection event, each way.
    package var pdusPerConnectionEvent: Double
    /// Whether nodes advertise as old controllers do, one PDU in I + C (I + 10 ms), where others take (C - 1) (I + 5
    /// ms) and the host's 2 ms and the three channels' 1.8 ms, for C transmissions at an interval of I.
    package var isAdvertisingLegacy: Bool
    /// PDUs that wait for an advertiser at the most; further ones are dropped.
    package var advertisingQueue: Double
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
    /// A provisioning session from link open to link closed, in seconds, as measured with real chips; a person who is
    /// asked for a value comes on top.
    package var provisioningSession = 0.55
    /// By what a run takes longer than the figures say, as earlier runs have shown; 1 if nothing was learned.
    package var correction: Double = 1

    /// How long advertising is listened to before a proxy is chosen, in seconds.
    package static let listening = 1.5
    /// The mean wait until a device is heard that advertises once a second, as usual after the first minute.
    package static let hearing = 0.5

    /// Nobody else on the air, four advertising sets, no losses.
    package static let ideal = RadioProfile(
        name: "ideal",
        connectionInterval: 0.0075,
        pdusPerConnectionEvent: 6,
        isAdvertisingLegacy: false,
        advertisingQueue: 32,
        advertisingSets: 4,
        hops: 1,
        relayTurnaround: 0.000_9,
        answering: 0.037,
        copyLoss: 0,
        connecting: 0,
        provisioningSession: 0.075
    )

    /// Stock firmware in a building with people and phones in it.
    package static let office = RadioProfile(
        name: "office",
        connectionInterval: 0.015,
        pdusPerConnectionEvent: 4,
        isAdvertisingLegacy: false,
        advertisingQueue: 32,
        advertisingSets: 1,
        hops: 2,
        relayTurnaround: 0.008_5,
        answering: 0.040_5,
        copyLoss: 0.05 + 0.95 * 0.055,
        connecting: 1.9,
        provisioningSession: 0.14
    )

    /// Old controllers, small queues, a crowded band, the smallest ATT_MTU.
    package static let harsh = RadioProfile(
        name: "harsh",
        connectionInterval: 0.030,
        pdusPerConnectionEvent: 0.5,
        isAdvertisingLegacy: true,
        advertisingQueue: 6,
        advertisingSets: 1,
        hops: 3,
        relayTurnaround: 0.017_5,
        answering: 0.047_5,
        copyLoss: 0.25 + 0.75 * 0.26,
        connecting: 4,
        provisioningSession: 0.65
    )

    /// An exchange over a GATT connection to the very node, in seconds: half an interval on the average until each of
    /// the two goes, what a PDU of several packets takes longer each way, and the node's share.
    package var directRoundTrip: Double {
        let more = max(1 / pdusPerConnectionEvent - 1, 0)
        return (1 + 2 * more) * connectionInterval + answering
    }

    /// The profiles by name, from kind to cruel.
    package static let named = [ideal, office, harsh]

    /// How long one advertiser is busy with one network PDU of stock firmware, in seconds.
    package var advertisingTime: Double { Repetition.stock.time(self) }

    /// How long one advertiser is busy with one network PDU, in seconds.
    ///
    /// - Parameters:
    ///   - count: transmissions, the first one included; a mean.
    ///   - interval: seconds between two of them.
    func advertisingTime(count: Double, interval: Double) -> Double {
        isAdvertisingLegacy
            ? interval + count * (interval + 0.010) : (count - 1) * (interval + 0.005) + 0.0018 + 0.002
    }
}
