package import MeshCore

extension SimulatedWorld {
    /// The UUIDs of all nodes in the order of the database, then of all devices in the order of their descriptions.
    package var nodeIdentifiers: [DeviceUUID] { nodes.map(\.state.uuid) }

    /// The first node with a name; nil if there is none.
    package func identifier(named name: String) -> DeviceUUID? {
        nodes.first { $0.state.name == name }?.state.uuid
    }

    /// A node's present configuration; nil if there is no such node.
    package func node(_ uuid: DeviceUUID) -> NodeConfigurationState? {
        positions[uuid].map { nodes[$0].state }
    }

    /// Moves all nodes of networks to an IV index at once, as if time had passed without their clients, or as if they
    /// had been restored to an old state. A node whose IV index cannot be recorded keeps its old one.
    package func setIVIndex(_ ivIndex: IVIndex) {
        newestIVIndex = max(newestIVIndex, ivIndex.value)
        for node in nodes.indices where nodes[node].state.isProvisioned && nodes[node].stack.ivIndex != ivIndex {
            guard recorder(.ivIndex(nodes[node].state.uuid, ivIndex)) else { continue }
            nodes[node].stack.ivIndex = ivIndex
        }
        for node in nodes.indices where nodes[node].state.isProvisioned { announce(node) }
    }

    /// A node's faults; none if there is no such node.
    package func faults(of uuid: DeviceUUID) -> NodeFaults {
        positions[uuid].map { nodes[$0].faults } ?? NodeFaults()
    }

    /// Sets the faults of a node. A proxy that loses power loses its links.
    ///
    /// - Returns: false if there is no such node.
    @discardableResult
    package func setFaults(_ faults: NodeFaults, of uuid: DeviceUUID) -> Bool {
        guard let node = positions[uuid] else { return false }
        let hadPower = !nodes[node].faults.isOff
        if hadPower == faults.isOff { radioChanges(of: node) }
        nodes[node].faults = faults
        if faults.copyLoss != nil { isAnybodyLossy = true }
        if hadPower == faults.isOff { powerChanges(of: node) }
        if faults.isOff {
            stopRemoteProvisioning(of: node)
            endLinks(to: node, reason: "the node lost power")
            setAttention(of: node, seconds: 0)
        } else {
            scheduleWake(node)
        }
        return true
    }
}
