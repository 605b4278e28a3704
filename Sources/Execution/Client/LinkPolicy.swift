import MeshCore

/// How a proxy link is set up, and how often it is opened again when it is lost.
package struct LinkPolicy: Hashable, Sendable {
    /// How long the proxy may take to send its first authentic beacon after the link opened; it sends one per subnet
    /// at once (Mesh Protocol 6.7).
    package var beaconTimeout: Duration = .seconds(5)
    /// How long a Filter Status may take.
    package var filterTimeout: Duration = .seconds(2)
    /// How often a proxy configuration message is sent before the link is given up, at least 1.
    package var filterAttempts: Int = 3
    /// The wait before a lost link is opened again, doubled for each attempt that fails.
    package var reopenDelay: Duration = .milliseconds(500)
    /// The longest wait between two attempts.
    package var maximumReopenDelay: Duration = .seconds(8)
    /// Attempts in a row without a link that became ready, after which the run ends; at least 1.
    package var maximumAttempts: Int = 5

    /// The policy described at each property.
    package init() {}

    /// The wait before the attempt after `failures` failed ones.
    func delay(afterFailures failures: Int) -> Duration {
        var delay = reopenDelay
        for _ in 1..<max(failures, 1) where delay < maximumReopenDelay { delay = delay * 2 }
        return min(delay, maximumReopenDelay)
    }
}
