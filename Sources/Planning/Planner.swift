package import MeshCore

/// What the planner may do although it would refuse it, and what it is limited to.
package struct PlannerOptions: Hashable, Sendable {
    /// The guards that the plan may pass.
    package var allowed: Set<PlanGuard>
    /// The nodes that the plan is limited to. Changes of the network that they do not need are left out, too.
    package var selection: PlanSelection
    /// The purpose of the plan. A plan to destroy resets all managed nodes, whatever the definition says about them.
    package var purpose: Plan.Purpose

    package init(
        allowed: Set<PlanGuard> = [],
        selection: PlanSelection = PlanSelection(),
        purpose: Plan.Purpose = .converge
    ) {
        self.allowed = allowed
        self.selection = selection
        self.purpose = purpose
    }
}

/// The result of planning.
package struct PlanningResult: Hashable, Sendable {
    /// The plan, even if guards refuse it, so that it can be viewed; nil if the definition is wrong.
    package var plan: Plan?
    /// What is wrong or worth knowing, in reading order. With errors, there is no plan or it is refused.
    package var diagnostics: [Diagnostic]

    package init(plan: Plan?, diagnostics: [Diagnostic]) {
        self.plan = plan
        self.diagnostics = diagnostics
    }

    /// The guards that refuse the plan, sorted.
    package var refusals: [PlanGuard] { plan?.refusals ?? [] }
}

