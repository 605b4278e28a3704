import MeshCore
import Planning

/// The figures of a plan.
struct PlanSummary: Hashable {
    /// The number of devices that become nodes, including replaced nodes.
    var provisioned: Int
    var reset: Int
    /// The number of nodes to be excluded from the network.
    var excluded: Int
    /// The number of new resources.
    var added = 0
    var changed = 0
    var removed = 0
    /// The number of resources that are no longer managed.
    var forgotten = 0
    /// The number of configuration requests.
    var messages: Int
    /// The number of Network PDUs in both directions if nothing is lost.
    var pdus: Int
    /// The number of nodes that messages go to.
    var nodes: Int
    /// Whether the counts of messages and PDUs are complete, if nothing is lost. Once the composition of a node is
    /// known, more may turn out to be needed.
    var isCostExact: Bool

    /// Counts what `plan` does.
    init(_ plan: Plan) {
        let cost = plan.cost
        messages = cost.messages
        pdus = cost.pdus
        nodes = plan.nodes.count { $0.cost.messages > 0 }
        provisioned = plan.nodes.count { $0.action == .provision || $0.action == .replace || $0.action == .substitute }
        reset = plan.nodes.count { $0.action == .reset }
        excluded = plan.nodes.count { $0.action == .exclude }
        isCostExact = plan.nodesOfOpenCost.isEmpty
        for change in plan.changes where change.isCounted {
            switch change.action {
            case .create: added += 1
            case .update: changed += 1
            case .delete: removed += 1
            case .forget: forgotten += 1
            case .replace: changed += 1
            }
        }
    }

    /// The changes and their cost, without a full stop: “3 changes, 25 messages (65 PDUs) to 7 nodes”.
    var figures: String {
        (provisioned > 0 ? "\(MeshplanCLI.count(provisioned, "device")) to provision, " : "")
            + (reset > 0 ? "\(MeshplanCLI.count(reset, "node")) to reset, " : "")
            + (excluded > 0 ? "\(MeshplanCLI.count(excluded, "node")) to exclude, " : "")
            + "\(MeshplanCLI.count(added + changed + removed + forgotten, "change")), \(cost)"
    }

    /// The work over the air, without a full stop: “provision 3 devices and send 9 messages (30 PDUs) to 3 nodes”.
    var work: String {
        var parts: [String] = []
        if provisioned > 0 { parts.append("provision \(MeshplanCLI.count(provisioned, "device"))") }
        if reset > 0 { parts.append("reset \(MeshplanCLI.count(reset, "node"))") }
        if excluded > 0 { parts.append("exclude \(MeshplanCLI.count(excluded, "node"))") }
        return (parts.isEmpty ? "" : parts.joined(separator: ", ") + " and ") + "send \(cost)"
    }

    /// The messages, without a full stop: “25 messages (65 PDUs) to 7 nodes”.
    var cost: String {
        (isCostExact ? "" : "at least ")
            + "\(MeshplanCLI.count(messages, "message")) (\(MeshplanCLI.count(pdus, "PDU"))) "
            + "to \(MeshplanCLI.count(nodes, "node"))"
    }

    /// The last line of a plan. Scripts read it, so its form does not change. Parts that are optional appear only if
    /// they are not zero.
    var text: String {
        "Plan: " + (provisioned > 0 ? "\(provisioned) to provision, " : "")
            + "\(added) to add, \(changed) to change, \(removed) to remove, \(forgotten) to forget"
            + (reset > 0 ? ", \(reset) to reset" : "") + (excluded > 0 ? ", \(excluded) to exclude" : "")
            + ". \(cost.capitalisedFirst)."
    }
}

extension Change {
    /// Whether the change makes a node join or leave the network; such changes are counted separately.
    var isAboutMembership: Bool { kind == .provisioning || kind == .node && action == .delete }

    /// Whether it is a change of its own. Reading a composition changes nothing, and what is new comes with its title.
    var isCounted: Bool {
        !isAboutMembership && kind != .composition && !(kind == .title && action == .create)
    }
}

extension Plan {
    /// The nodes whose messages are known only in part.
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
    /// The text with a capital first letter.
    fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
