import MeshCore

/// The steps that settle all differences, in their order: the third stage of a plan.
struct OrderedSteps {
    /// The nodes of the plan, each with its changes.
    let nodes: [NodeSummary]
    /// The differences as people see them.
    let changes: [Change]
    let steps: [Step]
    /// Positions in ``steps`` that wait until all steps before them are over.
    let barriers: [Int]
    /// How many nodes still use keys that should leave; such keys stay in the network.
    let keepers: [NetworkResource: Int]
    /// The nodes that leave the network without being reset, and that the definition wants forgotten.
    let forgotten: [Node]
    /// The nodes that leave the network and are reset because their definition said so.
    let reset: [Node]
    /// What to know of changes that somebody else is the cause of.
    let driftNotes: [Advice]

    init(of differences: Differences, _ resolution: Resolution, in network: MeshNetwork, allowed: Set<PlanGuard>) {
        let desired = differences.desired
        let outside = differences.outside
        var builder = PlanBuilder(
            names: resolution.names,
            allowed: allowed.sorted(),
            orders: differences.scope == nil && resolution.places.isEmpty
                ? nil : Set(differences.nodes.indices.lazy.compactMap { differences.nodes[$0].order?.uuid }),
            servers: differences.nodes.servers(in: network)
        )
        builder.reserve(forDifferences: differences.nodes.count)
        for (position, device) in outside.substituted { builder.substituted[device] = network.nodes[position] }
        builder.addNetworkEdits(of: desired)
        keepers = outside.keepers(of: desired.leaving, desired, network)
        builder.addRemovals(of: desired.leaving, from: network, keepers: keepers)
        builder.noteReplacements(desired, in: network)
        builder.addTitles(
            TitleDifference.all(
                between: resolution.definition,
                desired,
                selected: resolution.selected,
                and: network
            )
        )
        builder.addManagement(of: differences.nodes, in: network)
        builder.addCarriers(of: differences.nodes, in: network)
        for index in differences.nodes.indices {
            let difference = differences.nodes[index]
            builder.add(difference, node: difference.baseline(in: network), boundNetKeys: differences.boundNetKeys)
        }
        var forgotten: [Node] = []
        var reset: [Node] = []
        for position in outside.leaving {
            let node = network.nodes[position]
            if outside.resets.contains(position) {
                builder.addReset(node)
                if node.removalPolicy == .reset { reset.append(node) }
            } else {
                builder.addForgotten(node)
                if node.removalPolicy == .forget { forgotten.append(node) }
            }
        }
        for (position, device) in outside.substituted { builder.addSubstituted(network.nodes[position], by: device) }
        builder.markDrift(in: network)
        (steps, barriers) = builder.finish()
        nodes = builder.nodes
        changes = builder.changes
        driftNotes = builder.driftNotes
        self.forgotten = forgotten
        self.reset = reset
    }
}
