import MeshCore

/// What a definition managed and no longer mentions. The definition's nodes lose it, and it leaves the network when no
/// other node has it.
struct LeavingResources {
    var netKeys: Set<NetKeyIndex> = []
    var appKeys: Set<AppKeyIndex> = []
    var groups: Set<SubscriptionAddress> = []

    var isEmpty: Bool { netKeys.isEmpty && appKeys.isEmpty && groups.isEmpty }

    /// All of them in the order in which they leave: users before what they use.
    var ordered: [NetworkResource] {
        groups.sorted().map { .group($0) } + appKeys.sorted().map { .appKey($0) } + netKeys.sorted().map { .netKey($0) }
    }

    func holds(_ resource: NetworkResource) -> Bool {
        switch resource {
        case .netKey(let index): netKeys.contains(index)
        case .appKey(let index): appKeys.contains(index)
        case .group(let address): groups.contains(address)
        }
    }

    /// Whether it contains the target group of a publication.
    func holds(_ target: PublishAddress) -> Bool {
        switch target {
        case .unicast, .unknownLabel: false
        case .group(let group): groups.contains(.group(group))
        case .virtual(let label): groups.contains(.virtual(label))
        }
    }
}

extension LeavingResources {
    /// Which of the keys must stay in the network because nodes that the plan does not reach keep them. The value is
    /// how many such nodes there are, including devices that may have become nodes.
    ///
    /// If the database lacked a key that a node has, it could give the same index to another key, and could not
    /// communicate with that node any more.
    ///
    /// - Parameters:
    ///   - reached: indexes of the nodes that lose the keys, or are reset, by the plan.
    func keepers(in network: MeshNetwork, reached: Set<Int>) -> [NetworkResource: Int] {
        guard !netKeys.isEmpty || !appKeys.isEmpty else { return [:] }
        var counts: [NetworkResource: Int] = [:]
        for (position, node) in network.nodes.enumerated() where !reached.contains(position) {
            guard node.uuid != network.ownProvisioner, !node.isExcluded else { continue }
            for key in node.netKeys where netKeys.contains(key.index) { counts[.netKey(key.index), default: 0] += 1 }
            for key in node.appKeys where appKeys.contains(key.index) { counts[.appKey(key.index), default: 0] += 1 }
        }
        for pending in network.pendingProvisionings where netKeys.contains(pending.netKeyIndex) {
            counts[.netKey(pending.netKeyIndex), default: 0] += 1
        }
        // A subnet leaves after its application keys.
        for key in network.appKeys where netKeys.contains(key.boundNetKey) {
            if let count = counts[.appKey(key.index)] {
                counts[.netKey(key.boundNetKey)] = max(counts[.netKey(key.boundNetKey)] ?? 0, count)
            }
        }
        return counts
    }
}
