package import MeshCore

/// How long a ``GATTClient`` waits.
package struct GATTTiming: Hashable, Sendable {
    /// How long the device may take for one answer; 30 s, after which the bearer is of no use any more (Core Vol 3
    /// Part F 3.3.3).
    package var transaction: Duration
    /// How long everything from the connection to the subscription may take. A device with a slow connection interval
    /// needs several seconds.
    package var overall: Duration

    /// Those times.
    package init(transaction: Duration = .seconds(30), overall: Duration = .seconds(40)) {
        self.transaction = transaction
        self.overall = overall
    }
}

/// When the stages of a connection ended, nil for those that have not.
package struct GATTStages: Hashable, Sendable {
    /// The link was there.
    package internal(set) var connected: Instant?
    /// The packet size was agreed on.
    package internal(set) var mtuExchanged: Instant?
    /// The service, its characteristics and the descriptor were found.
    package internal(set) var discovered: Instant?
    /// Notifications were on: the link is open.
    package internal(set) var subscribed: Instant?
}
