import DefinitionModel
import MeshCore

/// Checks that each group address is given once, that parents exist, and that no group is within itself.
enum GroupChecks {
    /// As many labels as there are virtual addresses. More could only share them, and nodes tell shared ones apart by
    /// trying each label.
    private static let mostLabels = 16_384

    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        checkLabels(network, into: &diagnostics)
        var addresses = Uniqueness<SubscriptionAddress>()
        for group in network.definition.groups {
            let resource = "group.\(group.name.value)"
            addresses.check(group.address, resource: resource, into: &diagnostics) { address in
                switch address {
                case .group(let group): "the group address \(group)"
                case .virtual: "the label"
                case .unknownLabel(let virtual): "the virtual address \(virtual)"
                }
            }
            guard let parent = group.parent else { continue }
            if GroupAddress(fixedName: parent.value) != nil {
                diagnostics.report(
                    "the fixed group \(quoted(parent.value)) cannot be a parent",
                    at: parent.location,
                    length: parent.value.utf8.count,
                    resource: resource
                )
                continue
            }
            diagnostics.checkReference(parent, to: .groups, "group", in: network, resource: resource)
        }
        checkCircles(network, into: &diagnostics)
    }

    private static func checkLabels(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        let labels = network.definition.groups.lazy.compactMap(\.address).filter { address in
            if case .virtual = address.value { true } else { false }
        }
        guard let excess = labels.dropFirst(mostLabels).first else { return }
        diagnostics.report(
            "more than \(mostLabels) groups have a label",
            at: excess.location,
            hint: "there are no more virtual addresses; give groups no label, or an address from 0xC000"
        )
    }

    /// Follows the parents of each group once. A group has at most one parent, so the first walk that reaches a circle
    /// finds it.
    private static func checkCircles(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        let groups = network.definition.groups
        var walks = [Int](repeating: -1, count: groups.count)
        for start in groups.indices where walks[start] < 0 {
            var path: [Int] = []
            var position: Int? = start
            while let current = position, walks[current] < 0 {
                walks[current] = start
                path.append(current)
                position = groups[current].parent.flatMap { network.groups[$0.value] }
            }
            guard let meeting = position, walks[meeting] == start, let first = path.firstIndex(of: meeting),
                let last = path.last, let parent = groups[last].parent
            else { continue }
            let names = path[first...].prefix(8).map { groups[$0].name.value }
            let more = path.count - first > names.count ? ["…"] : []
            diagnostics.report(
                "the group \(quoted(parent.value)) is its own ancestor",
                at: parent.location,
                length: parent.value.utf8.count,
                hint: "the parents form a circle: \((names + more + [parent.value]).joined(separator: " → "))"
            )
        }
    }
}
