internal import MeshCore

/// Which subnets have nodes that carry the messages of others.
struct SubnetCarriers {
    /// The subnets that have a node that is known to be a GATT proxy.
    private(set) var withProxy: Set<NetKeyIndex> = []
    /// The subnets that have a node that is known to relay.
    private(set) var withRelay: Set<NetKeyIndex> = []
    /// The subnets that have nodes.
    private var populated: Set<NetKeyIndex> = []
    /// The subnets that have nodes that are no proxies.
    private var needingRelay: Set<NetKeyIndex> = []
    /// The subnets that have a node that may relay: that does, or of which it is not known.
    private var withPossibleRelay: Set<NetKeyIndex> = []

    /// Looks at all nodes, once.
    init(_ network: GuardedNetwork) {
        let nodes = network.network.nodes
        for place in nodes.indices where network.network.isInReach(place) {
            let (proxy, relay) = (nodes[place].features.proxy, nodes[place].features.relay)
            for key in nodes[place].netKeys {
                populated.insert(key.index)
                if proxy == .enabled { withProxy.insert(key.index) } else { needingRelay.insert(key.index) }
                if relay == .enabled { withRelay.insert(key.index) }
                if relay == .enabled || relay == nil { withPossibleRelay.insert(key.index) }
            }
        }
    }

    /// The subnets that have nodes of which none is known to be a GATT proxy.
    var withoutProxy: Set<NetKeyIndex> { populated.subtracting(withProxy) }

    /// The subnets in which nodes that are no proxies are known not to be helped by any relay.
    ///
    /// A proxy hands what it gets over its link on to the radio by itself, so that proxies need no relay, and nodes near a
    /// proxy do well without one; whether they are near, nobody knows.
    var withoutRelay: Set<NetKeyIndex> { needingRelay.subtracting(withPossibleRelay) }
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
