import MeshCore

/// Which of the proxies that were heard is connected to.
///
/// A Network ID or private network identity says that a node forwards messages of a subnet for everybody (Mesh Protocol
/// 7.2.2.2). A Node Identity is advertised by nodes whose GATT proxy is off as well, for 60 s after their provisioning
/// or when asked to: whoever advertises it takes messages for itself, and for others only if its GATT proxy is on.
struct ProxySelection {
    /// What a request needs of a proxy.
    struct Need: Hashable {
        /// The node that is to be reached.
        let node: UnicastAddress
        /// The subnets in which it can be reached; any of them will do.
        let subnets: [NetKeyIndex]
        /// Whether it was listened in vain already, so that a proxy will do which may or may not forward.
        let isUrgent: Bool
    }

    /// A proxy to connect to.
    struct Choice: Hashable {
        let advertiser: AdvertiserIdentifier
        /// The subnets it has advertised to be of, sorted.
        let subnets: [NetKeyIndex]
        /// The only node that it is known to reach, itself, from its identity; nil if it forwards for everybody.
        let onlyNode: UnicastAddress?
        /// Whether it is wanted for that node alone, whatever it forwards.
        var isDirect = false
    }

    private struct Candidate {
        /// Subnets that it forwards messages of, sorted.
        var subnets: [NetKeyIndex] = []
        /// Who it is and in which subnet, from a node identity.
        var node: (address: UnicastAddress, subnet: NetKeyIndex)?
        /// The strongest signal, in dBm.
        var signal: Int8?
        var heardAt: Instant

        /// - Parameter isRequired: whether no other proxy may be used, so that this one is tried.
        func serves(_ need: Need, _ nodes: ProxyNodes, isRequired: Bool) -> Bool {
            if subnets.contains(where: need.subnets.contains) { return true }
            guard let node else { return false }
            return node.address == need.node
                || need.subnets.contains(node.subnet)
                    && nodes.forwards(node.address, supposing: need.isUrgent || isRequired)
        }
    }

    /// The place of a candidate in the order of preference; the least is the best.
    private struct Rank: Comparable {
        let isSupposed: Bool
        let hasFailed: Bool
        let isByNodeIdentity: Bool
        let coveredSubnets: Int
        let signal: Int
        let advertiser: AdvertiserIdentifier

        static func < (left: Rank, right: Rank) -> Bool {
            if left.isSupposed != right.isSupposed { return right.isSupposed }
            if left.hasFailed != right.hasFailed { return right.hasFailed }
            if left.isByNodeIdentity != right.isByNodeIdentity { return right.isByNodeIdentity }
            if left.coveredSubnets != right.coveredSubnets { return left.coveredSubnets > right.coveredSubnets }
            if left.signal != right.signal { return left.signal > right.signal }
            return left.advertiser < right.advertiser
        }
    }

    private var policy: LinkPolicy
    private var candidates: [AdvertiserIdentifier: Candidate] = [:]
    private var prunedAt = Instant.zero
    private var failures: [AdvertiserIdentifier: Instant] = [:]
    private var refused: Set<AdvertiserIdentifier> = []
    /// The nodes that links to advertisers have led to. Who advertises a Network ID does not say who it is.
    private var behind: [AdvertiserIdentifier: UnicastAddress] = [:]

    /// How many advertisers are remembered: others can copy a Network ID under as many addresses as they like.
    static let memory = 1024
    /// How many proxies are remembered at present.
    var candidateCount: Int { candidates.count }

    /// Nobody heard yet.
    init(policy: LinkPolicy) {
        self.policy = policy
    }

    /// Goes on under another policy; whom nobody may use is found out anew.
    mutating func adapt(to policy: LinkPolicy) {
        self.policy = policy
        refused = []
    }

    /// A link to a proxy is closed by us, so that it advertises again at once.
    mutating func released(_ advertiser: AdvertiserIdentifier, at now: Instant) {
        candidates[advertiser]?.heardAt = now
    }

