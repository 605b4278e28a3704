import DefinitionModel
import MeshCore

/// Checks that selectors select something: a named node must exist, and a pattern or tags must match one.
///
/// A selector without a match mostly contains a misspelt tag, and the next plan would take away from nodes what it gave
/// them. So it is an error, unless the entry says `allow_empty: true`. If there are no nodes at all, `all` gives only a
/// warning.
enum SelectorChecks {
    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        let definition = network.definition
        // A node that was left out might have matched.
        let isComplete = !network.broken.contains { $0.section == .nodes }
        for selector in definition.selectors { check(selector, network, isComplete: isComplete, &diagnostics) }
    }

    /// Checks one selector.
    ///
    /// - Parameter isComplete: whether no node was left out, which the selector might have meant.
    static func check(
        _ selector: NodeSelector,
        _ network: CheckedNetwork,
        isComplete: Bool,
        _ diagnostics: inout DiagnosticCollector
    ) {
        for name in selector.names ?? [] {
            check(name, network, isComplete && !selector.mayBeEmpty, &diagnostics)
        }
        if selector.names == nil, isComplete, !selector.mayBeEmpty {
            checkTags(of: selector, network, &diagnostics)
        }
    }

    private static func check(
        _ name: Located<String>,
        _ network: CheckedNetwork,
        _ mustMatch: Bool,
        _ diagnostics: inout DiagnosticCollector
    ) {
        if name.value == "all" {
            diagnostics.report(
                "`all` cannot stand in a list",
                at: name.location,
                length: 3,
                hint: "write `nodes: all` to select every node"
            )
            return
        }
        guard !Glob(name.value).isLiteral else {
            diagnostics.checkReference(name, to: .nodes, "node", in: network)
            return
        }
        var selector = NodeSelector(location: name.location)
        selector.names = [name]
        guard mustMatch, !network.selectors.matchesAny(selector) else { return }
        diagnostics.report(
            "no node matches \(quoted(name.value))",
            at: name.location,
            length: name.value.utf8.count,
            severity: network.severityOfEmptySelectors,
            hint: allowance
        )
    }

    /// How to say that a selector may select no node.
    private static let allowance = "if that is meant, write `allow_empty: true` beside `nodes`"

    private static func checkTags(
        of selector: NodeSelector,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard !network.selectors.matchesAny(selector) else { return }
        for tag in selector.tags.keys.sorted() {
            guard let value = selector.tags[tag] else { continue }
            var alone = NodeSelector(location: selector.location)
            alone.tags = [tag: value]
            if network.selectors.matchesAny(alone) { continue }
            diagnostics.report(
                "no node has the tag \(quoted(tag)) with the value \(quoted(value.value))",
                at: value.location,
                length: value.value.utf8.count,
                severity: network.severityOfEmptySelectors,
                hint: [suggestion(for: value.value, of: tag, network), allowance].compactMap { $0 }
                    .joined(separator: "; ")
            )
            return
        }
        guard !selector.isAll else {
            return diagnostics.report("there is no node to select", at: selector.location, severity: .warning)
        }
        diagnostics.report(
            "no node has all of these tags",
            at: selector.location,
            severity: network.severityOfEmptySelectors,
            hint: allowance
        )
    }

    private static func suggestion(for value: String, of tag: String, _ network: CheckedNetwork) -> String? {
        network.selectors.hasTag(tag)
            ? Suggestion.hint(for: value, among: network.selectors.values(of: tag), are: "values in use")
            : Suggestion.hint(for: tag, among: network.selectors.tags, are: "tags in use")
    }
}

extension Definition {
    /// The selectors of all entries that have one.
    var selectors: [NodeSelector] {
        defaults.compactMap(\.nodes) + subscriptions.map(\.nodes) + publications.map(\.nodes) + schedules.map(\.nodes)
            + tests.flatMap(\.selectors) + checks.map(\.nodes)
    }
}
