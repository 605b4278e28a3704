/// How long a request waits for its status, how often it is sent again, and with which TTL.
///
/// Within the deadline the request is sent again whenever the retransmission time-out passes, which then doubles.
/// The time-out comes from the round trips measured with the same node, as in RFC 6298. Each node has its own, because
/// nodes differ in hops, load and transmit parameters by more than one node varies. Before the first measurement, the
/// time-out comes from other nodes, the TTL and the number of segments.
package struct RetryPolicy: Hashable, Sendable {
    /// The TTL of requests, 0 or 2...127.
    package var ttl: UInt8 = 5
    /// How long a request may stay unanswered while the link is up; after that its outcome is unknown.
    package var deadline: Duration = .seconds(30)
    /// How long a request that only reads may stay unanswered.
    package var readBackDeadline: Duration = .seconds(15)
    /// How long two questions may stay unanswered: what became of an earlier request, and whether the node answers at
    /// all. A doubt should end soon, one way or the other.
    package var doubtDeadline: Duration = .seconds(5)
    /// How long a Node Reset may stay unanswered. Some nodes leave the network before they send their status, so that
    /// waiting longer is of no use.
    package var resetDeadline: Duration = .seconds(12)
    /// The first time-out before anything was measured, without the allowances below.
    package var initialTimeout: Duration = .milliseconds(1_500)
    /// Added to the initial time-out for each hop that the TTL allows.
    package var timeoutPerHop: Duration = .milliseconds(50)
    /// Added to every time-out for each segment of the request or of its answer beyond the first.
    package var timeoutPerSegment: Duration = .milliseconds(100)
    /// The shortest time-out (RFC 6298, 2.4). Most answers take a tenth of it. But when the traffic of others fills a
    /// relay's queue, the relay becomes ten times slower between two requests, and a request that is sent too early
    /// makes the queue longer.
    package var minimumTimeout: Duration = .seconds(1)
    /// No time-out grows beyond this by doubling.
    package var maximumTimeout: Duration = .seconds(8)
    /// How often a step is sent as a whole, each time with its own deadline, when the read-backs in between say
    /// that it has not taken effect; at least 1.
    package var maximumRounds: Int = 3

    /// The policy described at each property.
    package init() {}
}
