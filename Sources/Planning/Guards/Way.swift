package import MeshCore

/// What a node does for others in a subnet: without it they may be out of reach.
package struct Way: Hashable, Sendable {
    /// The kinds of ways.
    package enum Role: Int, CaseIterable, Comparable, Sendable {
        /// An open or private GATT proxy.
        case proxy
        /// A relay.
        case relay
        /// A friend of low-power nodes.
        case friend

        package static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
    }

    /// What the node is.
    package var role: Role
    /// Where.
    package var subnet: NetKeyIndex
}

extension Node {
    /// What the node is known to do for others.
    package var ways: Set<Way> {
        let ways = netKeys.flatMap { key in Way.Role.allCases.map { Way(role: $0, subnet: key.index) } }
        return Set(ways.filter(offers))
    }

    /// Whether the node is known to do something for others.
    package func offers(_ way: Way) -> Bool {
        guard !isExcluded, unprovisionedSeenAt == nil, knows(way.subnet) else { return false }
        switch way.role {
        case .proxy: return features.proxy == .enabled || isPrivateProxy
        case .relay: return features.relay == .enabled
        case .friend: return features.friend == .enabled
        }
    }

    /// Whether it is known to be a GATT proxy that hides its identity.
    package var isPrivateProxy: Bool { state(.privateGATTProxy) == .privateGATTProxy(.enabled) }

    /// Whether it is a low-power node, as far as known. If its composition names the feature, it uses it.
    package var isLowPower: Bool { features.lowPower == .enabled || features.lowPower == nil && product != nil }

    /// Whether it needs what another node does.
    fileprivate func needs(_ way: Way) -> Bool {
        guard knows(way.subnet), !isExcluded, unprovisionedSeenAt == nil else { return false }
        switch way.role {
        case .proxy: return true
        case .relay: return features.proxy != .enabled && !isPrivateProxy
        case .friend: return isLowPower
        }
    }
}

extension MeshNetwork {
    /// Whether any node besides one needs what that does.
    package func hasNeed(of way: Way, besides node: DeviceUUID) -> Bool {
        nodes.contains { $0.uuid != node && $0.uuid != ownProvisioner && $0.needs(way) }
    }
}

extension ConfigurationAction {
    /// The kind of change by which it takes ways away; nil if it takes none.
    package var takenWay: WaitingChange.Kind? {
        switch self {
        case .setProxy(false), .set(.privateGATTProxy(.disabled)): .proxyOff
        case .setRelay(false, _): .relayOff
        case .setFriend(false): .friendOff
        case .deleteNetKey: .subnetLoss
        case .resetNode: .reset
        default: nil
        }
    }

    /// Whether it may make a node do something for others.
    fileprivate var givesWay: Bool {
        switch self {
        case .setProxy(true), .set(.privateGATTProxy(.enabled)), .setRelay(true, _), .setFriend(true), .addNetKey: true
        default: false
        }
    }

    /// What it takes away from the others of a network, because the node does it now and would not do it any more.
    package func waysTaken(from node: Node, in network: MeshNetwork) -> [Way] {
        guard takenWay != nil else { return [] }
        var after = node
        after.apply(self, appKeys: network.appKeys)
        return node.ways.subtracting(after.ways).sorted { ($0.role, $0.subnet) < ($1.role, $1.subnet) }
    }
}

/// Who takes the place of whom in a plan: the nodes to which it gives ways, and the steps that do so.
package struct WaySuccession: Sendable {
    /// The nodes that get a way, in the order of the network.
    private var heirs: [Way: [DeviceUUID]] = [:]
    /// The nodes that have a way before the plan and after it, and those that lose it.
    private var losses: [DeviceUUID: Set<Way>] = [:]
    /// The steps that give a node what it gets.
    private var givingSteps: [DeviceUUID: [Int]] = [:]

    /// The succession in a plan; nil if no step takes a way away.
    package init?(of steps: [Step], in network: MeshNetwork) {
        let takes = steps.contains { step in
            if case .configure(_, let action) = step.work { action.takenWay != nil } else { false }
        }
        guard takes else { return nil }
        var outcome = PlanOutcome(network, upTo: network.nodes.count)
        var given: [DeviceUUID: [Int]] = [:]
        for place in steps.indices {
            outcome.apply(steps[place].work)
            switch steps[place].work {
            case .configure(let node, let action) where action.givesWay: given[node, default: []].append(place)
            case .provision(let order): given[order.uuid, default: []].append(place)
            case .configureWhenKnown(let configuration): given[configuration.node, default: []].append(place)
            default: break
            }
        }
        let before = Dictionary(network.nodes.map { ($0.uuid, $0.ways) }) { first, _ in first }
        let after = outcome.network.nodes
        for node in after where node.uuid != network.ownProvisioner {
            let gains = node.ways.subtracting(before[node.uuid] ?? [])
            guard !gains.isEmpty else { continue }
            for way in gains { heirs[way, default: []].append(node.uuid) }
            givingSteps[node.uuid] = given[node.uuid] ?? []
        }
        let left = Dictionary(after.map { ($0.uuid, $0.ways) }) { first, _ in first }
        for (uuid, ways) in before {
            let lost = ways.subtracting(left[uuid] ?? [])
            if !lost.isEmpty { losses[uuid] = lost }
        }
    }

    /// The nodes to which the plan gives a way.
    package func heirs(of way: Way, besides node: DeviceUUID) -> [DeviceUUID] {
        heirs[way]?.filter { $0 != node } ?? []
    }

    /// The steps that give a node what it gets.
    package func givingSteps(of node: DeviceUUID) -> [Int] { givingSteps[node] ?? [] }

    /// Whether the plan takes a way away from a node for good.
    package func loses(_ node: DeviceUUID, _ way: Way) -> Bool { losses[node]?.contains(way) ?? false }
}
