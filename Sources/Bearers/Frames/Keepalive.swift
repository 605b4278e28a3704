import MeshCore

/// Notices that the other side of a connection is gone although nothing says so: a machine without power, a broken
/// network, a stopped process.
///
/// In its hello each side promises its longest silence. It sends an empty frame if it had nothing to send for that
/// long. It gives the other side up after three times the silence that the other side has promised.
struct Keepalive {
    /// The longest silence that this side promises.
    static let interval = Duration.seconds(5)
    /// After how many promised silences the other side is given up.
    static let patience = 3

    private let interval: Duration
    private let limit: Duration
    private var sentAt: Instant
    private var heardAt: Instant

    /// A connection whose hellos have just been exchanged.
    ///
    /// - Parameters:
    ///   - interval: the longest silence that this side has promised.
    ///   - theirs: the longest silence that the other side has promised.
    init(interval: Duration, theirs: Duration, at now: Instant) {
        self.interval = interval
        limit = theirs * Self.patience
        sentAt = now
        heardAt = now
    }

    /// How long the other side may be silent.
    var patience: Duration { limit }

    /// When something is due, unless something is sent or heard before.
    var nextDeadline: Instant { min(sentAt.advanced(by: interval), heardAt.advanced(by: limit)) }

    mutating func sent(at now: Instant) { sentAt = now }

    /// Something was heard, whatever it was.
    mutating func heard(at now: Instant) { heardAt = now }

    /// Whether an empty frame is due.
    func isBeatDue(at now: Instant) -> Bool { sentAt.advanced(by: interval) <= now }

    /// Whether the other side has broken its promise, though not for so long that it is given up.
    func isOverdue(at now: Instant) -> Bool { heardAt.advanced(by: limit / Self.patience * 3 / 2) <= now }

    /// Whether to give the other side up.
    func isOtherSilent(at now: Instant) -> Bool { heardAt.advanced(by: limit) <= now }
}

extension Duration {
    /// Milliseconds for a hello, 1...65,535.
    var heartbeatMilliseconds: UInt16 {
        let (seconds, attoseconds) = components
        guard seconds < 66 else { return .max }
        return UInt16(clamping: max(seconds * 1000 + attoseconds / 1_000_000_000_000_000, 1))
    }

    /// `15 s` for whole seconds, otherwise milliseconds such as `300 ms`.
    var heartbeatText: String {
        let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
