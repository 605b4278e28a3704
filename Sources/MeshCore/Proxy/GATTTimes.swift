/// How long each stage of opening a link over Bluetooth took.
package struct GATTTimes: Hashable, Sendable {
    /// The time until its turn came. Links are connected one after the other, scanning pauses first, and for any proxy
    /// one has to be heard.
    package var wait: Duration
    package var connection: Duration
    /// The time for agreeing on the packet size (Exchange MTU).
    package var mtuExchange: Duration
    /// The time for finding the service, its characteristics and the descriptor.
    package var discovery: Duration
    /// The time for switching notifications on.
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
