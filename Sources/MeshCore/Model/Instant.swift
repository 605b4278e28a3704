/// A point on the running clock of a bearer or a simulated world, in microseconds since its start.
///
/// Protocol machines never read a clock. They receive an instant with every input and name the instant at which the
/// caller must call them again.
package struct Instant: InstantProtocol, Hashable, Sendable {
    /// Microseconds since the clock's start.
    package var microseconds: Int64

    /// The instant that many microseconds after the clock's start.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The start of the clock.
    package static let zero = Instant(microseconds: 0)

    /// Later than every event.
    package static let distantFuture = Instant(microseconds: .max)

    /// This instant plus `duration`, to the microsecond; at most ``distantFuture``.
    package func advanced(by duration: Duration) -> Instant {
        let (sum, overflow) = microseconds.addingReportingOverflow(duration.microseconds)
        return Instant(microseconds: overflow ? .max : sum)
    }

    /// The time from this instant to `other`.
    package func duration(to other: Instant) -> Duration {
        .microseconds(other.microseconds - microseconds)
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.microseconds < right.microseconds
    }
}

extension Duration {
    /// The duration in whole microseconds, at most `Int64.max`.
    package var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return overflowed ? .max : sum
    }
}
