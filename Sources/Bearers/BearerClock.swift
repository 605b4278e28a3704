package import MeshCore

/// The system's monotonic clock, counted from the moment it was made. The bearers of a process share one, so that their
/// instants can be compared.
package struct BearerClock: Sendable {
    private let start = ContinuousClock.now

    package init() {}

    /// Time since the clock began.
    package var now: Instant { Instant.zero.advanced(by: start.duration(to: .now)) }
}
