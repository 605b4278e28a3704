import MeshCore

extension GuardedNetwork {
    /// The lists with more entries than the node's product has shown to have room for, or than the node promises if its
    /// product has not shown anything.
    var overfullLists: [DeviceUUID: [ListCapacity.List]] {
        guard !network.capacities.isEmpty || !minima.isEmpty else { return [:] }
        var capacities: [Node.Product: [ListCapacity]] = [:]
        for capacity in network.capacities { capacities[capacity.product, default: []].append(capacity) }
        var overfull: [DeviceUUID: [ListCapacity.List]] = [:]
        for node in inspected {
            let known = node.product.flatMap { capacities[$0] } ?? []
            var lists = known.filter { $0.entries < node.count(of: $0.list) }.map(\.list)
            if let minima = minima[node.uuid] {
                let others = node.listsWithPromisedRoom.filter { list in !known.contains { $0.list == list } }
                lists += others.filter { node.count(of: $0) > minima.room(in: $0) ?? .max }
            }
            if !lists.isEmpty { overfull[node.uuid] = lists.sorted() }
        }
        return overfull
    }
}

extension Node {
    /// The lists for which profiles of Networked Lighting Control promise room.
    fileprivate var listsWithPromisedRoom: [ListCapacity.List] {
        var lists: [ListCapacity.List] = [.netKeys, .appKeys]
        for (index, element) in elements.enumerated() {
            guard let index = UInt8(exactly: index) else { break }
            lists += element.models.map { .subscriptions(element: index, model: $0.identifier) }
        }
        return lists
    }
}
