internal import MeshCore

/// When the socket of a ``SocketBearer`` that was lost is connected again, as long as anybody scans or has a link that
/// waits for it: at growing distances, five times.
struct Reconnection {
    private static let attempts = 5
    private var failures = 0
    /// When it is tried again.
    private(set) var next = Instant.zero
    /// Why the last attempt has failed.
    private(set) var error: BearerError?

    /// Whether the last attempt has failed.
    var hasFailed: Bool { failures > 0 }

    /// Why it is not tried any more, nil while it is.
    var surrender: BearerError? { failures < Self.attempts ? nil : error }

    /// An attempt has failed.
    mutating func failed(_ error: BearerError, at now: Instant) {
        failures += 1
        self.error = error
        next = now.advanced(by: .seconds(1 << (failures - 1)))
    }
}
