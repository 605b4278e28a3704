package import MeshCore

/// What the planner may do that it refuses by itself, and what it is limited to.
package struct PlannerOptions: Hashable, Sendable {
    /// The guards that may be passed.
    package var allowed: Set<PlanGuard>

    /// Nothing is overridden unless said.
    package init(allowed: Set<PlanGuard> = []) {
        self.allowed = allowed
    }
}

/// What the planner says.
package struct PlanningResult: Hashable, Sendable {
    /// The plan, also one that guards refuse, to be looked at; nil if the definition is wrong.
    package var plan: Plan?
    /// What is wrong or worth knowing, in reading order; errors are what makes a plan impossible, or refused.
    package var diagnostics: [Diagnostic]

    /// A result with those parts.
    package init(plan: Plan?, diagnostics: [Diagnostic]) {
        self.plan = plan
        self.diagnostics = diagnostics
    }

    /// The guards that refuse the plan, sorted.
    package var refusals: [PlanGuard] { plan?.refusals ?? [] }
}

/// Plans how to bring a network to its definition; pure and deterministic.
package enum Planner {
    /// Compares the definition with the network and lowers the difference to steps.
    ///
    /// - Parameters:
    ///   - definition: What should be; read without errors.
    ///   - network: What the database knows.
    ///   - base: The lineage and serial of the database, to which the plan is bound.
    ///   - identifier: Names the plan, 16 random octets.
    ///   - options: What may be done beyond the usual.
    package static func plan(
        definition: Definition,
        network: MeshNetwork,
        base: (lineage: Octets16, serial: UInt64),
        identifier: Octets16,
        options: PlannerOptions = PlannerOptions()
    ) -> PlanningResult {
        var diagnostics = DiagnosticCollector()
        let desired = Resolver.resolve(definition, against: network, diagnostics: &diagnostics)
        let names = ResourceNames(desired: desired, network: network)
        var differ = NodeDiffer(
            network: network,
            applicationKeys: desired.applicationKeys,
            names: names,
            leaving: desired.leaving,
            removesDropped: true,
            diagnostics: diagnostics
        )
        for (finding, hint) in desired.findings { differ.guards.report(finding, hint: hint) }
        var differences: [NodeDifference] = []
        var baselines: [Node] = []
        for node in desired.nodes {
            guard let difference = differ.difference(of: node) else { continue }
            differences.append(difference)
            baselines.append(node.baseline(in: network))
        }
        let others = differ.nodesOutside(definition)
        if differ.diagnostics.hasErrors {
            for refusal in differ.guards.diagnostics(allowed: options.allowed) { differ.diagnostics.report(refusal) }
            return PlanningResult(plan: nil, diagnostics: differ.diagnostics.finished())
        }
        var builder = PlanBuilder(names: names)
        builder.addNetworkEdits(of: desired)
        let keepers = others.keepers(of: desired.leaving, desired, network)
        builder.addRemovals(of: desired.leaving, from: network, keepers: keepers)
        builder.noteReplacements(desired, in: network)
        builder.addManagement(of: differences, in: network)
        builder.addCarriers(of: differences, in: network)
        for (difference, node) in zip(differences, baselines) {
            builder.add(difference, node: node, boundNetKeys: differ.boundNetKeys)
        }
        for position in others.leaving {
            let node = network.nodes[position]
            // Whoever is excluded cannot be asked any more.
            let isReset = node.removalPolicy == .reset && !node.isExcluded
            if isReset { builder.addReset(node) } else { builder.addForgotten(node) }
        }
        builder.markDrift(in: network)
        let forgotten = others.leaving.map { network.nodes[$0] }.filter { $0.removalPolicy == .forget }
        let (steps, barriers) = builder.finish()
        let plan = Plan(
            identifier: identifier,
            lineage: base.lineage,
            serial: base.serial,
            network: definition.network.value,
            nodes: builder.nodes,
            changes: builder.changes,
            steps: steps,
            barriers: barriers,
            notes: notes(differences: differences, others, names) + differ.refreshNotes
                + others.removalNotes(desired, keepers, network, names) + builder.driftNotes
                + KeyRefreshAdvice.notes(of: network, forgotten: forgotten),
            findings: differ.guards.findings(allowed: options.allowed),
            claims: Claims(resources: desired.claims, nodes: differ.claims)
        )
        for refusal in differ.guards.diagnostics(allowed: options.allowed) { differ.diagnostics.report(refusal) }
        return PlanningResult(plan: plan, diagnostics: differ.diagnostics.finished())
    }

    private static func notes(
        differences: [NodeDifference],
        _ others: NodesOutside,
        _ names: ResourceNames
    ) -> [String] {
        var notes: [String] = []
        notes += provisioningNotes(differences, names)
        let unread = differences.count { $0.readsComposition }
        if unread > 0 {
            notes.append(
                "The composition of \(unread == 1 ? "1 node" : "\(unread) nodes") is read first; "
                    + "apply then goes on with what depends on it."
            )
        }
        if others.unmanaged > 0 {
            notes.append(
                others.unmanaged == 1
                    ? "1 node of the database is not in the definition and is left alone."
                    : "\(others.unmanaged) nodes of the database are not in the definition and are left alone."
            )
        }
        if others.pending > 0 {
            notes.append(
                others.pending == 1
                    ? "1 device that is not in the definition may have been provisioned; its address stays reserved."
                    : "\(others.pending) devices that are not in the definition may have been provisioned; "
                        + "their addresses stay reserved."
            )
        }
        return notes
    }
}

