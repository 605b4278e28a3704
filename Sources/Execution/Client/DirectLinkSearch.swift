import MeshCore

/// The search for nodes that should get links for themselves alone. Their messages are sent with TTL 0 and take no
/// other node's time.
struct DirectLinkSearch {
    /// The nodes, in descending order of priority.
    var nodes: [UnicastAddress] = []
    /// Since when the client listens for those of them that have no link.
    private(set) var beganAt: Instant?

    /// The nodes without a link, not even one that is being made.
    func unlinked(_ links: ProxyLinks) -> [UnicastAddress] {
        nodes.filter { node in !links.contains { $0.directNode == node || $0.isDirect(to: node) } }
    }

    /// Begins to listen, goes on, or ends.
    mutating func search(_ isSearching: Bool, at now: Instant) {
        if !isSearching { beganAt = nil } else if beganAt == nil { beganAt = now }
    }

    /// Whether the client has listened this long for a node, and has neither heard it nor connected to it.
    ///
    /// - Parameter isDeaf: whether the bearer cannot scan.
    func isInVain(
        for node: UnicastAddress,
        among links: ProxyLinks,
        isDeaf: Bool,
        since start: Instant,
        _ duration: Duration,
        at now: Instant
    ) -> Bool {
        guard nodes.contains(node), !links.contains(where: { $0.directNode == node }) else { return false }
        if isDeaf { return true }
        guard let beganAt else { return false }
        return max(beganAt, start).advanced(by: duration) <= now
    }
}
