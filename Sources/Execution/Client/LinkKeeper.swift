import MeshCore
import Planning

/// Keeps the links that requests need: puts requests on links, looks for proxies where none serves, closes what nobody
/// needs, and tries again after failures.
///
/// It decides and keeps time. Its owner has the requests, the messages and the bearer.
struct LinkKeeper {
    /// What follows from a change, in order.
    enum Action {
        /// The owner of the client must do or know this.
        case output(ClientOutput)
        /// Stop sending the segments of a request.
        case stop(TransmissionIdentifier)
        /// Send the request to a node over the link that carries it now.
        case transmit(UnicastAddress)
    }

    let policy: LinkPolicy
    var links = ProxyLinks()
    /// How many links there may be at once, 0 or more.
    var maximumLinks: Int
    var search = LinkSearch()
    var scan: ProxyScan
    var direct = DirectLinkSearch()
    var selection: ProxySelection
    var nodes = ProxyNodes()
    var routes = ClientRoutes()
    /// What is to be heard beyond answers; nil for nothing.
    var watch: WatchWish?
    /// The filters that are being filled for it, or are filled.
    var filters: [LinkTarget: WatchFilter] = [:]
    /// Why the bearer hears nothing at present; nil while it does.
    var deafness: LinkFailure?
    /// Whether an answer ever came over a link.
    private var hasProvedLink = false

    /// No links yet.
    ///
    /// - Parameter heard: what was heard of proxies before, up to `now`.
    init(_ policy: LinkPolicy, maximumLinks: Int, heard: HeardProxies?, at now: Instant) {
        self.policy = policy
        self.maximumLinks = max(maximumLinks, 0)
        let heard = (heard ?? HeardProxies(policy: policy)).adapted(to: policy)
        selection = heard.selection
        scan = ProxyScan(after: heard, policy, at: now)
    }

    /// What this client passes to the next about proxies.
    var heardProxies: HeardProxies {
        var heard = HeardProxies(policy: policy)
        heard.selection = selection
        heard.listened = scan.lastListened
        return heard
    }

    /// When the next review is due.
    var nextDeadline: Instant? {
        let deadlines = links.compactMap(\.nextDeadline) + filters.values.compactMap(\.deadline)
        return (deadlines + [search.nextDeadline].compactMap(\.self)).min()
    }

    // MARK: The review

    /// Makes sure that every request is on a link, or that the client looks for one. Call it after every event.
    mutating func review(_ exchanges: inout Exchanges, at now: Instant) -> [Action] {
        var actions: [Action] = []
        search.roomDeadline = nil
        if search.phase == .idle, links.load == exchanges.count, links.count <= maximumLinks, direct.nodes.isEmpty,
            !links.isAnyUnsettled, !lacksWatchLink
        {
            updateScan(at: now, into: &actions)
            return actions
        }
        closeNeedless(into: &actions)
        placeRequests(&exchanges, at: now, into: &actions)
        searchProxies(&exchanges, at: now, into: &actions)
        connectDirectly(at: now, into: &actions)
        updateScan(at: now, into: &actions)
        return actions
    }

    /// Ends everything.
    mutating func shutDown(at now: Instant) -> [Action] {
        var actions: [Action] = []
        direct = DirectLinkSearch()
        search = LinkSearch()
        watch = nil
        filters = [:]
        updateScan(at: now, into: &actions)
        for link in links {
            if let identifier = link.identifier { actions.append(.output(.closeLink(identifier))) }
            if link.isReady, let advertiser = link.advertiser { selection.released(advertiser, at: now) }
        }
        links.removeAll()
        return actions
    }

    /// Lets the bearer scan as long as the client looks for a proxy.
    private mutating func updateScan(at now: Instant, into actions: inout [Action]) {
        let isWanted = search.listeningSince != nil || direct.beganAt != nil
        if scan.turn(isWanted, listeningSince: search.listeningSince, at: now) {
            actions.append(.output(.scan(isWanted)))
        }
    }

    /// Closes links beyond those that are allowed, and the links to nodes that are no longer wanted, once they carry no
    /// requests.
    private mutating func closeNeedless(into actions: inout [Action]) {
        links.leaveSurplus(beyond: maximumLinks)
        for index in links.indices.reversed() where links[index].isLeaving && links[index].load == 0 {
            close(index, into: &actions)
        }
        let needed = neededLinks
        for index in links.indices.reversed() {
            guard let node = links[index].directNode, links[index].load == 0, !direct.nodes.contains(node),
                !needed.contains(links[index].target)
            else { continue }
            close(index, into: &actions)
        }
    }

