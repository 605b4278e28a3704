internal import Planning

/// The figures of a plan.
struct PlanSummary: Hashable {
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

    /// The figures of `plan`.
    init(_ plan: Plan) {
        let cost = plan.cost
        messages = cost.messages
        pdus = cost.pdus
        nodes = plan.nodes.count { $0.cost.messages > 0 }
        for change in plan.changes {
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
        "\(MeshplanCLI.count(added + changed + removed + forgotten, "change")), \(cost)"
    }

    /// What is sent, without a full stop: “25 messages (65 PDUs) to 7 nodes”.
    var cost: String {
        "\(MeshplanCLI.count(messages, "message")) (\(MeshplanCLI.count(pdus, "PDU"))) "
            + "to \(MeshplanCLI.count(nodes, "node"))"
    }

    /// The line that ends a plan. Scripts read it: its form does not change.
    var text: String {
        "Plan: \(added) to add, \(changed) to change, \(removed) to remove, \(forgotten) to forget. \(cost)."
    }
}
