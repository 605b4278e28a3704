import MeshCore
import Planning

/// The links of a client, in the order in which they were made.
struct ProxyLinks: RandomAccessCollection, MutableCollection {
    private var links: [ProxyLink] = []

    var startIndex: Int { links.startIndex }
    var endIndex: Int { links.endIndex }

    /// The link at a place.
    subscript(place: Int) -> ProxyLink {
        get { links[place] }
        _modify { yield &links[place] }
    }

    /// Adds the newest link.
    mutating func append(_ link: ProxyLink) {
        links.append(link)
    }

    /// Removes the link at a place.
    mutating func remove(at index: Int) -> ProxyLink {
        links.remove(at: index)
    }

    /// Removes all links.
    mutating func removeAll() {
        links = []
    }

    // MARK: Which link

    /// The link to a target; nil if there is none.
    func link(to target: LinkTarget) -> ProxyLink? { links.first { $0.target == target } }

    /// The place of the link to a target.
    func place(of target: LinkTarget?) -> Int? { links.firstIndex { $0.target == target } }

    /// The place of the link with this identifier of the bearer.
    func place(of identifier: LinkIdentifier) -> Int? { links.firstIndex { $0.identifier == identifier } }

    /// How many requests are on a link.
    var load: Int { links.reduce(0) { $0 + $1.load } }

    /// The advertisers at the other ends.
    var advertisers: Set<AdvertiserIdentifier> { Set(links.compactMap(\.advertiser)) }

    /// Whether a link leads directly to the node, so that messages to it are not relayed.
    func isDirect(to node: UnicastAddress) -> Bool { links.contains { $0.isDirect(to: node) && !$0.isLeaving } }

    /// Whether there is a link to the only node that may be the proxy, so that no other need be identified.
    func isLinkedToRequiredNode(_ policy: LinkPolicy) -> Bool {
        guard case .node(let required, name: _) = policy.proxy else { return false }
        return links.contains { $0.isDirect(to: required) }
    }

    /// The node that a link must lead to; nil if any node will do.
    func expectedNode(of target: LinkTarget, _ policy: LinkPolicy) -> UnicastAddress? {
        if let node = link(to: target)?.directNode { return node }
        guard case .node(let required, name: _) = policy.proxy else { return nil }
        return required
    }

    /// Whether any link is doubted.
    var hasDoubted: Bool { links.contains { $0.forwarding == .doubted } }

    /// Whether any link needs a review although nothing is looked for.
    var isAnyUnsettled: Bool {
        links.contains { $0.isLeaving || $0.directNode != nil || $0.forwarding == .doubted }
    }

    /// Whether a link serves a request, or may once it is set up.
    func serveOrPromise(_ exchange: Exchange, _ nodes: ProxyNodes) -> Bool {
        links.contains { link in
            (exchange.carrier == nil || link.forwarding != .doubted)
                && (link.serves(exchange, nodes) || link.promises(exchange, nodes))
        }
    }

    /// Whether a request is on a doubted link, so that another link would be better.
    func isUneasy(_ exchange: Exchange) -> Bool {
        guard exchange.moves < Exchange.maximumMoves, let carrier = exchange.carrier, let link = link(to: carrier)
        else { return false }
        return link.forwarding == .doubted && link.proxy != exchange.host
    }

    /// The place of the link that serves a request best: the link to the node itself if there is one, else the one that
    /// carries the fewest.
    func bestPlace(for exchange: Exchange, _ nodes: ProxyNodes) -> Int? {
        links.indices.filter { links[$0].serves(exchange, nodes) }
            .min { left, right in
                let isLeftDirect = links[left].isDirect(to: exchange.host)
                guard isLeftDirect == links[right].isDirect(to: exchange.host) else { return isLeftDirect }
                let isLeftDoubted = links[left].forwarding == .doubted
                guard isLeftDoubted == (links[right].forwarding == .doubted) else { return !isLeftDoubted }
                return links[left].load < links[right].load
            }
    }

