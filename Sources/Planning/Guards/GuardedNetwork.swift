package import MeshCore

/// A network as guards see it. It finds what would cut nodes off, or break what is in use. A plan must not cause that,
/// neither at its end nor on the way.
package struct GuardedNetwork {
    let network: MeshNetwork
    /// The nodes that are checked one by one; nil for all.
    private let scope: Set<DeviceUUID>?
    private let inspectedPlaces: [Int]

    /// What nodes promise by their profiles of Networked Lighting Control. It counts where nothing better is known.
    let minima: [DeviceUUID: NLCMinima]

    /// A network to check.
    ///
    /// - Parameter minima: what nodes promise by their profiles of Networked Lighting Control.
    /// - Parameter scope: the nodes that are checked one by one; nil for all. Limit it if two networks are compared
    ///   that differ in few nodes. Subnets are checked over all nodes in any case.
    package init(
        _ network: MeshNetwork,
        scope: Set<DeviceUUID>? = nil,
        minima: [DeviceUUID: NLCMinima] = [:]
    ) {
        self.network = network
        self.minima = minima
        self.scope = scope
        // Reading a node by its index copies nothing. There may be far more nodes than are checked.
        inspectedPlaces = network.nodes.indices.filter { index in
            (scope?.contains(network.nodes[index].uuid) ?? true) && network.isInReach(index)
        }
    }

    /// Something that is wrong in a network, regardless of the cause.
    package enum Violation: Hashable, Sendable {
        /// A subnet has nodes, but no longer a GATT proxy, as far as known.
        case noProxy(NetKeyIndex)
        /// A subnet has nodes that are not proxies, and none of its nodes relays any more.
        case noRelay(NetKeyIndex)
        /// A subnet has low-power nodes, and none of its nodes is a friend any more.
        case noFriend(NetKeyIndex)
        /// The answers of a node do not reach a proxy link.
        case unreachableTTL(DeviceUUID)
        case noNetKey(DeviceUUID)
        case unknownNetKey(NetKeyIndex)
        case unknownAppKey(AppKeyIndex)
        /// A model uses a group that is not in the network.
        case unknownGroup(SubscriptionAddress)
        /// A node must hear more sources than its replay protection list holds.
        case replayList(DeviceUUID)
        /// A list of a node has more entries than its product has shown to have room for.
        case fullList(DeviceUUID, ListCapacity.List)

        package var planGuard: PlanGuard {
            switch self {
            case .noProxy: .lastProxy
            case .noRelay: .lastRelay
            case .noFriend: .lastFriend
            case .unreachableTTL: .unreachableTTL
            case .noNetKey: .lastNetKey
            case .unknownNetKey: .subnetInUse
            case .unknownAppKey: .applicationKeyInUse
            case .unknownGroup: .groupInUse
            case .replayList: .replayList
            case .fullList: .fullList
            }
        }
    }

    /// What is wrong and was not wrong in an earlier network. Takes time in proportion to the network.
    package func broken(since earlier: GuardedNetwork) -> Set<Violation> {
        var broken: Set<Violation> = []
        let (carriers, earlierCarriers) = (SubnetCarriers(self), SubnetCarriers(earlier))
        for index in carriers.withoutProxy.intersection(earlierCarriers.withProxy) { broken.insert(.noProxy(index)) }
        // A relay that has become the only proxy is still there.
        for index in carriers.withoutRelay.intersection(earlierCarriers.withRelay)
        where carriers.relays(in: index) < earlierCarriers.relays(in: index) {
            broken.insert(.noRelay(index))
        }
        for index in carriers.withoutFriend.intersection(earlierCarriers.withFriend) { broken.insert(.noFriend(index)) }
        let violations = violationsOfNodes
        if !violations.isEmpty { broken.formUnion(violations.subtracting(earlier.violationsOfNodes)) }
        return broken
    }

    /// All violations, except losses that only a comparison shows.
    private var violationsOfNodes: Set<Violation> {
        var violations: Set<Violation> = []
        for node in nodesOfUnreachableTTL { violations.insert(.unreachableTTL(node)) }
        for node in inspected where node.netKeys.isEmpty { violations.insert(.noNetKey(node.uuid)) }
        for index in unknownNetKeys.keys { violations.insert(.unknownNetKey(index)) }
        for index in unknownAppKeys.keys { violations.insert(.unknownAppKey(index)) }
        for group in unknownGroups.keys { violations.insert(.unknownGroup(group)) }
        for node in ReplayDemand(network, scope: scope, minima: minima).overloaded.keys {
            violations.insert(.replayList(node))
        }
        for (node, lists) in overfullLists { for list in lists { violations.insert(.fullList(node, list)) } }
        return violations
    }

    /// The nodes that must stay in reach: all except this provisioner's own node, excluded nodes, and devices that are
    /// known to be no longer nodes.
    var others: some Sequence<Node> {
        network.nodes.indices.lazy.filter { network.isInReach($0) }.map { network.nodes[$0] }
    }

    /// Those of ``others`` that are checked one by one.
    var inspected: some Sequence<Node> { inspectedPlaces.lazy.map { network.nodes[$0] } }
}

