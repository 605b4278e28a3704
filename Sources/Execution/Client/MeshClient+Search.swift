package import MeshCore
import Planning

/// Which request uses which link, and which links are made.
extension MeshClient {
    /// Sets how many links there may be at once, 0 or more. Links beyond that take no more requests, and are closed
    /// once they carry none.
    package mutating func setMaximumLinks(_ count: Int, at now: Instant) -> [Output] {
        maximumLinks = max(count, 0)
        var outputs: [Output] = []
        review(at: now, into: &outputs)
        return outputs
    }

    /// The bearer cannot scan; then it chooses itself whom to connect to.
    package mutating func scanFailed(at now: Instant) -> [Output] {
        guard isScanning else { return [] }
        cannotScan = true
        var outputs: [Output] = []
        guard let since = search.listeningSince else {
            review(at: now, into: &outputs)
            return outputs
        }
        stopListening()
        if links.isEmpty {
            connect(.anyProxy, nil, since: since, at: now, into: &outputs)
        } else {
            miss(at: now, into: &outputs)
        }
        review(at: now, into: &outputs)
        return outputs
    }

    /// The node that is expected at the other end of a link that is being made, and the strength of its signal; nil
    /// where unknown.
    package func expectation(of target: LinkTarget) -> (node: UnicastAddress?, signal: Int8?) {
        guard case .proxy(let advertiser) = target else { return (nil, nil) }
        let (node, signal) = selection.expectation(of: advertiser)
        return (node ?? nodes.onlyProxy(besides: address), signal)
    }

    /// The sender of an advertisement; nil for devices and strangers. Excluded nodes are returned, too.
    package mutating func resolve(_ advertisement: Advertisement) -> AdvertisedIdentity? {
        nodes.resolve(advertisement)
    }

