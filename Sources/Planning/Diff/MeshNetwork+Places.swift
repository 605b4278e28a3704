internal import MeshCore

extension MeshNetwork {
    /// Where nodes are in the list of nodes.
    var nodePlaces: [DeviceUUID: Int] {
        var places: [DeviceUUID: Int] = [:]
        places.reserveCapacity(nodes.count)
        // By index: a copy of each node would take longer than all the rest.
        for place in nodes.indices { places[nodes[place].uuid] = place }
        return places
    }
}
