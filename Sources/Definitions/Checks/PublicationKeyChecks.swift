import MeshCore

/// A publication that names no key takes the model's only one; so the definition must give the model exactly one.
enum PublicationKeyChecks {
    /// Matches of top-level publications that are looked at; what a definition has beyond is left to the planner.
    private static let matchLimit = 2_000_000

    private struct Place: Hashable {
        var element: UInt8
        var model: ModelIdentifier
    }

    private typealias Models = [Place: ModelDefinition]

    /// Runs the checks.
    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        let profiles = network.definition.profiles.map { models(of: $0.settings) }
        let openOfProfile = profiles.map { profile in
            profile.filter { needsKey($0.value.publish, $0.value.keys) }
        }
        let nodes = network.definition.nodes
        for position in nodes.indices {
            let profile = nodes[position].profile.flatMap { network.profiles[$0.value] }
            for (index, element) in nodes[position].settings.elements {
                for place in element.models.indices {
                    guard let profile else {
                        check(element.models[place].publish, element.models[place].keys, nodes[position], &diagnostics)
                        continue
                    }
                    let model = element.models[place]
                    let base = profiles[profile][Place(element: index, model: model.identifier.value)]
                    check(model.publish ?? base?.publish, model.keys ?? base?.keys, nodes[position], &diagnostics)
                }
            }
            guard let profile, !openOfProfile[profile].isEmpty, diagnostics.wants(.error) else { continue }
            let own = models(of: nodes[position].settings)
            for (place, model) in openOfProfile[profile] where own[place] == nil {
                check(model.publish, model.keys, nodes[position], &diagnostics)
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
        publish?.value != nil && publish?.value?.key == nil && keys?.value.count != 1
    }

    private static func check(
        _ publish: Located<PublishSettings?>?,
        _ keys: Located<[Located<String>]>?,
        _ node: NodeDefinition,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard needsKey(publish, keys), let settings = publish?.value else { return }
        report(settings, keys?.value.count, node, &diagnostics)
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
        var known: [Int: [ModelIdentifier: [UInt8: Int]]] = [:]
        for publication in definition.publications where publication.settings.key == nil && remaining > 0 {
            for position in network.selectors.matches(publication.nodes) {
                remaining -= 1
                let node = definition.nodes[position]
                let counts = known[position] ?? keyCounts(of: node, network, profiles)
                known[position] = counts
                let elements = counts[publication.model.value] ?? [:]
                let element = publication.element?.value ?? elements.keys.min()
                let count = element.flatMap { elements[$0] }
                if count == 1 { continue }
                report(publication.settings, count, node, &diagnostics)
                break
            }
        }
    }

    /// How many application keys the definition gives to each model of a node that it manages, by element.
    private static func keyCounts(
        of node: NodeDefinition,
        _ network: CheckedNetwork,
        _ profiles: [Models]
    ) -> [ModelIdentifier: [UInt8: Int]] {
        var counts: [ModelIdentifier: [UInt8: Int]] = [:]
        let profile = node.profile.flatMap { network.profiles[$0.value] }
        for (place, model) in profile.map({ profiles[$0] }) ?? Models() {
            counts[place.model, default: [:]][place.element] = model.keys?.value.count ?? 0
        }
        for (place, model) in models(of: node.settings) {
            if model.keys == nil, counts[place.model]?[place.element] != nil { continue }
            counts[place.model, default: [:]][place.element] = model.keys?.value.count ?? 0
        }
        return counts
    }
}
