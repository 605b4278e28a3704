import MeshCore

/// Chooses the proxy to connect to among those that were heard.
///
/// A Network ID or private network identity says that a node forwards messages of a subnet for everybody (Mesh Protocol
/// 7.2.2.2). Nodes advertise a Node Identity even if their GATT proxy is off, for 60 s after their provisioning or when
/// asked to. Such a node takes messages for itself, and for others only if its GATT proxy is on.
struct ProxySelection {
    /// What a request needs from a proxy.
    struct Need: Hashable {
        /// The node to reach; nil if any node that forwards will do.
        let node: UnicastAddress?
        /// The subnets in which it can be reached; any of them will do.
        let subnets: [NetKeyIndex]
        /// Whether the client already listened without success, so that a proxy will do that may not forward.
        let isUrgent: Bool
    }

    /// A proxy to connect to.
    struct Choice: Hashable {
        let advertiser: AdvertiserIdentifier
        /// The subnets that it has advertised, sorted.
        let subnets: [NetKeyIndex]
        /// The only node that it is known to reach: itself, according to its identity. Nil if it forwards for
        /// everybody.
        let onlyNode: UnicastAddress?
        /// Whether the link is for that node alone, whatever it forwards.
        var isDirect = false
    }

    private struct Candidate {
        /// The subnets whose messages it forwards, sorted.
        var subnets: [NetKeyIndex] = []
        /// The node and its subnet, from a Node Identity.
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

    /// The rank of a candidate; the least is the best.
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
    /// The nodes that links to advertisers have led to. A Network ID does not tell which node advertises it.
    private var behind: [AdvertiserIdentifier: UnicastAddress] = [:]

    /// How many advertisers are remembered. The number is bounded, because others can copy a Network ID under any
    /// number of addresses.
    static let memory = 1024
    /// How many proxies are remembered at present.
    var candidateCount: Int { candidates.count }

    /// No proxy was heard yet.
    init(policy: LinkPolicy) {
        self.policy = policy
    }

    /// Continues under another policy; it decides again which proxies must not be used.
    mutating func adapt(to policy: LinkPolicy) {
        self.policy = policy
        refused = []
    }

    /// The client closes a link to a proxy, so that the proxy advertises again at once.
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

    /// Forgets advertisers that were not heard for long. Once a second is enough, however much is heard.
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

    /// A proxy must not be used at all.
    mutating func refuse(_ advertiser: AdvertiserIdentifier) {
        candidates[advertiser] = nil
        if refused.count < ProxySelection.memory { refused.insert(advertiser) }
    }

    /// What was heard so far may no longer hold.
    mutating func forgetHeard() {
        candidates = [:]
    }

    /// A link to an advertiser has led to a node.
    mutating func learn(_ node: UnicastAddress, behind advertiser: AdvertiserIdentifier) {
        if behind[advertiser] != nil || behind.count < ProxySelection.memory { behind[advertiser] = node }
    }

    /// Whether any proxy of the network, of any subnet, can be heard at present.
    func hearsAnybody(at now: Instant) -> Bool {
        candidates.values.contains { isFresh($0, at: now) }
    }

    /// The proxy to connect to; nil if none that was heard serves any of the needs.
    ///
    /// - Parameter used: the advertisers that already have links.
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

    /// The advertiser that is known to be a node, for a link to this node alone. Nil if it is not heard, or if
    /// connecting to it failed recently.
    ///
    /// - Parameter used: the advertisers that already have links.
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

    /// Whether a proxy is the needed node itself and serves all other needs too, so that no other could be better.
    func isIdeal(_ choice: Choice, for needs: [Need], nodes: ProxyNodes) -> Bool {
        guard let candidate = candidates[choice.advertiser], let node = candidate.node?.address,
            needs.contains(where: { $0.node == node })
        else { return false }
        return needs.allSatisfy { candidate.serves($0, nodes, isRequired: policy.proxy != nil) }
    }

    /// The advertisers heard at present, each with its node where known and its strongest signal, strongest first.
    func heardProxies(at now: Instant) -> [(advertiser: AdvertiserIdentifier, node: UnicastAddress?, signal: Int8?)] {
        candidates.filter { isFresh($0.value, at: now) }
            .map { (advertiser: $0.key, node: node(of: $0.key, $0.value), signal: $0.value.signal) }
            .sorted { left, right in
                let (first, second) = (left.signal ?? .min, right.signal ?? .min)
                return first == second ? left.advertiser < right.advertiser : first > second
            }
    }

    /// What to call the proxies that are heard, with their signals; words for people.
    func heardNames(_ nodes: ProxyNodes, at now: Instant) -> [String] {
        heardProxies(at: now).map { proxy in
            let name = proxy.node.map { nodes.name(of: $0) } ?? BluetoothAddress(of: proxy.advertiser)?.description
            let signal = proxy.signal.map { " (\($0) dBm)" } ?? ""
            return (name ?? "a proxy that does not say who it is") + signal
        }
    }

    /// The expected node behind an advertiser that was heard, and the strength of its signal; nil where unknown.
    func expectation(of advertiser: AdvertiserIdentifier) -> (node: UnicastAddress?, signal: Int8?) {
        let candidate = candidates[advertiser]
        return (candidate?.node?.address ?? behind[advertiser], candidate?.signal)
    }

    private func node(of advertiser: AdvertiserIdentifier, _ candidate: Candidate) -> UnicastAddress? {
        candidate.node?.address ?? behind[advertiser]
    }

    /// Whether the policy allows a proxy. A proxy whose node is unknown may be the required one; a link to it tells.
    private func isAllowed(_ advertiser: AdvertiserIdentifier, _ candidate: Candidate) -> Bool {
        switch policy.proxy {
        case nil: true
        case .bluetooth(let address): address.isAddress(of: advertiser)
        case .node(let required, name: _): node(of: advertiser, candidate).map { $0 == required } ?? true
        }
    }

    /// Whether an advertiser is known to be another node than the required one.
    func isOther(_ advertiser: AdvertiserIdentifier) -> Bool {
        guard case .node(let required, name: _) = policy.proxy else { return false }
        return behind[advertiser].map { $0 != required } ?? false
    }

    /// Whether a proxy may be the required one, without being known to be.
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
