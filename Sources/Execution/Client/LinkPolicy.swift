import MeshCore

/// How the client looks for proxies, how it sets up their links, and how often it tries.
package struct LinkPolicy: Hashable, Sendable {
    /// How long to listen to advertising before choosing a proxy, so that the strongest is among those heard; nodes
    /// advertise about once a second (Mesh Protocol 7.2.2.2).
    package var listeningTime: Duration = .milliseconds(1_500)
    /// How long to listen if no suitable proxy is heard; then the attempt has failed.
    package var listeningLimit: Duration = .seconds(10)
    /// How long an advertiser counts as being in reach after it was last heard.
    package var advertisementLifetime: Duration = .seconds(10)
    /// For how long a proxy that failed is chosen only after all others.
    package var failureMemory: Duration = .seconds(60)
    /// How often the client may hear no suitable proxy, while there are other proxies of the network, before it gives a
    /// request up; at least 1.
    package var maximumMisses: Int = 3
    /// How long a link must have been idle before another may replace it: the next request to the same node follows an
    /// answer at once.
    package var idleTime: Duration = .milliseconds(500)
    /// How long connecting may take.
    package var connectTimeout: Duration = .seconds(30)
    /// How long connecting may take for a link to one node alone, which other proxies can reach as well, and while
    /// another proxy is heard that would do.
    package var shortConnectTimeout: Duration = .seconds(10)
    /// The only proxy that may be used; nil for any.
    package var proxy: RequiredProxy?
    /// How long to wait for the first authentic beacon after the link opened if the IV index is known; then the link
    /// continues without one. A proxy should send one for each subnet at once (Mesh Protocol 6.7).
    package var beaconPatience: Duration = .seconds(1)
    /// How long to wait for it if the IV index is unknown, so that nothing can be sent without a beacon.
    package var beaconTimeout: Duration = .seconds(5)
    /// How long a Filter Status may take, or the answer to the message that tests a proxy.
    package var filterTimeout: Duration = .seconds(2)
    /// How long requests to other nodes than the proxy may stay unanswered on a link that has carried no answer yet,
    /// before the client looks for another proxy: about the time to send one three times.
    package var forwardingPatience: Duration = .seconds(8)
    /// The least time for a request on the link that it moved to.
    package var timeAfterMove: Duration = .seconds(12)
    /// How long the proxy may take to confirm our address in its filter; then the client tests it with a message.
    package var addressTimeout: Duration = .seconds(1)
    /// How often the client sets the filter type, or tests the proxy with a message, before it gives the link up; at
    /// least 1.
    package var filterAttempts: Int = 3
    /// The wait after an attempt that failed, doubled for each further one.
    package var reopenDelay: Duration = .milliseconds(500)
    /// The longest wait between two attempts.
    package var maximumReopenDelay: Duration = .seconds(8)
    /// After this many attempts in a row without an answer over their links, the client stops trying; at least 1.
    package var maximumAttempts: Int = 5
    /// How to adopt an IV index that needs approval, for hints. The owner of the client words it.
    package var ivIndexRecovery: String = "a recovery of the IV index"
    /// How a person states the IV index, without the number, for hints. The owner of the client words it.
    package var ivIndexStatement: String = "IV index"

    /// The default of every setting.
    package init() {}

    /// The wait before the next attempt after `failures` failed ones.
    func delay(afterFailures failures: Int) -> Duration {
        var delay = reopenDelay
        for _ in 1..<max(failures, 1) where delay < maximumReopenDelay { delay = delay * 2 }
        return min(delay, maximumReopenDelay)
    }
}
