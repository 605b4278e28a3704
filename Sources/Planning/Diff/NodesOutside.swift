import DefinitionModel
import MeshCore

/// What the database has and the definition does not mention.
struct NodesOutside {
    /// Indexes of nodes to forget or reset, by address.
    var leaving: [Int] = []
    /// Those of them to reset.
    var resets: Set<Int> = []
    /// How many nodes are left alone.
    var unmanaged = 0
    /// How many devices may have become nodes.
    var pending = 0
    /// How many nodes would leave but are not selected.
    var leftOut = 0
    /// How many publications wait for nodes that are not selected.
    var unawaitable = 0
}

extension NodeDiffer {
    /// The nodes of the database that the definition does not mention.
    ///
    /// - Parameter selected: the nodes that the plan is limited to; nil for all.
    mutating func nodesOutside(
        _ definition: Definition,
        selected: Set<DeviceUUID>? = nil,
        purpose: Plan.Purpose = .converge
    ) -> NodesOutside {
        let mentioned = Set(definition.nodes.map(\.uuid.value))
        var outside = NodesOutside()
        outside.pending = network.pendingProvisionings.count { !mentioned.contains($0.uuid) }
        for position in network.nodes.indices where !mentioned.contains(network.nodes[position].uuid) {
            let node = network.nodes[position]
            guard node.uuid != network.ownProvisioner else { continue }
            guard node.isManaged else {
                if network.isInReach(position) { outside.unmanaged += 1 }
                continue
            }
            guard selected?.contains(node.uuid) ?? true else {
                outside.leftOut += 1
                continue
            }
            // An excluded node no longer gets messages.
            let isReset = (node.removalPolicy == .reset || purpose == .destroy) && !node.isExcluded
            if node.isProtected {
                let end = isReset ? "reset" : "forgotten"
                let cause = purpose == .destroy ? "" : ", because it is no longer in the definition"
                guards.report(
                    GuardFinding(
                        .protectedNode,
                        "node `\(node.name)` (\(node.unicastAddress)) is protected and would be \(end)\(cause)",
                        nodes: [node.name],
                        resources: ["node." + node.name]
                    ),
                    hint: "Put it back, or apply `protect: off` for it before you remove it"
                )
            }
            if isReset { checkReset(node) }
            if isReset { outside.resets.insert(position) }
            outside.leaving.append(position)
        }
        return outside
    }

    /// Checks that a node to reset is reachable, unless it was already seen to be reset.
    private mutating func checkReset(_ node: Node) {
        guard node.unprovisionedSeenAt == nil else { return }
        let missing: String
        if node.deviceKey == nil {
            missing = "device key"
        } else if node.transportNetKey == nil {
            missing = "NetKey"
        } else {
            return
        }
        diagnostics.report(
            Diagnostic(
                .error,
                "node `\(node.name)` (\(node.unicastAddress)) has no \(missing) in the database, so it cannot be reset",
                resource: "node." + node.name,
                hint: """
                    Import a database that holds it, leave it out with \(command: .exclude()), or put the node back and apply \
                    `on_remove: forget` for it first
                    """
            )
        )
    }
}
