import MeshCore

/// One direction of a GATT connection: packets are sent at connection events, a few at each.
struct ConnectionEvents: Sendable {
    private let interval: Int64
    private let packets: Int
    private var event: Int64 = -1
    private var used = 0

    /// An idle direction. An interval below a millisecond counts as one millisecond.
    init(interval: Duration, packets: Int) {
        self.interval = max(interval.microseconds, 1_000)
        self.packets = max(packets, 1)
    }

    /// When a packet that is ready now arrives; packets keep their order.
    mutating func arrival(of now: Instant) -> Instant {
        let next = now.microseconds / interval + 1
        if next > event {
            event = next
            used = 0
        } else if used >= packets {
            event += 1
            used = 0
        }
        used += 1
        return Instant(microseconds: event * interval)
    }
}
