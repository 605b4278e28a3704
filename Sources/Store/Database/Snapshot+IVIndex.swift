import MeshCore

extension Snapshot {
    /// Whether the IV index is known to be the network's. Database formats do not hold it, so an imported database has
    /// 0. That is a mere assumption until a node of the network was heard or a person has stated the index.
    package var isIVIndexKnown: Bool {
        if network.ivIndex != IVIndex(value: 0) || network.ivIndexChangedAt != nil || !replay.isEmpty { return true }
        if network.ivIndexStatedAt != nil { return true }
        // Without nodes nobody could have raised it.
        let provisioners = Set(network.provisioners.map(\.uuid))
        return network.nodes.allSatisfy { provisioners.contains($0.uuid) } && network.pendingProvisionings.isEmpty
    }
}
