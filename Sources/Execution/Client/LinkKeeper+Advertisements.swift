import MeshCore
import Planning

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
        if let place = links.firstIndex(where: { $0.advertiser == advertisement.advertiser }) {
            // The advertisement now says that it forwards.
            if node == nil { links[place].onlyNode = nil }
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
