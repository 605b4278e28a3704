import MeshCore
import Planning

/// The identifier of a request; a client uses each only once.
package struct RequestIdentifier: RawRepresentable, Hashable, Comparable, Sendable {
    /// Counts up from 0.
    package let rawValue: UInt64

    /// The request with this number.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The order in which requests were made.
    package static func < (left: RequestIdentifier, right: RequestIdentifier) -> Bool { left.rawValue < right.rawValue }
}

/// One outstanding request with its timers.
struct Exchange {
    /// How often a request may move to another link because of a doubt.
    static let maximumMoves = 2

    let identifier: RequestIdentifier
    /// The element that is asked.
    let node: UnicastAddress
    /// The primary element of its node, by which proxies are known.
    let host: UnicastAddress
    /// The element that gets the messages: ``node``, or the other element of it that the inquiry names.
    let destination: UnicastAddress
    let inquiry: ConfigurationInquiry
    /// The subnets in which the node takes messages, sorted.
    let subnets: [NetKeyIndex]
    /// Those of them whose new key the node does not have.
    let oldKeySubnets: [NetKeyIndex]
    /// Whether no link to the node itself may carry it, because its answer is to show that the mesh does.
    let isThroughMesh: Bool
    /// The link that carries it; nil while it waits for one.
    var carrier: LinkTarget?
    /// When the request is given up. While it waits for a link, the remaining time is in ``remaining`` instead.
    var deadline: Instant
    var remaining: Duration?
    /// When the client begins to doubt the link that carries it, unless an answer comes over this link before; nil once
    /// that is decided.
    var doubtsAt: Instant?
    /// How often it moved to another link because of a doubt.
    var moves = 0
    /// How often the client listened for a proxy of its subnets without finding one.
    var misses = 0
    /// The current retransmission time-out, once it is on a link.
    var timeout = Duration.zero
    /// Whether its last link led directly to the node; nil before its first link.
    var isDirect: Bool?
    /// When it is sent again; nil while its segments are being sent or it waits for a link.
    var nextTransmission: Instant?
    /// The transmission whose segments are being sent. Sending the request again would abort it in the node, which
    /// reassembles one message of a source at a time.
    var transmission: TransmissionIdentifier?
    /// How often it was sent.
    var transmissions = 0
    /// Since when the client waits for the answer, with the request at the proxy; nil for a request in segments, whose
    /// round trip cannot be separated from that of its segments.
    var awaitedSince: Instant?
    /// An answer that fits the request and reports another value, and the transmission that it followed: either a late
    /// answer to an earlier request, or the truth. It counts if nothing better comes, or if it comes again after a
    /// further transmission.
    var contradiction: (verdict: ConfigurationVerdict, transmission: Int)?

    /// An answer that cannot be one, and the transmission that it followed. It may be a late answer to an earlier
    /// request. So it counts only if nothing better comes in time, or if it comes again after a further transmission.
    var odd: (answer: OddAnswer, transmission: Int)?

    /// What it needs of a proxy.
    var need: ProxySelection.Need { ProxySelection.Need(node: host, subnets: subnets, isUrgent: misses > 0) }

    /// When the client has to act on it next.
    var nextDeadline: Instant? {
        guard remaining == nil else { return nil }
        return [nextTransmission, doubtsAt].compactMap(\.self).min().map { min($0, deadline) } ?? deadline
    }

    /// The request waits for a link again; its deadline counts only time on a link.
    mutating func leaveLink(remaining left: Duration) {
        transmission = nil
        nextTransmission = nil
        awaitedSince = nil
        doubtsAt = nil
        carrier = nil
        remaining = max(left, .zero)
    }
}