    /// Processes an advertisement; returns false if that changes nothing yet.
    mutating func hears(_ advertisement: Advertisement, at now: Instant) -> Bool {
        guard search.wantsAdvertisements || isScanning, let identity = nodes.resolve(advertisement) else {
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
        if let place = links.firstIndex(where: { $0.advertiser == advertisement.advertiser }) {
            // The advertisement now says that it forwards.
            if node == nil { links[place].onlyNode = nil }
            return true
        }
        if directSearchBeganAt != nil { return true }
        guard waiting.contains(where: { $0.node == node || $0.subnets.contains(subnet) }) else { return false }
        guard let since = search.listeningSince else {
            let isPromising = selection.hasPromising(for: needs, besides: usedAdvertisers, nodes: nodes, at: now)
            if isPromising { search = LinkSearch() }
            return isPromising
        }
        // No proxy is better than the node itself.
        if let node, waiting.contains(where: { $0.node == node }) { return true }
        // Once a proxy is known, more of them change nothing until one is chosen.
        guard search.lastCandidateAt != nil else { return true }
        guard since.advanced(by: linkPolicy.listeningTime) <= now else { return false }
        return hasRoom(at: now)
    }

    /// Makes sure that every request is on a link, or that the client looks for one. Call it after every event.
    mutating func review(at now: Instant, into outputs: inout [Output]) {
        search.roomDeadline = nil
        if search.phase == .idle, carriedCount == exchanges.count, links.count <= maximumLinks, directNodes.isEmpty,
            !links.contains(where: { $0.isLeaving || $0.directNode != nil || $0.forwarding == .doubted })
        {
            updateScan(at: now, into: &outputs)
            return
        }
        closeSurplus(into: &outputs)
        closeNeedlessDirectLinks(into: &outputs)
        placeRequests(at: now, into: &outputs)
        searchProxies(at: now, into: &outputs)
        connectDirectly(at: now, into: &outputs)
        updateScan(at: now, into: &outputs)
    }

    /// Lets the bearer scan as long as the client looks for a proxy.
    mutating func updateScan(at now: Instant, into outputs: inout [Output]) {
        let isWanted = search.listeningSince != nil || directSearchBeganAt != nil
        guard isWanted != isScanning else { return }
        scans(isWanted, at: now)
        outputs.append(.scan(isWanted))
    }

    /// Looks for proxies that serve the waiting requests.
    private mutating func searchProxies(at now: Instant, into outputs: inout [Output]) {
        while let since = beginListening(at: now) {
            let needs = needs
            let choice =
                isLinkedToRequiredNode
                ? nil : selection.best(for: needs, besides: usedAdvertisers, nodes: nodes, at: now)
            guard let choice else {
                let limit = (search.lastCandidateAt ?? since).advanced(by: linkPolicy.listeningLimit)
                search.listeningDeadline = limit
                guard limit <= now else { return }
                stopListening()
                miss(at: now, into: &outputs)
                return
            }
            search.lastCandidateAt = now
            // A stronger proxy could do no more for the waiting requests than the node itself.
            let isIdeal = selection.isIdeal(choice, for: needs, nodes: nodes)
            let begin = isIdeal ? now : since.advanced(by: linkPolicy.listeningTime)
            let earliest = max(begin, search.pausedUntil ?? begin)
            search.listeningDeadline = earliest > now ? earliest : nil
            guard earliest <= now, hasRoom(at: now), makeRoom(at: now, into: &outputs) else { return }
            connect(.proxy(choice.advertiser), choice, since: since, at: now, into: &outputs)
            if !hasRoom(at: now) { stopListening() }
        }
    }

    /// Since when the client listens to advertising. Listening begins now if something is needed and there is room for
    /// it; nil if the client is not to listen.
    private mutating func beginListening(at now: Instant) -> Instant? {
        guard !needs.isEmpty else {
            stopListening()
            switch search.phase {
            case .exhausted: search = LinkSearch()
            case .waiting(let until) where until > now: break
            default: search.phase = .idle
            }
            return nil
        }
        switch search.phase {
        case .exhausted: return nil
        case .listening(let since): return since
        case .waiting(let until) where until > now: return nil
        case .idle, .waiting:
            search.phase = .idle
            guard hasRoom(at: now) else { return nil }
            let since = now.advanced(by: .zero - listeningCredit)
            listeningCredit = .zero
            search.listen(since: since)
            return since
        }
    }

    private mutating func stopListening() {
        if search.listeningSince != nil { search.phase = .idle }
    }

    // MARK: Requests and links

    /// The needs of requests that no link serves, not even one that is being made.
    private var needs: [ProxySelection.Need] {
        waiting.map { ProxySelection.Need(node: $0.node, subnets: $0.subnets, isUrgent: $0.misses > 0) }
    }

    private var waiting: [Exchange] {
        exchanges.values
            .filter { exchange in
                guard exchange.carrier == nil || isUneasy(exchange) else { return false }
                return !links.contains { link in
                    (exchange.carrier == nil || link.forwarding != .doubted)
                        && (link.serves(exchange, nodes) || link.promises(exchange, nodes))
                }
            }
            .sorted { $0.node < $1.node }
    }

    /// Puts waiting requests on links that serve them: on the link to the node itself if there is one, else on the one
    /// that carries the fewest.
    private mutating func placeRequests(at now: Instant, into outputs: inout [Output]) {
        moveUneasy(at: now)
        let waiting = exchanges.values.filter { $0.carrier == nil }.map(\.node).sorted()
        for node in waiting {
            // Sending another request may have ended this one.
            guard let exchange = exchanges[node] else { continue }
            let place = links.indices.filter { links[$0].serves(exchange, nodes) }
                .min { left, right in
                    let isLeftDirect = links[left].isDirect(to: node)
                    guard isLeftDirect == links[right].isDirect(to: node) else { return isLeftDirect }
                    let isLeftDoubted = links[left].forwarding == .doubted
                    guard isLeftDoubted == (links[right].forwarding == .doubted) else { return !isLeftDoubted }
                    return links[left].load < links[right].load
                }
            if let place { carry(node, over: place, at: now, into: &outputs) }
        }
    }

    /// Whether there is a link to the only node that may be the proxy, so that no other need be identified.
    private var isLinkedToRequiredNode: Bool {
        guard case .node(let required, name: _) = linkPolicy.proxy else { return false }
        return links.contains { $0.isDirect(to: required) }
    }

    private var usedAdvertisers: Set<AdvertiserIdentifier> { Set(links.compactMap(\.advertiser)) }

    /// Whether another link may be made, if necessary in place of one; if not, notes when to check again.
    private mutating func hasRoom(at now: Instant) -> Bool {
        search.roomDeadline = nil
        guard links.count >= maximumLinks else { return true }
        if maximumLinks > 0, doubtedPlace != nil { return true }
        guard maximumLinks > 0, let place = longestIdle, let instant = links[place].replaceableAt else { return false }
        guard instant > now else { return true }
        search.roomDeadline = instant
        return false
    }

    /// The place of the link that has been idle longest. No request waits for an idle link, or the link would carry it.
    private var longestIdle: Int? {
        links.indices.filter { links[$0].replaceableAt != nil && !isListenedOn(links[$0]) }
            .min { links[$0].usedAt < links[$1].usedAt }
    }

    /// Closes the link that has been idle longest if there are already as many as allowed; returns false if that ends
    /// the search.
    private mutating func makeRoom(at now: Instant, into outputs: inout [Output]) -> Bool {
        guard links.count >= maximumLinks else { return true }
        if let place = doubtedPlace {
            replaceDoubted(place, at: now, into: &outputs)
            return true
        }
        guard let place = longestIdle else { return true }
        let link = links[place]
        // A link that carried no answer was useless, and is not to be made again at once.
        if !link.isProved {
            search.failures += 1
            if let advertiser = link.advertiser { selection.failed(advertiser, at: now) }
            if search.failures >= linkPolicy.maximumAttempts {
                stopListening()
                giveUp(at: now, into: &outputs)
                return false
            }
        }
        close(place, into: &outputs)
        return true
    }

    private mutating func closeSurplus(into outputs: inout [Output]) {
        var surplus = links.count(where: { !$0.isLeaving }) - maximumLinks
        // First those that are not ready, the newest first; then those for one node alone; then the idle ones; then
        // those with the fewest requests.
        while surplus > 0 {
            let candidates = links.indices.filter { !links[$0].isLeaving }.reversed()
            let place =
                candidates.first { !links[$0].isReady }
                ?? candidates.min { left, right in
                    let isLeftDirect = links[left].directNode != nil
                    guard isLeftDirect == (links[right].directNode != nil) else { return isLeftDirect }
                    return links[left].load < links[right].load
                }
            guard let place else { break }
            links[place].isLeaving = true
            surplus -= 1
        }
        for place in links.indices.reversed() where links[place].isLeaving && links[place].load == 0 {
            close(place, into: &outputs)
        }
    }

    mutating func close(_ place: Int, into outputs: inout [Output]) {
        let link = links.remove(at: place)
        if let identifier = link.identifier { outputs.append(.closeLink(identifier)) }
        if let node = link.directNode { outputs.append(.directLinkDown(node, nil)) }
    }

    /// Makes a link.
    ///
    /// - Parameter since: when its search began.
    mutating func connect(
        _ target: LinkTarget,
        _ choice: ProxySelection.Choice?,
        since: Instant,
        at now: Instant,
        into outputs: inout [Output]
    ) {
        links.append(ProxyLink(to: target, choice: choice, policy: linkPolicy, searchedSince: since, at: now))
        outputs.append(.connect(target))
    }

    // MARK: Failures

    /// A link has ended that the client did not close as unused.
    mutating func lose(_ place: Int, _ failure: LinkFailure, at now: Instant, into outputs: inout [Output]) {
        let link = links.remove(at: place)
        pause(carriedBy: link.target, at: now)
        if link.isLeaving {
            // It was about to end anyway; its requests continue elsewhere at once.
            if let node = link.directNode { outputs.append(.directLinkDown(node, nil)) }
            return
        }
        if let node = link.directNode {
            return lose(directLinkTo: node, link, failure, at: now, into: &outputs)
        }
        // A proxy that turned out to be another than the required one was no failure, and there may be more of them.
        if linkPolicy.proxy != nil, link.proxy == nil, let advertiser = link.advertiser,
            selection.isOther(advertiser)
        {
            return
        }
        if let advertiser = link.advertiser { selection.failed(advertiser, at: now) }
        if !link.isProved { search.failures += 1 }
        fail(failure, isLinkLost: true, at: now, into: &outputs)
    }

    /// No proxy was heard that serves what is needed.
    private mutating func miss(at now: Instant, into outputs: inout [Output]) {
        acceptDoubtedLinks()
        let missed = waiting
        guard let first = missed.first else { return }
        // The loss of a gateway says nothing about which proxies are in its reach.
        if let deafness, links.isEmpty {
            search.failures += 1
            return fail(deafness, isLinkLost: false, at: now, into: &outputs)
        }
        if let required = linkPolicy.proxy, links.isEmpty {
            search.failures = hasProvedLink ? search.failures + 1 : linkPolicy.maximumAttempts
            return fail(notHeard(required, at: now), isLinkLost: false, at: now, into: &outputs)
        }
        var failure = LinkFailure.nobody
        if !links.isEmpty || selection.hearsAnybody(at: now) {
            failure = uncovered(first)
            for exchange in missed {
                for index in exchange.subnets { search.missing[index] = now }
                exchanges[exchange.node]?.misses += 1
                guard exchange.misses + 1 >= linkPolicy.maximumMisses else { continue }
                remove(exchange.node, at: now)
                outputs.append(.unreachable(exchange.identifier, uncovered(exchange)))
            }
            guard !needs.isEmpty else {
                // A failure for one request says nothing about the next.
                search.failures = 0
                return
            }
        }
        search.failures += 1
        fail(failure, isLinkLost: false, at: now, into: &outputs)
    }

    /// An attempt failed. The next comes later, if at all; listening for other proxies continues meanwhile.
    private mutating func fail(
        _ failure: LinkFailure,
        isLinkLost: Bool,
        at now: Instant,
        into outputs: inout [Output]
    ) {
        guard search.failures < linkPolicy.maximumAttempts else {
            stopListening()
            if links.isEmpty {
                search.phase = .exhausted
                outputs.append(.linkDown(failure, retryIn: nil))
            } else {
                if isLinkLost { outputs.append(.linkDown(failure, retryIn: .zero)) }
                giveUp(because: isLinkLost ? failure : nil, at: now, into: &outputs)
            }
            return
        }
        let delay = linkPolicy.delay(afterFailures: search.failures)
        let end = now.advanced(by: delay)
        if search.listeningSince == nil { search.phase = .waiting(until: end) } else { search.pausedUntil = end }
        if isLinkLost || links.isEmpty { outputs.append(.linkDown(failure, retryIn: delay)) }
    }

    /// Gives up the requests that no link serves, while others are served.
    private mutating func giveUp(because failure: LinkFailure? = nil, at now: Instant, into outputs: inout [Output]) {
        acceptDoubtedLinks()
        for exchange in waiting {
            remove(exchange.node, at: now)
            outputs.append(.unreachable(exchange.identifier, failure ?? uncovered(exchange)))
        }
        search.failures = 0
    }

    private func notHeard(_ required: RequiredProxy, at now: Instant) -> LinkFailure {
        let others = selection.heardProxies(at: now).map { proxy in
            let signal = proxy.signal.map { " (\($0) dBm)" } ?? ""
            let name = proxy.node.map { nodes.name(of: $0) }
            let address = BluetoothAddress(of: proxy.advertiser)?.description
            return (name ?? address ?? "a proxy that does not say who it is") + signal
        }
        return .notHeard(required, others: others)
    }

    private func uncovered(_ exchange: Exchange) -> LinkFailure {
        .uncovered(exchange.subnets.map { stack.keys.netKey($0)?.name ?? $0.description })
    }

    /// Whether the client recently listened for a proxy of a subnet and heard none.
    func isMissing(_ subnet: NetKeyIndex, at now: Instant) -> Bool {
        guard let instant = search.missing[subnet] else { return false }
        return instant.duration(to: now) < linkPolicy.failureMemory
    }
}
