import DefinitionModel
import MeshCore

/// Checks that tests have different names, and that the nodes exist that they act on.
enum TestChecks {
    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        var first: [String: SourceLocation] = [:]
        for test in network.definition.tests {
            if let other = first[test.name.value] {
                diagnostics.report(
                    "the test \(quoted(test.name.value)) is declared twice",
                    at: test.name.location,
                    length: test.name.value.utf8.count,
                    related: [Diagnostic.Related(message: "first here", location: other)]
                )
            }
            first[test.name.value] = test.name.location
            for node in test.steps.compactMap({ $0.action?.node }) {
                diagnostics.checkReference(node, to: .nodes, "node", in: network)
            }
        }
    }
}

extension TestDefinition {
    /// All selectors of nodes in it.
    var selectors: [NodeSelector] {
        var selectors: [NodeSelector] = []
        if case .without(let selector) = variation { selectors.append(selector) }
        for step in steps {
            if case .power(let selector, isOn: _) = step.action { selectors.append(selector) }
            selectors += step.expectations.map(\.nodes)
        }
        return selectors
    }
}
