import DefinitionModel
import MeshCore

/// Checks that a renamed thing exists under its new name and not under its old one, and has one name before and one
/// after. An old name that no database knows any more does no harm, so the entry can stay.
enum MovedChecks {
    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        var sources: [Key: Located<String>] = [:]
        var targets: [Key: Located<String>] = [:]
        for entry in network.definition.moved {
            let from = Key(kind: entry.kind, name: entry.from.value)
            let to = Key(kind: entry.kind, name: entry.to.value)
            checkOnce(from, entry.from, "moved twice", "it can become one thing only", &sources, &diagnostics)
            let problem = "the new name of two things"
            checkOnce(to, entry.to, problem, "two things cannot become one", &targets, &diagnostics)
            if network.declares(from.name, in: entry.kind.section) {
                diagnostics.report(
                    "the \(entry.kind.title) \(quoted(from.name)) was moved and is still declared",
                    at: entry.from.location,
                    length: entry.from.value.utf8.count + entry.kind.rawValue.utf8.count + 1,
                    hint: from == to
                        ? "remove the entry" : "remove its declaration, or remove this entry if it was not renamed",
                    related: declaration(of: from, in: network)
                )
            }
        }
        for entry in network.definition.moved { checkTarget(entry, sources, network, &diagnostics) }
        for kind in NamedKind.allCases { checkCircles(kind, network, &diagnostics) }
    }

    private struct Key: Hashable {
        var kind: NamedKind
        var name: String
    }

    private static func checkOnce(
        _ key: Key,
        _ name: Located<String>,
        _ problem: String,
        _ hint: String,
        _ seen: inout [Key: Located<String>],
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard let first = seen[key] else {
            seen[key] = name
            return
        }
        diagnostics.report(
            "the \(key.kind.title) \(quoted(key.name)) is \(problem)",
            at: name.location,
            length: key.name.utf8.count + key.kind.rawValue.utf8.count + 1,
            hint: hint,
            related: [Diagnostic.Related(message: "first here", location: first.location)]
        )
    }

    /// Checks that the new name is declared, or is itself an old name of something.
    private static func checkTarget(
        _ entry: MovedDefinition,
        _ sources: [Key: Located<String>],
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        let name = entry.to.value
        guard !network.declares(name, in: entry.kind.section), sources[Key(kind: entry.kind, name: name)] == nil else {
            return
        }
        diagnostics.report(
            "there is no \(entry.kind.title) \(quoted(name))",
            at: entry.to.location,
            length: name.utf8.count + entry.kind.rawValue.utf8.count + 1,
            hint: Suggestion.nearest(to: name, among: network.names(in: entry.kind.section).keys)
                .map { "did you mean `\(entry.kind.rawValue).\($0)`?" }
                ?? "remove the entry if its target no longer exists"
        )
    }

    /// Follows each entry to the next one once. A name has at most one entry that says what it became, so the first
    /// walk that reaches a circle finds it.
    private static func checkCircles(
        _ kind: NamedKind,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        let entries = network.definition.moved.filter { $0.kind == kind && $0.from.value != $0.to.value }
        let next = Dictionary(entries.enumerated().map { ($1.from.value, $0) }) { first, _ in first }
        var walks = [Int](repeating: -1, count: entries.count)
        for start in entries.indices {
            var position: Int? = start
            while let current = position, walks[current] < 0 {
                walks[current] = start
                position = next[entries[current].to.value]
            }
            guard let meeting = position, walks[meeting] == start else { continue }
            let entry = entries[meeting]
            // A declaration under an old name is an error already.
            if network.declares(entry.from.value, in: kind.section) { continue }
            diagnostics.report(
                "the \(kind.title) \(quoted(entry.from.value)) is moved to itself",
                at: entry.from.location,
                length: entry.from.value.utf8.count + kind.rawValue.utf8.count + 1,
                hint: "the entries form a circle; keep those that lead to the name it has now"
            )
        }
    }

    private static func declaration(of key: Key, in network: CheckedNetwork) -> [Diagnostic.Related] {
        let section = key.kind.section
        guard let position = network.names(in: section)[key.name] else { return [] }
        let definition = network.definition
        let location =
            switch key.kind {
            case .subnet: definition.subnets[position].name.location
            case .applicationKey: definition.applicationKeys[position].name.location
            case .group: definition.groups[position].name.location
            }
        return [Diagnostic.Related(message: "declared here", location: location)]
    }
}

extension NamedKind {
    /// The section that declares things of this kind.
    fileprivate var section: Keyword {
        switch self {
        case .subnet: .subnets
        case .applicationKey: .applicationKeys
        case .group: .groups
        }
    }
}
