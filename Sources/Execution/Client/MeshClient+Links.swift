package import MeshCore
import Planning

/// Which links the owner wants, and what it may know of them.
extension MeshClient {
    /// Sets how many links there may be at once, 0 or more. Links beyond that take no more requests, and are closed
    /// once they carry none.
    package mutating func setMaximumLinks(_ count: Int, at now: Instant) -> [Output] {
        transport.keeper.maximumLinks = max(count, 0)
        return review(at: now)
    }

    /// The bearer cannot scan; then it chooses itself whom to connect to.
    package mutating func scanFailed(at now: Instant) -> [Output] {
        guard transport.keeper.scan.isOn else { return [] }
        var outputs: [Output] = []
        follow(transport.keeper.scanFailed(&exchanges, at: now), at: now, into: &outputs)
        return outputs + review(at: now)
    }

    /// The node that is expected at the other end of a link that is being made, and the strength of its signal; nil
    /// where unknown.
    package func expectation(of target: LinkTarget) -> (node: UnicastAddress?, signal: Int8?) {
        guard case .proxy(let advertiser) = target else { return (nil, nil) }
        let (node, signal) = transport.keeper.selection.expectation(of: advertiser)
        return (node ?? transport.keeper.nodes.onlyProxy(besides: address), signal)
    }

    /// The sender of an advertisement; nil for devices and strangers. Excluded nodes are returned, too.
    package mutating func resolve(_ advertisement: Advertisement) -> AdvertisedIdentity? {
        transport.keeper.nodes.resolve(advertisement)
    }

    // MARK: Links for one node alone

    /// Keeps links of their own to these nodes and to no others, and connects to those that are heard as long as there
    /// is room. ``Output/directLinkUp(_:_:)`` and ``Output/directLinkDown(_:_:)`` report the results.
    ///
    /// - Parameter nodes: the addresses of their primary elements, in descending order of priority.
    package mutating func keepDirectLinks(to nodes: [UnicastAddress], at now: Instant) -> [Output] {
        guard nodes != transport.keeper.direct.nodes else { return [] }
        transport.keeper.direct.nodes = nodes
        return review(at: now)
    }

    /// Whether a link leads directly to the node, so that messages to it are not relayed.
    package func isDirect(to node: UnicastAddress) -> Bool { transport.keeper.links.isDirect(to: node) }

    /// How many links may serve one node alone: all but one, which is left for the mesh.
    package var maximumDirectLinks: Int { transport.keeper.maximumDirectLinks }

    /// Whether a link for this node alone is being made.
    package func isConnecting(to node: UnicastAddress) -> Bool {
        transport.keeper.links.contains { $0.directNode == node && !$0.isReady }
    }

    /// Whether a node that advertises itself soon gets a link of its own: there is room for one, or other nodes have
    /// such links, which end when those nodes are done.
    package var mayLinkDirectly: Bool { transport.keeper.mayLinkDirectly }

    /// Whether the client has listened this long for a node that should get a link, and has neither heard it nor
    /// connected to it.
    package func isListeningInVain(
        for node: UnicastAddress,
        since start: Instant,
        _ duration: Duration,
        at now: Instant
    ) -> Bool {
        let keeper = transport.keeper
        let isDeaf = keeper.scan.isImpossible
        return keeper.direct
            .isInVain(for: node, among: keeper.links, isDeaf: isDeaf, since: start, duration, at: now)
    }
}
