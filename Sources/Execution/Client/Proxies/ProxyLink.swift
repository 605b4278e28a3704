import MeshCore

/// The life of one proxy link: connecting, waiting for a beacon, setting the filter, ready, over (Mesh Protocol 6.3 to
/// 6.7).
///
/// Not every proxy does all that the specification demands. One that sends no beacon is used if the IV index is known:
/// an authentic Filter Status proves the network as well. One that does not confirm our address in its filter is tested
/// with a message, because a proxy adds the source of its client's messages to an accept list by itself (6.4). One that
/// does not know the message that adds addresses is first asked for its filter type until nothing but the answer comes:
/// BTstack may hold back what it wanted to send while there was no link, and sends a PDU of it for each such request.
///
/// It decides and keeps time; its owner has the packets, the keys and the bearer.
struct ProxyLink {
    /// What the owner must do.
    enum Action: Hashable, Sendable {
        /// Close the link; ignore what still comes from it.
        case close
        /// Set the proxy's filter to an empty accept list; the number of the attempt.
        case setFilterType(attempt: Int)
        /// Add the client's address to the proxy's filter.
        case addAddresses
        /// Send the proxy a message that it must answer, to see whether anything comes back.
        case tryMessage
        /// The link carries messages from now on.
        case ready
        /// The link is over.
        case lost(LinkFailure)
    }

    /// The phase of the link.
    private enum Phase: Hashable {
        case connecting(deadline: Instant)
        case beacon(deadline: Instant)
        case filterType(deadline: Instant, attempt: Int)
        case addresses(deadline: Instant)
        /// Asking for the filter type until all is out that the proxy has held back.
        case clearing(deadline: Instant, requests: Int, silences: Int)
        case trial(deadline: Instant, attempt: Int)
        case ready
    }

    /// Whether a proxy forwards, as far as known.
    enum Forwarding: Hashable {
        /// Nothing so far.
        case unknown
        /// Another node answered a request that it carried.
        case proved
        /// Other nodes have not answered for long; the client looks for another proxy.
        case doubted
        /// Other nodes did not answer, but there is no other proxy.
        case accepted
    }

    /// The default ATT_MTU of 23 octets less the 3 of a write's header; no link carries less.
    private static let minimumPacketSize = 20
    /// How many requests for the filter type may help out what a proxy holds back.
    private static let maximumClearingRequests = 32

    /// The target of the link; it tells the links of a client apart.
    let target: LinkTarget
    /// The subnets that its proxy advertised, sorted; nil if it was not heard.
    let advertisedSubnets: [NetKeyIndex]?
    /// The node that advertised its identity, unless it advertised that it forwards for everybody.
    var onlyNode: UnicastAddress?
    /// The node that the link is for alone: it carries nothing to others.
    let directNode: UnicastAddress?
    private let policy: LinkPolicy
    private var phase: Phase
    private var heardForeignBeacon = false
    /// Whether a beacon of this network came.
    private(set) var hasHeardBeacon = false
    /// Whether a message of the mesh came since the last Filter Status.
    private var hasCarriedSinceStatus = false
    /// How many requests for the filter type are not answered yet.
    private var openTypeRequests = 0
    /// The subnets in which the last of them used the old key although a new one is in use.
    private var subnetsAskedWithOldKey: Set<NetKeyIndex> = []
    /// The bearer's identifier of the link, once connecting has begun.
    private(set) var identifier: LinkIdentifier?
    /// How many octets a packet may have.
    private(set) var maximumPacketSize = 0
    var reassembler = ProxyReassembler()
    /// The node at the other end, once its filter status has come.
    private(set) var proxy: UnicastAddress?
    /// The subnets for which it relays, sorted: those of the proxy's beacons; without a beacon those that the proxy
    /// advertised, answered in, or is known to be in.
    private(set) var subnets: [NetKeyIndex] = []
    /// Those of them whose last beacon used the key that a key refresh replaces, or in which the proxy has answered
    /// only under that key. The proxy accepts the old key, and may not have the new one.
    private(set) var oldKeySubnets: Set<NetKeyIndex> = []
    /// Whether an answer came over the link, or to a request that it carried.
    private(set) var isProved = false
    /// Whether it carries anything to other nodes than the proxy.
    private(set) var forwarding = Forwarding.unknown
    /// Whether it takes no more requests, and is closed once it carries none.
    var isLeaving = false
    /// How many requests it carries.
    var load = 0
    /// When it last took or lost a request.
    var usedAt: Instant
    /// How long its stages took.
    private(set) var times: LinkTimes
    /// When the present stage began.
    private var stageBeganAt: Instant

