import DefinitionModel
import MeshCore

/// Checks that what nodes and their profiles say about provisioning fits together and is as safe as the network
/// demands.
enum ProvisioningChecks {
    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        let rules = network.definition.provisioning
        let defaults = DefaultsSelection(network.definition, nodes: network.selectors)
        var routes: [Located<ProvisioningRoute<String>>?] = []
        defer { ProvisioningRouteChecks.run(network, routes: routes, into: &diagnostics) }
        let nodes = network.definition.nodes
        for position in nodes.indices {
            let profile = nodes[position].profile.flatMap { network.profiles[$0.value] }
                .flatMap { network.definition.profiles[$0].provisioning }
            let settings = ProvisioningSettings.merged(
                .merged(nodes[position].provisioning, over: profile),
                over: defaults.provisioning(of: position, in: network.definition)
            )
            routes.append(settings?.route)
            guard let settings else { continue }
            guard let method = settings.method else { continue }
            let name = nodes[position].name.value
            let word = ProvisioningWords.word(method.value)
            if let value = settings.staticValue, method.value != .staticOOB {
                diagnostics.report(
                    "`static` and `oob: \(word)` contradict each other",
                    at: value.location,
                    resource: "node.\(name)",
                    hint: "write `oob: static`, or leave one of the two out",
                    related: [Diagnostic.Related(message: "the method", location: method.location)]
                )
            }
            if let requirement = rules?.requirement, requirement.value > .nothing, method.value == .noOOB,
                settings.publicKeyFile == nil
            {
                diagnostics.report(
                    "`oob: none` does not authenticate the device, and the network requires that",
                    at: method.location,
                    length: word.utf8.count,
                    resource: "node.\(name)",
                    hint: "choose another method, or give the public key of the device: `public_key: { file: PATH }`",
                    related: [Diagnostic.Related(message: "the requirement", location: requirement.location)]
                )
            }
        }
    }
}
