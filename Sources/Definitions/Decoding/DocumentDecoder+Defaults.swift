import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// `defaults`: settings for all nodes, or a list of settings, each for all nodes or for those that it selects.
    mutating func decodeDefaults(_ section: MappingEntry) {
        if isNull(section.value) { return }
        guard tree.nodes[section.value].kind == .sequence else {
            return decodeDefaults(section.value, blamed: section.key)
        }
        for entry in list(section.value, "a list of settings") ?? ListEntries() { decodeDefaults(entry, blamed: entry) }
    }

    private mutating func decodeDefaults(_ node: Int, blamed: Int) {
        guard let fields = fields(node, .defaults, "a mapping of settings", blamed: blamed) else { return }
        var defaults = DefaultsDefinition(location: location(blamed))
        var mayBeEmpty = false
        for field in fields {
            switch field.keyword {
            case .allowEmpty: mayBeEmpty = allowsEmpty(field)
            case .nodes:
                // Without its selector it would apply to all nodes.
                guard let selector = decodeSelector(field) else { return }
                if !selector.isAll { defaults.nodes = selector }
            case .states: defaults.models = decodeModelStates(field)
            case .provisioning: defaults.provisioning = decodeProvisioning(field, ofProfile: true)
            case .tags, .protect, .onRemove: decodeInherited(field, into: &defaults.inherited)
            default: decodeSetting(field, into: &defaults.settings)
            }
        }
        defaults.nodes?.mayBeEmpty = mayBeEmpty
        if let tag = defaults.inherited.tags.values.min(by: { $0.location < $1.location }),
            defaults.nodes.map({ !$0.tags.isEmpty }) ?? false
        {
            diagnostics.report(
                "an entry that selects nodes by tags cannot give them tags",
                at: tag.location,
                hint: "select the nodes by name, or write the tags in a profile or the nodes"
            )
            defaults.inherited.tags = [:]
        }
        fragment.definition.defaults.append(defaults)
    }
}
