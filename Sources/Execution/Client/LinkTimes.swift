package import MeshCore

/// How long the stages of a link took until it carried messages.
package struct LinkTimes: Hashable, Sendable {
    /// From the beginning of the search to the choice of a proxy.
    package var scan: Duration
    /// From the choice until the bearer's link was open: on Bluetooth the connection, discovery and subscription.
    package var connect = Duration.zero
    /// The stages of connecting, if the bearer tells.
    package var gatt: GATTTimes?
    /// Until the first authentic beacon.
    package var beacon = Duration.zero
    /// Until the proxy's filter was set and confirmed.
    package var filter = Duration.zero

    /// The times of a link whose search took this long.
    package init(scan: Duration) {
        self.scan = scan
    }

    /// The time from choosing a proxy to a link that carries messages.
    package var setUp: Duration { connect + beacon + filter }
}
