import MeshCore

/// What an estimate assumes of the radio: mean values of one kind of site.
///
/// A named profile has the figures of the simulated radio with the same name.
package struct RadioProfile: Hashable, Sendable {
    /// The name by which users choose it.
    package var name: String
    /// The interval of a GATT connection in seconds. Bluetooth allows 7.5 ms or more; phones take 15 to 30 ms.
    package var connectionInterval: Double
    /// Proxy PDUs in one connection event, each way.
    package var pdusPerConnectionEvent: Double
    /// Whether nodes advertise as old controllers do. For C transmissions at an interval of I, old controllers take
    /// I + C (I + 10 ms). Others take (C - 1) (I + 5 ms), 2 ms of the host and 1.8 ms for the three channels.
    package var isAdvertisingLegacy: Bool
    /// The most PDUs that wait for an advertiser. Further ones are dropped.
    package var advertisingQueue: Double
    /// Advertisers that each proxy and relay has.
    package var advertisingSets: Double
    /// Radio hops between proxy and nodes.
    package var hops: Double
    /// How long a relay takes from hearing a PDU to queueing it, in seconds.
    package var relayTurnaround: Double
    /// The time a node needs to act on a request, with the pause before its answer (Mesh Protocol 3.7.3.1), in seconds.
    package var answering: Double
    /// The share of copies of a PDU that one receiver does not hear, interference included, 0..<1.
    package var copyLoss: Double
    /// The time to connect to a proxy or device that was found, in seconds.
    package var connecting: Double
    /// A provisioning session from link open to link closed, in seconds, as measured with real chips. It does not
    /// include the time in which a person enters a value.
    package var provisioningSession = 0.55
    /// The factor by which earlier runs took longer than these figures say; 1 if there were none.
    package var correction: Double = 1

    /// How long the client listens before it chooses a proxy, in seconds.
    package static let listening = 1.5
    /// The mean time in seconds until a device advertises that does so once a second, as is usual after the first
    /// minute.
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

    /// An exchange over a GATT connection to the node itself, in seconds. Request and answer each wait half an interval
    /// on average. A PDU of several packets takes longer, and the node needs its time to answer.
    package var directRoundTrip: Double {
        let more = max(1 / pdusPerConnectionEvent - 1, 0)
        return (1 + 2 * more) * connectionInterval + answering
    }

    /// The mean time in seconds until the client hears a device that advertises once a second: each advertisement may
    /// get lost.
    var hearing: Double { Self.hearing + 2 * Self.hearing * copyLoss / (1 - copyLoss) }

    /// The mean time in seconds until the client has listened long enough and has heard one of some proxies, each of
    /// which advertises once a second. If none is heard in its first or second turn, the client takes the first one
    /// that is.
    func listening(for proxies: Int) -> Double {
        let missed = power(copyLoss, max(proxies, 1))
        // The second turn ends between 1 and 2 s, half of the times after the client has listened for 1.5 s.
        let second = (Self.listening + 2 - 0.25) / 2
        let later = 2 + Self.hearing + missed / (1 - missed)
        return (1 - missed) * (Self.listening + missed * second) + missed * missed * later
    }

    /// A short request and its answer through a proxy and ``hops``, one after another, in seconds.
    var usualExchange: Double { directRoundTrip + 2 * hops * (advertisingTime + relayTurnaround) }

    /// The named profiles, the kindest first.
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

/// How often and how fast a node sends a PDU.
struct Repetition: Hashable, Sendable {
    /// Transmissions, the first one included: a mean of at least 1.
    var count: Double
    /// Seconds between two of them.
    var interval: Double

    /// Stock firmware: three transmissions, 20 ms apart.
    static let stock = Repetition(count: 3, interval: 0.020)

    init(count: Double, interval: Double) {
        self.count = count
        self.interval = interval
    }

    /// The known parameters of a node; those of stock firmware if they are not known.
    init(_ transmit: TransmitParameters?) {
        self = .stock
        guard let transmit else { return }
        count = Double(transmit.transmissions)
        interval = Double(transmit.intervalMilliseconds) / 1_000
    }

    /// Seconds for which an advertising set is busy with a PDU.
    func time(_ profile: RadioProfile) -> Double { profile.advertisingTime(count: count, interval: interval) }
}
