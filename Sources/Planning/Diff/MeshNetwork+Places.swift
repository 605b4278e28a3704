import MeshCore

extension MeshNetwork {
    /// The index of each node in the list of nodes.
    var nodePlaces: [DeviceUUID: Int] {
        var places: [DeviceUUID: Int] = [:]
        places.reserveCapacity(nodes.count)
        // By index, because copying each node would take longer than everything else.
        for index in nodes.indices { places[nodes[index].uuid] = index }
        return places
    }
}
