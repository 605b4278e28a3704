package import DefinitionModel
package import MeshCore

/// Plans how to bring a network to its definition; pure and deterministic.
///
/// The data passes through the folders in their order: `Resolve` says what is desired, `Diff` compares it with what the
/// database knows, `Lower` and `Order` make steps of the differences, and `Guards` look at where the plan would lead.
package enum Planner {
    /// Compares the definition with the network and lowers the difference to steps.
    ///
    /// - Parameters:
    ///   - definition: the desired state; read without errors.
    ///   - network: the network as the database knows it.
    ///   - base: the lineage and serial of the database that the plan is bound to.
    ///   - identifier: identifies the plan, 16 random octets.
    ///   - options: the guards to pass, the limits and the purpose of the plan.
    package static func plan(
        definition: Definition,
        network: MeshNetwork,
        base: (lineage: Octets16, serial: UInt64),
        identifier: Octets16,
        options: PlannerOptions = PlannerOptions()
    ) -> PlanningResult {
        let resolution = Resolution(of: definition, against: network, options: options)
        var differences = Differences(between: resolution, and: network)
        guard !differences.diagnostics.hasErrors else {
            return PlanningResult(plan: nil, diagnostics: differences.allDiagnostics(allowed: options.allowed))
        }
        let inquiries = differences.addListInquiries()
        let ordered = OrderedSteps(of: differences, resolution, in: network, allowed: options.allowed)
        let notes = PlanNotes(resolution, differences, inquiries, ordered, network)
        var plan = Plan(
            identifier: identifier,
            lineage: base.lineage,
            serial: base.serial,
            network: definition.network.value,
            nodes: ordered.nodes,
            changes: ordered.changes,
            steps: ordered.steps,
            barriers: ordered.barriers,
            notes: notes.all,
            scope: differences.scope,
            purpose: options.purpose,
            claims: Claims(resources: differences.desired.claims, nodes: differences.claims)
        )
        let needsAddresses = differences.nodes.indices.contains { index in
            differences.nodes[index].order.map { $0.address == nil } ?? false
        }
        if needsAddresses, !options.givesAddressesAsHeard {
            plan.reservations = differences.desired.reservations
        }
        let review = PlanReview(
            plan,
            of: network,
            names: resolution.names,
            removalLimit: resolution.definition.removalLimit,
            minima: resolution.definition.lightingMinima
        )
        review.report(to: &differences.guards)
        plan.notes += differences.outside.targetNotes(network, after: review.after).map { Advice($0) }
        plan.findings = differences.guards.findings(allowed: options.allowed)
        return PlanningResult(plan: plan, diagnostics: differences.allDiagnostics(allowed: options.allowed))
    }

    /// The nodes that a plan would be limited to.
    ///
    /// - Returns: nil if nothing limits it.
    package static func selected(
        _ definition: Definition,
        in network: MeshNetwork,
        options: PlannerOptions
    ) -> Set<DeviceUUID>? {
        guard !options.selection.isEmpty else { return nil }
        var diagnostics = CountedDiagnostics()
        let desired = Resolver.resolve(definition, against: network, diagnostics: &diagnostics)
        return options.selection.selected(definition: definition, desired: desired, network: network)
    }
}