    /// A proxy of the network was heard.
    mutating func heard(_ advertisement: Advertisement, as identity: AdvertisedIdentity, at now: Instant) {
        let advertiser = advertisement.advertiser
        guard !refused.contains(advertiser) else { return }
        if candidates[advertiser] == nil, candidates.count >= ProxySelection.memory {
            prune(at: now)
            guard candidates.count < ProxySelection.memory else { return }
        }
        var candidate = candidates[advertiser] ?? Candidate(heardAt: now)
        if !isFresh(candidate, at: now) { candidate = Candidate(heardAt: now) }
        candidate.heardAt = now
        if let signal = advertisement.signal { candidate.signal = max(candidate.signal ?? signal, signal) }
        switch identity {
        case .subnet(let index):
            let place = candidate.subnets.firstIndex { $0 >= index } ?? candidate.subnets.count
            if place == candidate.subnets.count || candidate.subnets[place] != index {
                candidate.subnets.insert(index, at: place)
            }
        case .node(let address, let index): candidate.node = (address, index)
        }
        candidates[advertiser] = candidate
    }

    /// Forgets who was not heard for long; once a second is enough, however much is heard.
    private mutating func prune(at now: Instant) {
        guard prunedAt.duration(to: now) >= .seconds(1) else { return }
        prunedAt = now
        candidates = candidates.filter { isFresh($0.value, at: now) }
    }

    /// Connecting to a proxy failed, or the link to it was lost.
    mutating func failed(_ advertiser: AdvertiserIdentifier, at now: Instant) {
        failures = failures.filter { hasFailedRecently($0.value, at: now) }
        if failures.count < ProxySelection.memory { failures[advertiser] = now }
    }

    /// A proxy is not to be used at all.
    mutating func refuse(_ advertiser: AdvertiserIdentifier) {
        candidates[advertiser] = nil
        if refused.count < ProxySelection.memory { refused.insert(advertiser) }
    }

    /// What was heard so far may not hold any more.
    mutating func forgetHeard() {
        candidates = [:]
    }

    /// A link to an advertiser has led to a node.
    mutating func learn(_ node: UnicastAddress, behind advertiser: AdvertiserIdentifier) {
        if behind[advertiser] != nil || behind.count < ProxySelection.memory { behind[advertiser] = node }
    }

    /// Whether any proxy of the network, whatever its subnets, can be heard at present.
    func hearsAnybody(at now: Instant) -> Bool {
        candidates.values.contains { isFresh($0, at: now) }
    }

    /// The proxy to connect to, nil if none that was heard serves any of the needs.
    ///
    /// - Parameter used: advertisers that there are links to.
    func best(
        for needs: [Need],
        besides used: Set<AdvertiserIdentifier>,
        nodes: ProxyNodes,
        at now: Instant
    ) -> Choice? {
        let wanted = Set(needs.flatMap(\.subnets))
        var best: (rank: Rank, choice: Choice)?
        for (advertiser, candidate) in candidates {
            let isRequired = policy.proxy != nil
            guard isFresh(candidate, at: now), !used.contains(advertiser), isAllowed(advertiser, candidate),
                needs.contains(where: { candidate.serves($0, nodes, isRequired: isRequired) })
            else { continue }
            let isByNodeIdentity = !candidate.subnets.contains(where: wanted.contains)
            var subnets = candidate.subnets
            var onlyNode: UnicastAddress?
            if let node = candidate.node {
                if !subnets.contains(node.subnet) { subnets.append(node.subnet) }
                if isByNodeIdentity { onlyNode = node.address }
            }
            let rank = Rank(
                isSupposed: isSupposed(advertiser, candidate),
                hasFailed: failures[advertiser].map { hasFailedRecently($0, at: now) } ?? false,
                isByNodeIdentity: isByNodeIdentity,
                coveredSubnets: subnets.count(where: wanted.contains),
                signal: Int(candidate.signal ?? Int8.min),
                advertiser: advertiser
            )
            if let best, best.rank < rank { continue }
            best = (rank, Choice(advertiser: advertiser, subnets: subnets.sorted(), onlyNode: onlyNode))
        }
        return best?.choice
    }

