package import MeshCore

extension SimulatedWorld {
    /// For each node of a network, how long one advertising channel was busy so far where the node is: with the network
    /// PDUs that it sent, and with those of the nodes that it can hear, whether they got through or not. Copies count,
    /// beacons and unrelated devices do not.
    package var airtime: [DeviceUUID: Duration] {
        Dictionary(
            uniqueKeysWithValues: nodes.filter(\.state.isProvisioned).map { node in
                (node.state.uuid, .microseconds(node.airtime))
            }
        )
    }

    /// The fewest hops to each node of a network from the client, over nodes that relay at present and with the link of
    /// the proxy: 1 for the proxy beside the client. A node without a way is missing.
    package func hopsFromClient() -> [DeviceUUID: Int] {
        guard nodes.indices.contains(rootNode) else { return [:] }
        var hops: [DeviceUUID: Int] = [nodes[rootNode].state.uuid: 1]
        var front = [rootNode]
        var distance = 1
        while !front.isEmpty {
            distance += 1
            var next: [Int] = []
            for neighbour in front.flatMap({ audience(of: $0) }).map(\.node) {
                let state = nodes[neighbour].state
                guard state.isProvisioned, hops[state.uuid] == nil else { continue }
                hops[state.uuid] = distance
                if nodes[neighbour].isRelay { next.append(neighbour) }
            }
            front = next
        }
        return hops
    }
}

extension SharedNetworkPDU {
    /// How long an advertisement with it lasts on one channel at 1 Mbit/s, in microseconds: preamble, access address,
    /// header, address, length, type and CRC are 18 octets more.
    var airtime: Int64 { Int64(octets.count + 18) * 8 }
}
