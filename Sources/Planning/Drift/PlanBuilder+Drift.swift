import MeshCore

extension PlanBuilder {
    /// Marks changes that exist because somebody else changed the node, with the value recorded before.
    mutating func markDrift(in network: MeshNetwork) {
        guard !network.drifts.isEmpty else { return }
        let recorded = Dictionary(network.nodes.map { ($0.uuid, $0) }) { first, _ in first }
        for summary in nodes {
            guard let drift = network.drifts[summary.uuid], let node = recorded[summary.uuid] else { continue }
            var origins: [String: ChangeDrift] = [:]
            for (resource, since) in drift.since {
                let text = resource.text(of: drift.recorded, names)
                guard text != resource.text(of: node, names) else { continue }
                origins["node.\(summary.name).\(resource.path(names))"] = ChangeDrift(recorded: text, since: since)
            }
            for position in summary.changes { changes[position].drift = origins[changes[position].address] }
        }
    }

    /// Notes about changes that somebody else caused.
    var driftNotes: [Advice] {
        let drifted = changes.filter { $0.drift != nil }
        guard !drifted.isEmpty else { return [] }
        let nodeCount = Set(drifted.compactMap(\.node)).count
        let nodes = nodeCount == 1 ? "1 node" : "\(nodeCount) nodes"
        return [
            drifted.count == 1
                ? "1 change is there because a node was changed outside of meshplan; \(command: .showDrift) tells more."
                : """
                \(drifted.count) changes are there because \(nodes) \(nodeCount == 1 ? "was" : "were") changed outside of \
                meshplan; \(command: .showDrift) tells more.
                """
        ]
    }
}
