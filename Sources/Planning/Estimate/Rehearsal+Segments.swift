import MeshCore

/// Messages of several segments and their acknowledgments (Mesh Protocol 3.5.3.3 and 3.5.3.4).
extension Rehearsal {
    /// A message of several segments on its way: which ones its receiver has, and which ones its sender knows of.
    struct Segments {
        let message: Int
        let attempt: Int
        let count: Int
        /// A bit for each segment.
        var heard: UInt64 = 0
        var acknowledged: UInt64 = 0
        /// How often they were sent, and when the last round ends.
        var rounds = 0
        var sendingUntil = 0.0
        /// Whether the receiver is about to acknowledge, and before when it repeats no acknowledgment.
        var isOwed = false
        var quietUntil = 0.0

        /// Whether the receiver has all segments, and whether the sender knows that.
        var isThere: Bool { heard.nonzeroBitCount == count }
        var isKnownToBeThere: Bool { acknowledged.nonzeroBitCount == count }
        /// Seconds after which a receiver acknowledges what it has.
        var delay: Double { Rehearsal.segmentInterval * min(Double(count) - 0.5, 2.5) }
    }

    /// Sends the segments of a request or a status for the first time.
    mutating func sendSegments(_ lane: Int, _ segments: Segments, ofStatus isStatus: Bool, at begin: Double) {
        setSegments(lane, segments, ofStatus: isStatus)
        sendRound(lane, ofStatus: isStatus, at: begin)
    }

    /// Sends the segments that are not acknowledged, unless the limit of rounds is reached.
    private mutating func sendRound(_ lane: Int, ofStatus isStatus: Bool, at begin: Double) {
        guard var segments = segments(lane, ofStatus: isStatus) else { return }
        guard segments.rounds < (isStatus ? Self.nodeRounds : Self.clientRounds) else {
            if !isStatus, lanes[lane].carrier != nil { awaitAnswer(lane) }
            return
        }
        segments.rounds += 1
        var time = begin
        for segment in 0..<segments.count where segments.acknowledged & 1 << UInt64(segment) == 0 {
            let (message, attempt) = (segments.message, segments.attempt)
            let kind: RehearsalEvent.Kind =
                isStatus
                ? .status(message: message, attempt: attempt, segment: segment)
                : .request(message: message, attempt: attempt, segment: segment)
            events.add(kind, lane, at: time)
            segments.sendingUntil = time
            time += Self.segmentInterval
        }
        let kind = RehearsalEvent.Kind.unacknowledged(
            message: segments.message,
            attempt: segments.attempt,
            ofStatus: isStatus,
            rounds: segments.rounds
        )
        events.add(kind, lane, at: segments.sendingUntil + Self.acknowledgment)
        setSegments(lane, segments, ofStatus: isStatus)
    }

    /// No acknowledgment came in time.
    mutating func sendAgain(_ lane: Int, ofStatus isStatus: Bool) {
        sendRound(lane, ofStatus: isStatus, at: now)
    }

    /// Whether a segment must still be sent. An acknowledgment may have come since that was decided.
    func isWanted(_ lane: Int, _ message: Int, _ attempt: Int, _ segment: Int, ofStatus isStatus: Bool) -> Bool {
        guard let segments = segments(lane, ofStatus: isStatus), segments.message == message else { return true }
        return segments.attempt == attempt && segments.acknowledged & 1 << UInt64(segment) == 0
    }

    /// A receiver hears a segment.
    ///
    /// - Returns: whether this segment completes the message.
    mutating func hear(_ lane: Int, _ message: Int, _ attempt: Int, _ segment: Int, ofStatus isStatus: Bool) -> Bool {
        guard var segments = segments(lane, ofStatus: isStatus), segments.message == message,
            segments.attempt == attempt
        else { return false }
        defer { setSegments(lane, segments, ofStatus: isStatus) }
        if segments.isThere {
            guard now >= segments.quietUntil else { return false }
            segments.quietUntil = now + segments.delay
            acknowledge(lane, segments, ofStatus: isStatus)
            return false
        }
        segments.heard |= 1 << UInt64(segment)
        if segments.isThere {
            acknowledge(lane, segments, ofStatus: isStatus)
            return true
        }
        if !segments.isOwed {
            segments.isOwed = true
            let kind = RehearsalEvent.Kind.owed(message: message, attempt: attempt, ofStatus: isStatus)
            events.add(kind, lane, at: now + segments.delay)
        }
        return false
    }

    /// A receiver acknowledges the segments that it has.
    mutating func tellMissing(_ lane: Int, _ message: Int, _ attempt: Int, ofStatus isStatus: Bool) {
        guard var segments = segments(lane, ofStatus: isStatus), segments.message == message,
            segments.attempt == attempt
        else { return }
        segments.isOwed = false
        setSegments(lane, segments, ofStatus: isStatus)
        if !segments.isThere { acknowledge(lane, segments, ofStatus: isStatus) }
    }

    private mutating func acknowledge(_ lane: Int, _ segments: Segments, ofStatus isStatus: Bool) {
        let content = RehearsedAir.Content.acknowledgment(
            message: segments.message,
            attempt: segments.attempt,
            ofStatus: isStatus,
            heard: segments.heard
        )
        if isStatus { write(content, lane) } else { reply(content, lane) }
    }

    /// A sender learns what has arrived.
    mutating func acknowledged(_ lane: Int, _ message: Int, _ attempt: Int, _ heard: UInt64, ofStatus isStatus: Bool) {
        guard var segments = segments(lane, ofStatus: isStatus), segments.message == message,
            segments.attempt == attempt, !segments.isKnownToBeThere, heard & ~segments.acknowledged != 0
        else { return }
        segments.acknowledged |= heard
        setSegments(lane, segments, ofStatus: isStatus)
        guard isStatus || lanes[lane].next == message && lanes[lane].attempts == attempt else { return }
        if segments.isKnownToBeThere {
            if !isStatus { awaitAnswer(lane) }
        } else if now > segments.sendingUntil {
            // The sender knows what is missing and does not wait.
            sendRound(lane, ofStatus: isStatus, at: now)
        }
    }

    /// Whether segments still wait for an acknowledgment after so many rounds.
    func isUnacknowledged(_ lane: Int, _ message: Int, _ attempt: Int, ofStatus isStatus: Bool, _ rounds: Int) -> Bool {
        guard let segments = segments(lane, ofStatus: isStatus), segments.message == message,
            segments.attempt == attempt, segments.rounds == rounds, !segments.isKnownToBeThere
        else { return false }
        return isStatus || lanes[lane].next == message && lanes[lane].attempts == attempt
    }

    private func segments(_ lane: Int, ofStatus isStatus: Bool) -> Segments? {
        isStatus ? lanes[lane].status : lanes[lane].request
    }

    private mutating func setSegments(_ lane: Int, _ segments: Segments, ofStatus isStatus: Bool) {
        if isStatus { lanes[lane].status = segments } else { lanes[lane].request = segments }
    }

    /// Seconds between two segments.
    static let segmentInterval = 0.060
    /// Seconds after which segments without an acknowledgment are sent again, at the usual TTL.
    private static let acknowledgment = 0.4
    /// The most rounds of the client, and of nodes.
    private static let clientRounds = 6
    private static let nodeRounds = 3
}
