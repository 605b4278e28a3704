internal import MeshCore

extension Snapshot {
    /// Whether the IV index is the network's, which database formats do not tell: a database that was imported has 0,
    /// which is only a supposition until somebody of the network was heard, or a person has stated it.
    package var isIVIndexKnown: Bool {
        if network.ivIndex != IVIndex(value: 0) || network.ivIndexChangedAt != nil || !replay.isEmpty { return true }
        if network.ivIndexStatedAt != nil { return true }
        // Without nodes there is nobody who could have raised it.
        let provisioners = Set(network.provisioners.map(\.uuid))
        return network.nodes.allSatisfy { provisioners.contains($0.uuid) } && network.pendingProvisionings.isEmpty
    }
}
