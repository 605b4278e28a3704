/// How segmentation and reassembly are timed (Mesh Protocol 3.5.3.3, 3.5.3.4, 4.2.48 and 4.2.49).
package struct SARParameters: Hashable, Sendable {
    /// How long a receiver waits before it acknowledges.
    package enum AcknowledgmentDelay: Hashable, Sendable {
        /// 1.1: that many tenths of the receiver's segment interval, but not more than SegN + 0.5 of them.
        case segmentIntervals(tenths: Int)
        /// 1.0.1: a time and another for every hop that the TTL of the segment allowed.
        case timeToLive(base: Duration, perHop: Duration)
    }

    /// The time between two segments of a transmission; zero sends them at once, which a GATT bearer can take.
    package var segmentInterval: Duration
    /// How often unacknowledged segments to a unicast address are sent again after the first time.
    package var unicastRetransmissions: Int
    /// How often they are sent again without an acknowledgment of one more segment.
    package var unicastRetransmissionsWithoutProgress: Int
    /// The wait for an acknowledgment of a message with TTL 0 or 1.
    package var unicastRetransmissionInterval: Duration
    /// What is added to that wait for every further hop of the TTL.
    package var unicastRetransmissionIncrement: Duration
    /// How often all segments to a group or virtual address are sent again.
    package var multicastRetransmissions: Int
    /// The time between those transmissions.
    package var multicastRetransmissionInterval: Duration
    /// Acknowledgments of messages with a SegN above this are sent again.
    package var segmentsThreshold: Int
    /// How long a receiver waits before it acknowledges.
    package var acknowledgmentDelay: AcknowledgmentDelay
    /// How often such acknowledgments are sent again.
    package var acknowledgmentRetransmissions: Int
    /// The receiver's idea of the time between segments.
    package var receiverSegmentInterval: Duration
    /// How long after the last new segment an incomplete message is given up.
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

    /// The default states of version 1.1.
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

    /// Those of a configuration client: the default states of version 1.1 with six transmissions to a unicast address.
    ///
    /// Where 36 of 100 PDUs are lost, as over two hops that lose a fifth each, one segment in twenty fails to arrive in
    /// three transmissions, and the message would have to start again from its first segment, under a new SeqAuth. Six
    /// transmissions lose one in 500; they are over after 3 s at TTL 5, well within the 10 s for which a receiver keeps
    /// an incomplete message. Both counts may be up to 15 (4.2.48); nothing changes for messages that get through.
    package static let configurationClient: SARParameters = {
        var parameters = standard
        parameters.unicastRetransmissions = 5
        parameters.unicastRetransmissionsWithoutProgress = 5
        return parameters
    }()

    /// The timers of version 1.0.1, which has no states for them: segments at once, retransmission after 200 ms + 50 ms
    /// x TTL (250 ms for TTL 0, where 200 is the least), acknowledgment after 150 ms + 50 ms x TTL.
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

    /// The wait for an acknowledgment of a message sent with `ttl`.
    package func unicastRetransmissionInterval(ttl: UInt8) -> Duration {
        unicastRetransmissionInterval + unicastRetransmissionIncrement * max(0, Int(ttl) - 1)
    }

    /// The wait before an acknowledgment of a message with `last` as SegN, whose segment came with `ttl`.
    package func acknowledgmentDelay(last: UInt8, ttl: UInt8) -> Duration {
        switch acknowledgmentDelay {
        case .segmentIntervals(let tenths): receiverSegmentInterval * min(Int(last) * 10 + 5, tenths) / 10
        case .timeToLive(let base, let perHop): base + perHop * Int(ttl)
        }
    }
}
