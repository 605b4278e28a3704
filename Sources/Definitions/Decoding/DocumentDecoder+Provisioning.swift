import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// `provisioning` at the top level.
    mutating func decodeProvisioningRules(_ field: MappingEntry) -> ProvisioningRules? {
        guard let fields = fields(field.value, .provisioningRules, "rules for provisioning", blamed: field.key) else {
            return nil
        }
        var rules = ProvisioningRules(location: location(field.key))
        for field in fields where field.keyword == .require {
            rules.requirement = scalar(field.value, "a requirement", ProvisioningWords.requirement)
        }
        return rules
    }

    /// `provisioning` of a node or profile.
    mutating func decodeProvisioning(_ field: MappingEntry, ofProfile isProfile: Bool) -> ProvisioningSettings? {
        guard let fields = fields(field.value, .provisioning, "a mapping for provisioning", blamed: field.key) else {
            return nil
        }
        var settings = ProvisioningSettings(location: location(field.key))
        for field in fields {
            switch field.keyword {
            case .outOfBand: settings.method = scalar(field.value, "a method", ProvisioningWords.method)
            case .algorithm: settings.algorithm = scalar(field.value, "an algorithm", ProvisioningWords.algorithm)
            case .attention: settings.attention = scalar(field.value, "a duration", Durations.attention)
            case .via: settings.route = decodeRoute(field)
            case .staticValue where !isProfile: settings.staticValue = decodeSource(field, .staticValue)
            case .publicKey where !isProfile: settings.publicKeyFile = decodePublicKeySource(field)
            case .staticValue, .publicKey:
                report(
                    "`\(field.keyword?.rawValue ?? "")` belongs to one device, not to a profile",
                    at: field.key,
                    hint: "write it in the `provisioning` of the node",
                    concealsSource: true
                )
            default: break
            }
        }
        return settings
    }

    /// A word, or `{ node: NAME }`, because a node may have one of the words as its name.
    private mutating func decodeRoute(_ field: MappingEntry) -> Located<ProvisioningRoute<String>>? {
        guard tree.nodes[field.value].kind == .mapping else {
            return scalar(field.value, "a way to a device", ProvisioningWords.route)
        }
        let fields = fields(field.value, .provisioningServer, "the node to go through", blamed: field.key) ?? []
        for field in fields where field.keyword == .node {
            guard let name = scalar(field.value, "the name of a node", Words.name) else { return nil }
            return Located(.node(name.value), at: name.location)
        }
        return nil
    }

    private mutating func decodePublicKeySource(_ field: MappingEntry) -> Located<String>? {
        guard let source = decodeSource(field, .publicKey), case .file(let path) = source.value else { return nil }
        return Located(path, at: source.location)
    }
}
