import MeshCore
import Planning

/// Names a request of a client; never used twice by it.
package struct RequestIdentifier: RawRepresentable, Hashable, Comparable, Sendable {
    /// Counts up from 0.
    package let rawValue: UInt64

    /// The request with that number.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The order in which requests were made.
    package static func < (left: RequestIdentifier, right: RequestIdentifier) -> Bool { left.rawValue < right.rawValue }
}

/// One outstanding request with its timers.
struct Exchange {
    let identifier: RequestIdentifier
    let node: UnicastAddress
    let inquiry: ConfigurationInquiry
    /// The subnets that the node takes messages in, sorted.
    let subnets: [NetKeyIndex]
    /// Those of them whose new key it has not got.
    let oldKeySubnets: [NetKeyIndex]
    /// The link that carries it; nil while it waits for one.
    var carrier: LinkTarget?
    /// When it is given up; while it waits for a link, what was left is kept in ``remaining`` instead.
    var deadline: Instant
    var remaining: Duration?
    /// When the link that carries it is doubted, unless an answer comes over it before; nil if that is decided.
    var doubtsAt: Instant?
    /// How often it was taken to another link because of a doubt.
    var moves = 0
    /// How often it was listened in vain for a proxy of its subnets.
    var misses = 0
    /// The retransmission time-out in force, once it is on a link.
    var timeout = Duration.zero
    /// Whether it was last on a link to the very node; nil before it was on any.
    var isDirect: Bool?
    /// When it is sent again; nil while its segments are under way or it waits for a link.
    var nextTransmission: Instant?
    /// The transmission whose segments are under way. Sending the request again would abort it in the node, which
    /// reassembles one message of a source at a time.
    var transmission: TransmissionIdentifier?
    /// How often it was sent.
    var transmissions = 0
    /// Since when the answer is awaited: the request is with the proxy; nil for one in segments, whose round trip
    /// cannot be told from that of its segments.
    var awaitedSince: Instant?
    /// An answer that fits the request and says that something else holds: a late one of an earlier request, or the
    /// truth. It counts if nothing better comes.
    var contradiction: ConfigurationVerdict?

    /// An answer that cannot be one, and to which transmission it came. It may be a late one to an earlier request, so
    /// it counts only if nothing better comes in time, or when it comes again to a further transmission.
    var odd: (answer: OddAnswer, transmission: Int)?

    /// What the machine of a client has to do for it next.
    var nextDeadline: Instant? {
        guard remaining == nil else { return nil }
        return [nextTransmission, doubtsAt].compactMap(\.self).min().map { min($0, deadline) } ?? deadline
    }

    /// It waits for a link again; its deadline counts time on a link only.
    mutating func leaveLink(remaining left: Duration) {
        transmission = nil
        nextTransmission = nil
        awaitedSince = nil
        doubtsAt = nil
        carrier = nil
        remaining = max(left, .zero)
    }
}
