internal import MeshCore

/// What a plan says of refreshes of nodes that nobody has seen to their end.
enum NodeRefreshAdvice {
    /// The notes, in the order of the nodes.
    static func notes(of network: MeshNetwork) -> [String] {
        guard !network.pendingRefreshes.isEmpty else { return [] }
        return network.nodes.compactMap { node in
            guard let pending = network.pendingRefreshes[node.uuid] else { return nil }
            return
                "It is not known yet whether the \(pending.procedure.name) of \(node.name) has taken effect: apply finds "
                + "out first, and leaves the node alone if it does not answer."
        }
    }
}
