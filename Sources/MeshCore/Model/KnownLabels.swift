/// The labels that a network knows by the virtual addresses they have, to tell which one a node means that can only
/// tell the address (Mesh Protocol 4.3.2.18, 4.3.2.27).
package struct KnownLabels: Sendable {
    private var labels: [Address: [LabelUUID]] = [:]

    /// The labels of the network's groups, and those that its nodes are recorded with.
    package init(_ network: MeshNetwork) {
        var seen: Set<LabelUUID> = []
        func note(_ label: LabelUUID, in labels: inout [Address: [LabelUUID]]) {
            if seen.insert(label).inserted { labels[label.virtualAddress, default: []].append(label) }
        }
        for case .virtual(let label) in network.groups.map(\.address) { note(label, in: &labels) }
        for node in network.nodes {
            for model in node.elements.lazy.flatMap(\.models) {
                for case .virtual(let label) in model.subscriptions { note(label, in: &labels) }
                if case .virtual(let label)? = model.publication?.address { note(label, in: &labels) }
            }
        }
    }

    /// The label that is meant by a virtual address: the one that was recorded in that place, else the only one that
    /// has this address. Two labels in 16,384 share one; nil if it could be either, or if none is known.
    ///
    /// - Parameter recorded: what was recorded where the address is reported.
    package func label(of address: Address, recorded: some Sequence<LabelUUID>) -> LabelUUID? {
        let candidates = labels[address] ?? []
        let expected = recorded.filter { $0.virtualAddress == address }
        if expected.count == 1 { return expected[0] }
        return candidates.count == 1 ? candidates[0] : nil
    }
}
