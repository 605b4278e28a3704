/// A point on the running clock of a bearer or a simulated world, in microseconds since its start.
///
/// Protocol machines never read a clock; they are handed an instant with every input and name the instant at
/// which they want to be called next.
package struct Instant: InstantProtocol, Hashable, Sendable {
    /// Microseconds since the clock's start.
    package var microseconds: Int64

    /// The instant that many microseconds after the clock's start.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The clock's start.
    package static let zero = Instant(microseconds: 0)

    /// Later than anything that happens.
    package static let distantFuture = Instant(microseconds: .max)

    /// This instant and `duration` more, to the microsecond; stops at ``distantFuture``.
    package func advanced(by duration: Duration) -> Instant {
        let (sum, overflow) = microseconds.addingReportingOverflow(duration.microseconds)
        return Instant(microseconds: overflow ? .max : sum)
    }

    /// The time from here to `other`.
    package func duration(to other: Instant) -> Duration {
        .microseconds(other.microseconds - microseconds)
    }

    /// Whether `left` comes first.
    package static func < (left: Instant, right: Instant) -> Bool {
        left.microseconds < right.microseconds
    }
}

extension Duration {
    /// The whole microseconds of the duration, at most `Int64.max`.
    package var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return overflowed ? .max : sum
    }
}
