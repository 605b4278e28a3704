import MeshCore

/// Settings for many nodes at once: an entry of `defaults`.
///
/// Entries for all nodes give way to entries that select nodes, those to profiles, and profiles to the nodes
/// themselves, value by value. Entries of the same rank do not contradict each other.
package struct DefaultsDefinition: Hashable, Sendable {
    /// The nodes that it selects; nil for all.
    package var nodes: NodeSelector?
    /// How devices become nodes, without what belongs to one device; nil if the entry says nothing.
    package var provisioning: ProvisioningSettings?
    /// What its nodes inherit beside settings.
    package var inherited = InheritedValues()
    /// What it sets; without elements, because nodes have different ones.
    package var settings: NodeSettings
    /// States of models, which apply to every element that has the model; each model once, with nothing but states.
    package var models: [ModelDefinition] = []
    package var location: SourceLocation

    /// An entry for all nodes that sets nothing yet.
    package init(location: SourceLocation) {
        settings = NodeSettings()
        self.location = location
    }
}

/// Which entries of `defaults` apply to which nodes of a definition.
package struct DefaultsSelection: Sendable {
    /// Positions of the entries for all nodes, ascending.
    package let general: [Int]
    /// Positions of the entries that select a node, ascending, by the node's position; nodes that no entry selects have
    /// none.
    private let selected: [Int: [Int]]

    /// Finds the entries that apply to each node of a definition.
    ///
    /// - Parameter nodes: Finds the nodes of the same definition.
    package init(_ definition: Definition, nodes: NodeSelectorIndex) {
        general = definition.defaults.indices.filter { definition.defaults[$0].nodes == nil }
        var selected: [Int: [Int]] = [:]
        for (position, entry) in definition.defaults.enumerated() {
            guard let selector = entry.nodes else { continue }
            for node in nodes.matches(selector) { selected[node, default: []].append(position) }
        }
        self.selected = selected
    }

    /// Positions of the entries that select the node at this position by name or tag, ascending; without those for all
    /// nodes.
    package func selected(_ node: Int) -> [Int] { selected[node] ?? [] }

    /// The distinct lists that ``selected(_:)`` gives, each with the first node that has it, in the order of nodes.
    package var combinations: [(node: Int, entries: [Int])] {
        var seen: Set<[Int]> = []
        return selected.keys.sorted().compactMap { node in
            let entries = selected(node)
            return seen.insert(entries).inserted ? (node, entries) : nil
        }
    }

    /// What the entries for a node say about provisioning its device. Each entry overrides the ones before it; nil if
    /// none says anything.
    package func provisioning(of node: Int, in definition: Definition) -> ProvisioningSettings? {
        var merged: ProvisioningSettings?
        for entry in general + selected(node) {
            merged = .merged(definition.defaults[entry].provisioning, over: merged)
        }
        return merged
    }
}