    /// A link that the bearer is about to be asked for.
    ///
    /// - Parameters:
    ///   - hasAlternative: whether another proxy is heard that would do, so that this one gets less time to connect.
    ///   - since: when its search began.
    init(
        to target: LinkTarget,
        choice: ProxySelection.Choice?,
        hasAlternative: Bool = false,
        policy: LinkPolicy,
        searchedSince since: Instant,
        at now: Instant
    ) {
        self.target = target
        advertisedSubnets = choice?.subnets
        onlyNode = choice?.onlyNode
        directNode = choice.flatMap { $0.isDirect ? $0.onlyNode : nil }
        self.policy = policy
        let limit = directNode == nil && !hasAlternative ? policy.connectTimeout : policy.shortConnectTimeout
        phase = .connecting(deadline: now.advanced(by: limit))
        usedAt = now
        times = LinkTimes(scan: since.duration(to: now))
        stageBeganAt = now
    }

    /// The advertiser that it connects to; nil if none was heard.
    var advertiser: AdvertiserIdentifier? {
        guard case .proxy(let advertiser) = target else { return nil }
        return advertiser
    }

    /// Whether messages can be sent.
    var isReady: Bool { phase == .ready }

    /// When another link may replace it; nil while it is being made or carries requests.
    var replaceableAt: Instant? { isReady && load == 0 ? usedAt.advanced(by: policy.idleTime) : nil }

    /// Whether a request can be sent over it.
    func serves(_ exchange: Exchange, _ nodes: ProxyNodes) -> Bool {
        isReady && !isLeaving && reaches(exchange, nodes) && subnets.contains(where: exchange.subnets.contains)
    }

    /// Whether a message to a node can be sent over it.
    func carries(to node: UnicastAddress, in subnets: [NetKeyIndex], _ nodes: ProxyNodes) -> Bool {
        guard isReady, !isLeaving, self.subnets.contains(where: subnets.contains) else { return false }
        if let directNode { return directNode == node }
        return onlyNode.map { $0 == node || nodes.forwards($0, supposing: policy.proxy != nil) } ?? true
    }

    /// Whether it may be able to serve a request once it is set up.
    func promises(_ exchange: Exchange, _ nodes: ProxyNodes) -> Bool {
        guard !isReady, reaches(exchange, nodes) else { return false }
        return advertisedSubnets.map { $0.contains(where: exchange.subnets.contains) } ?? true
    }

    /// Whether the node is at its other end, so that messages to it go no further.
    func isDirect(to node: UnicastAddress) -> Bool { isReady && proxy == node }

    private func reaches(_ exchange: Exchange, _ nodes: ProxyNodes) -> Bool {
        if exchange.isThroughMesh, [proxy, directNode, onlyNode].contains(exchange.host) { return false }
        if let directNode { return directNode == exchange.host }
        guard let onlyNode else { return true }
        return onlyNode == exchange.host
            || nodes.forwards(onlyNode, supposing: exchange.misses > 0 || policy.proxy != nil)
    }

    /// When to call ``advance(to:)``.
    var nextDeadline: Instant? {
        let deadline: Instant? =
            switch phase {
            case .connecting(let deadline), .beacon(let deadline), .filterType(let deadline, _),
                .addresses(let deadline), .clearing(let deadline, _, _), .trial(let deadline, _):
                deadline
            case .ready: nil
            }
        guard let deadline, let other = reassembler.nextDeadline else { return deadline ?? reassembler.nextDeadline }
        return min(deadline, other)
    }

    /// The bearer has begun to connect.
    mutating func connecting(as link: LinkIdentifier) {
        identifier = link
    }

    /// The link is open and writes at most this many octets at once.
    ///
    /// - Parameter isIVIndexKnown: whether the IV index is known, not only supposed, so that the link can do without a
    ///   beacon.
    mutating func opened(
        maximumPacketSize size: Int,
        _ gatt: GATTTimes?,
        isIVIndexKnown: Bool,
        at now: Instant
    ) -> [Action] {
        guard case .connecting = phase else { return [] }
        guard size >= ProxyLink.minimumPacketSize else { return [.close, .lost(.smallPackets(size))] }
        maximumPacketSize = size
        times.connect = endStage(at: now)
        times.gatt = gatt
        phase = .beacon(deadline: now.advanced(by: isIVIndexKnown ? policy.beaconPatience : policy.beaconTimeout))
        return []
    }

    /// A beacon of a subnet came that is authentic under a known NetKey.
    mutating func authenticBeacon(of subnet: NetKeyIndex, isUnderOldKey: Bool, at now: Instant) -> [Action] {
        if isUnderOldKey { oldKeySubnets.insert(subnet) } else { oldKeySubnets.remove(subnet) }
        relay(for: [subnet])
        defer { hasHeardBeacon = true }
        switch phase {
        case .beacon:
            times.beacon = endStage(at: now)
            return setFilterType(attempt: 1, at: now)
        // Messages before the beacon may have used a key or an IV index that the proxy does not have.
        case .filterType where !hasHeardBeacon: return setFilterType(attempt: 1, at: now)
        default: return []
        }
    }

