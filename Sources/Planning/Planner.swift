package import MeshCore

/// What the planner may do that it refuses by itself.
package struct PlannerOptions: Hashable, Sendable {
    /// Whether nodes that are protected may be forgotten when they leave the definition.
    package var forgetsProtectedNodes: Bool

    /// Nothing is overridden unless said.
    package init(forgetsProtectedNodes: Bool = false) {
        self.forgetsProtectedNodes = forgetsProtectedNodes
    }
}

/// What the planner says.
package struct PlanningResult: Hashable, Sendable {
    /// The plan; nil if any diagnostic is an error.
    package var plan: Plan?
    /// What is wrong or worth knowing, in reading order.
    package var diagnostics: [Diagnostic]
    /// The guards behind error diagnostics, sorted. If there are errors beside them, the definition is wrong, too.
    package var refusals: [PlanGuard]

    /// A result with those parts.
    package init(plan: Plan?, diagnostics: [Diagnostic], refusals: [PlanGuard]) {
        self.plan = plan
        self.diagnostics = diagnostics
        self.refusals = refusals
    }
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
        var differ = NodeDiffer(network: network, desired: desired, names: names, diagnostics: diagnostics)
        differ.checkApplicationKeys(desired)
        var differences: [NodeDifference] = []
        for node in desired.nodes {
            if let difference = differ.difference(of: node) { differences.append(difference) }
        }
        let others = differ.nodesOutside(definition, options: options)
        let refusals = differ.refusals.sorted()
        if differ.diagnostics.hasErrors {
            return PlanningResult(plan: nil, diagnostics: differ.diagnostics.finished(), refusals: refusals)
        }
        var builder = PlanBuilder(names: names)
        builder.addNetworkEdits(of: desired)
        builder.addManagement(of: differences, in: network)
        builder.addCarriers(of: differences, in: network)
        for difference in differences {
            builder.add(difference, node: network.nodes[difference.position], boundNetKeys: differ.boundNetKeys)
        }
        for position in others.forgotten { builder.addForgotten(network.nodes[position]) }
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
            notes: notes(differences: differences, unmanaged: others.unmanaged) + differ.refreshNotes
        )
        return PlanningResult(plan: plan, diagnostics: differ.diagnostics.finished(), refusals: refusals)
    }

    private static func notes(differences: [NodeDifference], unmanaged: Int) -> [String] {
        var notes: [String] = []
        let unread = differences.count { $0.readsComposition }
        if unread > 0 {
            notes.append(
                "The composition of \(unread == 1 ? "1 node" : "\(unread) nodes") is read first; "
                    + "plan again after apply for what depends on it."
            )
        }
        if unmanaged > 0 {
            notes.append(
                unmanaged == 1
                    ? "1 node of the database is not in the definition and is left alone."
                    : "\(unmanaged) nodes of the database are not in the definition and are left alone."
            )
        }
        return notes
    }
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

    /// Refuses new application keys of a subnet that has gone over to its new keys.
    mutating func checkApplicationKeys(_ desired: DesiredState) {
        for key in desired.applicationKeys where key.recordedName == nil && refreshing[key.boundNetKey] == .usingNewKeys
        {
            diagnostics.report(
                Diagnostic(
                    .error,
                    "application key `\(key.name.value)` cannot be made while a key refresh of its subnet "
                        + "`\(names.netKey(key.boundNetKey))` is in progress",
                    at: key.name.location,
                    length: key.name.value.count,
                    resource: "application_key." + key.name.value,
                    hint: "Finish the key refresh first, and import its result"
                )
            )
        }
    }

    /// The nodes of the database that the definition does not mention: those to be forgotten, by address, and the
    /// number of those that are left alone.
    mutating func nodesOutside(
        _ definition: Definition,
        options: PlannerOptions
    ) -> (forgotten: [Int], unmanaged: Int) {
        let mentioned = Set(definition.nodes.map(\.uuid.value))
        var forgotten: [Int] = []
        var unmanaged = 0
        for position in network.nodes.indices where !mentioned.contains(network.nodes[position].uuid) {
            let node = network.nodes[position]
            guard node.uuid != network.ownProvisioner else { continue }
            guard node.isManaged else {
                unmanaged += 1
                continue
            }
            if node.isProtected, !options.forgetsProtectedNodes {
                refusals.insert(.protectedNode)
                diagnostics.report(
                    Diagnostic(
                        .error,
                        "node `\(node.name)` (\(node.unicastAddress)) is protected and not in the definition any more",
                        resource: "node." + node.name,
                        hint: "Put it back, or apply `protect: off` for it before taking it out"
                    )
                )
            } else {
                forgotten.append(position)
            }
        }
        return (forgotten, unmanaged)
    }
}