/// Plans how to bring a network to its definition. It is pure and deterministic.
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
        var diagnostics = DiagnosticCollector()
        let whole = definition
        var desired = Resolver.resolve(whole, against: network, diagnostics: &diagnostics)
        let selected = options.selection.selected(definition: whole, desired: desired, network: network)
        var definition = whole
        if options.purpose == .destroy {
            definition.removeAll(but: network.netKeys.filter { $0.index == .primary || $0.phase != .normal })
            diagnostics = DiagnosticCollector()
            desired = Resolver.resolve(definition, against: network, diagnostics: &diagnostics)
        }
        var scope = selected.map { _ in PlanScope(options: options.selection.options) }
        if scope != nil { scope?.changesLeftOut = desired.keepAll() }
        let names = ResourceNames(desired: desired, network: network)
        var differ = NodeDiffer(
            network: network,
            applicationKeys: desired.applicationKeys,
            names: names,
            leaving: desired.leaving,
            removesDropped: true,
            diagnostics: diagnostics
        )
        for found in desired.findings { differ.guards.report(found) }
        // Problems of nodes that are left out are not reported.
        var leftOut = NodeDiffer(
            network: network,
            applicationKeys: desired.applicationKeys,
            names: names,
            leaving: desired.leaving,
            removesDropped: true,
            diagnostics: DiagnosticCollector()
        )
        let unknownKeys = UnknownKeys(network)
        desired.reportRemadeKeys(unknownKeys, network, to: &differ.diagnostics)
        var differences: [NodeDifference] = []
        for node in desired.nodes {
            guard selected?.contains(node.uuid(in: network)) ?? true else {
                if leftOut.difference(of: node) != nil { scope?.nodesLeftOut += 1 }
                continue
            }
            guard let difference = differ.difference(of: node) else { continue }
            differences.append(difference)
        }
        var others = differ.nodesOutside(definition, selected: selected, purpose: options.purpose)
        if scope != nil {
            others.unawaitable = differences.removeUnawaitable()
            scope?.nodesLeftOut += others.leftOut
            scope?.changesLeftOut += desired.limitToNeeds(of: differences)
        }
        if differ.diagnostics.hasErrors {
            for refusal in differ.guards.diagnostics(allowed: options.allowed) { differ.diagnostics.report(refusal) }
            return PlanningResult(plan: nil, diagnostics: differ.diagnostics.finished())
        }
        let inquiries = differences.addListInquiries(in: network, sharing: differ.sharedLists)
        var builder = PlanBuilder(names: names)
        builder.allowed = options.allowed.sorted()
        if scope != nil { builder.orders = Set(differences.compactMap { $0.order?.uuid }) }
        builder.servers = differences.servers(in: network)
        builder.addNetworkEdits(of: desired)
        let keepers = others.keepers(of: desired.leaving, desired, network)
        builder.addRemovals(of: desired.leaving, from: network, keepers: keepers)
        builder.noteReplacements(desired, in: network)
        builder.addManagement(of: differences, in: network)
        builder.addCarriers(of: differences, in: network)
        for difference in differences {
            builder.add(difference, node: difference.baseline(in: network), boundNetKeys: differ.boundNetKeys)
        }
        for position in others.leaving {
            let node = network.nodes[position]
            let isReset = others.resets.contains(position)
            if isReset { builder.addReset(node) } else { builder.addForgotten(node) }
        }
        builder.markDrift(in: network)
        let forgotten = others.leaving.filter { !others.resets.contains($0) }.map { network.nodes[$0] }
            .filter { $0.removalPolicy == .forget }
        let (steps, barriers) = builder.finish()
        var plan = Plan(
            identifier: identifier,
            lineage: base.lineage,
            serial: base.serial,
            network: definition.network.value,
            nodes: builder.nodes,
            changes: builder.changes,
            steps: steps,
            barriers: barriers,
            notes: notes(differences: differences, others, names) + differences.unreachableNotes(network)
                + notes(of: inquiries) + differ.refreshNotes
                + (scope == nil ? NodesOutside.primaryNotes(desired, network) : [])
                + others.removalNotes(desired, keepers, network, names) + builder.driftNotes
                + desired.notes(ofUnknownKeys: unknownKeys, network, steps)
                + KeyRefreshAdvice.notes(
                    of: network,
                    forgotten: forgotten,
                    devices: differences.compactMap { $0.order.map { $0.isReplacement ? nil : $0.name } ?? nil }
                ) + NodeRefreshAdvice.notes(of: network),
            scope: scope,
            purpose: options.purpose,
            claims: Claims(resources: desired.claims, nodes: differ.claims)
        )
        let review = PlanReview(plan, of: network, names: names, removalLimit: definition.removalLimit)
        review.report(to: &differ.guards)
        plan.notes += others.targetNotes(network, after: review.after)
        plan.findings = differ.guards.findings(allowed: options.allowed)
        for refusal in differ.guards.diagnostics(allowed: options.allowed) { differ.diagnostics.report(refusal) }
        return PlanningResult(plan: plan, diagnostics: differ.diagnostics.finished())
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
        var diagnostics = DiagnosticCollector()
        let desired = Resolver.resolve(definition, against: network, diagnostics: &diagnostics)
        return options.selection.selected(definition: definition, desired: desired, network: network)
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
        if others.unawaitable > 0 {
            notes.append(
                others.unawaitable == 1
                    ? "1 publication waits for a device that is left out and has no address yet."
                    : "\(others.unawaitable) publications wait for devices that are left out and have no address yet."
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
    /// Notes that fewer messages may be enough.
    private static func notes(of inquiries: (asked: Int, saved: Int)) -> [String] {
        guard inquiries.asked > 0 else { return [] }
        let products = inquiries.asked == 1 ? "1 product" : "\(inquiries.asked) products"
        return [
            "Whether models of \(products) share a subscription list is not known: apply finds out, and leaves up to "
                + "\(inquiries.saved) messages out if they do."
        ]
    }

    /// Notes how many devices are provisioned, and into which subnets.
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
    /// Notes about subnets in a key refresh, in the order of their indexes.
    var refreshNotes: [String] {
        network.netKeys.compactMap { key in
            guard let count = refreshingNodes[key.index]?.count else { return nil }
            return "Subnet \(names.netKey(key.index)) is in a key refresh: \(count == 1 ? "1 node" : "\(count) nodes") "
                + "of this plan will have its present keys only, until the refresh goes on."
        }
    }

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
                let cause = purpose == .destroy ? "" : ", for it is not in the definition any more"
                guards.report(
                    GuardFinding(
                        .protectedNode,
                        "node `\(node.name)` (\(node.unicastAddress)) is protected and would be \(end)\(cause)",
                        nodes: [node.name],
                        resources: ["node." + node.name]
                    ),
                    hint: "Put it back, or apply `protect: off` for it before taking it out"
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
                hint: "Import a database that holds it, leave it out with --exclude, or put the node back and apply "
                    + "`on_remove: forget` for it first"
            )
        )
    }
}
