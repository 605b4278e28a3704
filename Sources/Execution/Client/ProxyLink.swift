import MeshCore

/// The life of one proxy link: connecting, waiting for a beacon, setting the filter, ready, over (Mesh Protocol 6.3 to
/// 6.7).
///
/// It decides and keeps time; packets, keys and the bearer are its owner's.
struct ProxyLink {
    /// What its owner is to do.
    enum Action: Hashable, Sendable {
        /// Close the link; nothing that still comes from it counts.
        case close
        /// Set the proxy's filter to an empty accept list.
        case setFilterType
        /// Add the client's address to the proxy's filter.
        case addAddresses
        /// The link carries messages from now on.
        case ready
        /// The link is over.
        case lost(LinkFailure)
    }

    /// Where it stands.
    private enum Phase: Hashable {
        case connecting(deadline: Instant)
        case beacon(deadline: Instant)
        case filterType(deadline: Instant, attempt: Int)
        case addresses(deadline: Instant, attempt: Int)
        case ready
    }

    /// The default ATT_MTU of 23 octets less the 3 of a write's header; no link carries less.
    private static let minimumPacketSize = 20

    /// Where it leads; tells the links of a client apart.
    let target: LinkTarget
    /// The subnets that its proxy advertised, sorted; nil if it was not heard.
    let advertisedSubnets: [NetKeyIndex]?
    /// The node that advertised its identity, if it did not advertise that it forwards for everybody.
    var onlyNode: UnicastAddress?
    /// The node whose own link it is: it carries nothing to others.
    let directNode: UnicastAddress?
    private let policy: LinkPolicy
    private var phase: Phase
    private var heardForeignBeacon = false
    /// Its name at the bearer, once connecting has begun.
    private(set) var identifier: LinkIdentifier?
    /// Octets that it carries at once.
    private(set) var maximumPacketSize = 0
    var reassembler = ProxyReassembler()
    /// The node at the other end, once its filter status has come.
    private(set) var proxy: UnicastAddress?
    /// The subnets of which the proxy has sent a beacon, sorted; it relays for no others.
    private(set) var subnets: [NetKeyIndex] = []
    /// Those of them whose last beacon was made with the key that a key refresh replaces: the proxy takes the old key, and
    /// may not have the new one.
    private(set) var oldKeySubnets: Set<NetKeyIndex> = []
    /// Whether an answer came over it or to what it carried.
    private(set) var isProved = false
    /// Whether it takes no more requests, to be closed when those that it carries are over.
    var isLeaving = false
    /// Requests that it carries.
    var load = 0
    /// When it last took or lost a request.
    var usedAt: Instant
    /// How long its stages took.
    private(set) var times: LinkTimes
    /// When the stage began that it is in.
    private var stageBeganAt: Instant

    /// A link that the bearer is to be asked for.
    ///
    /// - Parameter since: when its search began.
    init(
        to target: LinkTarget,
        choice: ProxySelection.Choice?,
        policy: LinkPolicy,
        searchedSince since: Instant,
        at now: Instant
    ) {
        self.target = target
        advertisedSubnets = choice?.subnets
        onlyNode = choice?.onlyNode
        directNode = choice.flatMap { $0.isDirect ? $0.onlyNode : nil }
        self.policy = policy
        let limit = directNode == nil ? policy.connectTimeout : policy.directConnectTimeout
        phase = .connecting(deadline: now.advanced(by: limit))
        usedAt = now
        times = LinkTimes(scan: since.duration(to: now))
        stageBeganAt = now
    }

    /// Who advertised, if anybody was heard.
    var advertiser: AdvertiserIdentifier? {
        guard case .proxy(let advertiser) = target else { return nil }
        return advertiser
    }

    /// Whether messages can be sent.
    var isReady: Bool { phase == .ready }

    /// From when on another link may take its place; nil while it is being made or carries requests.
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

    /// Whether it may turn out to serve a request when it is set up.
    func promises(_ exchange: Exchange, _ nodes: ProxyNodes) -> Bool {
        guard !isReady, reaches(exchange, nodes) else { return false }
        return advertisedSubnets.map { $0.contains(where: exchange.subnets.contains) } ?? true
    }

    /// Whether the node is at its other end, so that what goes to it need not go further.
    func isDirect(to node: UnicastAddress) -> Bool { isReady && proxy == node }

    private func reaches(_ exchange: Exchange, _ nodes: ProxyNodes) -> Bool {
        if let directNode { return directNode == exchange.node }
        guard let onlyNode else { return true }
        return onlyNode == exchange.node
            || nodes.forwards(onlyNode, supposing: exchange.misses > 0 || policy.proxy != nil)
    }

