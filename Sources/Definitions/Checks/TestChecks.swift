import DefinitionModel
import MeshCore

/// Checks that tests have different names, and that the nodes exist that they act on.
enum TestChecks {
    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        NameChecks.checkTitles(network.definition.tests.map(\.name), "test", &diagnostics)
        for test in network.definition.tests {
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
