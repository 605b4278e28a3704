package import MeshCore

/// Links to nodes for themselves alone: what goes over them is sent with TTL 0 and costs nobody else anything.
extension MeshClient {
    /// Whether a link leads to that very node, so that messages to it are not relayed.
    package func isDirect(to node: UnicastAddress) -> Bool {
        links.contains { $0.isDirect(to: node) && !$0.isLeaving }
    }

    /// How many links there may be to nodes for themselves alone: all but one, which is left for the mesh.
    package var maximumDirectLinks: Int { linkPolicy.proxy == nil ? max(maximumLinks - 1, 0) : 0 }

    /// Keeps links of their own to those nodes and to no others: those that are heard are connected to, as far as there
    /// is room. ``Output/directLinkUp(_:_:)`` and ``Output/directLinkDown(_:_:)`` tell what comes of it.
    ///
    /// - Parameter nodes: the addresses of their primary elements, the most wanted first.
    package mutating func keepDirectLinks(to nodes: [UnicastAddress], at now: Instant) -> [Output] {
        guard nodes != directNodes else { return [] }
        directNodes = nodes
        var outputs: [Output] = []
        review(at: now, into: &outputs)
        return outputs
    }

    /// Closes the links to nodes that are not wanted any more, once what they carry is over.
    mutating func closeNeedlessDirectLinks(into outputs: inout [Output]) {
        for place in links.indices.reversed() {
            guard let node = links[place].directNode, links[place].load == 0, !directNodes.contains(node),
                !isListenedOn(links[place])
            else { continue }
            close(place, into: &outputs)
        }
    }

    /// Connects to those that are heard, as far as there is room.
    mutating func connectDirectly(at now: Instant, into outputs: inout [Output]) {
        for node in unlinkedDirectNodes where hasRoomForDirectLink {
            let used = Set(links.compactMap(\.advertiser))
            guard let choice = selection.direct(to: node, besides: used, at: now) else { continue }
            if links.count >= maximumLinks {
                guard let place = idleMeshLink, links[place].replaceableAt.map({ $0 <= now }) ?? false else { continue }
                close(place, into: &outputs)
            }
            connect(.proxy(choice.advertiser), choice, since: directSearchBeganAt ?? now, at: now, into: &outputs)
        }
        let isSearching = !cannotScan && hasRoomForDirectLink && !unlinkedDirectNodes.isEmpty
        if !isSearching { directSearchBeganAt = nil } else if directSearchBeganAt == nil { directSearchBeganAt = now }
    }

    /// A link to a node for itself alone is lost: what it carried moves to others, which are looked for as if nothing
    /// had happened.
    mutating func lose(
        directLinkTo node: UnicastAddress,
        _ link: ProxyLink,
        _ failure: LinkFailure,
        at now: Instant,
        into outputs: inout [Output]
    ) {
        if let advertiser = link.advertiser { selection.failed(advertiser, at: now) }
        outputs.append(.directLinkDown(node, failure))
    }

    /// Those of the nodes that are wanted to which no link leads or is being made.
    private var unlinkedDirectNodes: [UnicastAddress] {
        directNodes.filter { node in !links.contains { $0.directNode == node || $0.isDirect(to: node) } }
    }

    /// Whether a link to a node for itself alone may be made, if need be in place of one that has nothing to carry:
    /// links that the mesh needed for a while would keep nodes waiting that others have room for.
    private var hasRoomForDirectLink: Bool {
        guard links.count(where: { $0.directNode != nil }) < maximumDirectLinks else { return false }
        return links.count < maximumLinks || links.count == maximumLinks && idleMeshLink != nil
    }

    /// The place of the link that carries nothing, longest of those that are for the mesh; nil if none can be spared.
    private var idleMeshLink: Int? {
        let places = links.indices.filter { links[$0].directNode == nil && links[$0].isReady && !links[$0].isLeaving }
        guard places.count > 1 else { return nil }
        return places.filter { links[$0].replaceableAt != nil && !isListenedOn(links[$0]) }
            .min { links[$0].usedAt < links[$1].usedAt }
    }
}

extension MeshClient {
    /// Whether a link to a node for itself alone is being made.
    package func isConnecting(to node: UnicastAddress) -> Bool {
        links.contains { $0.directNode == node && !$0.isReady }
    }

    /// Whether a node that advertises itself gets a link of its own soon: there is room for one, or others have some,
    /// which end when those are done.
    package var mayLinkDirectly: Bool {
        !cannotScan && maximumDirectLinks > 0
            && (hasRoomForDirectLink || links.contains { $0.directNode != nil && !$0.isLeaving })
    }

    /// Whether a node that a link is wanted to was listened for so long, and neither heard nor connected to.
    package func isListeningInVain(
        for node: UnicastAddress,
        since start: Instant,
        _ duration: Duration,
        at now: Instant
    ) -> Bool {
        guard directNodes.contains(node), !links.contains(where: { $0.directNode == node }) else { return false }
        if cannotScan { return true }
        guard let began = directSearchBeganAt else { return false }
        return max(began, start).advanced(by: duration) <= now
    }
}