    private mutating func close(_ index: Int, into actions: inout [Action]) {
        let link = links.remove(at: index)
        filters[link.target] = nil
        if let identifier = link.identifier { actions.append(.output(.closeLink(identifier))) }
        if let node = link.directNode { actions.append(.output(.directLinkDown(node, nil))) }
    }

    private mutating func connect(
        _ target: LinkTarget,
        _ choice: ProxySelection.Choice?,
        hasAlternative: Bool = false,
        searchedSince since: Instant,
        at now: Instant,
        into actions: inout [Action]
    ) {
        links.append(
            ProxyLink(
                to: target,
                choice: choice,
                hasAlternative: hasAlternative,
                policy: policy,
                searchedSince: since,
                at: now
            )
        )
        actions.append(.output(.connect(target)))
    }

    // MARK: Requests and links

    /// Puts waiting requests on links that serve them. Those on doubted links move to others that serve them.
    private mutating func placeRequests(_ exchanges: inout Exchanges, at now: Instant, into actions: inout [Action]) {
        if links.hasDoubted {
            for node in exchanges.nodes {
                guard let exchange = exchanges[node], links.isUneasy(exchange),
                    links.contains(where: { $0.forwarding != .doubted && $0.serves(exchange, nodes) })
                else { continue }
                move(node, &exchanges, at: now, into: &actions)
            }
        }
        for node in exchanges.nodes {
            guard let exchange = exchanges[node], exchange.carrier == nil,
                let index = links.bestPlace(for: exchange, nodes)
            else { continue }
            let link = links[index]
            let isDirect = link.isDirect(to: exchange.host)
            let isUnknown = !isDirect && link.forwarding == .unknown
            guard
                exchanges.carry(
                    node,
                    over: link.target,
                    isDirect: isDirect,
                    doubtAfter: isUnknown ? policy.forwardingPatience : nil,
                    at: now
                )
            else { continue }
            links[index].load += 1
            links[index].usedAt = now
            routes.use(link.target, for: node)
            actions.append(.transmit(node))
        }
    }

    /// Takes a request off a link that seems not to forward it; the request waits for another link.
    private mutating func move(
        _ node: UnicastAddress,
        _ exchanges: inout Exchanges,
        at now: Instant,
        into actions: inout [Action]
    ) {
        guard let exchange = exchanges.move(node, least: policy.timeAfterMove, at: now) else { return }
        release(exchange, at: now, into: &actions)
    }

    /// Gives up a request.
    private mutating func giveUp(
        _ exchange: Exchange,
        because failure: LinkFailure? = nil,
        _ exchanges: inout Exchanges,
        at now: Instant,
        into actions: inout [Action]
    ) {
        guard let exchange = exchanges.remove(exchange.node) else { return }
        release(exchange, at: now, into: &actions)
        actions.append(.output(.unreachable(exchange.identifier, failure ?? uncovered(exchange.subnets))))
    }

    private mutating func release(_ exchange: Exchange, at now: Instant, into actions: inout [Action]) {
        if let transmission = exchange.transmission { actions.append(.stop(transmission)) }
        if let carrier = exchange.carrier { links.unload(carrier, at: now) }
    }

    /// The requests that no link serves, not even one that is being made, in the order of their nodes.
    func waiting(_ exchanges: Exchanges) -> [Exchange] { exchanges.waiting(for: links, nodes) }

    /// What the waiting requests and the watcher need of a proxy.
    func needs(_ exchanges: Exchanges) -> [ProxySelection.Need] {
        waiting(exchanges).map(\.need) + [watchNeed].compactMap(\.self)
    }

    // MARK: The search

