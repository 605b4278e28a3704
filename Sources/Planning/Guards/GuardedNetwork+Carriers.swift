internal import MeshCore

extension GuardedNetwork {
    /// The subnets that have nodes.
    private var populatedSubnets: Set<NetKeyIndex> {
        others.reduce(into: []) { subnets, node in for key in node.netKeys { subnets.insert(key.index) } }
    }

    /// The subnets that have a node that is known to be a GATT proxy.
    var subnetsWithProxy: Set<NetKeyIndex> {
        others.reduce(into: []) { subnets, node in
            guard node.features.proxy == .enabled else { return }
            for key in node.netKeys { subnets.insert(key.index) }
        }
    }

    /// The subnets that have nodes of which none is known to be a GATT proxy.
    var subnetsWithoutProxy: Set<NetKeyIndex> { populatedSubnets.subtracting(subnetsWithProxy) }

    /// The subnets that have a node that is known to relay.
    var subnetsWithRelay: Set<NetKeyIndex> {
        others.reduce(into: []) { subnets, node in
            guard node.features.relay == .enabled else { return }
            for key in node.netKeys { subnets.insert(key.index) }
        }
    }

    /// The subnets in which nodes that are no proxies are known not to be helped by any relay.
    ///
    /// A proxy hands what it gets over its link on to the radio by itself, so that proxies need no relay, and nodes near a
    /// proxy do well without one; whether they are near, nobody knows.
    var subnetsWithoutRelay: Set<NetKeyIndex> {
        var needing: Set<NetKeyIndex> = []
        var helped: Set<NetKeyIndex> = []
        for node in others {
            // An unknown state may be a relay.
            let mayRelay = node.features.relay == .enabled || node.features.relay == nil
            for key in node.netKeys {
                if node.features.proxy != .enabled { needing.insert(key.index) }
                if mayRelay { helped.insert(key.index) }
            }
        }
        return needing.subtracting(helped)
    }

    /// The nodes whose answers do not reach a proxy link: a node answers with its Default TTL, and a proxy hands on to its
    /// link only what comes with a TTL of 2 or more (Mesh Protocol 3.4.6.3). With 0 only a link to the node itself helps.
    var nodesOfUnreachableTTL: [DeviceUUID] {
        others.filter { node in
            guard let ttl = node.defaultTTL, ttl < 2 else { return false }
            return node.features.proxy == .disabled || node.features.proxy == .notSupported
        }.map(\.uuid)
    }
}
