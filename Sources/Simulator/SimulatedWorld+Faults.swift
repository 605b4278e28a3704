package import MeshCore

extension SimulatedWorld {
    /// The UUIDs of all nodes in the order of the database, then of all devices in the order of their descriptions.
    package var nodeIdentifiers: [DeviceUUID] { nodes.map(\.state.uuid) }

    /// The node with a name, nil if there is none; of several the first.
    package func identifier(named name: String) -> DeviceUUID? {
        nodes.first { $0.state.name == name }?.state.uuid
    }

    /// What a node is configured to at present, nil if there is no such node.
    package func node(_ uuid: DeviceUUID) -> NodeConfigurationState? {
        positions[uuid].map { nodes[$0].state }
    }

    /// What is wrong with a node; no such node, nothing wrong.
    package func faults(of uuid: DeviceUUID) -> NodeFaults {
        positions[uuid].map { nodes[$0].faults } ?? NodeFaults()
    }

    /// Makes things go wrong with a node, or right again. A proxy that loses power loses its links.
    ///
    /// - Returns: false if there is no such node.
    @discardableResult
    package func setFaults(_ faults: NodeFaults, of uuid: DeviceUUID) -> Bool {
        guard let node = positions[uuid] else { return false }
        nodes[node].faults = faults
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
