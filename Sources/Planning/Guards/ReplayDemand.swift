internal import MeshCore

/// From how many sources each node has to hear, as far as the database tells: the elements that publish to it with an
/// AppKey that it has, and our provisioner, which configures it.
///
/// A node keeps each source in its replay protection list and drops messages of sources that find no room there (Mesh
/// Protocol 3.9.8); its composition tells how many it holds at least (CRPL). Who else sends, the database does not know.
struct ReplayDemand {
    /// The nodes that have to hear more than they can, with how many that is at least.
    private(set) var overloaded: [DeviceUUID: Int] = [:]

    /// Counts the sources.
    ///
    /// - Parameter scope: the nodes of which they are counted; nil for all.
    init(_ network: MeshNetwork, scope: Set<DeviceUUID>? = nil) {
        if let scope, scope.isEmpty { return }
        var publishers = PublisherIndex()
        for place in network.nodes.indices { publishers.add(network.nodes[place]) }
        guard !publishers.isEmpty else { return }
        for place in network.nodes.indices {
            let uuid = network.nodes[place].uuid
            guard uuid != network.ownProvisioner, scope?.contains(uuid) ?? true else { continue }
            guard let size = network.nodes[place].replayListSize else { continue }
            let demand = publishers.demand(of: network.nodes[place], limit: size)
            if demand > size { overloaded[uuid] = demand }
        }
    }
}