    /// A beacon came that matches no known NetKey.
    mutating func foreignBeacon() {
        heardForeignBeacon = true
    }

    /// The proxy has answered under the IV index after ours, and only a beacon could bring us there.
    func answeredAhead(of ivIndex: IVIndex) -> [Action] {
        guard case .filterType = phase, !hasHeardBeacon else { return [] }
        return [.close, .lost(.silentFilter(policy, ivIndex: ivIndex, .laterIVIndex))]
    }

    /// A beacon came with an IV index that ours cannot follow.
    func unusableIVIndex(
        _ announced: IVIndex,
        known: IVIndex,
        _ verdict: IVIndexMonitor.Verdict,
        recovery: String
    ) -> [Action] {
        [.close, .lost(.unusableIVIndex(announced, known: known, verdict, recovery: recovery))]
    }

    /// Requests for the filter type were sent under these keys, one for each subnet that the proxy may be in.
    mutating func sentTypeRequests(_ keys: [ConfigurationKey]) {
        openTypeRequests += keys.count
        subnetsAskedWithOldKey = subnets.isEmpty ? Set(keys.filter(\.isOld).map(\.index)) : []
    }

    /// A Filter Status came from the proxy.
    ///
    /// - Parameters:
    ///   - subnet: the subnet of the key that secured it.
    ///   - known: the subnets of the proxy in the database.
    mutating func filterStatus(
        from source: UnicastAddress,
        in subnet: NetKeyIndex,
        knownIn known: [NetKeyIndex],
        isAcceptList: Bool,
        count: Int,
        at now: Instant
    ) -> [Action] {
        proxy = source
        relay(for: [subnet])
        if !hasHeardBeacon { relay(for: known + (advertisedSubnets ?? [])) }
        defer { hasCarriedSinceStatus = false }
        switch phase {
        case .filterType:
            openTypeRequests -= 1
            if !hasHeardBeacon, subnetsAskedWithOldKey.contains(subnet) { oldKeySubnets.insert(subnet) }
            // Adding our address to a reject list would block us; an empty one lets everything through.
            guard isAcceptList else { return [.tryMessage] + beginTrial(attempt: 1, at: now) }
            phase = .addresses(deadline: now.advanced(by: policy.addressTimeout))
            return [.addAddresses]
        case .addresses:
            if isAcceptList, count > 0 { return becomeReady(at: now) }
            if openTypeRequests > 0 {
                openTypeRequests -= 1
                return []
            }
            return [.tryMessage] + beginTrial(attempt: 1, at: now)
        case .clearing where isAcceptList && count > 0, .trial where isAcceptList && count > 0:
            return becomeReady(at: now)
        case .clearing(_, let requests, _):
            // Its answer to the request before was the last that came, so this one alone shows that nothing waits.
            guard hasCarriedSinceStatus, requests < Self.maximumClearingRequests else {
                return [.tryMessage] + beginTrial(attempt: 1, at: now)
            }
            return clear(requests: requests + 1, silences: 0, at: now)
        default: return []
        }
    }

    /// A message of the mesh came through the proxy, so its filter lets messages for us through. Before our address was
    /// added it is one that the proxy has held back.
    mutating func carried(at now: Instant) -> [Action] {
        hasCarriedSinceStatus = true
        guard case .trial = phase else { return [] }
        return becomeReady(at: now)
    }

    /// No message can test the proxy, so it is used as it is.
    mutating func cannotTry(at now: Instant) -> [Action] {
        carried(at: now)
    }

    private mutating func setFilterType(attempt: Int, at now: Instant) -> [Action] {
        phase = .filterType(deadline: now.advanced(by: policy.filterTimeout), attempt: attempt)
        return [.setFilterType(attempt: attempt)]
    }

    private mutating func clear(requests: Int, silences: Int, at now: Instant) -> [Action] {
        let deadline = now.advanced(by: policy.addressTimeout)
        phase = .clearing(deadline: deadline, requests: requests, silences: silences)
        return [.setFilterType(attempt: 1)]
    }

    private mutating func beginTrial(attempt: Int, at now: Instant) -> [Action] {
        phase = .trial(deadline: now.advanced(by: policy.filterTimeout), attempt: attempt)
        return []
    }

    private mutating func becomeReady(at now: Instant) -> [Action] {
        times.filter = endStage(at: now)
        phase = .ready
        usedAt = now
        return [.ready]
    }

    private mutating func relay(for further: [NetKeyIndex]) {
        let missing = Set(further).subtracting(subnets)
        guard !missing.isEmpty else { return }
        subnets = (subnets + missing).sorted()
    }

