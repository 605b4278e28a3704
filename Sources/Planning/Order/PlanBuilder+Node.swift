import MeshCore

extension PlanBuilder {
    /// Adds all changes of a node, and the steps for them.
    ///
    /// Keys come before what uses them. Additions come before removals, and removals are in reverse order of additions.
    mutating func add(_ difference: NodeDifference, node: Node, boundNetKeys: [AppKeyIndex: NetKeyIndex]) {
        let firstChange = changes.count
        let firstStep = steps.count
        var lowering = NodeLowering(node: node, name: difference.name, boundNetKeys: boundNetKeys)
        lowering.addProvisioning(difference, to: &self)
        addManagement(difference, node: node, lowering)
        lowering.addKeys(difference, to: &self)
        lowering.addModels(difference, to: &self)
        lowering.addModelStates(difference, to: &self)
        lowering.addStates(difference, to: &self)
        lowering.addFoundation(difference, to: &self)
        lowering.addRemovals(difference, to: &self)
        lowering.addDeferred(difference, to: &self)
        noteRemovals(of: difference, on: node, since: firstStep, boundNetKeys)
        nodes.append(
            NodeSummary(
                uuid: node.uuid,
                name: difference.name,
                address: difference.order.map(\.address) ?? node.unicastAddress,
                action: action(of: difference, node: node),
                changes: firstChange..<changes.count,
                cost: lowering.cost
            )
        )
    }

    private func action(of difference: NodeDifference, node: Node) -> NodeSummary.Action {
        if let order = difference.order {
            return order.isReplacement ? .replace : substituted[order.uuid] == nil ? .provision : .substitute
        }
        return node.isManaged ? .update : .manage
    }

    private mutating func addManagement(_ difference: NodeDifference, node: Node, _ lowering: NodeLowering) {
        guard let management = difference.management else { return }
        let before = text(NodeDifference.Management(node))
        let change = add(
            Change(
                address: lowering.prefix,
                kind: .node,
                action: node.isManaged ? .update : .create,
                node: node.uuid,
                before: node.isManaged || node.name != management.name ? before : nil,
                after: text(management)
            )
        )
        attachManagement(of: node.uuid, to: change)
    }

    func text(_ management: NodeDifference.Management) -> String {
        "name \(management.name)" + (management.isProtected ? ", protected" : "")
            + (management.removalPolicy == .reset ? ", reset when removed" : "")
    }
}
