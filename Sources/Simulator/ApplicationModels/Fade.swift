import MeshCore

/// A transition of one value: it stays until `begin`, then moves evenly and arrives at `end` (Mesh Model 3.1.3).
struct Fade: Hashable, Sendable {
    /// The value at the beginning.
    let from: Int64
    /// How far it moves; at most a full circle unless it goes round without end.
    let span: Int64
    /// When the delay is over.
    let begin: Instant
    let end: Instant
    /// Whether the value is an angle, 0x10000 for a full circle.
    var wraps = false
    /// Whether the numbers are linear lightness, which moves evenly; the value is Actual.
    var isLinear = false

    /// The value at an instant. A fraction is cut off.
    func value(at now: Instant) -> Int64 {
        if now >= end { return turned(from + span) }
        guard now > begin else { return turned(from) }
        let share = Double(begin.duration(to: now).microseconds) / Double(begin.duration(to: end).microseconds)
        return turned(from + Int64((Double(span) * share).rounded(.down)))
    }

    /// How much time is left, without the delay.
    func remaining(at now: Instant) -> Duration { max(now, begin).duration(to: max(end, now)) }

    private func turned(_ value: Int64) -> Int64 {
        isLinear ? LightNumbers.actual(value) : wraps ? value & 0xFFFF : value
    }
}

/// The time of a transition and the delay before it.
struct FadeTiming: Hashable, Sendable {
    var transition = Duration.zero
    var delay = Duration.zero

    /// At once.
    static let none = FadeTiming()
}

/// The octet of transition times and remaining times (Mesh Model 3.1.3).
enum TransitionOctet {
    private static let resolutions: [Int64] = [100, 1_000, 10_000, 600_000]

    /// The time of an octet; nil if it says that the time is unknown.
    static func duration(_ octet: Int64) -> Duration? {
        let steps = octet & 0x3F
        return steps == 0x3F ? nil : .milliseconds(steps * resolutions[Int(octet >> 6 & 3)])
    }

    /// The octet nearest to a time. A time that is not over is at least one step.
    static func octet(_ duration: Duration) -> Int64 {
        let milliseconds = (duration.microseconds + 999) / 1_000
        guard milliseconds > 0 else { return 0 }
        // Above these times, the steps of the resolution no longer suffice.
        let limits: [Int64] = [6_600, 66_000, 910_000, .max]
        let resolution = limits.firstIndex { milliseconds < $0 } ?? 3
        let steps = (milliseconds + resolutions[resolution] / 2) / resolutions[resolution]
        return Int64(resolution) << 6 | min(max(steps, 1), 0x3E)
    }
}
