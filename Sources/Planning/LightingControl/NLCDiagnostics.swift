import DefinitionModel
import MeshCore

/// What speaks against the profiles of Networked Lighting Control that a definition names with `nlc`, or that nodes
/// claim. All of it warns only, because the profiles' texts were not consulted.
enum NLCDiagnostics {
    /// Reports what nodes lack.
    static func report(
        _ definition: Definition,
        _ desired: DesiredState,
        in network: MeshNetwork,
        to diagnostics: inout CountedDiagnostics
    ) {
        let claims = definition.hasLightingProfiles ? definition.lightingProfilesOfNodes() : []
        let recorded = network.nodes
        // Most networks claim nothing.
        guard !claims.isEmpty || recorded.indices.contains(where: { recorded[$0].compositionPages?[2] != nil }) else {
            return
        }
        let names = Dictionary(firstOf: definition.nodes.enumerated().map { ($0.element.name.value, $0.offset) })
        for node in desired.nodes {
            let claim = claims.isEmpty ? nil : names[node.name.value].flatMap { claims[$0] }
            if case .recorded(let index) = node.origin, network.nodes[index].isCompositionKnown {
                // Most nodes claim nothing.
                guard claim != nil || network.nodes[index].compositionPages?[2] != nil else { continue }
                examine(network.nodes[index], node.name, claim, network, definition, &diagnostics)
            } else if let claim {
                foresee(node, claim, definition, &diagnostics)
            }
        }
    }

    private static func examine(
        _ node: Node,
        _ name: Located<String>,
        _ claim: Located<[Located<NLCProfile>]>?,
        _ network: MeshNetwork,
        _ definition: Definition,
        _ diagnostics: inout CountedDiagnostics
    ) {
        let examination = NLCExamination(
            node,
            declared: claim?.value.map(\.value) ?? [],
            capacities: network.capacities,
            models: definition.modelNames
        )
        for row in examination.rows where row.outcome == .missing {
            let location = claim?.value.first { $0.value == row.profile }?.location ?? claim?.location ?? name.location
            let cause = "nlc \(row.profile?.word ?? "") \(row.subject) \(row.found)"
            diagnostics.report(cause, at: location) {
                Diagnostic(
                    .warning,
                    "node `\(name.value)` claims \(row.profile.map { "`\($0.word)`" } ?? "profiles"), but lacks "
                        + "what speaks for it: \(row.subject) (\(row.found))",
                    at: location,
                    length: row.profile?.word.count ?? 1,
                    resource: "node." + name.value,
                    hint: """
                        How certain that is: \(row.source.rawValue). \(command: .showLighting(node: name.value)) shows all of it
                        """
                )
            }
        }
    }

    /// What can be said before anybody has read the node's composition.
    private static func foresee(
        _ node: DesiredNode,
        _ claim: Located<[Located<NLCProfile>]>,
        _ definition: Definition,
        _ diagnostics: inout CountedDiagnostics
    ) {
        let name = node.name.value
        for profile in claim.value {
            for model in profile.value.sampleModels
            where !node.models.contains(where: { $0.address.model == model })
                && !node.rules.contains(where: { $0.model == model })
            {
                let title = definition.modelNames.name(of: model)
                diagnostics.report("nlc \(profile.value.word) \(title)", at: profile.location) {
                    Diagnostic(
                        .note,
                        "whether node `\(name)` has the `\(title)` of \(profile.value.title) is not known yet: "
                            + "the definition does not use it",
                        at: profile.location,
                        length: profile.value.word.count,
                        resource: "node." + name,
                        hint: "How certain it is that the profile needs it: \(NLCProfile.Source.samples.rawValue)"
                    )
                }
            }
        }
        guard let minima = NLCMinima(claim.value.map(\.value)) else { return }
        let keys = Set(node.models.flatMap { $0.bindings?.value ?? [] } + (node.settings.applicationKeys?.value ?? []))
        var demands = [(keys.count, minima.appKeys, "application keys", claim.location)]
        if let subnets = node.settings.subnets {
            demands.append((subnets.value.count, minima.netKeys, "subnets", subnets.location))
        }
        for model in node.models {
            guard let list = model.subscriptions, let room = minima.subscriptions else { continue }
            let title = "subscriptions of `\(definition.modelNames.name(of: model.address.model))`"
            demands.append((list.value.count, room, title, list.location))
        }
        for (count, room, what, location) in demands where count > room {
            diagnostics.report("nlc room \(what)", at: location) {
                Diagnostic(
                    .warning,
                    "node `\(name)` needs room for \(count) \(what), and \(minima.names) promises \(room)",
                    at: location,
                    resource: "node." + name,
                    hint:
                        "How certain the promise is: \(NLCProfile.Source.oneStack.rawValue). The node may have more room"
                )
            }
        }
    }
}
