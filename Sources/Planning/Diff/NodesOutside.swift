import DefinitionModel
import MeshCore

/// What the database has and the definition does not mention.
struct NodesOutside {
    /// Indexes of nodes to forget or reset, by address.
    var leaving: [Int] = []
    /// Those of them to reset.
    var resets: Set<Int> = []
    /// Indexes of nodes whose place another device takes, by address, and that device.
    var substituted: [(position: Int, device: DeviceUUID)] = []
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
    /// - Parameters:
    ///   - selected: the nodes that the plan is limited to; nil for all.
    ///   - substituted: nodes whose place another device takes.
    ///   - places: nodes of the definition that have no device yet.
    ///   - resets: whether nodes that leave are reset, whatever was said about them.
    mutating func nodesOutside(
        _ definition: Definition,
        selected: Set<DeviceUUID>? = nil,
        substituted: [Int: DeviceUUID] = [:],
        places: Set<DeviceUUID> = [],
        purpose: Plan.Purpose = .converge,
        resets: Bool = false
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
            guard selected?.contains(substituted[position] ?? node.uuid) ?? true else {
                outside.leftOut += 1
                continue
            }
            if let device = substituted[position] {
                // Its device keeps the place of the node until another one is assigned.
                guard !places.contains(device) else { continue }
                if node.isProtected {
                    guardProtection(of: node, "replaced", by: ", because the definition has another device for it")
                }
                outside.substituted.append((position, device))
                continue
            }
            // An excluded node no longer gets messages.
            let isReset = (node.removalPolicy == .reset || resets || purpose == .destroy) && !node.isExcluded
            if node.isProtected {
                let cause = purpose == .destroy ? "" : ", because it is no longer in the definition"
                guardProtection(of: node, isReset ? "reset" : "forgotten", by: cause)
            }
            if isReset { checkReset(node) }
            if isReset { outside.resets.insert(position) }
            outside.leaving.append(position)
        }
        return outside
    }

    private mutating func guardProtection(of node: Node, _ end: String, by cause: String) {
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
