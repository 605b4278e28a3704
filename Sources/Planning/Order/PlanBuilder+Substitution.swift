import MeshCore

extension PlanBuilder {
    /// Adds a node whose place another device takes. It is left alone from then on, and excluded: it is no member of
    /// anything, gets no new keys, and its addresses are not given again before the IV index allows it.
    ///
    /// It stays a node until the device has become one, and a managed one until it is excluded. So an attempt that
    /// fails changes nothing, and the next plan knows whose place is taken.
    mutating func addSubstituted(_ node: Node, by device: DeviceUUID) {
        let change = add(
            Change(
                address: "node." + node.name,
                kind: .node,
                action: .delete,
                node: node.uuid,
                before: "\(node.unicastAddress), its place has another device"
            )
        )
        nodes.append(
            NodeSummary(
                uuid: node.uuid,
                name: node.name,
                address: node.unicastAddress,
                action: .exclude,
                changes: change..<change + 1,
                cost: .zero
            )
        )
        let provisioning = provisioningSteps[device].map { [$0] } ?? []
        addLate(.edit(.exclude(node.uuid)), change: change, after: provisioning, phase: .proxyResets)
        addLate(.edit(.forget(node.uuid)), change: change, phase: .proxyResets, isChained: true)
    }

    /// How the node is known that a device replaces: it was seen unprovisioned itself, or another device takes its
    /// place; nil if the device replaces none.
    func text(ofReplacedBy device: DeviceUUID, _ position: Int?) -> String? {
        if let position { return names.recordedAddress(at: position) + ", seen unprovisioned" }
        return substituted[device].map { "\($0.unicastAddress), UUID \($0.uuid)" }
    }
}