    /// Looks for proxies that serve the waiting requests.
    private mutating func searchProxies(_ exchanges: inout Exchanges, at now: Instant, into actions: inout [Action]) {
        while true {
            let needs = needs(exchanges)
            guard let since = beginListening(isNeeded: !needs.isEmpty, at: now) else { return }
            let choice =
                links.isLinkedToRequiredNode(policy)
                ? nil : selection.best(for: needs, besides: links.advertisers, nodes: nodes, at: now)
            guard let choice else {
                let limit = (search.lastCandidateAt ?? since).advanced(by: policy.listeningLimit)
                search.listeningDeadline = limit
                guard limit <= now else { return }
                search.stopListening()
                return miss(&exchanges, at: now, into: &actions)
            }
            search.lastCandidateAt = now
            // A stronger proxy could do no more for the waiting requests than the node itself.
            let isIdeal = selection.isIdeal(choice, for: needs, nodes: nodes)
            let begin = isIdeal ? now : since.advanced(by: policy.listeningTime)
            let earliest = max(begin, search.pausedUntil ?? begin)
            search.listeningDeadline = earliest > now ? earliest : nil
            guard earliest <= now, hasRoom(at: now), makeRoom(&exchanges, at: now, into: &actions) else { return }
            let others = links.advertisers.union([choice.advertiser])
            let hasAlternative = selection.hasPromising(for: needs, besides: others, nodes: nodes, at: now)
            connect(
                .proxy(choice.advertiser),
                choice,
                hasAlternative: hasAlternative,
                searchedSince: since,
                at: now,
                into: &actions
            )
            if !hasRoom(at: now) { search.stopListening() }
        }
    }

    /// Since when the client listens to advertising. Listening begins now if something is needed and there is room for
    /// it; nil if the client is not to listen.
    private mutating func beginListening(isNeeded: Bool, at now: Instant) -> Instant? {
        guard isNeeded else {
            search.rest(at: now)
            return nil
        }
        switch search.phase {
        case .exhausted: return nil
        case .listening(let since): return since
        case .waiting(let until) where until > now: return nil
        case .idle, .waiting:
            search.phase = .idle
            guard hasRoom(at: now) else { return nil }
            let since = scan.begin(at: now)
            search.listen(since: since)
            return since
        }
    }

    /// Whether another link may be made, if necessary in place of one; if not, notes when to check again.
    ///
    /// The link over which messages are watched makes room, too, once it is idle: whoever looks for another one has
    /// requests that it does not serve, and they would wait for ever. The next link passes on what is watched.
    mutating func hasRoom(at now: Instant) -> Bool {
        let room = links.roomBegins(upTo: maximumLinks, besides: routes.serverLinks, at: now)
        let isNow = room.map { $0 <= now } ?? false
        search.roomDeadline = isNow ? nil : room
        return isNow
    }

    /// Closes a doubted link, or the one that has been idle longest, if there are already as many as allowed; returns
    /// false if that ends the search.
    private mutating func makeRoom(
        _ exchanges: inout Exchanges,
        at now: Instant,
        into actions: inout [Action]
    ) -> Bool {
        guard links.count >= maximumLinks else { return true }
        let needed = routes.serverLinks
        if let index = links.doubtedPlace(besides: needed) {
            let target = links[index].target
            for node in exchanges.nodes where exchanges[node]?.carrier == target {
                move(node, &exchanges, at: now, into: &actions)
            }
            if let advertiser = links[index].advertiser { selection.failed(advertiser, at: now) }
            close(index, into: &actions)
            return true
        }
        guard let index = links.longestIdle(besides: needed) else { return true }
        let link = links[index]
        // A link that carried no answer was useless, and is not to be made again at once.
        if !link.isProved {
            search.failures += 1
            if let advertiser = link.advertiser { selection.failed(advertiser, at: now) }
            if search.failures >= policy.maximumAttempts {
                search.stopListening()
                giveUpWaiting(&exchanges, at: now, into: &actions)
                return false
            }
        }
        close(index, into: &actions)
        return true
    }

    /// The bearer cannot scan; then it chooses itself whom to connect to.
    mutating func scanFailed(_ exchanges: inout Exchanges, at now: Instant) -> [Action] {
        var actions: [Action] = []
        scan.fail()
        guard let since = search.listeningSince else { return actions }
        search.stopListening()
        if links.isEmpty {
            connect(.anyProxy, nil, searchedSince: since, at: now, into: &actions)
        } else {
            miss(&exchanges, at: now, into: &actions)
        }
        return actions
    }

