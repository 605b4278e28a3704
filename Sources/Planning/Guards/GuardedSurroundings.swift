package import MeshCore

/// What guards must know about a network while a plan is carried out: who carries messages of others, and who must hear
/// whom. It is updated node by node, so that checking one of 10,000 nodes does not read all of them.
///
/// A decision about a node counts at once, although it may be carried out later: of the last two proxies only one may
/// be switched off.
package struct GuardedSurroundings: Sendable {
    /// How many nodes of a subnet have which role.
    struct Subnet {
        var nodes = 0
        /// Nodes that are known to be GATT proxies, private ones included.
        var proxies = 0
        /// Nodes that relay, or for which that is unknown.
        var possibleRelays = 0
        /// Those of them that are known to be GATT proxies.
        var possiblyRelayingProxies = 0

        /// The relays that carry messages farther. If there is only one proxy, its relay reaches nobody beyond its
        /// link.
        ///
        /// - Parameter proxies: the number of proxies in the subnet, including those not counted here.
        func usefulRelays(among proxies: Int) -> Int { possibleRelays - (proxies == 1 ? possiblyRelayingProxies : 0) }
    }

    /// The roles and subnets that a node will lose.
    private struct Losses {
        var isProxy = false
        var isRelay = false
        var netKeys: Set<NetKeyIndex> = []
    }

    private let ownProvisioner: DeviceUUID?
    /// The devices of the plan. Some of them may not be nodes yet when others are finished.
    private var awaited = AwaitedCarriers()
    /// The counted nodes, as they were counted.
    private var nodes: [DeviceUUID: Node] = [:]
    private var losses: [DeviceUUID: Losses] = [:]
    private var subnets: [NetKeyIndex: Subnet] = [:]
    private var publishers = PublisherIndex()
    /// The nodes that handle messages to an address, among those with a known size of the replay protection list.
    private var hearers: [PublishAddress: Set<DeviceUUID>] = [:]
    /// The first node found to hear too many sources at an address.
    private var overloaded: [PublishAddress: DeviceUUID] = [:]

    /// The surroundings of all nodes of a network. Takes time in proportion to the network.
    package init(_ network: MeshNetwork) {
        ownProvisioner = network.ownProvisioner
        for node in network.nodes { set(node) }
    }

    /// Updates a node, or adds a new one.
    package mutating func set(_ node: Node) {
        remove(node.uuid)
        nodes[node.uuid] = node
        publishers.add(node)
        if node.replayListSize != nil, node.uuid != ownProvisioner {
            for address in node.heardAddresses where address != .group(.allNodes) {
                hearers[address, default: []].insert(node.uuid)
            }
        }
        count(node, 1)
    }

    package mutating func remove(_ uuid: DeviceUUID) {
        guard let node = nodes.removeValue(forKey: uuid) else { return }
        count(node, -1)
        publishers.remove(node)
        guard node.replayListSize != nil, uuid != ownProvisioner else { return }
        for address in node.heardAddresses { hearers[address]?.remove(uuid) }
    }

    /// Records what the steps of a plan will take from nodes. The plan as a whole has already been checked for these.
    package mutating func expect(_ steps: some Sequence<Step>) {
        awaited.expect(steps)
        for step in steps {
            guard case .configure(let node, let action) = step.work else { continue }
            switch action {
            case .setProxy(false): expect(of: node) { $0.isProxy = true }
            case .setRelay(false, _): expect(of: node) { $0.isRelay = true }
            case .deleteNetKey(let key): expect(of: node) { $0.netKeys.insert(key) }
            case .resetNode: expect(of: node) { $0 = Losses(isProxy: true, isRelay: true) }
            default: break
            }
        }
    }

    /// Records what a node will lose.
    mutating func expect(_ difference: NodeDifference, of node: DeviceUUID) {
        let losesProxy = difference.proxy?.after == false
        let losesRelay = difference.relay?.after == false
        guard losesProxy || losesRelay || !difference.deletedNetKeys.isEmpty else { return }
        expect(of: node) { losses in
            if losesProxy { losses.isProxy = true }
            if losesRelay { losses.isRelay = true }
            losses.netKeys.formUnion(difference.deletedNetKeys)
        }
    }

    private mutating func expect(of uuid: DeviceUUID, _ change: (inout Losses) -> Void) {
        let node = nodes[uuid]
        if let node { count(node, -1) }
        change(&losses[uuid, default: Losses()])
        if let node { count(node, 1) }
    }

    private mutating func count(_ node: Node, _ sign: Int) {
        guard isInReach(node) else { return }
        let carries = roles(of: node)
        for key in carries.subnets {
            subnets[key, default: Subnet()].nodes += sign
            if carries.isProxy { subnets[key, default: Subnet()].proxies += sign }
            guard carries.mayRelay else { continue }
            subnets[key, default: Subnet()].possibleRelays += sign
            if carries.isProxy { subnets[key, default: Subnet()].possiblyRelayingProxies += sign }
        }
    }

    private func isInReach(_ node: Node) -> Bool {
        node.uuid != ownProvisioner && !node.isExcluded && node.unprovisionedSeenAt == nil
    }

    private func roles(of node: Node) -> (subnets: [NetKeyIndex], isProxy: Bool, mayRelay: Bool) {
        let lost = losses[node.uuid] ?? Losses()
        let isRelay = node.features.relay == .enabled || node.features.relay == nil
        return (
            node.netKeys.map(\.index).filter { !lost.netKeys.contains($0) },
            node.isPrivateProxy || node.features.proxy == .enabled && !lost.isProxy,
            isRelay && !lost.isRelay
        )
    }

    /// A subnet without one of its nodes.
    func subnet(_ key: NetKeyIndex, besides uuid: DeviceUUID) -> Subnet {
        var rest = subnets[key] ?? Subnet()
        guard let node = nodes[uuid], isInReach(node) else { return rest }
        let own = roles(of: node)
        guard own.subnets.contains(key) else { return rest }
        rest.nodes -= 1
        if own.isProxy { rest.proxies -= 1 }
        if own.mayRelay {
            rest.possibleRelays -= 1
            if own.isProxy { rest.possiblyRelayingProxies -= 1 }
        }
        return rest
    }

    /// What a change must wait for, if it would take the last carrier from one of those subnets: the devices of the
    /// plan that will be carriers there and are not nodes yet. Nil if there are none.
    func waiting(
        _ kind: WaitingChange.Kind,
        in subnets: [NetKeyIndex],
        besides uuid: DeviceUUID
    ) -> WaitingChange? {
        for subnet in subnets {
            let waiting = awaited.waiting(kind, in: subnet, besides: uuid) { nodes[$0].map(isInReach) ?? false }
            if let waiting { return waiting }
        }
        return nil
    }

    // MARK: Replay protection

    /// Whether a node would have to hear more sources than it can, and does not have to now.
    func isOverloaded(_ node: Node, insteadOf before: Node) -> Bool {
        guard let size = node.replayListSize, publishers.demand(of: node, limit: size) > size else { return false }
        return publishers.demand(of: before, limit: size) <= size
    }

    /// A node that would have to hear more sources than it can if an element published to an address, and does not have
    /// to now. It is always the same one if there are several.
    mutating func overloadedHearer(of publication: Publication, from element: UInt16, on uuid: DeviceUUID) -> Node? {
        let address = publication.address
        let addition = (address, PublisherIndex.Source(address: element, key: publication.appKeyIndex))
        func bears(_ node: Node) -> Bool {
            guard node.uuid != uuid, isInReach(node), let size = node.replayListSize else { return true }
            return publishers.demand(of: node, limit: size, adding: [addition]) <= size
                || publishers.demand(of: node, limit: size) > size
        }
        if let last = overloaded[address], let node = nodes[last], !bears(node) { return node }
        var first: Node?
        func look(at node: Node) {
            if let present = first, present.unicastAddress < node.unicastAddress { return }
            if !bears(node) { first = node }
        }
        if address == .group(.allNodes) {
            for node in nodes.values { look(at: node) }
        } else {
            for hearer in hearers[address] ?? [] { if let node = nodes[hearer] { look(at: node) } }
        }
        overloaded[address] = first?.uuid
        return first
    }
}