    /// The place of the link for a message to a node: the accustomed one if it reaches the node, else the one that
    /// carries the fewest requests.
    func place(
        forMessageTo node: UnicastAddress,
        in subnets: [NetKeyIndex],
        _ nodes: ProxyNodes,
        accustomed: LinkTarget?
    ) -> Int? {
        let usable = links.indices.filter { links[$0].carries(to: node, in: subnets, nodes) }
        return usable.first { links[$0].target == accustomed } ?? usable.min { links[$0].load < links[$1].load }
    }

    /// The place of the link that has been idle longest. No request waits for an idle link, or the link would carry it.
    ///
    /// - Parameter needed: links that are not idle although they carry no request.
    func longestIdle(besides needed: Set<LinkTarget>) -> Int? {
        links.indices.filter { links[$0].replaceableAt != nil && !needed.contains(links[$0].target) }
            .min { links[$0].usedAt < links[$1].usedAt }
    }

    /// The place of the mesh link that has been idle longest; nil if none can be spared.
    func longestIdleMeshLink(besides needed: Set<LinkTarget>) -> Int? {
        let places = links.indices.filter { links[$0].directNode == nil && links[$0].isReady && !links[$0].isLeaving }
        guard places.count > 1 else { return nil }
        return places.filter { links[$0].replaceableAt != nil && !needed.contains(links[$0].target) }
            .min { links[$0].usedAt < links[$1].usedAt }
    }

    /// The place of a doubted link that another may replace; nil if there is none.
    func doubtedPlace(besides needed: Set<LinkTarget>) -> Int? {
        links.indices.first { links[$0].forwarding == .doubted && !needed.contains(links[$0].target) }
    }

    /// When there is room for another link, if necessary in place of a doubted or idle one; nil while all are in use.
    ///
    /// - Parameters:
    ///   - maximum: how many there may be.
    ///   - needed: links that are not idle although they carry no request.
    func roomBegins(upTo maximum: Int, besides needed: Set<LinkTarget>, at now: Instant) -> Instant? {
        guard links.count >= maximum else { return now }
        guard maximum > 0 else { return nil }
        if doubtedPlace(besides: needed) != nil { return now }
        return longestIdle(besides: needed).flatMap { links[$0].replaceableAt }
    }

    // MARK: What becomes of links

    /// A request is no longer on a link.
    mutating func unload(_ target: LinkTarget, at now: Instant) {
        guard let index = place(of: target) else { return }
        links[index].load -= 1
        links[index].usedAt = now
    }

    /// A node has answered a request that a link carried.
    ///
    /// - Returns: the proxy that has forwarded the request; nil if it is that node, or not known.
    mutating func proveForwarding(to node: UnicastAddress, by carrier: LinkTarget?) -> UnicastAddress? {
        guard let index = place(of: carrier), links[index].proxy != node else { return nil }
        links[index].proveForwarding()
        return links[index].directNode == nil ? links[index].proxy : nil
    }

    /// No other proxy was heard: doubted links carry all requests.
    mutating func acceptDoubted() {
        for index in links.indices { links[index].acceptForwarding() }
    }

    /// The links to a node take no more requests.
    mutating func leave(_ node: UnicastAddress) {
        for index in links.indices where links[index].proxy == node || links[index].directNode == node {
            links[index].isLeaving = true
        }
    }

    /// A node now has these NetKeys and no others.
    mutating func keep(_ known: [NetKeyIndex], of node: UnicastAddress) {
        for index in links.indices where links[index].proxy == node { links[index].keep(known) }
    }

    /// Links beyond a number take no more requests. First those that are not ready, the newest first; then those for
    /// one node alone; then the idle ones; then those with the fewest requests.
    mutating func leaveSurplus(beyond maximum: Int) {
        var surplus = links.count(where: { !$0.isLeaving }) - maximum
        while surplus > 0 {
            let candidates = links.indices.filter { !links[$0].isLeaving }.reversed()
            let index =
                candidates.first { !links[$0].isReady }
                ?? candidates.min { left, right in
                    let isLeftDirect = links[left].directNode != nil
                    guard isLeftDirect == (links[right].directNode != nil) else { return isLeftDirect }
                    return links[left].load < links[right].load
                }
            guard let index else { break }
            links[index].isLeaving = true
            surplus -= 1
        }
    }
}
