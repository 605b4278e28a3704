package import MeshCore

/// Links for one node alone. Their messages are sent with TTL 0 and take no other node's time.
extension MeshClient {
    /// Whether a link leads directly to the node, so that messages to it are not relayed.
    package func isDirect(to node: UnicastAddress) -> Bool {
        links.contains { $0.isDirect(to: node) && !$0.isLeaving }
    }

    /// How many links may serve one node alone: all but one, which is left for the mesh.
    package var maximumDirectLinks: Int { linkPolicy.proxy == nil ? max(maximumLinks - 1, 0) : 0 }

    /// Keeps links of their own to these nodes and to no others, and connects to those that are heard as long as there
    /// is room. ``Output/directLinkUp(_:_:)`` and ``Output/directLinkDown(_:_:)`` report the results.
    ///
    /// - Parameter nodes: the addresses of their primary elements, in descending order of priority.
    package mutating func keepDirectLinks(to nodes: [UnicastAddress], at now: Instant) -> [Output] {
        guard nodes != directNodes else { return [] }
        directNodes = nodes
        var outputs: [Output] = []
        review(at: now, into: &outputs)
        return outputs
    }

    /// Closes the links to nodes that are no longer wanted, once they carry no requests.
    mutating func closeNeedlessDirectLinks(into outputs: inout [Output]) {
        for place in links.indices.reversed() {
            guard let node = links[place].directNode, links[place].load == 0, !directNodes.contains(node),
                !isListenedOn(links[place])
            else { continue }
            close(place, into: &outputs)
        }
    }

    /// Connects to the nodes that are heard, as long as there is room.
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

    /// A link for one node alone is lost. Its requests move to other links, which the client looks for as usual.
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

    /// The wanted nodes without a link, not even one that is being made.
    private var unlinkedDirectNodes: [UnicastAddress] {
        directNodes.filter { node in !links.contains { $0.directNode == node || $0.isDirect(to: node) } }
    }

    /// Whether a link for one node alone may be made, if necessary in place of an idle one. Otherwise links that the
    /// mesh needed only for a while would keep nodes waiting.
    private var hasRoomForDirectLink: Bool {
        guard links.count(where: { $0.directNode != nil }) < maximumDirectLinks else { return false }
        return links.count < maximumLinks || links.count == maximumLinks && idleMeshLink != nil
    }

    /// The place of the mesh link that has been idle longest; nil if none can be spared.
    private var idleMeshLink: Int? {
        let places = links.indices.filter { links[$0].directNode == nil && links[$0].isReady && !links[$0].isLeaving }
        guard places.count > 1 else { return nil }
        return places.filter { links[$0].replaceableAt != nil && !isListenedOn(links[$0]) }
            .min { links[$0].usedAt < links[$1].usedAt }
    }
}

extension MeshClient {
    /// Whether a link for this node alone is being made.
    package func isConnecting(to node: UnicastAddress) -> Bool {
        links.contains { $0.directNode == node && !$0.isReady }
    }

    /// Whether a node that advertises itself soon gets a link of its own: there is room for one, or other nodes have
    /// such links, which end when those nodes are done.
    package var mayLinkDirectly: Bool {
        !cannotScan && maximumDirectLinks > 0
            && (hasRoomForDirectLink || links.contains { $0.directNode != nil && !$0.isLeaving })
    }

    /// Whether the client has listened this long for a node that should get a link, and has neither heard it nor
    /// connected to it.
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
