import MeshCore

/// How proxies are looked for, how their links are set up, and how often that is tried.
package struct LinkPolicy: Hashable, Sendable {
    /// How long advertising is listened to before a proxy is chosen, so that the strongest is among those heard; nodes
    /// advertise about once a second (Mesh Protocol 7.2.2.2).
    package var listeningTime: Duration = .milliseconds(1_500)
    /// How long it is listened to if nobody fit is heard; then the attempt has failed.
    package var listeningLimit: Duration = .seconds(10)
    /// How long an advertiser counts as being in reach after it was last heard.
    package var advertisementLifetime: Duration = .seconds(10)
    /// How long a proxy with which something went wrong comes after all others.
    package var failureMemory: Duration = .seconds(60)
    /// How often nobody fit may be heard, while there are other proxies of the network, before a request is given up;
    /// at least 1.
    package var maximumMisses: Int = 3
    /// How long a link must have carried nothing before another may take its place: the next request to the same node
    /// follows an answer at once.
    package var idleTime: Duration = .milliseconds(500)
    /// How long connecting may take.
    package var connectTimeout: Duration = .seconds(30)
    /// How long connecting may take to a node for itself alone, which can as well be reached through others.
    package var directConnectTimeout: Duration = .seconds(10)
    /// The only proxy that may be used; nil for any.
    package var proxy: RequiredProxy?
    /// How long the first authentic beacon is waited for after the link opened, where the IV index is known and the
    /// link goes on without one; a proxy is to send one per subnet at once (Mesh Protocol 6.7).
    package var beaconPatience: Duration = .seconds(1)
    /// How long it is waited for where the IV index is not known, so that nothing can be sent without one.
    package var beaconTimeout: Duration = .seconds(5)
    /// How long a Filter Status may take, or the answer to the message that tries a proxy.
    package var filterTimeout: Duration = .seconds(2)
    /// How long requests to others than the proxy may stay unanswered on a link over which none was answered yet,
    /// before another proxy is looked for: about as long as it takes to send one three times.
    package var forwardingPatience: Duration = .seconds(8)
    /// How long a request is tried at least over the link that it is moved to.
    package var timeAfterMove: Duration = .seconds(12)
    /// How long the proxy may take to confirm our address in its filter; then it is tried with a message.
    package var addressTimeout: Duration = .seconds(1)
    /// How often the filter type is set, or the proxy tried with a message, before the link is given up, at least 1.
    package var filterAttempts: Int = 3
    /// The wait after an attempt that failed, doubled for each further one.
    package var reopenDelay: Duration = .milliseconds(500)
    /// The longest wait between two attempts.
    package var maximumReopenDelay: Duration = .seconds(8)
    /// Attempts in a row without a link over which an answer came, after which no more is tried; at least 1.
    package var maximumAttempts: Int = 5
    /// The command that takes over an IV index that is not followed without approval, for hints.
    package var ivIndexRecovery: String = "meshplan network iv recover --via BEARER"
    /// The command with which a person states the IV index, without the number, for hints.
    package var ivIndexStatement: String = "meshplan network iv set"

    /// The policy described at each property.
    package init() {}

    /// The wait before the attempt after `failures` failed ones.
    func delay(afterFailures failures: Int) -> Duration {
        var delay = reopenDelay
        for _ in 1..<max(failures, 1) where delay < maximumReopenDelay { delay = delay * 2 }
        return min(delay, maximumReopenDelay)
    }
}
