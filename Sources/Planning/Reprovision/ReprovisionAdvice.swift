import MeshCore

/// A plan's notes about reprovisionings of nodes whose end nobody has seen.
enum ReprovisionAdvice {
    /// The notes, in the order of the nodes.
    static func notes(of network: MeshNetwork) -> [String] {
        guard !network.pendingReprovisions.isEmpty else { return [] }
        return network.nodes.compactMap { node in
            guard let pending = network.pendingReprovisions[node.uuid] else { return nil }
            return
                "It is not known yet whether the \(pending.procedure.name) of \(node.name) has taken effect: apply finds "
                + "out first, and leaves the node alone if it does not answer."
        }
    }
}