    /// Connects to the nodes that should get links of their own and are heard, as long as there is room.
    private mutating func connectDirectly(at now: Instant, into actions: inout [Action]) {
        for node in direct.unlinked(links) where hasRoomForDirectLink {
            guard let choice = selection.direct(to: node, besides: links.advertisers, at: now) else { continue }
            if links.count >= maximumLinks {
                guard let index = links.longestIdleMeshLink(besides: neededLinks),
                    links[index].replaceableAt.map({ $0 <= now }) ?? false
                else { continue }
                close(index, into: &actions)
            }
            let since = direct.beganAt ?? now
            connect(.proxy(choice.advertiser), choice, searchedSince: since, at: now, into: &actions)
        }
        let isSearching = !scan.isImpossible && hasRoomForDirectLink && !direct.unlinked(links).isEmpty
        direct.search(isSearching, at: now)
    }

    // MARK: Failures

    /// A link has ended that the client did not close as unused.
    mutating func lose(
        _ index: Int,
        _ failure: LinkFailure,
        _ exchanges: inout Exchanges,
        at now: Instant
    ) -> [Action] {
        let link = links.remove(at: index)
        filters[link.target] = nil
        var actions = exchanges.pause(carriedBy: link.target, at: now).map { Action.stop($0) }
        if link.isLeaving {
            // It was about to end anyway; its requests continue elsewhere at once.
            if let node = link.directNode { actions.append(.output(.directLinkDown(node, nil))) }
            return actions
        }
        if let node = link.directNode {
            // Its requests move to other links, which the client looks for as usual.
            if let advertiser = link.advertiser { selection.failed(advertiser, at: now) }
            actions.append(.output(.directLinkDown(node, failure)))
            return actions
        }
        // A proxy that turned out to be another than the required one was no failure, and there may be more of them.
        if policy.proxy != nil, link.proxy == nil, let advertiser = link.advertiser, selection.isOther(advertiser) {
            return actions
        }
        if let advertiser = link.advertiser { selection.failed(advertiser, at: now) }
        if !link.isProved { search.failures += 1 }
        fail(failure, isLinkLost: true, &exchanges, at: now, into: &actions)
        return actions
    }

    /// No proxy was heard that serves what is needed.
    private mutating func miss(_ exchanges: inout Exchanges, at now: Instant, into actions: inout [Action]) {
        links.acceptDoubted()
        let missed = waiting(exchanges)
        let watched = watchNeed
        guard let subnets = missed.first?.subnets ?? watched?.subnets else { return }
        // The loss of a gateway says nothing about which proxies are in its reach.
        if let deafness, links.isEmpty {
            search.failures += 1
            return fail(deafness, isLinkLost: false, &exchanges, at: now, into: &actions)
        }
        if let required = policy.proxy, links.isEmpty {
            search.failures = hasProvedLink ? search.failures + 1 : policy.maximumAttempts
            let failure = LinkFailure.notHeard(required, others: selection.heardNames(nodes, at: now))
            return fail(failure, isLinkLost: false, &exchanges, at: now, into: &actions)
        }
        var failure = LinkFailure.nobody
        if !links.isEmpty || selection.hearsAnybody(at: now) {
            failure = uncovered(subnets)
            for exchange in missed {
                search.miss(exchange.subnets, at: now)
                exchanges.miss(exchange.node)
                guard exchange.misses + 1 >= policy.maximumMisses else { continue }
                giveUp(exchange, &exchanges, at: now, into: &actions)
            }
            guard !needs(exchanges).isEmpty else {
                // A failure for one request says nothing about the next.
                search.failures = 0
                return
            }
        }
        search.failures += 1
        fail(failure, isLinkLost: false, &exchanges, at: now, into: &actions)
    }

    /// An attempt failed. The next comes later, if at all; listening for other proxies continues meanwhile.
    private mutating func fail(
        _ failure: LinkFailure,
        isLinkLost: Bool,
        _ exchanges: inout Exchanges,
        at now: Instant,
        into actions: inout [Action]
    ) {
        guard search.failures < policy.maximumAttempts else {
            search.stopListening()
            if links.isEmpty {
                search.phase = .exhausted
                actions.append(.output(.linkDown(nodes.explained(failure), retryIn: nil)))
            } else {
                if isLinkLost { actions.append(.output(.linkDown(failure, retryIn: .zero))) }
                giveUpWaiting(because: isLinkLost ? failure : nil, &exchanges, at: now, into: &actions)
            }
            return
        }
        let delay = policy.delay(afterFailures: search.failures)
        search.pause(until: now.advanced(by: delay))
        if isLinkLost || links.isEmpty { actions.append(.output(.linkDown(failure, retryIn: delay))) }
    }

