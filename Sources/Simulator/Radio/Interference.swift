import MeshCore

/// How busy the air around one node is: advertising events, counted in windows of half a second.
struct AirLoad: Sendable {
    private static let window: Int64 = 500_000
    private var start: Int64 = 0
    private var current = 0
    private var previous = 0

    /// Counts events that were heard at an instant.
    mutating func add(_ events: Int, at now: Instant) {
        turn(to: now)
        current += events
    }

    /// Events per second over the last one to two windows.
    mutating func eventsPerSecond(at now: Instant) -> Double {
        turn(to: now)
        let length = Double(Self.window + now.microseconds - start) / 1_000_000
        return Double(previous + current) / length
    }

    private mutating func turn(to now: Instant) {
        let elapsed = now.microseconds - start
        guard elapsed >= Self.window else { return }
        previous = elapsed < 2 * Self.window ? current : 0
        current = 0
        start = now.microseconds - elapsed % Self.window
    }
}

/// The chance that no other transmission on the channel hits a copy.
enum Interference {
    /// A copy of 0.376 ms collides with every transmission that starts within 0.376 ms before or after: exp(-2 · 0.376
    /// ms · rate).
    static func survival(eventsPerSecond: Double) -> Double {
        // (1 - x/1024)^1024 by ten squarings. It is close enough to exp(-x), and the same on every platform.
        var value = max(0, 1 - 0.000_752 * eventsPerSecond / 1_024)
        for _ in 0..<10 { value *= value }
        return value
    }
}
