import MeshCore

/// The nodes that carry messages of others, counted by subnet.
struct SubnetCarriers {
    /// The counts of one subnet.
    private struct Subnet {
        var nodes = 0
        /// Nodes that are known to be GATT proxies.
        var proxies = 0
        /// Nodes that are known to relay, and those of them that are known to be proxies.
        var relays = (all: 0, proxies: 0)
        /// The same, including nodes for which it is unknown whether they relay.
        var possibleRelays = (all: 0, proxies: 0)

        /// Nodes that are known to be friends, and those that need one.
        var friends = 0
        var lowPowerNodes = 0

        /// How many of these relays carry messages farther. If there is only one proxy, it advertises itself what
        /// arrives over its link, so its relay reaches nobody else.
        func useful(_ relays: (all: Int, proxies: Int)) -> Int { relays.all - (proxies == 1 ? relays.proxies : 0) }
    }

    private var subnets: [NetKeyIndex: Subnet] = [:]

    /// Counts all nodes, once.
    init(_ network: GuardedNetwork) {
        let nodes = network.network.nodes
        for index in nodes.indices where network.network.isInReach(index) {
            let isProxy = nodes[index].features.proxy == .enabled
            let relay = nodes[index].features.relay
            for key in nodes[index].netKeys {
                var subnet = subnets[key.index] ?? Subnet()
                subnet.nodes += 1
                if isProxy { subnet.proxies += 1 }
                if nodes[index].features.friend == .enabled { subnet.friends += 1 }
                if nodes[index].isLowPower { subnet.lowPowerNodes += 1 }
                if relay == .enabled {
                    subnet.relays.all += 1
                    if isProxy { subnet.relays.proxies += 1 }
                }
                if relay == .enabled || relay == nil {
                    subnet.possibleRelays.all += 1
                    if isProxy { subnet.possibleRelays.proxies += 1 }
                }
                subnets[key.index] = subnet
            }
        }
    }

    /// The subnets with a node that is known to be a GATT proxy.
    var withProxy: Set<NetKeyIndex> { keys { $0.proxies > 0 } }

    /// The subnets with nodes, none of which is known to be a GATT proxy.
    var withoutProxy: Set<NetKeyIndex> { keys { $0.proxies == 0 } }

    /// The subnets in which a relay is known to carry messages between a proxy and another node that is not a proxy. A
    /// relay does not help itself.
    var withRelay: Set<NetKeyIndex> {
        keys { subnet in
            let useful = subnet.useful(subnet.relays)
            let others = subnet.nodes - subnet.proxies
            return useful > 1 ? others > 0 : useful == 1 && others > subnet.relays.all - subnet.relays.proxies
        }
    }

    /// The subnets with nodes that are not proxies and that no relay helps for certain.
    ///
    /// Proxies need no relay. Nodes near a proxy do well without one, but nobody knows which nodes are near.
    var withoutRelay: Set<NetKeyIndex> {
        keys { $0.nodes > $0.proxies && $0.useful($0.possibleRelays) == 0 }
    }

    /// The subnets with a node that is known to be a friend.
    var withFriend: Set<NetKeyIndex> { keys { $0.friends > 0 } }

    /// The subnets with low-power nodes, and without a node that is known to be a friend.
    var withoutFriend: Set<NetKeyIndex> { keys { $0.lowPowerNodes > 0 && $0.friends == 0 } }

    /// How many nodes of a subnet are known to relay.
    func relays(in key: NetKeyIndex) -> Int { subnets[key]?.relays.all ?? 0 }

    private func keys(where condition: (Subnet) -> Bool) -> Set<NetKeyIndex> {
        Set(subnets.filter { condition($0.value) }.keys)
    }
}

extension GuardedNetwork {
    /// The nodes whose answers do not reach a proxy link.
    var nodesOfUnreachableTTL: [DeviceUUID] { inspected.filter(\.isSilencedByTTL).map(\.uuid) }
}

extension Node {
    /// The least Default TTL with which its answers are known to reach a proxy link. A proxy forwards to its link only
    /// messages with a TTL of 2 or more (Mesh Protocol 3.4.6.3).
    package var leastTTL: UInt8 { max(hops ?? 0, 2) }

    /// Whether its answers do not reach a proxy link. A node answers with its Default TTL. If it is a proxy itself, a
    /// link to it helps.
    var isSilencedByTTL: Bool {
        guard let ttl = defaultTTL, ttl < leastTTL else { return false }
        return features.proxy == .disabled || features.proxy == .notSupported
    }
}
