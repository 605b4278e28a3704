import DefinitionModel
import MeshCore

/// Checks the keys of publications. A publication that names no key takes the model's only one, so the definition must
/// give the model exactly one. A publication that names a key must name one that the definition gives the model, if it
/// gives any.
enum PublicationKeyChecks {
    /// The most matches of top-level publications that are checked. The planner checks the rest.
    private static let matchLimit = 2_000_000

    private struct Place: Hashable {
        var element: UInt8
        var model: ModelIdentifier
    }

    private typealias Models = [Place: ModelDefinition]

    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        let profiles = network.definition.profiles.map { models(of: $0.settings) }
        let openOfProfile = profiles.map { profile in
            profile.filter { needsKey($0.value.publish, $0.value.keys) }
        }
        let nodes = network.definition.nodes
        for position in nodes.indices {
            let profile = nodes[position].profile.flatMap { network.profiles[$0.value] }
            for (index, element) in nodes[position].settings.elements {
                let models = element.models
                for place in models.indices {
                    // Field by field, because to copy a model takes longer than the check.
                    var (publish, keys) = (models[place].publish, models[place].keys)
                    if let profile, publish == nil || keys == nil {
                        let base = profiles[profile][Place(element: index, model: models[place].identifier.value)]
                        publish = publish ?? base?.publish
                        keys = keys ?? base?.keys
                    }
                    check(publish, keys, position, network, &diagnostics)
                }
            }
            guard let profile, !openOfProfile[profile].isEmpty, diagnostics.wants(.error) else { continue }
            let own = models(of: nodes[position].settings)
            for (place, model) in openOfProfile[profile] where own[place] == nil {
                check(model.publish, model.keys, position, network, &diagnostics)
            }
        }
        checkRules(network, profiles, into: &diagnostics)
    }

    private static func models(of settings: NodeSettings) -> Models {
        var models: Models = [:]
        for (index, element) in settings.elements {
            for model in element.models { models[Place(element: index, model: model.identifier.value)] = model }
        }
        return models
    }

    private static func needsKey(_ publish: Located<PublishSettings?>?, _ keys: Located<[Located<String>]>?) -> Bool {
        guard let publish = publish?.value else { return false }
        return publish.key == nil ? keys?.value.count != 1 : isForeign(publish, keys)
    }

    /// Whether a publication names a key that the model does not have.
    private static func isForeign(_ publish: PublishSettings, _ keys: Located<[Located<String>]>?) -> Bool {
        guard let key = publish.key, let keys else { return false }
        return !keys.value.contains { $0.value == key.value }
    }

    private static func check(
        _ publish: Located<PublishSettings?>?,
        _ keys: Located<[Located<String>]>?,
        _ position: Int,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard needsKey(publish, keys), let settings = publish?.value else { return }
        let node = network.definition.nodes[position]
        if let key = settings.key {
            reportForeign(key, node, &diagnostics)
        } else {
            report(settings, keys?.value.count, node, &diagnostics)
        }
    }

    private static func reportForeign(
        _ key: Located<String>,
        _ node: NodeDefinition,
        _ diagnostics: inout DiagnosticCollector
    ) {
        diagnostics.report(
            "the publication uses application key \(quoted(key.value)), which is not among the model's keys",
            at: key.location,
            length: key.value.utf8.count,
            resource: "node.\(node.name.value)",
            hint: "add it to the `keys` of the model, or publish with one of them"
        )
    }

    private static func report(
        _ settings: PublishSettings,
        _ count: Int?,
        _ node: NodeDefinition,
        _ diagnostics: inout DiagnosticCollector
    ) {
        let reason =
            switch count ?? 0 {
            case 0: "the definition gives the model no key"
            default: "the model has \(count ?? 0) keys"
            }
        diagnostics.report(
            "the publication does not say which application key it uses",
            at: settings.target.location,
            resource: "node.\(node.name.value)",
            hint: "\(reason); write `key: NAME`"
        )
    }

    private static func checkRules(
        _ network: CheckedNetwork,
        _ profiles: [Models],
        into diagnostics: inout DiagnosticCollector
    ) {
        let definition = network.definition
        var remaining = matchLimit
        var knownOfProfile: [String: [ModelIdentifier: [UInt8: Located<[Located<String>]>?]]] = [:]
        var known: [Int: [ModelIdentifier: [UInt8: Located<[Located<String>]>?]]] = [:]
        for publication in definition.publications where remaining > 0 {
            for position in network.selectors.matches(publication.nodes) {
                remaining -= 1
                let node = definition.nodes[position]
                let profile = node.settings.elements.isEmpty ? node.profile?.value : nil
                let given =
                    profile.flatMap { knownOfProfile[$0] } ?? known[position] ?? keys(of: node, network, profiles)
                if let profile { knownOfProfile[profile] = given } else { known[position] = given }
                let elements = given[publication.model.value] ?? [:]
                if let key = publication.settings.key {
                    // Without `element:` it is the first element that has the model, and the definition need not
                    // mention that element.
                    guard let keys = elements[publication.element?.value ?? 0] ?? nil,
                        isForeign(publication.settings, keys)
                    else { continue }
                    reportForeign(key, node, &diagnostics)
                    break
                }
                let element = publication.element?.value ?? elements.keys.min()
                let count = element.flatMap { elements[$0] }.map { $0?.value.count ?? 0 }
                if count == 1 { continue }
                report(publication.settings, count, node, &diagnostics)
                break
            }
        }
    }

    /// The application keys that the definition gives to each managed model of a node, by element; nil if it says
    /// nothing about them.
    private static func keys(
        of node: NodeDefinition,
        _ network: CheckedNetwork,
        _ profiles: [Models]
    ) -> [ModelIdentifier: [UInt8: Located<[Located<String>]>?]] {
        var keys: [ModelIdentifier: [UInt8: Located<[Located<String>]>?]] = [:]
        let profile = node.profile.flatMap { network.profiles[$0.value] }
        for (place, model) in profile.map({ profiles[$0] }) ?? Models() {
            keys[place.model, default: [:]].updateValue(model.keys, forKey: place.element)
        }
        for (place, model) in models(of: node.settings) {
            if model.keys == nil, keys[place.model]?[place.element] != nil { continue }
            keys[place.model, default: [:]].updateValue(model.keys, forKey: place.element)
        }
        return keys
    }
}
