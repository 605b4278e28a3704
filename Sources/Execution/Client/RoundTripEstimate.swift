import MeshCore

/// Smoothed round-trip time and its variation (RFC 6298, section 2).
struct RoundTripEstimate: Hashable, Sendable {
    /// Microseconds; nil before the first measurement.
    private var smoothed: Int64?
    private var variation: Int64 = 0
    /// The time-out that an answered request had reached, used until a round trip is measured. Without it, a node that
    /// has become slower would get every request twice and never be measured (RFC 6298, 5.7).
    private var backedOff: Duration?

    /// Nothing measured yet.
    init() {}

    /// Smoothed round trip plus four times its variation, or the backed-off time-out; nil before the first of them.
    var timeout: Duration? {
        if let backedOff { return backedOff }
        guard let smoothed else { return nil }
        return .microseconds(smoothed + 4 * variation)
    }

    /// Notes that an answer needed more than one transmission, the last of them with this time-out.
    mutating func backOff(to timeout: Duration) {
        backedOff = timeout
    }

    /// Uses the round trip of a request that was sent exactly once. With several transmissions nobody knows which one
    /// was answered (Karn's rule).
    mutating func measure(_ roundTrip: Duration) {
        backedOff = nil
        // An hour bounds the arithmetic, whatever the clock did.
        let sample = min(max(roundTrip.microseconds, 0), 3_600_000_000)
        guard let previous = smoothed else {
            smoothed = sample
            variation = sample / 2
            return
        }
        variation = (3 * variation + abs(previous - sample)) / 4
        smoothed = (7 * previous + sample) / 8
    }
}

/// The measurements on one kind of route.
struct RoundTrips: Hashable, Sendable {
    /// The measurements of each node.
    private var nodes: [UnicastAddress: RoundTripEstimate] = [:]
    /// The measurements of all nodes, for nodes without any.
    private(set) var all = RoundTripEstimate()

    /// Nothing measured yet.
    init() {}

    /// The measurements of a node.
    subscript(node: UnicastAddress) -> RoundTripEstimate { nodes[node] ?? RoundTripEstimate() }

    /// Uses the round trip of a request that was sent once.
    mutating func measure(_ roundTrip: Duration, with node: UnicastAddress) {
        nodes[node, default: RoundTripEstimate()].measure(roundTrip)
        all.measure(roundTrip)
    }

    /// Notes that a node answered a repeated request, the last transmission of which had this time-out.
    mutating func backOff(to timeout: Duration, with node: UnicastAddress) {
        nodes[node, default: RoundTripEstimate()].backOff(to: timeout)
    }
}
