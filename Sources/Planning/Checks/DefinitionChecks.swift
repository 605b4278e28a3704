package import DefinitionModel
import MeshCore

/// Carries out the `checks` of a definition: what its nodes must have once profiles, defaults and rules are applied.
package enum DefinitionChecks {
    /// What does not hold, without a database: nodes have the models that the definition declares. It includes what
    /// speaks against profiles of Networked Lighting Control.
    package static func diagnostics(of definition: Definition) -> [Diagnostic] {
        guard !definition.checks.isEmpty || definition.hasLightingProfiles else { return [] }
        let network = MeshNetwork.empty
        var unused = CountedDiagnostics()
        let desired = Resolver.resolve(definition, against: network, diagnostics: &unused)
        var diagnostics = CountedDiagnostics()
        report(definition, desired, in: network, to: &diagnostics)
        NLCDiagnostics.report(definition, desired, in: network, to: &diagnostics)
        return diagnostics.finished()
    }

    /// Reports what does not hold of a resolved definition.
    static func report(
        _ definition: Definition,
        _ desired: DesiredState,
        in network: MeshNetwork,
        to diagnostics: inout CountedDiagnostics
    ) {
        guard !definition.checks.isEmpty else { return }
        let selection = NodeSelectorIndex(definition.nodes)
        let comparison = CheckComparison(definition, desired, in: network)
        for check in definition.checks {
            let selected = selection.matches(check.nodes)
            let results = selected.map { ($0, comparison.shortcoming(of: $0, for: check.requirement)) }
            guard let count = check.count else {
                reportNodes(check, results, definition, &diagnostics)
                continue
            }
            if let tag = check.forEach?.value {
                reportValues(check, count.value, of: tag, selection, results, definition, &diagnostics)
            } else {
                reportCount(check, count.value, results, definition, &diagnostics)
            }
        }
    }

    private typealias Result = (place: Int, lack: (what: CheckShortcoming, detail: String?)?)

    /// Reports the nodes that lack something, by what they lack.
    private static func reportNodes(
        _ check: CheckDefinition,
        _ results: [Result],
        _ definition: Definition,
        _ diagnostics: inout CountedDiagnostics
    ) {
        var order: [CheckShortcoming] = []
        var lacking: [CheckShortcoming: [(place: Int, detail: String?)]] = [:]
        for result in results {
            guard let lack = result.lack else { continue }
            if lacking[lack.what] == nil { order.append(lack.what) }
            lacking[lack.what, default: []].append((result.place, lack.detail))
        }
        for what in order {
            guard let nodes = lacking[what], let first = nodes.first else { continue }
            let names = nodes.map { node in
                definition.nodes[node.place].name.value + (node.detail.map { " (\($0))" } ?? "")
            }
            let share = "\(nodes.count) of \(results.count == 1 ? "1 node" : "\(results.count) nodes")"
            report(
                check,
                "fails for \(share): \(what.text): \(few(names))",
                hint: what.hint,
                at: definition.nodes[first.place].name,
                &diagnostics
            )
        }
    }

    private static func reportCount(
        _ check: CheckDefinition,
        _ count: CheckCount,
        _ results: [Result],
        _ definition: Definition,
        _ diagnostics: inout CountedDiagnostics
    ) {
        let having = results.filter { $0.lack == nil }.map { definition.nodes[$0.place].name.value }
        guard !count.allows(having.count) else { return }
        report(
            check,
            "fails: \(count.text) \(count.noun) must fulfil it, but \(having.count) \(having.count == 1 ? "does" : "do")"
                + (having.isEmpty ? "" : ": \(few(having))"),
            hint: hint(count, having.count, results, definition),
            at: nil,
            &diagnostics
        )
    }

    /// Counts the nodes for each value of a tag that any node has, so that a value without such a node counts, too.
    private static func reportValues(
        _ check: CheckDefinition,
        _ count: CheckCount,
        of tag: String,
        _ selection: NodeSelectorIndex,
        _ results: [Result],
        _ definition: Definition,
        _ diagnostics: inout CountedDiagnostics
    ) {
        var byValue: [String: [Result]] = [:]
        for result in results {
            guard let value = definition.nodes[result.place].tags[tag]?.value else { continue }
            byValue[value, default: []].append(result)
        }
        let values = selection.values(of: tag)
        let failing = values.compactMap { value in
            let number = byValue[value, default: []].count { $0.lack == nil }
            return count.allows(number) ? nil : (value: value, number: number)
        }
        guard let first = failing.first else { return }
        let share = "\(failing.count) of \(values.count == 1 ? "1 value" : "\(values.count) values") of `\(tag)`"
        report(
            check,
            "fails for \(share): \(count.text) \(count.noun) must fulfil it, but "
                + few(failing.map { "`\($0.value)` has \($0.number)" }),
            hint: hint(count, first.number, byValue[first.value] ?? [], definition),
            at: nil,
            &diagnostics
        )
    }

    /// How to get more or fewer nodes that fulfil a check.
    private static func hint(
        _ count: CheckCount,
        _ number: Int,
        _ results: [Result],
        _ definition: Definition
    ) -> String {
        guard number < count.atLeast ?? 0 else {
            return "Take it from some of them, select fewer with `nodes`, or allow more with `count`"
        }
        guard let candidate = results.first(where: { $0.lack != nil }), let lack = candidate.lack else {
            return "Add nodes that `nodes` selects, or demand fewer with `count`"
        }
        return "\(lack.what.hint), for example in `\(definition.nodes[candidate.place].name.value)`"
    }

    private static func report(
        _ check: CheckDefinition,
        _ message: String,
        hint: String,
        at node: Located<String>?,
        _ diagnostics: inout CountedDiagnostics
    ) {
        diagnostics.report(
            Diagnostic(
                check.isWarning ? .warning : .error,
                "the check `\(check.name.value)` \(message)",
                at: check.name.location,
                length: max(1, check.name.value.count),
                hint: hint,
                related: node.map { [Diagnostic.Related(message: "`\($0.value)` is here", location: $0.location)] }
                    ?? []
            )
        )
    }

    /// The first few of several texts, and how many more there are.
    private static func few(_ texts: [String]) -> String {
        let first = texts.prefix(4).joined(separator: ", ")
        return texts.count > 4 ? "\(first) and \(texts.count - 4) more" : first
    }
}

extension CheckCount {
    fileprivate var noun: String { (atMost ?? atLeast) == 1 ? "node" : "nodes" }
}
