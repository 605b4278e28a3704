/// How long the stages of a link over Bluetooth took, from the wish for it until packets could pass.
package struct GATTTimes: Hashable, Sendable {
    /// Until its turn came: links are connected one after the other, scanning pauses first, and any proxy at all has to
    /// be heard.
    package var wait: Duration
    /// Until the connection was there.
    package var connection: Duration
    /// Until the size of packets was agreed on (Exchange MTU).
    package var mtuExchange: Duration
    /// Until the service, its characteristics and the descriptor were found.
    package var discovery: Duration
    /// Until notifications were on.
    package var subscription: Duration

    package init(
        wait: Duration,
        connection: Duration,
        mtuExchange: Duration,
        discovery: Duration,
        subscription: Duration
    ) {
        self.wait = wait
        self.connection = connection
        self.mtuExchange = mtuExchange
        self.discovery = discovery
        self.subscription = subscription
    }
}
