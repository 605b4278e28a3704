import MeshCore

/// From how many sources each node must hear, as far as the database knows: the elements that publish to it with an
/// AppKey that it has, and this provisioner, which configures it.
///
/// A node keeps each source in its replay protection list, and drops messages of sources that have no room there (Mesh
/// Protocol 3.9.8). Its composition says how many it holds at least (CRPL). The database does not know who else sends.
struct ReplayDemand {
    /// The nodes that must hear more sources than they can, with the least number of sources.
    private(set) var overloaded: [DeviceUUID: Int] = [:]

    /// Counts the sources.
    ///
    /// - Parameter scope: the nodes to count for; nil for all.
    /// - Parameter minima: what nodes promise where their composition says nothing.
    init(_ network: MeshNetwork, scope: Set<DeviceUUID>? = nil, minima: [DeviceUUID: NLCMinima] = [:]) {
        if let scope, scope.isEmpty { return }
        var publishers = PublisherIndex()
        for index in network.nodes.indices { publishers.add(network.nodes[index]) }
        guard !publishers.isEmpty else { return }
        for index in network.nodes.indices {
            let uuid = network.nodes[index].uuid
            guard uuid != network.ownProvisioner, scope?.contains(uuid) ?? true else { continue }
            guard let size = network.nodes[index].replayListSize ?? minima[uuid]?.replayList else { continue }
            let demand = publishers.demand(of: network.nodes[index], limit: size)
            if demand > size { overloaded[uuid] = demand }
        }
    }
}
