import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// The whole document.
    mutating func decodeDefinition(_ node: Int) {
        guard let fields = fields(node, .definition, "a definition", blamed: node) else {
            // For a document that is no definition, a missing network is not worth a report.
            fragment.namesNetwork = true
            return
        }
        // A document with nothing but vendor models, values of variables and the like serves all networks.
        if fields.count > 0, fields.keywords.isSubset(of: Record.servingAllNetworks) { fragment.namesNetwork = true }
        for field in fields {
            switch field.keyword {
            case .version: decodeVersion(field.value)
            case .network:
                fragment.namesNetwork = true
                fragment.network = scalar(field.value, "the name of the network", Words.name)
            case .title, .description:
                var wording = fragment.definition.wording
                decodeWording(field, into: &wording)
                fragment.definition.wording = wording
            case .limits: fragment.definition.removals = decodeLimits(field) ?? fragment.definition.removals
            case .provisioning: fragment.definition.provisioning = decodeProvisioningRules(field)
            case .subnets: decodeNamed(field, "subnet") { $0.decodeSubnet($1) }
            case .applicationKeys: decodeNamed(field, "application_key") { $0.decodeApplicationKey($1) }
            case .groups: decodeNamed(field, "group") { $0.decodeGroup($1) }
            case .defaults: decodeDefaults(field)
            case .profiles: decodeNamed(field, "profile") { $0.decodeProfile($1) }
            case .nodes: decodeNamed(field, "node") { $0.decodeNode($1) }
            case .subscriptions: decodeRules(field, "subscription") { $0.decodeSubscription($1) }
            case .publications: decodeRules(field, "publication") { $0.decodePublication($1) }
            case .moved: decodeRules(field, "moved name") { $0.decodeMoved($1) }
            case .models: decodeModels(field)
            case .products: decodeProductFiles(field)
            case .checks: decodeChecks(field)
            case .scenes: decodeNamed(field, "scene") { $0.decodeScene($1) }
            case .schedules: decodeNamed(field, "schedule") { $0.decodeSchedule($1) }
            case .timeZone: fragment.definition.timeZone = scalar(field.value, "a time zone", Self.timeZone)
            case .tests: decodeTests(field)
            case .floors: decodeNamed(field, "floor") { $0.decodeFloor($1) }
            default: break
            }
        }
    }

    private mutating func decodeVersion(_ node: Int) {
        fragment.hasVersion = true
        guard let version = text(node, "the version of the language"), version != "1" else { return }
        report("\(quoted(version)) is not a version of the language", at: node, hint: "write `version: 1`")
    }

    /// Decodes a section of named things. `decode` says whether it could use the entry.
    mutating func decodeNamed(
        _ section: MappingEntry,
        _ kind: String,
        _ decode: (inout DocumentDecoder, NamedEntry) -> Bool
    ) {
        guard let keyword = section.keyword, let entries = entries(section.value, "a mapping of names") else { return }
        if keyword == .nodes { fragment.definition.nodes.reserveCapacity(entries.count) }
        for entry in entries {
            resource = nil
            guard countThing(of: keyword, at: entry.key) else { return }
            guard let name = scalar(entry.key, "a name", Words.name) else { continue }
            resource = Resource(kind: kind, name: entry.symbol, value: entry.value)
            if !decode(&self, NamedEntry(name: name, key: entry.key, value: entry.value)) {
                fragment.broken.insert(BrokenName(section: keyword, name: name.value))
            }
        }
        resource = nil
    }

    /// Counts an entry of a section. Once there are too many, that is reported and no more are taken.
    private mutating func countThing(of section: Keyword, at node: Int) -> Bool {
        guard !expansion.isExhausted else { return false }
        expansion.things[section, default: 0] += 1
        if expansion.things[section, default: 0] <= expansion.thingLimit { return true }
        expansion.isExhausted = true
        report(
            "there are more than \(expansion.thingLimit) entries of `\(section.rawValue)`",
            at: node,
            hint: "no mesh has as many addresses; make a network of each building"
        )
        return false
    }

    private mutating func decodeRules(
        _ section: MappingEntry,
        _ kind: String,
        _ decode: (inout DocumentDecoder, Int) -> Void
    ) {
        if isNull(section.value) { return }
        for entry in list(section.value, "a list of \(kind)s") ?? ListEntries() { decode(&self, entry) }
    }
}

/// An entry of a section of named things.
struct NamedEntry {
    /// The name.
    var name: Located<String>
    /// The node of the name.
    var key: Int
    /// The node of what is declared.
    var value: Int
}
