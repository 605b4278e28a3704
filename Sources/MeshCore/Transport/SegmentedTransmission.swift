/// Sends one segmented message, from the first segment to the last acknowledgment (Mesh Protocol 3.5.3.3).
///
/// A value machine: ``step(at:)`` tells what is due, ``acknowledge(_:at:)`` handles what arrived.
struct SegmentedTransmission {
    /// What is due at an instant.
    enum Step: Hashable {
        /// Send that segment, then ask again.
        case send(Int)
        /// All transmissions to a group are done.
        case completed
        /// Acknowledgments did not arrive in time.
        case failed
        /// Nothing is due before ``SegmentedTransmission/deadline``.
        case idle
    }

    /// The effect of an acknowledgment.
    enum Progress: Hashable {
        case completed
        /// The receiver refuses the rest.
        case cancelled
        /// More segments or acknowledgments have to follow.
        case pending
        /// It names segments that do not exist.
        case invalid
    }

    /// When ``step(at:)`` must be called next.
    private(set) var deadline: Instant
    /// The unacknowledged segments; bit n stands for segment n.
    private(set) var unacknowledged: UInt32
    /// The segments to send before waiting.
    private var round: UInt32
    private var retransmissions: Int
    private var retransmissionsWithoutProgress: Int
    private let all: UInt32
    private let isUnicast: Bool
    private let interval: Duration
    private let parameters: SARParameters

    /// A transmission of `count` segments, 1 to 32, whose first segment is due at `now`.
    init(count: Int, isUnicast: Bool, ttl: UInt8, parameters: SARParameters, at now: Instant) {
        all = count >= 32 ? .max : (1 << UInt32(count)) - 1
        unacknowledged = all
        round = all
        deadline = now
        self.isUnicast = isUnicast
        self.parameters = parameters
        interval =
            isUnicast
            ? parameters.unicastRetransmissionInterval(ttl: ttl) : parameters.multicastRetransmissionInterval
        retransmissions = isUnicast ? parameters.unicastRetransmissions : parameters.multicastRetransmissions
        retransmissionsWithoutProgress = parameters.unicastRetransmissionsWithoutProgress
    }

    /// What is due at `now`. Call it again after every segment that it returns.
    mutating func step(at now: Instant) -> Step {
        guard deadline <= now else { return .idle }
        if unacknowledged == 0 { return .completed }
        if round == 0 {
            guard retransmissions > 0, !isUnicast || retransmissionsWithoutProgress > 0 else { return .failed }
            startRound()
        }
        let index = round.trailingZeroBitCount
        round &= round - 1
        if round != 0 {
            deadline = now.advanced(by: parameters.segmentInterval)
        } else if !isUnicast, retransmissions == 0 {
            // Nobody acknowledges a message to a group, so the next step ends it without waiting.
            unacknowledged = 0
            deadline = now
        } else {
            deadline = now.advanced(by: interval)
        }
        return .send(index)
    }

    /// Handles the BlockAck of an acknowledgment.
    mutating func acknowledge(_ blockAck: UInt32, at now: Instant) -> Progress {
        guard blockAck & ~all == 0 else { return .invalid }
        guard blockAck != 0 else { return .cancelled }
        let progress = unacknowledged & blockAck
        unacknowledged &= ~blockAck
        if unacknowledged == 0 { return .completed }
        guard progress != 0 else { return .pending }
        retransmissionsWithoutProgress = parameters.unicastRetransmissionsWithoutProgress + 1
        if round != 0 {
            round &= unacknowledged
            if round == 0 { deadline = now.advanced(by: interval) }
        } else if retransmissions > 0 {
            // The receiver has told what it lacks, so there is no reason to wait for the timer.
            startRound()
            deadline = now
        }
        return .pending
    }

    private mutating func startRound() {
        retransmissions -= 1
        if isUnicast { retransmissionsWithoutProgress -= 1 }
        round = unacknowledged
    }
}
