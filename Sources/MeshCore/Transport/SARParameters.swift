/// The timing of segmentation and reassembly (Mesh Protocol 3.5.3.3, 3.5.3.4, 4.2.48 and 4.2.49).
package struct SARParameters: Hashable, Sendable {
    /// How long a receiver waits before it acknowledges.
    package enum AcknowledgmentDelay: Hashable, Sendable {
        /// Version 1.1: that many tenths of the receiver's segment interval, but at most SegN + 0.5 intervals.
        case segmentIntervals(tenths: Int)
        /// Version 1.0.1: a base time, and more for every hop that the TTL of the segment allowed.
        case timeToLive(base: Duration, perHop: Duration)
    }

    /// The time between two segments of a transmission. With zero they are sent at once, which a GATT bearer can
    /// handle.
    package var segmentInterval: Duration
    /// How often unacknowledged segments to a unicast address are repeated.
    package var unicastRetransmissions: Int
    /// How often they are repeated while acknowledgments report no new segment.
    package var unicastRetransmissionsWithoutProgress: Int
    /// How long to wait for an acknowledgment of a message with TTL 0 or 1.
    package var unicastRetransmissionInterval: Duration
    /// The additional wait for each further hop of the TTL.
    package var unicastRetransmissionIncrement: Duration
    /// How often all segments to a group or virtual address are repeated.
    package var multicastRetransmissions: Int
    /// The time between those transmissions.
    package var multicastRetransmissionInterval: Duration
    /// Acknowledgments of messages with a SegN above this are repeated.
    package var segmentsThreshold: Int
    /// How long a receiver waits before it acknowledges.
    package var acknowledgmentDelay: AcknowledgmentDelay
    /// How often such acknowledgments are repeated.
    package var acknowledgmentRetransmissions: Int
    /// The time between segments that the receiver assumes.
    package var receiverSegmentInterval: Duration
    /// How long after the last new segment an incomplete message is discarded.
    package var discardTimeout: Duration

    package init(
        segmentInterval: Duration,
        unicastRetransmissions: Int,
        unicastRetransmissionsWithoutProgress: Int,
        unicastRetransmissionInterval: Duration,
        unicastRetransmissionIncrement: Duration,
        multicastRetransmissions: Int,
        multicastRetransmissionInterval: Duration,
        segmentsThreshold: Int,
        acknowledgmentDelay: AcknowledgmentDelay,
        acknowledgmentRetransmissions: Int,
        receiverSegmentInterval: Duration,
        discardTimeout: Duration
    ) {
        self.segmentInterval = segmentInterval
        self.unicastRetransmissions = unicastRetransmissions
        self.unicastRetransmissionsWithoutProgress = unicastRetransmissionsWithoutProgress
        self.unicastRetransmissionInterval = unicastRetransmissionInterval
        self.unicastRetransmissionIncrement = unicastRetransmissionIncrement
        self.multicastRetransmissions = multicastRetransmissions
        self.multicastRetransmissionInterval = multicastRetransmissionInterval
        self.segmentsThreshold = segmentsThreshold
        self.acknowledgmentDelay = acknowledgmentDelay
        self.acknowledgmentRetransmissions = acknowledgmentRetransmissions
        self.receiverSegmentInterval = receiverSegmentInterval
        self.discardTimeout = discardTimeout
    }

    /// The default values of version 1.1.
    package static let standard = SARParameters(
        segmentInterval: .milliseconds(60),
        unicastRetransmissions: 2,
        unicastRetransmissionsWithoutProgress: 2,
        unicastRetransmissionInterval: .milliseconds(200),
        unicastRetransmissionIncrement: .milliseconds(50),
        multicastRetransmissions: 2,
        multicastRetransmissionInterval: .milliseconds(250),
        segmentsThreshold: 3,
        acknowledgmentDelay: .segmentIntervals(tenths: 25),
        acknowledgmentRetransmissions: 0,
        receiverSegmentInterval: .milliseconds(60),
        discardTimeout: .seconds(10)
    )

    /// The parameters of a configuration client: the defaults of version 1.1, but six transmissions to a unicast
    /// address.
    ///
    /// If 36 of 100 PDUs are lost, as over two hops that each lose a fifth, one segment in twenty does not arrive in
    /// three transmissions. The message would then have to start again from its first segment with a new SeqAuth. With
    /// six transmissions it is one in 500. They take 3 s at TTL 5, well within the 10 s for which a receiver keeps an
    /// incomplete message. Both counts may be up to 15 (4.2.48). Nothing changes for messages that arrive.
    package static let configurationClient: SARParameters = {
        var parameters = standard
        parameters.unicastRetransmissions = 5
        parameters.unicastRetransmissionsWithoutProgress = 5
        return parameters
    }()

    /// The timers of version 1.0.1, which has no states for them: segments at once, retransmission after 200 ms + 50 ms
    /// × TTL, acknowledgment after 150 ms + 50 ms × TTL. For TTL 0 the retransmission comes after 250 ms, although 200
    /// ms would suffice.
    package static let version101 = SARParameters(
        segmentInterval: .zero,
        unicastRetransmissions: 3,
        unicastRetransmissionsWithoutProgress: 3,
        unicastRetransmissionInterval: .milliseconds(250),
        unicastRetransmissionIncrement: .milliseconds(50),
        multicastRetransmissions: 3,
        multicastRetransmissionInterval: .milliseconds(250),
        segmentsThreshold: 31,
        acknowledgmentDelay: .timeToLive(base: .milliseconds(150), perHop: .milliseconds(50)),
        acknowledgmentRetransmissions: 0,
        receiverSegmentInterval: .zero,
        discardTimeout: .seconds(10)
    )

    /// How long to wait for an acknowledgment of a message sent with `ttl`.
    package func unicastRetransmissionInterval(ttl: UInt8) -> Duration {
        unicastRetransmissionInterval + unicastRetransmissionIncrement * max(0, Int(ttl) - 1)
    }

    /// How long to wait before acknowledging a message with `last` as SegN, whose segment arrived with `ttl`.
    package func acknowledgmentDelay(last: UInt8, ttl: UInt8) -> Duration {
        switch acknowledgmentDelay {
        case .segmentIntervals(let tenths): receiverSegmentInterval * min(Int(last) * 10 + 5, tenths) / 10
        case .timeToLive(let base, let perHop): base + perHop * Int(ttl)
        }
    }
}
