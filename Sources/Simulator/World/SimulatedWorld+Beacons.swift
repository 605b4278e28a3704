import MeshCore

extension SimulatedWorld {
    /// The beacons that tell clients the IV index and the key refresh of all subnets of a node.
    func beaconsForClients(of node: Int) -> [[UInt8]] {
        nodes[node].state.hidesFromClients ? privateBeacons(of: node) : secureNetworkBeacons(of: node)
    }

    /// The beacons that a node advertises; both kinds may be on (Mesh Protocol 1.1, 4.2.44).
    func beaconsOnAir(of node: Int) -> [[UInt8]] {
        let state = nodes[node].state
        return (state.secureNetworkBeacon ? secureNetworkBeacons(of: node) : [])
            + (state.foundation.isPrivateBeaconEnabled ? privateBeacons(of: node) : [])
    }

    private func secureNetworkBeacons(of node: Int) -> [[UInt8]] {
        nodes[node].state.netKeys.compactMap { nodes[node].stack.secureNetworkBeacon($0.index) }
    }

    private func privateBeacons(of node: Int) -> [[UInt8]] {
        nodes[node].state.netKeys.compactMap { key in
            guard let material = nodes[node].state.transmitKey(key.index),
                let random = privateBeaconRandom(of: node, in: key.index)
            else { return nil }
            let beacon = MeshPrivateBeacon(
                isKeyRefreshing: key.phase == .usingNewKeys,
                ivIndex: nodes[node].stack.ivIndex,
                random: random
            )
            return beacon.encoded(with: schedules.subnet(material))
        }
    }

    /// A random value that changes with the random update interval, or with every beacon if the interval is 0
    /// (4.2.44.2). It has a generator of its own, so that beacons affect nothing else.
    private func privateBeaconRandom(of node: Int, in subnet: NetKeyIndex) -> Nonce? {
        let state = nodes[node].state
        let steps = Int64(state.foundation.randomUpdateIntervalSteps)
        var period = UInt64(bitPattern: now.microseconds / max(steps * 10_000_000, 1))
        if steps == 0 {
            nodes[node].privateBeaconCount += 1
            period = nodes[node].privateBeaconCount
        }
        let place = surroundings(of: state.uuid) ^ UInt64(subnet.rawValue) << 8 ^ UInt64(steps)
        var mixer = SeededGenerator(seed: place &+ period &* 0x2545_F491_4F6C_DD1D)
        let octets = Octets16(high: mixer.next(), low: mixer.next())
        return Nonce(octets.bytes.prefix(13))
    }
}
