package import MeshCore
package import Planning

/// A Configuration Client over a few proxy links: it takes requests and returns answers. It does encryption,
/// segmentation, retries, the choice of proxies, their filters, and the recovery of links.
///
/// It is a value without input or output of its own. Its owner passes it events and the time, and carries out its
/// outputs in order. Each node has at most one outstanding request. The client looks for a link only while a request
/// waits for one. The link then stays until it is lost, or until another takes its place.
package struct MeshClient {
    /// What the owner must do or know.
    package typealias Output = ClientOutput

    /// The address of the client's only element.
    package let address: UnicastAddress
    let policy: RetryPolicy
    var transport: LinkTransport
    var exchanges: Exchanges
    /// How many Network PDUs came again over another link, and were dropped.
    package var duplicateCount = 0

    /// A client without a link.
    ///
    /// - Parameters:
    ///   - address: the client's element; its sequence numbers come from `sequenceNumbers` alone.
    ///   - ivIndexCertainty: how certain the IV index is; nothing is sent under one that is only supposed.
    ///   - ivIndexTimes: since when it is in this state, on the bearer's clock.
    ///   - keys: all keys, including those of the nodes.
    ///   - nodes: the nodes of the network, for the choice of proxies.
    ///   - replay: what earlier runs accepted.
    ///   - maximumLinks: how many links there may be at once, 0 or more.
    ///   - heard: what was heard of proxies before, up to `now`.
    package init(
        address: UnicastAddress,
        ivIndex: IVIndex,
        ivIndexCertainty: IVIndexMonitor.Certainty = .known,
        ivIndexTimes: IVIndexMonitor.Times = IVIndexMonitor.Times(),
        keys: KeyRing,
        nodes: [Node] = [],
        sequenceNumbers: any SequenceNumberSource,
        replay: ReplayProtection = ReplayProtection(),
        retryPolicy: RetryPolicy = RetryPolicy(),
        linkPolicy: LinkPolicy = LinkPolicy(),
        maximumLinks: Int = 1,
        heard: HeardProxies? = nil,
        at now: Instant = .zero
    ) {
        self.address = address
        policy = retryPolicy
        exchanges = Exchanges(retryPolicy)
        var stack = MeshStack(
            address: address,
            elementCount: 1,
            ivIndex: ivIndex,
            ivIndexCertainty: ivIndexCertainty,
            ivIndexTimes: ivIndexTimes,
            keys: keys,
            sequenceNumbers: sequenceNumbers,
            sar: .configurationClient,
            replay: replay
        )
        stack.defaultTTL = retryPolicy.ttl
        stack.forgetsOldKeysByBeacon = false
        var keeper = LinkKeeper(linkPolicy, maximumLinks: maximumLinks, heard: heard, at: now)
        for key in keys.netKeys { keeper.nodes.set(key) }
        for node in nodes { keeper.nodes.set(node) }
        transport = LinkTransport(address: address, ttl: retryPolicy.ttl, stack: stack, keeper: keeper)
    }

    /// With which TTL the last answer of each node arrived, by its primary element.
    package internal(set) var arrivedTTLs: [UnicastAddress: UInt8] = [:]

    /// What this client passes to the next about proxies.
    package var heardProxies: HeardProxies { transport.keeper.heardProxies }

    /// Whether any link carries messages.
    package var isLinkReady: Bool { transport.keeper.links.contains(where: \.isReady) }

    /// The number of links, including those that are being made; each takes one of the bearer's.
    package var linkCount: Int { transport.keeper.links.count }

    /// The number of links that carry messages.
    package var readyLinkCount: Int { transport.keeper.links.count(where: \.isReady) }

    /// Whether a link belongs to the client; its events concern nobody else.
    package func owns(_ link: LinkIdentifier) -> Bool { transport.keeper.links.place(of: link) != nil }

    /// Whether a request to a node is neither answered nor given up.
    package func isAsking(_ node: UnicastAddress) -> Bool { exchanges[node] != nil }

    /// How many requests are neither answered nor given up.
    package var outstandingCount: Int { exchanges.count }

    /// How many requests are on a link, so that an answer or their deadline will come; the others wait for a link.
    package var carriedCount: Int { transport.keeper.links.load }

    /// When to call ``advance(to:)``; nil if nothing is due.
    package var nextDeadline: Instant? {
        [transport.stack.nextDeadline, transport.keeper.nextDeadline, exchanges.nextDeadline].compactMap(\.self).min()
    }

    /// The replay entries of sources that were heard since the last call, to be stored.
    package mutating func takeReplayEntries() -> [ReplayProtection.Entry] { transport.takeReplayEntries() }

    // MARK: Requests

    /// Sends a request to a node as soon as a link reaches it.
    ///
    /// A second request to a node while one is outstanding is a programming error.
    ///
    /// - Parameters:
    ///   - node: the address of the node's primary element.
    ///   - subnets: the subnets in which the node takes messages, sorted, at least one. The first that the proxy relays
    ///     is used.
    ///   - missing: those of them in whose key refresh the node does not have the new key, so that only the old one
    ///     reaches it.
    ///   - deadline: how long to wait for the answer, not counting the time without a link; nil for the policy's.
    package mutating func request(
        _ inquiry: ConfigurationInquiry,
        to node: UnicastAddress,
        subnets: [NetKeyIndex],
        withOldKey missing: [NetKeyIndex] = [],
        deadline: Duration? = nil,
        at now: Instant
    ) -> (RequestIdentifier, [Output]) {
        precondition(exchanges[node] == nil, "one outstanding request a node")
        // If no proxy of the subnets was heard just now, one more try is enough.
        let isHopeless = transport.keeper.search.isMissing(subnets, transport.keeper.policy, at: now)
        let identifier = exchanges.begin(
            inquiry,
            to: node,
            of: transport.keeper.nodes.host(of: node),
            subnets: subnets,
            withOldKey: missing,
            deadline: deadline,
            misses: isHopeless ? transport.keeper.policy.maximumMisses - 1 : 0,
            at: now
        )
        if transport.keeper.search.phase == .exhausted { transport.keeper.search = LinkSearch() }
        return (identifier, review(at: now))
    }

    /// Gives up the request to a node, if there is one, without an output for it.
    package mutating func cancel(_ node: UnicastAddress, at now: Instant) -> [Output] {
        remove(node, at: now)
        return review(at: now)
    }

    /// Gives up all requests, closes the links and stops looking for others.
    package mutating func shutDown(at now: Instant) -> [Output] {
        for node in exchanges.nodes { remove(node, at: now) }
        var outputs: [Output] = []
        follow(transport.keeper.shutDown(at: now), at: now, into: &outputs)
        return outputs
    }

    /// Makes sure that every request is on a link, or that the client looks for one.
    mutating func review(at now: Instant) -> [Output] {
        var outputs: [Output] = []
        follow(transport.keeper.review(&exchanges, at: now), at: now, into: &outputs)
        return outputs
    }

    /// Does what the keeper of the links demands.
    mutating func follow(_ actions: [LinkKeeper.Action], at now: Instant, into outputs: inout [Output]) {
        for action in actions {
            switch action {
            case .output(let output): outputs.append(output)
            case .stop(let transmission): transport.stack.cancel(transmission)
            case .transmit(let node): transmit(to: node, at: now, into: &outputs)
            }
        }
    }

    // MARK: Time

    /// Time has passed.
    ///
    /// - Parameter deafness: why the bearer hears nothing at present; nil while it does.
    package mutating func advance(to now: Instant, deafness: BearerError? = nil) -> [Output] {
        transport.keeper.deafness = deafness.map { LinkFailure($0) }
        var outputs: [Output] = []
        for target in transport.keeper.links.map(\.target) {
            let ivIndex = transport.knownIVIndex
            change(target, at: now, into: &outputs) { $0.advance(to: now, ivIndex: ivIndex) }
        }
        follow(transport.advanceFilters(to: now), at: now, into: &outputs)
        if let deadline = transport.stack.nextDeadline, deadline <= now {
            perform(transport.stack.advance(to: now), arrivedOn: nil, at: now, into: &outputs)
        }
        for node in exchanges.due(at: now) { advance(node, to: now, into: &outputs) }
        return outputs + review(at: now)
    }
}
