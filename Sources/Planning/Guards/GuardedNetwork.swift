package import MeshCore

/// A state of a network as guards see it: what is in it that would cut somebody off or break what is in use. A plan must
/// not bring such a thing about, neither at its end nor on the way.
package struct GuardedNetwork {
    /// The state.
    let network: MeshNetwork
    /// The nodes that are looked at one by one; nil for all.
    private let scope: Set<DeviceUUID>?
    private let inspectedPlaces: [Int]

    /// A state to look at.
    ///
    /// - Parameter scope: the nodes that are looked at one by one, for where two states are compared that differ in few
    ///   nodes; nil for all. What subnets need of their nodes is asked of all of them anyway.
    package init(_ network: MeshNetwork, scope: Set<DeviceUUID>? = nil) {
        self.network = network
        self.scope = scope
        // Looking at a node by its place copies nothing; there may be far more nodes than are looked at.
        inspectedPlaces = network.nodes.indices.filter { place in
            (scope?.contains(network.nodes[place].uuid) ?? true) && network.isInReach(place)
        }
    }

    /// Something that is wrong in a state, whoever is to blame.
    package enum Violation: Hashable, Sendable {
        /// A subnet has nodes but no GATT proxy any more, as far as is known.
        case noProxy(NetKeyIndex)
        /// A subnet has nodes that are no proxies, and none of its nodes relays any more.
        case noRelay(NetKeyIndex)
        /// The answers of a node do not reach a proxy link.
        case unreachableTTL(DeviceUUID)
        /// A node has no NetKey.
        case noNetKey(DeviceUUID)
        /// A node has a NetKey that the network has not.
        case unknownNetKey(NetKeyIndex)
        /// A node has an AppKey that the network has not.
        case unknownAppKey(AppKeyIndex)
        /// A model uses a group that the network has not.
        case unknownGroup(SubscriptionAddress)
        /// A node has to hear more sources than its replay protection list holds.
        case replayList(DeviceUUID)
        /// A list of a node has more entries than its product has shown to have room for.
        case fullList(DeviceUUID, ListCapacity.List)

        /// The guard that keeps plans from bringing it about.
        package var planGuard: PlanGuard {
            switch self {
            case .noProxy: .lastProxy
            case .noRelay: .lastRelay
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

    /// What is wrong and was not in an earlier state. Takes time in proportion to the network.
    package func broken(since earlier: GuardedNetwork) -> Set<Violation> {
        var broken: Set<Violation> = []
        let (carriers, earlierCarriers) = (SubnetCarriers(self), SubnetCarriers(earlier))
        for index in carriers.withoutProxy.intersection(earlierCarriers.withProxy) { broken.insert(.noProxy(index)) }
        // A relay that has become the only proxy is still where it was.
        for index in carriers.withoutRelay.intersection(earlierCarriers.withRelay)
        where carriers.relays(in: index) < earlierCarriers.relays(in: index) {
            broken.insert(.noRelay(index))
        }
        let violations = violationsOfNodes
        if !violations.isEmpty { broken.formUnion(violations.subtracting(earlier.violationsOfNodes)) }
        return broken
    }

    /// All that is wrong but what is lost only in comparison.
    private var violationsOfNodes: Set<Violation> {
        var violations: Set<Violation> = []
        for node in nodesOfUnreachableTTL { violations.insert(.unreachableTTL(node)) }
        for node in inspected where node.netKeys.isEmpty { violations.insert(.noNetKey(node.uuid)) }
        for index in unknownNetKeys.keys { violations.insert(.unknownNetKey(index)) }
        for index in unknownAppKeys.keys { violations.insert(.unknownAppKey(index)) }
        for group in unknownGroups.keys { violations.insert(.unknownGroup(group)) }
        for node in ReplayDemand(network, scope: scope).overloaded.keys { violations.insert(.replayList(node)) }
        for (node, lists) in overfullLists { for list in lists { violations.insert(.fullList(node, list)) } }
        return violations
    }

    /// The nodes that must stay in reach: all but our own, those that are excluded, and those that are known to be none
    /// any more.
    var others: some Sequence<Node> {
        network.nodes.indices.lazy.filter { network.isInReach($0) }.map { network.nodes[$0] }
    }

    /// Those of them that are looked at one by one.
    var inspected: some Sequence<Node> { inspectedPlaces.lazy.map { network.nodes[$0] } }
}

extension MeshNetwork {
    /// Whether the node at a place must stay in reach.
    func isInReach(_ place: Int) -> Bool {
        nodes[place].uuid != ownProvisioner && !nodes[place].isExcluded && nodes[place].unprovisionedSeenAt == nil
    }
}
