package import MeshCore

/// How long a ``GATTClient`` waits.
package struct GATTTiming: Hashable, Sendable {
    /// How long the device may take for one answer. The specification allows 30 s (Core Vol 3 Part F 3.3.3). A device
    /// that takes more than a third of that is of no use, and another proxy may be near.
    package var transaction: Duration
    /// How long everything from the connection to the subscription may take. A device with a long connection interval
    /// needs several seconds.
    package var overall: Duration

    package init(transaction: Duration = .seconds(10), overall: Duration = .seconds(20)) {
        self.transaction = transaction
        self.overall = overall
    }
}

/// When the stages of a connection ended; nil for stages that have not ended.
package struct GATTStages: Hashable, Sendable {
    package internal(set) var connected: Instant?
    /// The packet size was agreed on.
    package internal(set) var mtuExchanged: Instant?
    /// The service, its characteristics and the descriptor were found.
    package internal(set) var discovered: Instant?
    /// Notifications were on: the link is open.
    package internal(set) var subscribed: Instant?
}
