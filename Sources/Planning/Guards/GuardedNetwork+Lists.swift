import MeshCore

extension GuardedNetwork {
    /// The lists with more entries than the node's product has shown to have room for.
    var overfullLists: [DeviceUUID: [ListCapacity.List]] {
        guard !network.capacities.isEmpty else { return [:] }
        var capacities: [Node.Product: [ListCapacity]] = [:]
        for capacity in network.capacities { capacities[capacity.product, default: []].append(capacity) }
        var overfull: [DeviceUUID: [ListCapacity.List]] = [:]
        for node in inspected {
            guard let product = node.product, let known = capacities[product] else { continue }
            let lists = known.filter { $0.entries < node.count(of: $0.list) }.map(\.list)
            if !lists.isEmpty { overfull[node.uuid] = lists.sorted() }
        }
        return overfull
    }
}