    /// When ``advance(to:)`` wants to be called.
    var nextDeadline: Instant? {
        let deadline: Instant? =
            switch phase {
            case .connecting(let deadline), .beacon(let deadline), .filterType(let deadline, _),
                .addresses(let deadline, _):
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

    /// The link is open and writes at most so many octets at once.
    mutating func opened(maximumPacketSize size: Int, _ gatt: GATTTimes?, at now: Instant) -> [Action] {
        guard case .connecting = phase else { return [] }
        guard size >= ProxyLink.minimumPacketSize else { return [.close, .lost(.smallPackets(size))] }
        maximumPacketSize = size
        times.connect = endStage(at: now)
        times.gatt = gatt
        phase = .beacon(deadline: now.advanced(by: policy.beaconTimeout))
        return []
    }

    /// A beacon of a subnet came that is authentic under a known NetKey.
    mutating func authenticBeacon(of subnet: NetKeyIndex, isUnderOldKey: Bool, at now: Instant) -> [Action] {
        if isUnderOldKey { oldKeySubnets.insert(subnet) } else { oldKeySubnets.remove(subnet) }
        if !subnets.contains(subnet) {
            subnets.append(subnet)
            subnets.sort()
        }
        guard case .beacon = phase else { return [] }
        times.beacon = endStage(at: now)
        phase = .filterType(deadline: now.advanced(by: policy.filterTimeout), attempt: 1)
        return [.setFilterType]
    }

    /// A beacon came that no known NetKey made.
    mutating func foreignBeacon() {
        heardForeignBeacon = true
    }

    /// A beacon came whose IV index ours was not brought to.
    func unusableIVIndex(
        _ announced: IVIndex,
        known: IVIndex,
        _ verdict: IVIndexMonitor.Verdict,
        recovery: String
    ) -> [Action] {
        [.close, .lost(.unusableIVIndex(announced, known: known, verdict, recovery: recovery))]
    }

    /// A Filter Status came from the proxy.
    mutating func filterStatus(from source: UnicastAddress, isAcceptList: Bool, count: Int, at now: Instant) -> [Action]
    {
        proxy = source
        switch phase {
        case .filterType where isAcceptList:
            phase = .addresses(deadline: now.advanced(by: policy.filterTimeout), attempt: 1)
            return [.addAddresses]
        case .addresses where isAcceptList && count > 0:
            times.filter = endStage(at: now)
            phase = .ready
            usedAt = now
            return [.ready]
        default: return []
        }
    }

    /// How long the stage took that is over now.
    private mutating func endStage(at now: Instant) -> Duration {
        defer { stageBeganAt = now }
        return stageBeganAt.duration(to: now)
    }

    /// The proxy is known to have those keys now and no others.
    mutating func keep(_ known: [NetKeyIndex]) {
        subnets.removeAll { !known.contains($0) }
    }

    /// An answer came over the link, or to what it carried, so it does what links are for.
    ///
    /// - Returns: whether it is the first.
    mutating func proved() -> Bool {
        defer { isProved = true }
        return !isProved
    }

    /// Time has passed.
    mutating func advance(to now: Instant) -> [Action] {
        do throws(ProxyProtocolError) {
            try reassembler.advance(to: now)
        } catch { return [.close, .lost(.unfinishedPDU)] }
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        switch phase {
        case .connecting: return [.close, .lost(.connectTimeout)]
        case .beacon:
            let reason = "the proxy sent no beacon of this network within \(policy.beaconTimeout.components.seconds) s"
            let hint =
                heardForeignBeacon
                ? "it sent beacons of another network: check that the database holds the network's present keys"
                : "check that the proxy node belongs to this network and that its secure network beacon is on"
            return [.close, .lost(LinkFailure(reason: reason, hint: hint))]
        case .filterType(_, let attempt) where attempt < policy.filterAttempts:
            phase = .filterType(deadline: now.advanced(by: policy.filterTimeout), attempt: attempt + 1)
            return [.setFilterType]
        case .addresses(_, let attempt) where attempt < policy.filterAttempts:
            phase = .addresses(deadline: now.advanced(by: policy.filterTimeout), attempt: attempt + 1)
            return [.addAddresses]
        case .filterType, .addresses:
            let failure = LinkFailure(
                reason: "the proxy does not answer to its filter being set",
                hint: "another device may use our address with higher sequence numbers"
            )
            return [.close, .lost(failure)]
        case .ready: return []
        }
    }
}
