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

    /// The nodes that have answered over a link to another node, so that the mesh carries to them and back; by their
    /// primary elements.
    package internal(set) var nodesInMesh: Set<UnicastAddress> = []

    /// The proxies over whose links another node has answered.
    package internal(set) var forwarders: Set<UnicastAddress> = []

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
    ///   - isThroughMesh: whether no link to the node itself may carry it, because its answer is to show that the mesh
    ///     does.
    ///   - deadline: how long to wait for the answer, not counting the time without a link; nil for the policy's.
    package mutating func request(
        _ inquiry: ConfigurationInquiry,
        to node: UnicastAddress,
        subnets: [NetKeyIndex],
        withOldKey missing: [NetKeyIndex] = [],
        throughMesh isThroughMesh: Bool = false,
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
            throughMesh: isThroughMesh,
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

/// Messages under an AppKey that nobody answers: to groups, and unacknowledged ones to elements.
extension MeshClient {
    /// Whether a ready link forwards messages under an AppKey.
    func canPost(under key: AppKey) -> Bool { transport.placeToPost(under: key) != nil }

    /// Sends an access message once, over a ready link of the mesh.
    ///
    /// - Parameters:
    ///   - destination: an element, a group or a virtual address.
    ///   - key: the AppKey; the message goes out in its subnet.
    /// - Returns: nil if no ready link forwards messages of the subnet; a request makes the client look for one.
    /// - Throws: ``StackError`` if neither this message nor others can be sent.
    package mutating func post(
        _ payload: [UInt8],
        to destination: Destination,
        under key: AppKey,
        at now: Instant
    ) throws(StackError) -> [Output]? {
        guard let (actions, target) = try transport.post(payload, to: destination, under: key, at: now) else {
            return nil
        }
        var outputs: [Output] = []
        perform(actions, arrivedOn: target, at: now, into: &outputs)
        return outputs
    }
}

extension LinkTransport {
    /// The place of the first ready link that forwards messages under an AppKey.
    fileprivate func placeToPost(under key: AppKey) -> Int? {
        keeper.links.firstIndex { link in
            link.isReady && link.directNode == nil && link.subnets.contains(key.boundNetKey)
        }
    }

    /// Sends an access message under an AppKey, once.
    ///
    /// - Returns: what the stack does, and the link; nil if no ready link forwards messages of the subnet.
    /// - Throws: ``StackError`` if neither this message nor others can be sent.
    fileprivate mutating func post(
        _ payload: [UInt8],
        to destination: Destination,
        under key: AppKey,
        at now: Instant
    ) throws(StackError) -> (actions: [StackAction], link: LinkTarget)? {
        guard let index = placeToPost(under: key) else { return nil }
        let message = OutgoingMessage(
            source: address,
            destination: destination,
            payload: payload,
            security: .application(key.index),
            netKeyIndex: key.boundNetKey,
            ttl: ttl
        )
        let (_, actions) = try stack.send(message, at: now)
        keeper.links[index].usedAt = now
        return (actions, keeper.links[index].target)
    }
}

/// Events of the bearer: links that open and close, and their Proxy PDUs.
extension MeshClient {
    /// The bearer has begun to connect, as ``Output/connect(_:)`` asked.
    package mutating func connecting(_ identifier: LinkIdentifier, to target: LinkTarget, at now: Instant) -> [Output] {
        // A link that is no longer wanted is closed.
        transport.connecting(identifier, to: target) ? [] : [.closeLink(identifier)]
    }

    /// The bearer cannot connect to anything.
    package mutating func connectFailed(_ target: LinkTarget, _ error: BearerError, at now: Instant) -> [Output] {
        var outputs: [Output] = []
        change(target, at: now, into: &outputs) { link in
            link.identifier == nil ? [.lost(LinkFailure(error))] : []
        }
        return outputs + review(at: now)
    }

    /// An event of the bearer; events that concern others than the client are ignored.
    package mutating func handle(_ event: BearerEvent, at now: Instant) -> [Output] {
        guard let events = transport.handle(event, &exchanges, at: now) else { return [] }
        var outputs: [Output] = []
        follow(events, at: now, into: &outputs)
        return outputs + review(at: now)
    }

    /// Changes a link, and carries out what follows.
    mutating func change(
        _ target: LinkTarget,
        at now: Instant,
        into outputs: inout [Output],
        _ event: (inout ProxyLink) -> [ProxyLink.Action]
    ) {
        var events: [LinkTransport.Event] = []
        transport.change(target, at: now, &exchanges, into: &events, event)
        follow(events, at: now, into: &outputs)
    }

    /// Carries out what the transport has done.
    mutating func follow(_ events: [LinkTransport.Event], at now: Instant, into outputs: inout [Output]) {
        for event in events {
            switch event {
            case .output(let output): outputs.append(output)
            case .stack(let actions, let target): perform(actions, arrivedOn: target, at: now, into: &outputs)
            case .carried(let target): change(target, at: now, into: &outputs) { $0.carried(at: now) }
            case .links(let actions): follow(actions, at: now, into: &outputs)
            case .unsendable(let error):
                if transport.keeper.watch != nil { outputs.append(.watch(.unsendable(error))) }
                // The requests that wait for a link report it.
                for node in exchanges.nodes {
                    if let exchange = remove(node, at: now) { outputs.append(.unsendable(exchange.identifier, error)) }
                }
            }
        }
    }
}

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

    /// Whether messages to others than the node can only be sent over a link to it.
    package func hasNoLink(besides node: UnicastAddress) -> Bool {
        !transport.keeper.links.contains { $0.isReady && !$0.isLeaving && $0.directNode == nil && $0.proxy != node }
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

/// Keys and nodes, as the owner updates them.
extension MeshClient {
    /// The keys in use.
    package var keys: KeyRing { transport.stack.keys }

    /// Whether the IV index is known, not only supposed.
    package var isIVIndexKnown: Bool { transport.stack.isIVIndexKnown }

    /// Whether a message of an element was ever accepted; its sequence numbers up to that one are not accepted again.
    package func hasHeard(_ source: UnicastAddress) -> Bool { transport.stack.replay[source] != nil }

    /// Adds or replaces a NetKey.
    package mutating func set(_ key: NetKey) {
        transport.stack.keys.set(key)
        transport.keeper.nodes.set(key)
    }

    /// Adds or replaces an AppKey.
    package mutating func set(_ key: AppKey) {
        transport.stack.keys.set(key)
    }

    /// Adds a node, or updates its DeviceKey, its NetKeys, its GATT proxy and its exclusion.
    package mutating func set(_ node: Node) {
        transport.set(node)
    }

    /// Adds a device that may have become a node: the client recognises its Node Identity, and its requests use this
    /// DeviceKey.
    package mutating func set(_ pending: PendingProvisioning, deviceKey: KeyMaterial) {
        transport.stack.keys.setDeviceKey(deviceKey, of: pending.address)
        transport.keeper.nodes.set(pending)
    }

    /// Forgets the node, or the device that may have become one, with this address of its primary element: it was reset
    /// or replaced.
    ///
    /// An outstanding request to it continues until its deadline.
    package mutating func remove(node: UnicastAddress) {
        transport.stack.keys.removeDeviceKey(of: node)
        transport.keeper.nodes.remove(node)
    }
}

/// Messages of the Remote Provisioning models, which do not pair up as requests and answers. Their user repeats what is
/// lost.
extension MeshClient {
    /// Listens to these Remote Provisioning Servers and no others. ``Output/said(_:_:)`` reports what they say, and the
    /// links over which they were last sent something stay open.
    package mutating func listen(to servers: Set<UnicastAddress>, at now: Instant) -> [Output] {
        guard servers != transport.keeper.routes.servers else { return [] }
        let isKeepingFewer = !transport.keeper.routes.servers.isSubset(of: servers)
        transport.keeper.routes.servers = servers
        return isKeepingFewer ? review(at: now) : []
    }

    /// Sends an access message under a node's DeviceKey, once.
    ///
    /// - Parameters:
    ///   - node: the address of the node's primary element.
    ///   - subnets: the subnets in which the node takes messages, sorted, at least one.
    ///   - limit: its TTL, unless a link leads directly to the node: then it is 0. Nil for the usual one.
    /// - Returns: nil if no ready link reaches the node; a request makes the client look for one.
    /// - Throws: ``StackError`` if neither this message nor others can be sent.
    package mutating func post(
        _ payload: [UInt8],
        to node: UnicastAddress,
        subnets: [NetKeyIndex],
        ttl limit: UInt8? = nil,
        at now: Instant
    ) throws(StackError) -> [Output]? {
        guard let (actions, target) = try transport.post(payload, to: node, subnets: subnets, ttl: limit, at: now)
        else { return nil }
        var outputs: [Output] = []
        perform(actions, arrivedOn: target, at: now, into: &outputs)
        return outputs
    }

    /// Whether a ready link reaches a node.
    func canPost(to node: UnicastAddress, subnets: [NetKeyIndex]) -> Bool {
        let keeper = transport.keeper
        return keeper.links.place(forMessageTo: node, in: subnets, keeper.nodes, accustomed: nil) != nil
    }

    /// Reports a message of a server that the client listens to.
    mutating func hear(_ message: IncomingMessage, arrivedOn arrival: LinkTarget?, into outputs: inout [Output]) {
        guard transport.keeper.routes.listen(to: message, at: address) else { return }
        for target in [transport.keeper.routes[message.source], arrival] { transport.keeper.prove(target) }
        outputs.append(.said(message.source, message.payload))
    }
}
