import DefinitionModel
import MeshCore

extension Definition {
    /// Gives nodes the tags of their profiles and of `defaults`, and the protection and removal policy of their
    /// profiles.
    /// A node itself wins over its profile, that over entries that select the node, and those over entries for all
    /// nodes.
    mutating func inheritTags() {
        let ofProfiles = Dictionary(
            profiles.filter { $0.inherited != InheritedValues() }.map { ($0.name.value, $0.inherited) },
            uniquingKeysWith: { first, _ in first }
        )
        for place in nodes.indices where !ofProfiles.isEmpty {
            if let profile = nodes[place].profile, let values = ofProfiles[profile.value] {
                nodes[place].inherit(values)
            }
        }
        // Entries that give tags select by names, so tags do not depend on tags.
        inheritDefaults { values in
            var tags = InheritedValues()
            tags.tags = values.tags
            return tags
        }
    }

    /// Gives nodes the protection and removal policy of `defaults`, once their tags are known.
    mutating func inheritPolicies() {
        inheritDefaults { values in
            var rest = values
            rest.tags = [:]
            return rest
        }
    }

    private mutating func inheritDefaults(_ part: (InheritedValues) -> InheritedValues) {
        let parts = defaults.map { part($0.inherited) }
        guard parts.contains(where: { $0 != InheritedValues() }) else { return }
        let index = NodeSelectorIndex(defaults.contains { $0.nodes != nil } ? nodes : [])
        for (entry, values) in zip(defaults, parts) where values != InheritedValues() {
            guard let selector = entry.nodes else { continue }
            for place in index.matches(selector) { nodes[place].inherit(values) }
        }
        for (entry, values) in zip(defaults, parts) where entry.nodes == nil && values != InheritedValues() {
            for place in nodes.indices { nodes[place].inherit(values) }
        }
    }
}
