internal import MeshCore

/// What a definition managed and does not mention any more: it leaves the nodes of the definition, and the network when
/// no other node has it.
struct LeavingResources {
    var netKeys: Set<NetKeyIndex> = []
    var appKeys: Set<AppKeyIndex> = []
    var groups: Set<SubscriptionAddress> = []

    var isEmpty: Bool { netKeys.isEmpty && appKeys.isEmpty && groups.isEmpty }

    /// All of them in the order in which they leave: what uses others first.
    var ordered: [NetworkResource] {
        groups.sorted().map { .group($0) } + appKeys.sorted().map { .appKey($0) } + netKeys.sorted().map { .netKey($0) }
    }

    /// Whether it has a resource.
    func holds(_ resource: NetworkResource) -> Bool {
        switch resource {
        case .netKey(let index): netKeys.contains(index)
        case .appKey(let index): appKeys.contains(index)
        case .group(let address): groups.contains(address)
        }
    }

    /// Whether it has the group that a publication goes to.
    func holds(_ target: PublishAddress) -> Bool {
        switch target {
        case .unicast, .unknownLabel: false
        case .group(let group): groups.contains(.group(group))
        case .virtual(let label): groups.contains(.virtual(label))
        }
    }
}

extension LeavingResources {
    /// Which of the keys have to stay in the network because nodes keep them that the plan does not reach, and how many
    /// nodes that are, devices that may have become nodes included.
    ///
    /// A network whose database lacks a key that a node has could give the same index to another key, and could not
    /// speak to that node any more.
    ///
    /// - Parameters:
    ///   - reached: Positions of the nodes that lose the keys, or are reset, by the plan.
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
        // A subnet goes after its application keys.
        for key in network.appKeys where netKeys.contains(key.boundNetKey) {
            if let count = counts[.appKey(key.index)] {
                counts[.netKey(key.boundNetKey)] = max(counts[.netKey(key.boundNetKey)] ?? 0, count)
            }
        }
        return counts
    }
}
