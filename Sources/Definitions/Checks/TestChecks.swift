import DefinitionModel
import MeshCore

/// Checks that tests have different names, and that the nodes exist that they act on.
enum TestChecks {
    /// How often the selectors of all runs together may look at a node. Further runs are not checked.
    private static let workLimit = 10_000_000

    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        NameChecks.checkTitles(network.definition.tests.map(\.name), "test", &diagnostics)
        var remaining = workLimit
        for test in network.definition.tests {
            checkNodes(of: test, network, &remaining, &diagnostics)
        }
    }

    /// Checks that the nodes exist that a test acts on, in each of its runs. The first run with a mistake is told.
    private static func checkNodes(
        of test: TestDefinition,
        _ network: CheckedNetwork,
        _ remaining: inout Int,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard let bindings = test.bindings(network.selectors, network.definition.nodes) else {
            for node in test.steps.flatMap(\.nodes) {
                diagnostics.checkReference(node, to: .nodes, "node", in: network)
            }
            for scene in test.steps.compactMap({ $0.action?.scene }) {
                diagnostics.checkReference(scene, to: .scenes, "scene", in: network)
            }
            return
        }
        let isComplete = !network.broken.contains { $0.section == .nodes }
        guard isComplete else { return }
        if bindings.isEmpty, case .tag(let tag, among: _) = test.variation {
            diagnostics.report(
                "no node has the tag \(quoted(tag.value))",
                at: tag.location,
                length: tag.value.utf8.count,
                hint: Suggestion.hint(for: tag.value, among: network.selectors.tags, are: "tags in use")
            )
        }
        for binding in bindings {
            let steps = binding.steps(test.steps)
            if let (text, variable) = steps.unbound {
                diagnostics.report(
                    "\(quoted(binding.value)) has nothing for `$(\(variable))`",
                    at: text.location,
                    length: text.value.utf8.count,
                    hint: "give each of these nodes the tag, or choose nodes that have it"
                )
                return
            }
            let nodes = steps.flatMap(\.nodes)
            let scenes = steps.compactMap { $0.action?.scene }
            let selectors = steps.flatMap(\.selectors)
            remaining -= selectors.reduce(0) { $0 + network.selectors.work($1) }
            guard remaining > 0 else { return }
            let isSound =
                nodes.allSatisfy { network.declares($0.value, in: .nodes) }
                && scenes.allSatisfy { network.declares($0.value, in: .scenes) }
                && selectors.allSatisfy { network.selectors.matchesAny($0) }
            if isSound { continue }
            for node in nodes { diagnostics.checkReference(node, to: .nodes, "node", in: network) }
            for scene in scenes { diagnostics.checkReference(scene, to: .scenes, "scene", in: network) }
            for selector in selectors {
                SelectorChecks.check(selector, network, isComplete: isComplete, &diagnostics)
            }
            return
        }
    }
}

extension TestDefinition {
    /// All selectors of nodes in it that mean the same in each run.
    var selectors: [NodeSelector] {
        switch variation {
        case nil, .withoutRelay: steps.flatMap(\.selectors)
        case .without(let selector): [selector] + steps.flatMap(\.selectors)
        case .tag(_, let selector): selector.map { [$0] } ?? []
        case .node(let selector): [selector]
        }
    }
}

extension TestStep {
    fileprivate var nodes: [Located<String>] {
        [action?.node].compactMap(\.self) + expectations.compactMap(\.heartbeat)
    }

    fileprivate var selectors: [NodeSelector] {
        var selectors = expectations.filter { !$0.isAtProvisioner }.map(\.nodes)
        if case .power(let selector, isOn: _) = action { selectors.append(selector) }
        return selectors
    }
}

extension TestAction {
    /// The scene that it recalls by its name; nil if it recalls none, or one by its number.
    fileprivate var scene: Located<String>? {
        guard case .recall(let scene, target: _) = self, UInt16(scene.value) == nil else { return nil }
        return scene
    }
}

extension [TestStep] {
    /// The first text that still holds a variable, and its name.
    fileprivate var unbound: (text: Located<String>, variable: String)? {
        for step in self {
            var texts = step.selectors.flatMap { ($0.names ?? []) + $0.tags.values }
            texts += step.nodes + [step.action?.scene].compactMap(\.self)
            for text in texts {
                if let variable = TestVariable.names(in: text.value).first { return (text, variable) }
            }
        }
        return nil
    }
}
