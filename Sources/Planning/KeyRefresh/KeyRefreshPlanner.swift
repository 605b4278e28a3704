import DefinitionModel
package import MeshCore

/// The parameters of a key refresh.
package struct KeyRefreshRequest: Hashable, Sendable {
    /// The subnet whose NetKey is replaced, together with the AppKeys bound to it.
    package var subnet: NetKeyIndex
    /// Nodes, or devices that may have become nodes, to leave out and to exclude from the network.
    package var excluded: [DeviceUUID]

    package init(subnet: NetKeyIndex, excluded: [DeviceUUID] = []) {
        self.subnet = subnet
        self.excluded = excluded
    }
}

/// Plans the Key Refresh procedure of a subnet (Mesh Protocol 3.11.4), from its beginning or from the state in the
/// database. It is pure and deterministic, and takes linear time in the nodes.
///
/// No stage begins before all participants have confirmed the one before, so a node that is only switched off is not
/// left behind. To stop waiting for a node, exclude it.
package enum KeyRefreshPlanner {
    /// The plan for the rest of a key refresh, or for a new one if none is under way.
    ///
    /// - Parameters:
    ///   - name: the name of the network in the workspace.
    ///   - base: the lineage and serial of the database that the plan is bound to.
    ///   - identifier: identifies the plan, 16 random octets.
    ///   - options: the guards to pass and the limits of the plan.
    package static func plan(
        _ request: KeyRefreshRequest,
        of network: MeshNetwork,
        named name: String,
        base: (lineage: Octets16, serial: UInt64),
        identifier: Octets16,
        options: PlannerOptions = PlannerOptions()
    ) -> PlanningResult {
        var check = KeyRefreshCheck(request, of: network)
        guard let subnet = check.run() else {
            return PlanningResult(plan: nil, diagnostics: check.diagnostics)
        }
        var builder = KeyRefreshBuilder(subnet, excluded: check.excluded, in: network)
        builder.build()
        let notes = KeyRefreshNotes(
            subnet,
            excluded: check.excluded,
            participants: builder.participantCount,
            in: network
        )
        var plan = Plan(
            identifier: identifier,
            lineage: base.lineage,
            serial: base.serial,
            network: name,
            nodes: builder.nodes,
            changes: builder.changes,
            steps: builder.steps,
            notes: notes.all
        )
        var guards = check.guards
        let review = PlanReview(
            plan,
            of: network,
            names: ResourceNames(network: network),
            removalLimit: Definition.defaultRemovalLimit
        )
        review.report(to: &guards)
        plan.findings = guards.findings(allowed: options.allowed)
        return PlanningResult(plan: plan, diagnostics: guards.diagnostics(allowed: options.allowed))
    }
}

/// Checks whether a key refresh can be planned.
struct KeyRefreshCheck {
    let request: KeyRefreshRequest
    let network: MeshNetwork
    let excluded: Set<DeviceUUID>
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var guards = GuardReports()
    private let words: NodeWords

    init(_ request: KeyRefreshRequest, of network: MeshNetwork) {
        self.request = request
        self.network = network
        excluded = Set(request.excluded)
        words = NodeWords(network)
    }

    /// The subnet; nil if there are errors.
    mutating func run() -> NetKey? {
        guard let subnet = network.netKeys.first(where: { $0.index == request.subnet }) else {
            error(
                "there is no subnet with NetKey index \(request.subnet)",
                hint: "\(command: .showNetwork) lists the subnets"
            )
            return nil
        }
        checkExcluded(subnet)
        checkRest(of: subnet)
        for node in network.nodes
        where node.deviceKey == nil && !excluded.contains(node.uuid)
            && network.takesPart(node, inRefreshOf: subnet.index)
        {
            error(
                "node `\(node.name)` (\(node.unicastAddress)) has no device key in the database, so nothing can be sent to it",
                hint:
                    "Import a database that holds it, or leave the node out with \(command: .exclude(node: words.word(for: node)))",
                resource: "node." + node.name
            )
        }
        for pending in network.pendingProvisionings
        where pending.netKeyIndex == subnet.index && !excluded.contains(pending.uuid) {
            error(
                "device `\(pending.name)` may have become a node of subnet `\(subnet.name)` with a key that is about to go",
                hint:
                    "Switch it on and run this again, which finds out, or leave it out with \(command: .exclude(node: "\(pending.uuid)"))",
                resource: "node." + pending.name
            )
        }
        return diagnostics.contains { $0.severity == .error } ? nil : subnet
    }

    private mutating func checkExcluded(_ subnet: NetKey) {
        for uuid in request.excluded {
            if network.pendingProvisioning(of: uuid) != nil { continue }
            guard let node = network.nodes.first(where: { $0.uuid == uuid }) else {
                error("there is no node \(uuid) to be left out", hint: "\(command: .showNetwork) lists the nodes")
                continue
            }
            let resource = "node." + node.name
            if uuid == network.ownProvisioner {
                error("node `\(node.name)` is meshplan's own provisioner, which cannot be left out", resource: resource)
            } else if !node.knows(subnet.index), !node.isExcluded {
                error(
                    "node `\(node.name)` does not know subnet `\(subnet.name)`, so it need not be left out",
                    hint: "Name a subnet that it knows",
                    resource: resource
                )
            } else if node.isProtected, !node.isExcluded {
                guards.report(
                    GuardFinding(
                        .protectedNode,
                        "node `\(node.name)` (\(node.unicastAddress)) is protected and would be excluded from the network",
                        nodes: [node.name],
                        resources: [resource]
                    ),
                    hint: "Apply `protect: off` for it first"
                )
            }
        }
    }

    /// Refuses to exclude every other node of the subnet. Usually somebody has listed the nodes that stay, not those
    /// that leave.
    private mutating func checkRest(of subnet: NetKey) {
        let leaving = network.nodes.filter {
            excluded.contains($0.uuid) && !$0.isExcluded && $0.knows(subnet.index) && $0.uuid != network.ownProvisioner
        }
        guard let first = leaving.first,
            !network.nodes.contains(where: {
                !excluded.contains($0.uuid) && network.takesPart($0, inRefreshOf: subnet.index)
            })
        else { return }
        let all =
            leaving.count == 1
            ? "`\(first.name)` is the only node of subnet `\(subnet.name)` and would be excluded"
            : "all \(leaving.count) nodes of subnet `\(subnet.name)` would be excluded"
        guards.report(
            GuardFinding(
                .massRemoval,
                all + ", so that nobody would be left in it",
                nodes: leaving.map(\.name),
                resources: leaving.map { "node." + $0.name }
            ),
            hint:
                """
                Exclude only nodes that are gone for good; reset a node that you can still reach: remove it from the \
                definition with `on_remove: reset`
                """
        )
    }

    private mutating func error(_ message: String, hint: Advice? = nil, resource: String? = nil) {
        diagnostics.append(Diagnostic(.error, message, resource: resource, hint: hint))
    }
}
