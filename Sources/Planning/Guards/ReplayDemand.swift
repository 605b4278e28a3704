internal import MeshCore

/// From how many sources each node has to hear, as far as the database tells: the elements that publish to it with an
/// AppKey that it has, and our provisioner, which configures it.
///
/// A node keeps each source in its replay protection list and drops messages of sources that find no room there (Mesh
/// Protocol 3.9.8); its composition tells how many it holds at least (CRPL). Who else sends, the database does not know.
struct ReplayDemand {
    /// A source: the address of an element and the AppKey it publishes with.
    private struct Source {
        var address: UInt16
        var key: AppKeyIndex
    }

    /// The nodes that have to hear more than they can, with how many that is at least.
    private(set) var overloaded: [DeviceUUID: Int] = [:]

    /// Counts the sources.
    ///
    /// - Parameter scope: the nodes of which they are counted; nil for all.
    init(_ network: MeshNetwork, scope: Set<DeviceUUID>? = nil) {
        if let scope, scope.isEmpty { return }
        let publishers = Self.publishers(of: network)
        for place in network.nodes.indices {
            let uuid = network.nodes[place].uuid
            guard uuid != network.ownProvisioner, scope?.contains(uuid) ?? true else { continue }
            // No node does with none: then it is not told.
            guard let size = network.nodes[place].product?.replayListSize, size > 0 else { continue }
            let demand = Self.demand(of: network.nodes[place], publishers, limit: Int(size))
            if demand > Int(size) { overloaded[uuid] = demand }
        }
    }

    private static func publishers(of network: MeshNetwork) -> [PublishAddress: [Source]] {
        var publishers: [PublishAddress: [Source]] = [:]
        let nodes = network.nodes
        for place in nodes.indices {
            for index in nodes[place].elements.indices {
                let address = nodes[place].unicastAddress.rawValue &+ UInt16(truncatingIfNeeded: index)
                for model in nodes[place].elements[index].models.indices {
                    guard let publication = nodes[place].elements[index].models[model].publication else { continue }
                    publishers[publication.address, default: []].append(
                        Source(address: address, key: publication.appKeyIndex)
                    )
                }
            }
        }
        return publishers
    }

    /// How many sources a node has to hear; counting ends when that is more than it can.
    private static func demand(of node: Node, _ publishers: [PublishAddress: [Source]], limit: Int) -> Int {
        guard !publishers.isEmpty else { return 1 }
        var lists: [[Source]] = []
        func add(_ address: PublishAddress) {
            if let sources = publishers[address] { lists.append(sources) }
        }
        for address in node.addresses {
            if let unicast = UnicastAddress(rawValue: address) { add(.unicast(unicast)) }
        }
        add(.group(.allNodes))
        if node.features.proxy == .enabled { add(.group(.allProxies)) }
        if node.features.friend == .enabled { add(.group(.allFriends)) }
        if node.features.relay == .enabled { add(.group(.allRelays)) }
        var subscribed: Set<SubscriptionAddress> = []
        for element in node.elements {
            for model in element.models {
                for address in model.subscriptions where subscribed.insert(address).inserted {
                    switch address {
                    case .group(let group): add(.group(group))
                    case .virtual(let label): add(.virtual(label))
                    case .unknownLabel(let address): add(.unknownLabel(address))
                    }
                }
            }
        }
        // Mostly there are too few publishers for a closer look to be needed.
        guard lists.reduce(1, { $0 + $1.count }) > limit else { return 1 }
        let own = node.addresses
        var heard: Set<UInt16> = []
        for source in lists.joined() where !own.contains(source.address) && node.knows(source.key) {
            heard.insert(source.address)
            if heard.count >= limit { return heard.count + 1 }
        }
        return heard.count + 1
    }
}
