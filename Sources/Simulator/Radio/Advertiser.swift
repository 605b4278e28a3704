import MeshCore

/// When the copies of one PDU are sent.
struct AdvertisedPDU: Hashable, Sendable {
    /// The start of each copy, in order.
    var copies: [Instant]
}

/// The advertising sets of one node and the queue before them. PDUs wait for a free set; a full queue drops them.
///
/// A PDU with C retransmissions at an interval of I ms occupies a set for C(I + 5) + 3.8 ms on average. With an old
/// controller it is I + (C + 1)(I + 10) ms.
struct Advertiser: Sendable {
    private var freeAt: [Instant]
    private var waiting: [Instant] = []
    /// How many PDUs found the queue full.
    private(set) var dropped = 0

    /// Idle sets, at least one.
    init(sets: Int) {
        freeAt = Array(repeating: .zero, count: max(sets, 1))
    }

    /// Queues a PDU; nil if the queue is full.
    mutating func send(
        _ transmit: TransmitParameters,
        at now: Instant,
        settings: WorldSettings,
        using generator: inout SeededGenerator
    ) -> AdvertisedPDU? {
        waiting.removeAll { $0 <= now }
        guard waiting.count < max(settings.advertisingQueue, 1) else {
            dropped += 1
            return nil
        }
        var set = 0
        for index in freeAt.indices where freeAt[index] < freeAt[set] { set = index }
        let start = max(now, freeAt[set])
        if start > now { waiting.append(start) }
        // 2 ms from the host to the controller, then 1.8 ms for the three channels of each copy.
        var time = start.advanced(by: .milliseconds(2))
        var copies = [time]
        for _ in 0..<transmit.count {
            time = time.advanced(by: .milliseconds(transmit.intervalMilliseconds))
            // Old controllers add 10 ms between copies, which include the random delay.
            let delay: Duration =
                settings.isAdvertisingLegacy
                ? .milliseconds(10) : generator.duration(in: settings.advertisingDelay)
            time = time.advanced(by: delay)
            copies.append(time)
        }
        let interval = transmit.intervalMilliseconds
        freeAt[set] =
            settings.isAdvertisingLegacy
            ? start.advanced(by: .milliseconds(interval + transmit.transmissions * (interval + 10)))
            : time.advanced(by: .microseconds(1_800))
        return AdvertisedPDU(copies: copies)
    }
}

extension SeededGenerator {
    /// A random duration from the range, in whole microseconds.
    mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        .microseconds(microseconds(in: range.lowerBound.microseconds...range.upperBound.microseconds))
    }
}