    /// The advertiser to connect to for a node alone, which it is known to be; nil if that is not heard, or if connecting
    /// to it came to nothing lately.
    ///
    /// - Parameter used: advertisers that there are links to.
    func direct(
        to node: UnicastAddress,
        besides used: Set<AdvertiserIdentifier>,
        at now: Instant
    ) -> Choice? {
        var best: (signal: Int8, choice: Choice)?
        for (advertiser, candidate) in candidates {
            guard self.node(of: advertiser, candidate) == node, isFresh(candidate, at: now),
                !used.contains(advertiser), failures[advertiser].map({ !hasFailedRecently($0, at: now) }) ?? true
            else { continue }
            var subnets = candidate.subnets
            if let own = candidate.node?.subnet, !subnets.contains(own) { subnets.append(own) }
            let choice = Choice(advertiser: advertiser, subnets: subnets.sorted(), onlyNode: node, isDirect: true)
            let signal = candidate.signal ?? .min
            if let best, (best.signal, choice.advertiser) > (signal, best.choice.advertiser) { continue }
            best = (signal, choice)
        }
        return best?.choice
    }

    /// Whether a proxy is the very node that is needed and serves all other needs too, so that nobody could be better.
    func isIdeal(_ choice: Choice, for needs: [Need], nodes: ProxyNodes) -> Bool {
        guard let candidate = candidates[choice.advertiser], let node = candidate.node?.address,
            needs.contains(where: { $0.node == node })
        else { return false }
        return needs.allSatisfy { candidate.serves($0, nodes, isRequired: policy.proxy != nil) }
    }

    /// Who is behind an advertiser that is heard at present: for each, the node where it is known, and the strongest
    /// signal, strongest first.
    func heardProxies(at now: Instant) -> [(advertiser: AdvertiserIdentifier, node: UnicastAddress?, signal: Int8?)] {
        candidates.filter { isFresh($0.value, at: now) }
            .map { (advertiser: $0.key, node: node(of: $0.key, $0.value), signal: $0.value.signal) }
            .sorted { left, right in
                let (first, second) = (left.signal ?? .min, right.signal ?? .min)
                return first == second ? left.advertiser < right.advertiser : first > second
            }
    }

    /// Who is supposed to be behind an advertiser that was heard, and the strength of its signal; nil where it is not
    /// known.
    func expectation(of advertiser: AdvertiserIdentifier) -> (node: UnicastAddress?, signal: Int8?) {
        let candidate = candidates[advertiser]
        return (candidate?.node?.address ?? behind[advertiser], candidate?.signal)
    }

    private func node(of advertiser: AdvertiserIdentifier, _ candidate: Candidate) -> UnicastAddress? {
        candidate.node?.address ?? behind[advertiser]
    }

    /// Whether the policy allows a proxy. One of which it is not known who it is may be the node that is demanded; a link
    /// to it tells.
    private func isAllowed(_ advertiser: AdvertiserIdentifier, _ candidate: Candidate) -> Bool {
        switch policy.proxy {
        case nil: true
        case .bluetooth(let address): address.isAddress(of: advertiser)
        case .node(let required, name: _): node(of: advertiser, candidate).map { $0 == required } ?? true
        }
    }

    /// Whether an advertiser is known to be another node than the one that is demanded.
    func isOther(_ advertiser: AdvertiserIdentifier) -> Bool {
        guard case .node(let required, name: _) = policy.proxy else { return false }
        return behind[advertiser].map { $0 != required } ?? false
    }

    /// Whether it may only be supposed that a proxy is the one that is demanded.
    private func isSupposed(_ advertiser: AdvertiserIdentifier, _ candidate: Candidate) -> Bool {
        guard case .node = policy.proxy else { return false }
        return node(of: advertiser, candidate) == nil
    }

    /// Whether a proxy that did not fail recently serves any of the needs.
    func hasPromising(
        for needs: [Need],
        besides used: Set<AdvertiserIdentifier>,
        nodes: ProxyNodes,
        at now: Instant
    ) -> Bool {
        guard let best = best(for: needs, besides: used, nodes: nodes, at: now) else { return false }
        return failures[best.advertiser].map { !hasFailedRecently($0, at: now) } ?? true
    }

    private func isFresh(_ candidate: Candidate, at now: Instant) -> Bool {
        candidate.heardAt.duration(to: now) < policy.advertisementLifetime
    }

    private func hasFailedRecently(_ failure: Instant, at now: Instant) -> Bool {
        failure.duration(to: now) < policy.failureMemory
    }
}
