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
        _ rules: AdvertisingRules,
        using generator: inout SeededGenerator
    ) -> AdvertisedPDU? {
        waiting.removeAll { $0 <= now }
        guard waiting.count < rules.queue else {
            dropped += 1
            return nil
        }
        var set = 0
        for index in freeAt.indices where freeAt[index] < freeAt[set] { set = index }
        let start = max(now, freeAt[set])
        if start > now { waiting.append(start) }
        // Microseconds: every node that sends comes here, and dividing durations takes longer than all the rest. 2 ms
        // from the host to the controller, then 1.8 ms for the three channels of each copy.
        let interval = Int64(transmit.intervalMilliseconds) * 1_000
        var time = start.microseconds + 2_000
        var copies: [Instant] = []
        copies.reserveCapacity(transmit.transmissions)
        copies.append(Instant(microseconds: time))
        for _ in 0..<transmit.count {
            // Old controllers add 10 ms between copies, which include the random delay.
            time += interval + (rules.isLegacy ? 10_000 : generator.microseconds(in: rules.delay))
            copies.append(Instant(microseconds: time))
        }
        let end =
            rules.isLegacy
            ? start.microseconds + interval + Int64(transmit.transmissions) * (interval + 10_000) : time + 1_800
        freeAt[set] = Instant(microseconds: end)
        return AdvertisedPDU(copies: copies)
    }
}

/// How the settings of a world let nodes advertise, as numbers.
struct AdvertisingRules: Sendable {
    /// How many PDUs may wait.
    let queue: Int
    /// Whether nodes advertise like old controllers.
    let isLegacy: Bool
    /// The random part of each interval, in microseconds.
    let delay: ClosedRange<Int64>
    /// How long a node takes from hearing a PDU until it queues the relayed one, in microseconds.
    let turnaround: ClosedRange<Int64>

    init(_ settings: WorldSettings) {
        queue = max(settings.advertisingQueue, 1)
        isLegacy = settings.isAdvertisingLegacy
        delay = settings.advertisingDelay.microseconds
        turnaround = settings.relayTurnaround.microseconds
    }
}

extension ClosedRange<Duration> {
    fileprivate var microseconds: ClosedRange<Int64> { lowerBound.microseconds...upperBound.microseconds }
}

extension SeededGenerator {
    /// A random duration from the range, in whole microseconds.
    mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        .microseconds(microseconds(in: range.microseconds))
    }
}
