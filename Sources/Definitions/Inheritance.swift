import DefinitionModel
import MeshCore

extension Definition {
    /// Gives nodes the tags of their profiles and of `defaults`, and the protection and removal policy of their
    /// profiles.
    /// A node itself wins over its profile, that over entries that select the node, and those over entries for all
    /// nodes.
    ///
    /// - Parameter limit: the most tags that nodes take over together: those of an entry times the nodes grow faster
    ///   than a file.
    /// - Returns: false if there are more, so that not all nodes have their tags.
    mutating func inheritTags(atMost limit: Int) -> Bool {
        var remaining = limit
        let ofProfiles = Dictionary(
            firstOf: profiles.filter { $0.inherited != InheritedValues() }.map { ($0.name.value, $0.inherited) }
        )
        for index in nodes.indices where !ofProfiles.isEmpty {
            if let profile = nodes[index].profile, let values = ofProfiles[profile.value] {
                remaining -= values.tags.count
                guard remaining >= 0 else { return false }
                nodes[index].inherit(values)
            }
        }
        // Entries that give tags select by names, so tags do not depend on tags.
        return inheritDefaults(&remaining) { values in
            var tags = InheritedValues()
            tags.tags = values.tags
            return tags
        }
    }

    /// Gives nodes the protection and removal policy of `defaults`, once their tags are known.
    mutating func inheritPolicies() {
        // These are no tags, of which there may be any number.
        var remaining = 0
        _ = inheritDefaults(&remaining) { values in
            var rest = values
            rest.tags = [:]
            return rest
        }
    }

    private mutating func inheritDefaults(_ remaining: inout Int, _ part: (InheritedValues) -> InheritedValues) -> Bool
    {
        let parts = defaults.map { part($0.inherited) }
        guard parts.contains(where: { $0 != InheritedValues() }) else { return true }
        let index = NodeSelectorIndex(defaults.contains { $0.nodes != nil } ? nodes : [])
        for (entry, values) in zip(defaults, parts) where values != InheritedValues() {
            guard let selector = entry.nodes else { continue }
            let places = index.matches(selector)
            remaining -= values.tags.count * places.count
            guard remaining >= 0 else { return false }
            for index in places { nodes[index].inherit(values) }
        }
        for (entry, values) in zip(defaults, parts) where entry.nodes == nil && values != InheritedValues() {
            remaining -= values.tags.count * nodes.count
            guard remaining >= 0 else { return false }
            for index in nodes.indices { nodes[index].inherit(values) }
        }
        return true
    }
}