extension Planner {
    /// How many devices are provisioned, and into which subnets.
    private static func provisioningNotes(_ differences: [NodeDifference], _ names: ResourceNames) -> [String] {
        var counts: [NetKeyIndex: Int] = [:]
        for difference in differences {
            if let order = difference.order { counts[order.netKeyIndex, default: 0] += 1 }
        }
        let total = counts.values.reduce(0, +)
        guard total > 0 else { return [] }
        let parts = counts.keys.sorted().map { index in
            counts.count == 1
                ? "into subnet \(names.netKey(index))" : "\(counts[index] ?? 0) into subnet \(names.netKey(index))"
        }
        let verb = total == 1 ? "1 device is provisioned" : "\(total) devices are provisioned"
        return [verb + (counts.count == 1 ? " " : ": ") + parts.joined(separator: ", ") + "."]
    }
}

/// What the database has that the definition does not mention.
struct NodesOutside {
    /// Positions of nodes to be forgotten or reset, by address.
    var leaving: [Int] = []
    /// How many nodes are left alone.
    var unmanaged = 0
    /// How many devices may have become nodes.
    var pending = 0
}

extension NodeDiffer {
    /// What to know of subnets in a key refresh, in the order of their indexes.
    var refreshNotes: [String] {
        network.netKeys.compactMap { key in
            guard let count = refreshingNodes[key.index]?.count else { return nil }
            return "Subnet \(names.netKey(key.index)) is in a key refresh: \(count == 1 ? "1 node" : "\(count) nodes") "
                + "of this plan will have its present keys only, until the refresh goes on."
        }
    }

    /// The nodes of the database that the definition does not mention.
    mutating func nodesOutside(_ definition: Definition) -> NodesOutside {
        let mentioned = Set(definition.nodes.map(\.uuid.value))
        var outside = NodesOutside()
        outside.pending = network.pendingProvisionings.count { !mentioned.contains($0.uuid) }
        for position in network.nodes.indices where !mentioned.contains(network.nodes[position].uuid) {
            let node = network.nodes[position]
            guard node.uuid != network.ownProvisioner else { continue }
            guard node.isManaged else {
                outside.unmanaged += 1
                continue
            }
            if node.isProtected {
                let end = node.removalPolicy == .reset ? "reset" : "forgotten"
                guards.report(
                    GuardFinding(
                        .protectedNode,
                        "node `\(node.name)` (\(node.unicastAddress)) is protected and would be \(end), "
                            + "for it is not in the definition any more",
                        nodes: [node.name],
                        resources: ["node." + node.name]
                    ),
                    hint: "Put it back, or apply `protect: off` for it before taking it out"
                )
            }
            if node.removalPolicy == .reset, !node.isExcluded { checkReset(node) }
            outside.leaving.append(position)
        }
        return outside
    }

    /// A node that is to be reset must be reachable, unless it was seen to be reset already.
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
                hint: "Import a database that holds it, or put the node back and apply `on_remove: forget` for it first"
            )
        )
    }
}
