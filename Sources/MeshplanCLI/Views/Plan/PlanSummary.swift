internal import MeshCore
internal import Planning

/// The figures of a plan.
struct PlanSummary: Hashable {
    /// Devices that will be nodes, nodes that are replaced included.
    var provisioned: Int
    /// Nodes that will be reset.
    var reset: Int
    /// Nodes that will be excluded from the network.
    var excluded: Int
    /// Resources that will exist.
    var added = 0
    /// Resources that will be otherwise.
    var changed = 0
    /// Resources that will not exist any more.
    var removed = 0
    /// Resources that are no longer managed.
    var forgotten = 0
    /// Configuration requests.
    var messages: Int
    /// Network PDUs both ways when nothing is lost.
    var pdus: Int
    /// Nodes that messages go to.
    var nodes: Int
    /// Whether the messages and PDUs are all there will be, as far as nothing is lost; more may turn out to be needed
    /// when the composition of a node is known.
    var isCostExact: Bool

    /// The figures of `plan`.
    init(_ plan: Plan) {
        let cost = plan.cost
        messages = cost.messages
        pdus = cost.pdus
        nodes = plan.nodes.count { $0.cost.messages > 0 }
        provisioned = plan.nodes.count { $0.action == .provision || $0.action == .replace }
        reset = plan.nodes.count { $0.action == .reset }
        excluded = plan.nodes.count { $0.action == .exclude }
        isCostExact = plan.nodesOfOpenCost.isEmpty
        // That a composition is read changes nothing.
        for change in plan.changes where !change.isAboutMembership && change.kind != .composition {
            switch change.action {
            case .create: added += 1
            case .update: changed += 1
            case .delete: removed += 1
            case .forget: forgotten += 1
            case .replace: changed += 1
            }
        }
    }

    /// What a plan costs, without a full stop: “3 changes, 25 messages (65 PDUs) to 7 nodes”.
    var figures: String {
        (provisioned > 0 ? "\(MeshplanCLI.count(provisioned, "device")) to provision, " : "")
            + (reset > 0 ? "\(MeshplanCLI.count(reset, "node")) to reset, " : "")
            + (excluded > 0 ? "\(MeshplanCLI.count(excluded, "node")) to exclude, " : "")
            + "\(MeshplanCLI.count(added + changed + removed + forgotten, "change")), \(cost)"
    }

    /// What is done over the air, without a full stop: “provision 3 devices and send 9 messages (30 PDUs) to 3 nodes”.
    var work: String {
        var parts: [String] = []
        if provisioned > 0 { parts.append("provision \(MeshplanCLI.count(provisioned, "device"))") }
        if reset > 0 { parts.append("reset \(MeshplanCLI.count(reset, "node"))") }
        if excluded > 0 { parts.append("exclude \(MeshplanCLI.count(excluded, "node"))") }
        return (parts.isEmpty ? "" : parts.joined(separator: ", ") + " and ") + "send \(cost)"
    }

    /// What is sent, without a full stop: “25 messages (65 PDUs) to 7 nodes”.
    var cost: String {
        (isCostExact ? "" : "at least ")
            + "\(MeshplanCLI.count(messages, "message")) (\(MeshplanCLI.count(pdus, "PDU"))) "
            + "to \(MeshplanCLI.count(nodes, "node"))"
    }

    /// The line that ends a plan. Scripts read it: its form does not change, but for what is named only where there is
    /// any.
    var text: String {
        "Plan: " + (provisioned > 0 ? "\(provisioned) to provision, " : "")
            + "\(added) to add, \(changed) to change, \(removed) to remove, \(forgotten) to forget"
            + (reset > 0 ? ", \(reset) to reset" : "") + (excluded > 0 ? ", \(excluded) to exclude" : "")
            + ". \(cost.capitalisedFirst)."
    }
}

extension Change {
    /// Whether it is about a node as a whole, that it joins the network or leaves it, and counted so.
    var isAboutMembership: Bool { kind == .provisioning || kind == .node && action == .delete }
}

extension Plan {
    /// The nodes whose messages can be told only in part.
    var nodesOfOpenCost: Set<DeviceUUID> {
        var nodes: Set<DeviceUUID> = []
        for step in steps {
            if case .configureWhenKnown(let configuration) = step.work, !configuration.isCostExact {
                nodes.insert(configuration.node)
            }
        }
        return nodes
    }
}

extension String {
    /// The same with a capital first letter.
    fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
