import MeshCore

/// When to connect a lost socket of a ``SocketBearer`` again, as long as anybody scans or a link waits: five times, at
/// growing intervals.
struct Reconnection {
    private static let attempts = 5
    private var failures = 0
    private(set) var next = Instant.zero
    /// Why the last attempt failed.
    private(set) var error: BearerError?

    /// Whether the last attempt failed.
    var hasFailed: Bool { failures > 0 }

    /// Why there will be no further attempt; nil while there will be.
    var surrender: BearerError? { failures < Self.attempts ? nil : error }

    mutating func failed(_ error: BearerError, at now: Instant) {
        failures += 1
        self.error = error
        next = now.advanced(by: .seconds(1 << (failures - 1)))
    }
}
