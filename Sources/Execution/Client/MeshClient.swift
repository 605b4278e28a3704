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
    package enum Output {
        /// Let the bearer connect, then call ``connecting(_:to:at:)`` or ``connectFailed(_:_:at:)``.
        case connect(LinkTarget)
        /// Write a packet to a link.
        case send([UInt8], on: LinkIdentifier)
        /// Close a link.
        case closeLink(LinkIdentifier)
        /// Let the bearer scan, or stop needing the scan; others may still need it. If the bearer cannot scan, call
        /// ``scanFailed(at:)``.
        case scan(Bool)
        /// A link is ready: the address of the proxy node if it has told it, and how long it took.
        case linkUp(proxy: UnicastAddress?, LinkTimes)
        /// A link for one node alone is ready, see ``keepDirectLinks(to:at:)``.
        case directLinkUp(UnicastAddress, LinkTimes)
        /// A link for one node alone is gone or could not be made; its requests move to others. Nil if it was closed as
        /// unused.
        case directLinkDown(UnicastAddress, LinkFailure?)
        /// A link is gone or could not be made, or no proxy was found. After the delay the client looks for another if
        /// a request needs one. Nil if all attempts failed and there is no link: then requests wait, neither answered
        /// nor given up, until there is another request, a suitable proxy is heard, or the owner ends it.
        case linkDown(LinkFailure, retryIn: Duration?)
        /// A request was sent; `transmissions` counts from 1.
        case sent(RequestIdentifier, transmissions: Int)
        /// A request was answered, after this number of transmissions.
        case answered(RequestIdentifier, ConfigurationVerdict, transmissions: Int)
        /// The answer to a request departs from the specification in a known way. The answer itself follows.
        case habit(RequestIdentifier, KnownHabit)
        /// A request was given up at its deadline.
        case unanswered(RequestIdentifier)
        /// A request was given up because no proxy serves its subnets, although there are other proxies.
        case unreachable(RequestIdentifier, LinkFailure)
        /// Neither a request nor others can be sent.
        case unsendable(RequestIdentifier, StackError)
        /// A Remote Provisioning Server that the client listens to sent this access message.
        case said(UnicastAddress, [UInt8])
        /// A beacon brought another IV index, or the network has confirmed one that was only stated: store it. If it
        /// corrects one that was only supposed or stated, nobody knows when the network reached it.
        case ivIndexChanged(IVIndex, isCorrection: Bool)
        /// A beacon brought another key refresh phase: store it.
        case keyRefreshPhaseChanged(NetKeyIndex, KeyRefreshPhase)
    }

    /// The address of the client's only element.
    package let address: UnicastAddress
    let policy: RetryPolicy
    let linkPolicy: LinkPolicy
    var stack: MeshStack
    /// How many links there may be at once, 0 or more.
    var maximumLinks: Int
    /// The links, in the order in which they were made.
    var links: [ProxyLink] = []
    var search = LinkSearch()
    /// The nodes that should get links of their own, in descending order of priority.
    var directNodes: [UnicastAddress] = []
    /// Since when the client listens for those of them that have no link.
    var directSearchBeganAt: Instant?
    /// Whether the bearer is asked to scan, and whether it cannot.
    var isScanning = false
    var cannotScan = false
    /// Since when the client scans, including earlier listening, and when it last did.
    var scanningSince: Instant?
    private var listened: Range<Instant>?
    /// How much earlier listening, before this client began, still counts.
    var listeningCredit = Duration.zero
    /// Why the bearer hears nothing at present; nil while it does.
    var deafness: LinkFailure?
    /// Whether an answer ever came over a link.
    var hasProvedLink = false
    var selection: ProxySelection
    var nodes = ProxyNodes()
    var exchanges: [UnicastAddress: Exchange] = [:]
    var transmissionNodes: [TransmissionIdentifier: UnicastAddress] = [:]
    /// The latest answers to requests that were sent to nodes several times. They may come again, and then say nothing
    /// about the next request.
    var repeatedAnswers: [UnicastAddress: [[UInt8]]] = [:]
    /// The link of the last message to each node; acknowledgments of its segments use the same link.
    var routes: [UnicastAddress: LinkTarget] = [:]
    private var nextRequest: UInt64 = 0
    /// Round trips through the mesh, and over links that lead directly to the node.
    var roundTrips = RoundTrips()
    var directRoundTrips = RoundTrips()
    /// The Remote Provisioning Servers whose messages are reported.
    var listenedTo: Set<UnicastAddress> = []
    /// How many Network PDUs came again over another link, and were dropped.
    package var duplicateCount = 0
    /// Sources that were heard and whose replay entries were not taken yet.
    var heard: Set<UnicastAddress> = []

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
        self.linkPolicy = linkPolicy
        self.maximumLinks = max(maximumLinks, 0)
        let heard = (heard ?? HeardProxies(policy: linkPolicy)).adapted(to: linkPolicy)
        selection = heard.selection
        listened = heard.listened
        listeningCredit = heard.credit(linkPolicy, at: now)
        stack = MeshStack(
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
        for key in keys.netKeys { self.nodes.set(key) }
        for node in nodes { self.nodes.set(node) }
    }

    /// What this client passes to the next about proxies.
    package var heardProxies: HeardProxies {
        var heard = HeardProxies(policy: linkPolicy)
        heard.selection = selection
        heard.listened = listened
        return heard
    }

    /// The bearer begins or stops scanning for the client.
    mutating func scans(_ isOn: Bool, at now: Instant) {
        isScanning = isOn
        if isOn {
            scanningSince = search.listeningSince.map { min($0, now) } ?? now
        } else if let since = scanningSince {
            listened = since..<now
            scanningSince = nil
        }
    }

    /// Whether any link carries messages.
    package var isLinkReady: Bool { links.contains(where: \.isReady) }

    /// The number of links, including those that are being made; each takes one of the bearer's.
    package var linkCount: Int { links.count }

    /// Whether a link belongs to the client; its events concern nobody else.
    package func owns(_ link: LinkIdentifier) -> Bool { place(of: link) != nil }

    /// How many requests are neither answered nor given up.
    package var outstandingCount: Int { exchanges.count }

    /// How many requests are on a link, so that an answer or their deadline will come; the others wait for a link.
    package var carriedCount: Int { links.reduce(0) { $0 + $1.load } }

    /// When to call ``advance(to:)``; nil if nothing is due.
    package var nextDeadline: Instant? {
        var earliest = MeshClient.earlier(stack.nextDeadline, search.nextDeadline)
        for link in links { earliest = MeshClient.earlier(earliest, link.nextDeadline) }
        for exchange in exchanges.values { earliest = MeshClient.earlier(earliest, exchange.nextDeadline) }
        return earliest
    }

    /// The replay entries of sources that were heard since the last call, to be stored.
    package mutating func takeReplayEntries() -> [ReplayProtection.Entry] {
        defer { heard = [] }
        return heard.sorted().compactMap { stack.replay[$0] }
    }

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
        let identifier = RequestIdentifier(rawValue: nextRequest)
        nextRequest += 1
        let limit = deadline ?? policy.deadline
        var exchange = Exchange(
            identifier: identifier,
            node: node,
            inquiry: inquiry,
            subnets: subnets,
            oldKeySubnets: missing,
            deadline: now.advanced(by: limit),
            remaining: limit
        )
        // If no proxy of the subnets was heard just now, one more try is enough.
        if subnets.allSatisfy({ isMissing($0, at: now) }) { exchange.misses = linkPolicy.maximumMisses - 1 }
        exchanges[node] = exchange
        var outputs: [Output] = []
        if search.phase == .exhausted { search = LinkSearch() }
        review(at: now, into: &outputs)
        return (identifier, outputs)
    }

    /// Gives up the request to a node, if there is one, without an output for it.
    package mutating func cancel(_ node: UnicastAddress, at now: Instant) -> [Output] {
        remove(node, at: now)
        var outputs: [Output] = []
        review(at: now, into: &outputs)
        return outputs
    }

    /// Gives up all requests, closes the links and stops looking for others.
    package mutating func shutDown(at now: Instant) -> [Output] {
        for node in exchanges.keys.sorted() { remove(node, at: now) }
        var outputs: [Output] = []
        directNodes = []
        directSearchBeganAt = nil
        search = LinkSearch()
        updateScan(at: now, into: &outputs)
        for link in links {
            if let identifier = link.identifier { outputs.append(.closeLink(identifier)) }
            if link.isReady, let advertiser = link.advertiser { selection.released(advertiser, at: now) }
        }
        links = []
        return outputs
    }

    // MARK: Time

    /// Time has passed.
    ///
    /// - Parameter deafness: why the bearer hears nothing at present; nil while it does.
    package mutating func advance(to now: Instant, deafness: BearerError? = nil) -> [Output] {
        self.deafness = deafness.map { LinkFailure($0) }
        var outputs: [Output] = []
        for target in links.map(\.target) {
            let ivIndex = stack.isIVIndexKnown ? stack.ivIndex : nil
            change(target, at: now, into: &outputs) { $0.advance(to: now, ivIndex: ivIndex) }
        }
        if let deadline = stack.nextDeadline, deadline <= now {
            perform(stack.advance(to: now), arrivedOn: nil, at: now, into: &outputs)
        }
        let due = exchanges.values.filter { exchange in exchange.nextDeadline.map { $0 <= now } ?? false }
        for node in due.map(\.node).sorted() { advance(node, to: now, into: &outputs) }
        review(at: now, into: &outputs)
        return outputs
    }

    private static func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}
