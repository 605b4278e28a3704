import DefinitionModel
import MeshCore

/// Checks that what the top-level subscriptions and publications name exists, and that no model gets two publications.
enum RuleChecks {
    /// The most matches of publications that are checked. The planner checks the rest.
    private static let matchLimit = 2_000_000

    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        for subscription in network.definition.subscriptions {
            for group in subscription.groups { ModelChecks.checkSubscription(group, nil, network, &diagnostics) }
        }
        for publication in network.definition.publications {
            ModelChecks.checkPublication(publication.settings, nil, network, &diagnostics)
        }
        checkConflicts(network, into: &diagnostics)
    }

    private struct Publisher: Hashable {
        var node: Int
        var model: ModelIdentifier
        var element: UInt8?
    }

    private static func checkConflicts(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        let definition = network.definition
        var publishers: [Publisher: Int] = [:]
        var remaining = matchLimit
        for (position, publication) in definition.publications.enumerated() where remaining > 0 {
            for node in network.selectors.matches(publication.nodes) {
                remaining -= 1
                let publisher = Publisher(
                    node: node,
                    model: publication.model.value,
                    element: publication.element?.value
                )
                guard let other = publishers.updateValue(position, forKey: publisher) else { continue }
                let name = definition.nodes[node].name.value
                diagnostics.report(
                    "the model \(publication.model.value.name) of \(quoted(name)) has two publications",
                    at: publication.location,
                    resource: "node.\(name)",
                    hint: "a model can have only one; publish to a group that contains both targets",
                    related: [
                        Diagnostic.Related(
                            message: "the other publication",
                            location: definition.publications[other].location
                        )
                    ]
                )
                break
            }
        }
    }
}
