/// The labels that a network knows, by their virtual addresses. A node's status contains only the address, and this
/// tells which label it means (Mesh Protocol 4.3.2.18, 4.3.2.27).
package struct KnownLabels: Sendable {
    private var labels: [Address: [LabelUUID]] = [:]

    /// Collects the labels of the network's groups and those in the records of its nodes.
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

    /// The label behind a virtual address: the one recorded in that place, else the only known one with this address.
    /// Nil if none is known or several qualify. Two labels have the same address with a probability of 1 in 16,384.
    ///
    /// - Parameter recorded: the labels recorded in the place that reports the address.
    package func label(of address: Address, recorded: some Sequence<LabelUUID>) -> LabelUUID? {
        let candidates = labels[address] ?? []
        let expected = recorded.filter { $0.virtualAddress == address }
        if expected.count == 1 { return expected[0] }
        return candidates.count == 1 ? candidates[0] : nil
    }
}