    /// Gives up the requests that no link serves, while others are served.
    private mutating func giveUpWaiting(
        because failure: LinkFailure? = nil,
        _ exchanges: inout Exchanges,
        at now: Instant,
        into actions: inout [Action]
    ) {
        links.acceptDoubted()
        for exchange in waiting(exchanges) {
            giveUp(exchange, because: failure, &exchanges, at: now, into: &actions)
        }
        search.failures = 0
    }

    private func uncovered(_ subnets: [NetKeyIndex]) -> LinkFailure {
        .uncovered(subnets.map { nodes.name(of: $0) })
    }
}

/// What the client tells the keeper, and asks it.
extension LinkKeeper {
    /// A request to another node than the proxy has been unanswered for long. If a proxy is required, no other may be
    /// used.
    mutating func doubtForwarding(of carrier: LinkTarget) {
        guard policy.proxy == nil, let index = links.place(of: carrier) else { return }
        links[index].doubtForwarding()
    }

    /// An answer came over a link, or to a request that it carried.
    mutating func prove(_ target: LinkTarget?) {
        guard let index = links.place(of: target) else { return }
        hasProvedLink = true
        if links[index].proved(), links[index].directNode == nil { search.failures = 0 }
    }
}

/// What advertisements mean for the search.
extension LinkKeeper {
    /// Processes an advertisement; returns false if that changes nothing yet.
    mutating func hears(_ advertisement: Advertisement, for exchanges: Exchanges, at now: Instant) -> Bool {
        guard search.wantsAdvertisements || scan.isOn, let identity = nodes.resolve(advertisement) else {
            return false
        }
        let (subnet, node): (NetKeyIndex, UnicastAddress?) =
            switch identity {
            case .subnet(let index): (index, nil)
            case .node(let address, let index): (index, address)
            }
        if let node, nodes.isExcluded(node) {
            selection.refuse(advertisement.advertiser)
            return false
        }
        selection.heard(advertisement, as: identity, at: now)
        if let index = links.firstIndex(where: { $0.advertiser == advertisement.advertiser }) {
            // The advertisement now says that it forwards.
            if node == nil { links[index].onlyNode = nil }
            return true
        }
        if direct.beganAt != nil { return true }
        let waiting = waiting(exchanges)
        let isWatchable = watchNeed?.subnets.contains(subnet) ?? false
        guard isWatchable || waiting.contains(where: { $0.host == node || $0.subnets.contains(subnet) }) else {
            return false
        }
        guard let since = search.listeningSince else {
            let isPromising = selection.hasPromising(
                for: needs(exchanges),
                besides: links.advertisers,
                nodes: nodes,
                at: now
            )
            if isPromising { search = LinkSearch() }
            return isPromising
        }
        // No proxy is better than the node itself.
        if let node, waiting.contains(where: { $0.host == node }) { return true }
        // Once a proxy is known, more of them change nothing until one is chosen.
        guard search.lastCandidateAt != nil else { return true }
        guard since.advanced(by: policy.listeningTime) <= now else { return false }
        return hasRoom(at: now)
    }
}

/// Whether there is room for links that serve one node alone.
extension LinkKeeper {
    /// How many links may serve one node alone: all but one, which is left for the mesh.
    var maximumDirectLinks: Int { policy.proxy == nil ? max(maximumLinks - 1, 0) : 0 }

    /// Whether a link for one node alone may be made, if necessary in place of an idle one. Otherwise links that the
    /// mesh needed only for a while would keep nodes waiting.
    var hasRoomForDirectLink: Bool {
        guard links.count(where: { $0.directNode != nil }) < maximumDirectLinks else { return false }
        return links.count < maximumLinks
            || links.count == maximumLinks && links.longestIdleMeshLink(besides: neededLinks) != nil
    }

    /// Whether a node that advertises itself soon gets a link of its own: there is room for one, or other nodes have
    /// such links, which end when those nodes are done.
    var mayLinkDirectly: Bool {
        !scan.isImpossible && maximumDirectLinks > 0
            && (hasRoomForDirectLink || links.contains { $0.directNode != nil && !$0.isLeaving })
    }
}