    /// Ends the present stage; returns how long it took.
    private mutating func endStage(at now: Instant) -> Duration {
        defer { stageBeganAt = now }
        return stageBeganAt.duration(to: now)
    }

    /// The proxy now has these keys and no others.
    mutating func keep(_ known: [NetKeyIndex]) {
        subnets.removeAll { !known.contains($0) }
        // A proxy that sends beacons reports a new key with one.
        if !hasHeardBeacon { relay(for: known) }
    }

    /// An answer came over the link, or to a request that it carried, so the link works.
    ///
    /// - Returns: whether it is the first.
    mutating func proved() -> Bool {
        defer { isProved = true }
        return !isProved
    }

    /// Another node answered a request that the link carried.
    mutating func proveForwarding() {
        forwarding = .proved
    }

    /// Other nodes have not answered for long, and none ever did.
    mutating func doubtForwarding() {
        if forwarding == .unknown, isReady, directNode == nil { forwarding = .doubted }
    }

    /// There is no other proxy.
    mutating func acceptForwarding() {
        if forwarding == .doubted { forwarding = .accepted }
    }

    /// Time has passed.
    ///
    /// - Parameter ivIndex: the IV index if it is known; nil if it is only a supposition, under which nothing is sent.
    mutating func advance(to now: Instant, ivIndex: IVIndex?) -> [Action] {
        do throws(ProxyProtocolError) {
            try reassembler.advance(to: now)
        } catch { return [.close, .lost(.unfinishedPDU)] }
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        switch phase {
        case .connecting: return [.close, .lost(.connectTimeout)]
        case .beacon:
            guard ivIndex != nil else {
                return [.close, .lost(.noBeacon(policy, heardForeign: heardForeignBeacon))]
            }
            times.beacon = endStage(at: now)
            return setFilterType(attempt: 1, at: now)
        case .filterType(_, let attempt) where attempt < policy.filterAttempts:
            return setFilterType(attempt: attempt + 1, at: now)
        case .filterType:
            return [.close, .lost(.silentFilter(policy, ivIndex: ivIndex, evidence))]
        // It is sent once more, because it may have been lost.
        case .addresses: return clear(requests: 1, silences: 0, at: now) + [.addAddresses]
        case .clearing(_, let requests, let silences) where silences + 1 < policy.filterAttempts:
            return clear(requests: requests + 1, silences: silences + 1, at: now)
        case .clearing: return [.tryMessage] + beginTrial(attempt: 1, at: now)
        case .trial(_, let attempt) where attempt < policy.filterAttempts:
            return [.tryMessage] + beginTrial(attempt: attempt + 1, at: now)
        case .trial: return [.close, .lost(.deafFilter)]
        case .ready: return []
        }
    }

    /// What the proxy has sent beside a Filter Status.
    private var evidence: LinkFailure.Evidence {
        if hasHeardBeacon { return .beacon }
        return heardForeignBeacon ? .foreignBeacon : .nothing
    }
}

/// What the client writes to a proxy to set the link up.
extension ProxyLink {
    /// A key for a proxy configuration message.
    struct ConfigurationKey: Hashable {
        var index: NetKeyIndex
        /// Whether it is the old key, whatever the phase of the key refresh.
        var isOld = false
    }

    /// In how many subnets the client tries a proxy of which it knows nothing; each takes a sequence number.
    private static let maximumGuesses = 16

    /// The key of the first subnet for which the proxy relays.
    var configurationKey: ConfigurationKey {
        let subnet = subnets.first ?? .primary
        return ConfigurationKey(index: subnet, isOld: oldKeySubnets.contains(subnet))
    }

    /// The keys under which to set the filter type: the key of the proxy's beacon; without a beacon the keys of the
    /// subnets that it advertised, or all keys. A proxy that was left out of a key refresh has only the old key, so the
    /// client tries old and new keys in turn.
    ///
    /// - Parameter attempt: counts from 1.
    func filterTypeKeys(_ attempt: Int, of keys: KeyRing) -> [ConfigurationKey] {
        guard subnets.isEmpty else { return [configurationKey] }
        return (advertisedSubnets ?? keys.netKeys.map(\.index)).prefix(Self.maximumGuesses)
            .map { index in
                let isRefreshing = keys.netKey(index)?.phase == .usingNewKeys
                return ConfigurationKey(index: index, isOld: isRefreshing && attempt.isMultiple(of: 2))
            }
    }

    /// Sends a Proxy PDU in as many packets as it needs.
    func writing(_ pdu: ProxyPDU) -> [ClientOutput] {
        guard let identifier else { return [] }
        return ProxySegmenter.packets(of: pdu, maximumSize: maximumPacketSize).map { .send($0, on: identifier) }
    }
}
