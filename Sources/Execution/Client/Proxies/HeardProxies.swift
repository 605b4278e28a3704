import MeshCore

/// Which of a network's proxies were heard, and for how long the client listened. One client or listener passes this to
/// the next, so that no time is spent listening twice.
package struct HeardProxies {
    /// The proxies that were heard, and the nodes behind them.
    var selection: ProxySelection
    /// When the client last listened.
    var listened: Range<Instant>?

    /// Nothing was heard yet.
    init(policy: LinkPolicy) {
        selection = ProxySelection(policy: policy)
    }

    /// The same for a client with another policy, which decides again which proxies must not be used.
    func adapted(to policy: LinkPolicy) -> HeardProxies {
        var heard = self
        heard.selection.adapt(to: policy)
        return heard
    }

    /// How much listening time still counts: proxies that were heard in it may be connected to.
    func credit(_ policy: LinkPolicy, at now: Instant) -> Duration {
        guard let listened, listened.upperBound.duration(to: now) < policy.advertisementLifetime else { return .zero }
        return min(listened.lowerBound.duration(to: listened.upperBound), policy.listeningTime)
    }
}
