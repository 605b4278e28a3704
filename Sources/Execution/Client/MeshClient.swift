package import MeshCore
package import Planning

/// A Configuration Client over a few proxy links: requests in, answers out, with everything between, which is
/// encryption, segmentation, retries, the choice of proxies, their filters, and the recovery of links.
///
/// It is a value without input or output of its own. Its owner feeds it events and time and carries out what it
/// returns, in order. To one node at most one request is outstanding. A link is looked for only while a request waits
/// for one; then it stays until it is lost, or until another takes its place.
package struct MeshClient {
    /// What its owner is to do or to know.
    package enum Output {
        /// Let the bearer connect, then call ``connecting(_:to:at:)`` or ``connectFailed(_:_:at:)``.
        case connect(LinkTarget)
        /// Write a packet to a link.
        case send([UInt8], on: LinkIdentifier)
        /// Close a link.
        case closeLink(LinkIdentifier)
        /// Let the bearer scan, or need not any more; others may want it to. If it cannot, call ``scanFailed(at:)``.
        case scan(Bool)
        /// A link is ready, after so much time. The address is that of the proxy node, as far as it told.
        case linkUp(proxy: UnicastAddress?, LinkTimes)
        /// A link to a node for itself alone is ready, see ``keepDirectLinks(to:at:)``.
        case directLinkUp(UnicastAddress, LinkTimes)
        /// A link to a node for itself alone is gone or did not come about; its requests move to others. Nil if it was
        /// closed for want of a use.
        case directLinkDown(UnicastAddress, LinkFailure?)
        /// A link is gone or did not come about, or none was found. After the delay another is looked for if a request
        /// needs one; nil if all attempts failed and there is no link: then requests wait, neither answered nor given
        /// up, until another request is made or a proxy turns up that is fit, or the owner ends it.
        case linkDown(LinkFailure, retryIn: Duration?)
        /// A request was sent; counts its transmissions from 1.
        case sent(RequestIdentifier, transmissions: Int)
        /// A request was answered; counts its transmissions.
        case answered(RequestIdentifier, ConfigurationVerdict, transmissions: Int)
        /// The answer to a request, which follows, departs from the specification in a known way.
        case habit(RequestIdentifier, KnownHabit)
        /// A request was given up at its deadline.
        case unanswered(RequestIdentifier)
        /// A request was given up because no proxy can be had that serves its subnets, though others can.
        case unreachable(RequestIdentifier, LinkFailure)
        /// A request could not be sent, and neither can others.
        case unsendable(RequestIdentifier, StackError)
        /// A Remote Provisioning Server that is listened to sent that access message.
        case said(UnicastAddress, [UInt8])
        /// A beacon brought another IV index, which is to be stored, or the network has confirmed one that was only stated.
        /// Where it corrects one that was only supposed or stated, it is not known when the network came to it.
        case ivIndexChanged(IVIndex, isCorrection: Bool)
        /// A beacon brought another key refresh phase, which is to be stored.
        case keyRefreshPhaseChanged(NetKeyIndex, KeyRefreshPhase)
    }

    /// The address of the client's only element.
    package let address: UnicastAddress
    let policy: RetryPolicy
    let linkPolicy: LinkPolicy
    var stack: MeshStack
    /// How many links there may be at once, 0 or more.
    var maximumLinks: Int
    /// The links, in the order of their making.
    var links: [ProxyLink] = []
    var search = LinkSearch()
    /// The nodes that links of their own are wanted to, the most wanted first.
    var directNodes: [UnicastAddress] = []
    /// Since when those are listened for that there is no link to.
    var directSearchBeganAt: Instant?
    /// Whether the bearer is asked to scan, and whether it cannot.
    var isScanning = false
    var cannotScan = false
    /// Since when it scans, earlier listening included, and when it last did.
    var scanningSince: Instant?
    private var listened: Range<Instant>?
    /// How long was listened before this client began to, as far as that is of use to it.
    var listeningCredit = Duration.zero
    /// Why the bearer hears nobody at present, nil while it does.
    var deafness: LinkFailure?
    /// Whether an answer ever came over a link.
    var hasProvedLink = false
    var selection: ProxySelection
    var nodes = ProxyNodes()
    var exchanges: [UnicastAddress: Exchange] = [:]
    var transmissionNodes: [TransmissionIdentifier: UnicastAddress] = [:]
    /// The latest answers to requests that nodes were sent several times: they may come again, and say nothing about the next
    /// request then.
    var repeatedAnswers: [UnicastAddress: [[UInt8]]] = [:]
    /// The link by which each node was last sent something: acknowledgments of its segments take the same way.
    var routes: [UnicastAddress: LinkTarget] = [:]
    private var nextRequest: UInt64 = 0
    /// Round trips through the mesh, and over links that lead to the very node.
    var roundTrips = RoundTrips()
    var directRoundTrips = RoundTrips()
    /// The Remote Provisioning Servers whose messages are told.
    var listenedTo: Set<UnicastAddress> = []
    /// Network PDUs that came again by another link, and were dropped.
    package var duplicateCount = 0
    /// Sources that were heard and whose replay entries nobody has taken yet.
    var heard: Set<UnicastAddress> = []

    /// A client without a link.
    ///
    /// - Parameters:
    ///   - address: the client's element; its sequence numbers come from `sequenceNumbers` alone.
    ///   - ivIndexCertainty: how sure that is; nothing is sent under one that is only supposed.
    ///   - ivIndexTimes: since when it is that state, on the bearer's clock.
    ///   - keys: all keys, those of the nodes included.
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

    /// What the next client may know of proxies.
    package var heardProxies: HeardProxies {
        var heard = HeardProxies(policy: linkPolicy)
        heard.selection = selection
        heard.listened = listened
        return heard
    }

    /// The bearer begins to scan for the client, or ceases to.
    mutating func scans(_ isOn: Bool, at now: Instant) {
        isScanning = isOn
        if isOn {
            scanningSince = search.listeningSince.map { min($0, now) } ?? now
        } else if let since = scanningSince {
            listened = since..<now
            scanningSince = nil
        }
    }

    /// Whether there is a link that carries messages.
    package var isLinkReady: Bool { links.contains(where: \.isReady) }

    /// Links that there are or that are being made, each of which takes one of those that the bearer has.
    package var linkCount: Int { links.count }

    /// Whether a link is the client's; its events concern nobody else.
    package func owns(_ link: LinkIdentifier) -> Bool { place(of: link) != nil }

    /// Requests that are neither answered nor given up.
    package var outstandingCount: Int { exchanges.count }

    /// Requests that are on a link, so that an answer or their deadline will come; the others wait for one.
    package var carriedCount: Int { links.reduce(0) { $0 + $1.load } }

    /// When ``advance(to:)`` wants to be called; nil if nothing is due ever.
    package var nextDeadline: Instant? {
        var earliest = MeshClient.earlier(stack.nextDeadline, search.nextDeadline)
        for link in links { earliest = MeshClient.earlier(earliest, link.nextDeadline) }
        for exchange in exchanges.values { earliest = MeshClient.earlier(earliest, exchange.nextDeadline) }
        return earliest
    }

    /// The replay entries of sources that were heard since this was last asked, to be stored.
    package mutating func takeReplayEntries() -> [ReplayProtection.Entry] {
        defer { heard = [] }
        return heard.sorted().compactMap { stack.replay[$0] }
    }

    // MARK: Requests

    /// Sends a request to a node as soon as there is a link that reaches it.
    ///
    /// A request to a node that has one outstanding is a programming error.
    ///
    /// - Parameters:
    ///   - node: the address of the node's primary element.
    ///   - subnets: those in which the node takes messages, sorted, at least one; the first that the proxy relays is used.
    ///   - missing: those of them in whose key refresh the node has not got the new key, so that only the old one reaches
    ///     it.
    ///   - deadline: how long to wait for the answer, without the time that it waits for a link; nil for the policy's.
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
        // Where nobody was heard of the subnets just now, one more try is enough.
        if subnets.allSatisfy({ isMissing($0, at: now) }) { exchange.misses = linkPolicy.maximumMisses - 1 }
        exchanges[node] = exchange
        var outputs: [Output] = []
        if search.phase == .exhausted { search = LinkSearch() }
        review(at: now, into: &outputs)
        return (identifier, outputs)
    }

    /// Gives up the request to a node, if there is one, without a word.
    package mutating func cancel(_ node: UnicastAddress, at now: Instant) -> [Output] {
        remove(node, at: now)
        var outputs: [Output] = []
        review(at: now, into: &outputs)
        return outputs
    }

    /// Gives all requests up, closes the links and stops looking for others.
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
    /// - Parameter deafness: why the bearer hears nobody at present, nil while it does.
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
