package import MeshCore

/// What a node does for others in a subnet: without it they may be out of reach.
///
/// Two things look like ways and are none:
/// - Beacons. A proxy sends its beacon to whoever connects, whatever the state says (Mesh Protocol 6.7), and each node
///   is told each phase of a key refresh by a request of its own. Nodes learn a new IV index by beacons, so a subnet
///   without any may lose nodes that sleep through an IV Update; but no node that is reached now gets out of reach by
///   the change, and nothing that could be waited for would tell.
/// - Addresses. Only reprovisioning changes them. It goes over the node's own server and leaves keys and features as
///   they are, and the database has both addresses until the node has answered at one of them.
package struct Way: Hashable, Sendable {
    /// The kinds of ways.
    package enum Role: Int, CaseIterable, Comparable, Sendable {
        /// An open or private GATT proxy.
        case proxy
        case relay
        /// A friend of low-power nodes.
        case friend

        package static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
    }

    package var role: Role
    package var subnet: NetKeyIndex
}

extension Node {
    /// What a node of its subnets may do for others.
    private var conceivableWays: [Way] {
        netKeys.flatMap { key in Way.Role.allCases.map { Way(role: $0, subnet: key.index) } }
    }

    /// What the node is known to do for others.
    package var ways: Set<Way> { Set(conceivableWays.filter(offers)) }

    /// What the node does for others, or may do, and would not do any more if it were another one; in order.
    fileprivate func ways(lostBy after: Node) -> [Way] {
        conceivableWays.filter { does($0) != false && after.does($0) == false }.sorted {
            ($0.role, $0.subnet) < ($1.role, $1.subnet)
        }
    }

    /// Whether the node is known to do something for others.
    package func offers(_ way: Way) -> Bool { does(way) == true }

    /// Whether the node does something for others; nil if nobody knows.
    private func does(_ way: Way) -> Bool? {
        guard !isExcluded, unprovisionedSeenAt == nil, knows(way.subnet) else { return false }
        let feature =
            switch way.role {
            case .proxy: isPrivateProxy ? .enabled : features.proxy
            case .relay: features.relay
            case .friend: features.friend
            }
        return feature.map { $0 == .enabled }
    }

    /// Whether it is known to be a GATT proxy that hides its identity.
    package var isPrivateProxy: Bool { state(.privateGATTProxy) == .privateGATTProxy(.enabled) }

    /// Whether it is a low-power node, as far as known. If its composition names the feature, it uses it.
    package var isLowPower: Bool { features.lowPower == .enabled || features.lowPower == nil && product != nil }

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
    package func hasNeed(of way: Way, besides node: DeviceUUID) -> Bool {
        nodes.contains { $0.uuid != node && $0.uuid != ownProvisioner && $0.needs(way) }
    }
}

extension ConfigurationAction {
    /// The kind of change by which it takes ways away; nil if it takes none.
    fileprivate var takenWay: WaitingChange.Kind? {
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
}

extension Step.Work {
    /// The node from which it takes ways away, and the kind of change; nil if it takes none.
    ///
    /// Excluding a node changes nothing on the air, but nothing of ours goes through the node from then on.
    package var takenWay: (node: DeviceUUID, kind: WaitingChange.Kind)? {
        switch self {
        case .configure(let node, let action): action.takenWay.map { (node, $0) }
        case .edit(.exclude(let node)): (node, .exclusion)
        default: nil
        }
    }

    /// What it takes away from the others of a network, because the node does it now, as far as anybody knows, and
    /// would not do it any more.
    package func waysTaken(from node: Node, in network: MeshNetwork) -> [Way] {
        var after = node
        switch self {
        case .configure(_, let action): after.apply(action, appKeys: network.appKeys)
        case .edit(.exclude): after.isExcluded = true
        default: return []
        }
        return node.ways(lostBy: after)
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
        guard steps.contains(where: { $0.work.takenWay != nil }) else { return nil }
        var outcome = PlanOutcome(network, upTo: network.nodes.count)
        var given: [DeviceUUID: [Int]] = [:]
        for index in steps.indices {
            outcome.apply(steps[index].work)
            switch steps[index].work {
            case .configure(let node, let action) where action.givesWay: given[node, default: []].append(index)
            case .provision(let order): given[order.uuid, default: []].append(index)
            case .configureWhenKnown(let configuration): given[configuration.node, default: []].append(index)
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

    package func givingSteps(of node: DeviceUUID) -> [Int] { givingSteps[node] ?? [] }

    /// Whether the plan takes a way away from a node for good.
    package func loses(_ node: DeviceUUID, _ way: Way) -> Bool { losses[node]?.contains(way) ?? false }
}
