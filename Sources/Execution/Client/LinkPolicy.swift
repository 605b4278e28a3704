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
    /// How long the proxy may take to send its first authentic beacon after the link opened; it sends one per subnet
    /// at once (Mesh Protocol 6.7).
    package var beaconTimeout: Duration = .seconds(5)
    /// How long a Filter Status may take.
    package var filterTimeout: Duration = .seconds(2)
    /// How often a proxy configuration message is sent before the link is given up, at least 1.
    package var filterAttempts: Int = 3
    /// The wait after an attempt that failed, doubled for each further one.
    package var reopenDelay: Duration = .milliseconds(500)
    /// The longest wait between two attempts.
    package var maximumReopenDelay: Duration = .seconds(8)
    /// Attempts in a row without a link over which an answer came, after which no more is tried; at least 1.
    package var maximumAttempts: Int = 5
    /// The command that takes over an IV index that is not followed without approval, for hints.
    package var ivIndexRecovery: String = "meshplan network iv recover --via BEARER"

    /// The policy described at each property.
    package init() {}

    /// The wait before the attempt after `failures` failed ones.
    func delay(afterFailures failures: Int) -> Duration {
        var delay = reopenDelay
        for _ in 1..<max(failures, 1) where delay < maximumReopenDelay { delay = delay * 2 }
        return min(delay, maximumReopenDelay)
    }
}

/// Why a proxy link ended or did not come about.
package struct LinkFailure: Error, Hashable, Sendable {
    /// What happened, a sentence without a full stop.
    package var reason: String
    /// What helps, if anything can be said.
    package var hint: String?

    /// A failure with that text.
    package init(reason: String, hint: String? = nil) {
        self.reason = reason
        self.hint = hint
    }
}

extension LinkFailure {
    /// What a bearer says.
    init(_ error: BearerError) {
        self.init(reason: error.message, hint: error.hint)
    }

    static let peerBrokeProtocol = LinkFailure(reason: "the proxy broke the rules of the Proxy protocol")
    static let unfinishedPDU = LinkFailure(reason: "the proxy left a Proxy PDU unfinished")
    static let excludedProxy = LinkFailure(reason: "the proxy is an excluded node")
    static let connectTimeout = LinkFailure(reason: "connecting to the proxy takes too long")
    static let nobody = LinkFailure(
        reason: "no proxy of the network is in reach",
        hint: "move closer to a node whose GATT proxy is on, or switch one on"
    )

    /// The proxy that is demanded was not heard.
    ///
    /// - Parameter others: which were heard instead, with their signals; words for people.
    static func notHeard(_ required: RequiredProxy, others: [String]) -> LinkFailure {
        let most = 8
        var heard = others.prefix(most).joined(separator: ", ")
        if others.count > most { heard += " and \(others.count - most) more" }
        return LinkFailure(
            reason: "the proxy \(required.text) is not heard; "
                + (others.isEmpty ? "neither is any other of the network" : "heard instead: \(heard)"),
            hint: "it must have power, be close, and have its GATT proxy on or its Node Identity running; without "
                + "--proxy any proxy will do"
        )
    }

    /// A link has led to another node than the one that it was made for.
    static func otherNode(_ node: UnicastAddress) -> LinkFailure {
        LinkFailure(reason: "the proxy is \(node), another node than the one that was looked for")
    }

    /// Proxies are in reach, but none of a subnet that would do.
    ///
    /// - Parameter subnets: the names of those that would, at least one.
    static func uncovered(_ subnets: [String]) -> LinkFailure {
        LinkFailure(
            reason: "no proxy of subnet \(subnets.joined(separator: " or ")) is in reach",
            hint: "a node of that subnet must have its GATT proxy on, be powered and be close enough"
        )
    }

    static func smallPackets(_ size: Int) -> LinkFailure {
        LinkFailure(reason: "the link carries only \(size) octets at once, too few for a Proxy PDU")
    }
}
