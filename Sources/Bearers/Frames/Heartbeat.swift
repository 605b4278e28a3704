internal import MeshCore

/// Notices that the other side of a connection is gone though nothing says so: a machine without power, a network that
/// is cut, a process that is stopped.
///
/// Each side says in its hello how long it is silent at most, sends an empty frame when it had nothing to send for so
/// long, and gives the other side up after three times what that one has promised.
struct Heartbeat {
    /// The longest silence of ours.
    static let interval = Duration.seconds(5)
    /// So many of its intervals may the other side be silent.
    static let patience = 3

    private let interval: Duration
    private let limit: Duration
    private var sentAt: Instant
    private var heardAt: Instant

    /// A connection whose hellos have just passed.
    ///
    /// - Parameters:
    ///   - interval: the longest silence that we have promised.
    ///   - theirs: the longest silence that the other side has promised.
    init(interval: Duration, theirs: Duration, at now: Instant) {
        self.interval = interval
        limit = theirs * Self.patience
        sentAt = now
        heardAt = now
    }

    /// How long the other side may be silent.
    var patience: Duration { limit }

    /// When there is something to do unless something is sent or heard before.
    var nextDeadline: Instant { min(sentAt.advanced(by: interval), heardAt.advanced(by: limit)) }

    /// Something was sent.
    mutating func sent(at now: Instant) { sentAt = now }

    /// Something was heard, whatever it was.
    mutating func heard(at now: Instant) { heardAt = now }

    /// Whether an empty frame is due.
    func isBeatDue(at now: Instant) -> Bool { sentAt.advanced(by: interval) <= now }

    /// Whether the other side is to be given up.
    func isOtherSilent(at now: Instant) -> Bool { heardAt.advanced(by: limit) <= now }
}

extension Duration {
    /// Milliseconds for a hello, 1...65,535.
    var heartbeatMilliseconds: UInt16 {
        let (seconds, attoseconds) = components
        guard seconds < 66 else { return .max }
        return UInt16(clamping: max(seconds * 1000 + attoseconds / 1_000_000_000_000_000, 1))
    }

    /// `15 s`, or `300 ms` where seconds say too little.
    var heartbeatText: String {
        let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
