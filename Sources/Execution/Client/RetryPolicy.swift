import MeshCore

/// How long a request waits for its status, how often it is sent again, and with which TTL.
///
/// Within the deadline the request is sent again whenever the retransmission time-out passes, which then doubles.
/// The time-out comes from the round trips measured with the same node as RFC 6298 has it: nodes differ in hops, load
/// and transmit parameters by more than the variation of any one of them. Before the first measurement it is estimated
/// from other nodes, TTL and segments.
package struct RetryPolicy: Hashable, Sendable {
    /// The TTL of requests, 0 or 2...127.
    package var ttl: UInt8 = 5
    /// How long a request may stay unanswered while the link is up; after that its outcome is unknown.
    package var deadline: Duration = .seconds(30)
    /// How long a request that only reads may stay unanswered.
    package var readBackDeadline: Duration = .seconds(15)
    /// The first time-out before anything was measured, without the allowances below.
    package var initialTimeout: Duration = .milliseconds(1_500)
    /// Added to the initial time-out for each hop that the TTL allows.
    package var timeoutPerHop: Duration = .milliseconds(50)
    /// Added to every time-out for each segment of the request or of its answer beyond the first.
    package var timeoutPerSegment: Duration = .milliseconds(100)
    /// No time-out is shorter, as RFC 6298 has it (2.4). Most answers take a tenth of it, but a relay whose queue the
    /// traffic of others fills becomes slower by a factor of ten between two requests, and then a request sent too
    /// early makes the queue longer.
    package var minimumTimeout: Duration = .seconds(1)
    /// No time-out grows beyond this by doubling.
    package var maximumTimeout: Duration = .seconds(8)
    /// How often a step is sent as a whole, each time with its own deadline, when the read-backs in between say
    /// that it has not taken effect; at least 1.
    package var maximumRounds: Int = 3

    /// The policy described at each property.
    package init() {}

    /// The time-out of the first transmission of a request.
    ///
    /// - Parameters:
    ///   - segments: segments of the request and of the expected answer beyond the first of each, 0 or more.
    ///   - node: what was measured with the node so far.
    ///   - others: what was measured with all nodes so far.
    func firstTimeout(segments: Int, node: RoundTripEstimate, others: RoundTripEstimate) -> Duration {
        let allowance = timeoutPerSegment * max(segments, 0)
        if let measured = node.timeout ?? others.timeout {
            return min(maximumTimeout, max(minimumTimeout, measured)) + allowance
        }
        return max(minimumTimeout, initialTimeout + timeoutPerHop * Int(ttl) + allowance)
    }

    /// The time-out that follows `timeout`.
    func doubled(_ timeout: Duration) -> Duration {
        min(timeout * 2, max(maximumTimeout, timeout))
    }
}

/// Smoothed round-trip time and its variation (RFC 6298, section 2).
struct RoundTripEstimate: Hashable, Sendable {
    /// Microseconds; nil before the first measurement.
    private var smoothed: Int64?
    private var variation: Int64 = 0
    /// The time-out that a request had come to when it was answered, in force until a round trip is measured: were it
    /// forgotten, a node that has become slower would get every request twice and never be measured (RFC 6298, 5.7).
    private var backedOff: Duration?

    /// Nothing measured yet.
    init() {}

    /// Smoothed round trip plus four times its variation, or what was backed off to; nil before the first of them.
    var timeout: Duration? {
        if let backedOff { return backedOff }
        guard let smoothed else { return nil }
        return .microseconds(smoothed + 4 * variation)
    }

    /// Notes that an answer needed more than one transmission, the last of them with that time-out.
    mutating func backOff(to timeout: Duration) {
        backedOff = timeout
    }

    /// Takes in a round trip of a request that was sent exactly once: of others nobody knows which transmission
    /// was answered (Karn's rule).
    mutating func measure(_ roundTrip: Duration) {
        backedOff = nil
        // An hour bounds the arithmetic whatever the clock did.
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
