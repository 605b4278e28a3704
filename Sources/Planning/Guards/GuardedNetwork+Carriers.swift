internal import MeshCore

/// Which subnets have nodes that carry the messages of others.
struct SubnetCarriers {
    /// What there is in one subnet.
    private struct Subnet {
        var nodes = 0
        /// Those that are known to be GATT proxies.
        var proxies = 0
        /// Those that are known to relay, and those of them that are known to be proxies.
        var relays = (all: 0, proxies: 0)
        /// The same with those of which it is not known whether they relay.
        var possibleRelays = (all: 0, proxies: 0)

        /// Of some relays those that carry a message farther: an only proxy hands what it gets over its link on to the radio
        /// by itself, so that its relay reaches nobody more.
        func useful(_ relays: (all: Int, proxies: Int)) -> Int { relays.all - (proxies == 1 ? relays.proxies : 0) }
    }

    private var subnets: [NetKeyIndex: Subnet] = [:]

    /// Looks at all nodes, once.
    init(_ network: GuardedNetwork) {
        let nodes = network.network.nodes
        for place in nodes.indices where network.network.isInReach(place) {
            let isProxy = nodes[place].features.proxy == .enabled
            let relay = nodes[place].features.relay
            for key in nodes[place].netKeys {
                var subnet = subnets[key.index] ?? Subnet()
                subnet.nodes += 1
                if isProxy { subnet.proxies += 1 }
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

    /// The subnets that have a node that is known to be a GATT proxy.
    var withProxy: Set<NetKeyIndex> { keys { $0.proxies > 0 } }

    /// The subnets that have nodes of which none is known to be a GATT proxy.
    var withoutProxy: Set<NetKeyIndex> { keys { $0.proxies == 0 } }

    /// The subnets in which a relay is known to carry messages between proxies and another node that is none; of no relay has
    /// the relay itself any use.
    var withRelay: Set<NetKeyIndex> {
        keys { subnet in
            let useful = subnet.useful(subnet.relays)
            let others = subnet.nodes - subnet.proxies
            return useful > 1 ? others > 0 : useful == 1 && others > subnet.relays.all - subnet.relays.proxies
        }
    }

    /// The subnets in which nodes that are no proxies are known not to be helped by any relay.
    ///
    /// Proxies need no relay, and nodes near a proxy do well without one; whether they are near, nobody knows.
    var withoutRelay: Set<NetKeyIndex> {
        keys { $0.nodes > $0.proxies && $0.useful($0.possibleRelays) == 0 }
    }

    /// How many nodes of a subnet are known to relay.
    func relays(in key: NetKeyIndex) -> Int { subnets[key]?.relays.all ?? 0 }

    private func keys(where condition: (Subnet) -> Bool) -> Set<NetKeyIndex> {
        Set(subnets.filter { condition($0.value) }.keys)
    }
}

extension GuardedNetwork {
    /// The nodes whose answers do not reach a proxy link: a node answers with its Default TTL, and a proxy hands on to its
    /// link only what comes with a TTL of 2 or more (Mesh Protocol 3.4.6.3). With 0 only a link to the node itself helps.
    var nodesOfUnreachableTTL: [DeviceUUID] {
        inspected.filter { node in
            guard let ttl = node.defaultTTL, ttl < 2 else { return false }
            return node.features.proxy == .disabled || node.features.proxy == .notSupported
        }.map(\.uuid)
    }
}