extension MeshNetwork {
    /// Whether the node at an index must stay in reach.
    func isInReach(_ index: Int) -> Bool {
        nodes[index].uuid != ownProvisioner && !nodes[index].isExcluded && nodes[index].unprovisionedSeenAt == nil
    }
}

extension GuardedNetwork {
    /// The lists with more entries than the node's product has shown to have room for, or than the node promises if its
    /// product has not shown anything.
    var overfullLists: [DeviceUUID: [ListCapacity.List]] {
        guard !network.capacities.isEmpty || !minima.isEmpty else { return [:] }
        var capacities: [Node.Product: [ListCapacity]] = [:]
        for capacity in network.capacities { capacities[capacity.product, default: []].append(capacity) }
        var overfull: [DeviceUUID: [ListCapacity.List]] = [:]
        for node in inspected {
            let known = node.product.flatMap { capacities[$0] } ?? []
            var lists = known.filter { $0.entries < node.count(of: $0.list) }.map(\.list)
            if let minima = minima[node.uuid] {
                let others = node.listsWithPromisedRoom.filter { list in !known.contains { $0.list == list } }
                lists += others.filter { node.count(of: $0) > minima.room(in: $0) ?? .max }
            }
            if !lists.isEmpty { overfull[node.uuid] = lists.sorted() }
        }
        return overfull
    }
}

extension Node {
    /// The lists for which profiles of Networked Lighting Control promise room.
    fileprivate var listsWithPromisedRoom: [ListCapacity.List] {
        var lists: [ListCapacity.List] = [.netKeys, .appKeys]
        for (index, element) in elements.enumerated() {
            guard let index = UInt8(exactly: index) else { break }
            lists += element.models.map { .subscriptions(element: index, model: $0.identifier) }
        }
        return lists
    }
}

extension GuardedNetwork {
    /// The nodes with NetKeys that are not in the network, by key.
    var unknownNetKeys: [NetKeyIndex: [DeviceUUID]] {
        let known = Set(network.netKeys.lazy.map(\.index))
        var users: [NetKeyIndex: [DeviceUUID]] = [:]
        for node in inspected {
            for key in node.netKeys where !known.contains(key.index) { users[key.index, default: []].append(node.uuid) }
        }
        return users
    }

    /// The nodes with AppKeys that are not in the network, by key.
    var unknownAppKeys: [AppKeyIndex: [DeviceUUID]] {
        let known = Set(network.appKeys.lazy.map(\.index))
        var users: [AppKeyIndex: [DeviceUUID]] = [:]
        for node in inspected {
            for key in node.appKeys where !known.contains(key.index) { users[key.index, default: []].append(node.uuid) }
        }
        return users
    }

    /// The nodes that use groups that are not in the network, by group: they subscribe, publish, or send or count
    /// heartbeats there. Fixed groups always exist.
    var unknownGroups: [SubscriptionAddress: [DeviceUUID]] {
        let known = Set(network.groups.lazy.map(\.address))
        var users: [SubscriptionAddress: [DeviceUUID]] = [:]
        func add(_ address: SubscriptionAddress, _ node: Node) {
            if case .unknownLabel = address { return }
            guard !known.contains(address) else { return }
            if case .group(let group) = address, !GroupAddress.assignable.contains(group.rawValue) { return }
            guard users[address]?.last != node.uuid else { return }
            users[address, default: []].append(node.uuid)
        }
        for node in inspected {
            for state in node.states { if let group = state.heartbeatGroup { add(group, node) } }
            for element in node.elements {
                for model in element.models {
                    for address in model.subscriptions { add(address, node) }
                    switch model.publication?.address {
                    case .group(let group): add(.group(group), node)
                    case .virtual(let label): add(.virtual(label), node)
                    case .unicast, .unknownLabel, nil: break
                    }
                }
            }
        }
        return users
    }
}

extension FoundationState {
    /// The group that heartbeats are sent to or counted at; nil if there is none.
    var heartbeatGroup: SubscriptionAddress? {
        let destination: Address
        switch self {
        case .heartbeatPublication(let heartbeat): destination = heartbeat.destination
        case .heartbeatSubscription(let heartbeat): destination = heartbeat.destination
        default: return nil
        }
        return GroupAddress(rawValue: destination.rawValue).map { .group($0) }
    }
}
