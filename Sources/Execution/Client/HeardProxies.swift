import MeshCore

/// Who was heard of a network's proxies, and for how long it was listened: what one client or a listener leaves to the
/// next, so that nobody is listened for twice.
package struct HeardProxies {
    /// Who was heard, and which nodes are behind whom.
    var selection: ProxySelection
    /// When it was listened last.
    var listened: Range<Instant>?

    /// Nobody was listened for.
    init(policy: LinkPolicy) {
        selection = ProxySelection(policy: policy)
    }

    /// The same for a client with another policy, which decides anew who must not be used.
    func adapted(to policy: LinkPolicy) -> HeardProxies {
        var heard = self
        heard.selection.adapt(to: policy)
        return heard
    }

    /// For how long there was listening that still counts: what was heard in it may be connected to.
    func credit(_ policy: LinkPolicy, at now: Instant) -> Duration {
        guard let listened, listened.upperBound.duration(to: now) < policy.advertisementLifetime else { return .zero }
        return min(listened.lowerBound.duration(to: listened.upperBound), policy.listeningTime)
    }
}
