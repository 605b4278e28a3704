import DefinitionModel
import MeshCore

/// Checks that checks have different names, and that what they name exists.
enum DeclaredChecks {
    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        let checks = network.definition.checks
        NameChecks.checkTitles(checks.map(\.name), "check", &diagnostics)
        // A node that was left out might have the tag.
        let isComplete = !network.broken.contains { $0.section == .nodes }
        for check in checks {
            let required = check.requirement
            for profile in required.profiles {
                diagnostics.checkReference(profile, to: .profiles, "profile", in: network)
            }
            for key in required.keys {
                diagnostics.checkReference(key, to: .applicationKeys, "application key", in: network)
            }
            for group in required.subscribe where group.value.tags.isEmpty {
                ModelChecks.checkSubscription(Located(group.value.text, at: group.location), nil, network, &diagnostics)
            }
            for group in required.publish where group.value.tags.isEmpty && !isFixed(group.value.text) {
                let name = Located(group.value.text, at: group.location)
                diagnostics.checkReference(name, to: .groups, "group", in: network)
            }
            let tags = (required.subscribe + required.publish).flatMap { group in
                group.value.tags.map { Located($0, at: group.location) }
            }
            guard isComplete else { continue }
            for tag in (check.forEach.map { [$0] } ?? []) + tags { checkTag(tag, network, &diagnostics) }
        }
    }

    private static func isFixed(_ name: String) -> Bool { GroupAddress(fixedName: name) != nil }

    /// Reports a tag that no node has, because it is mostly misspelt.
    private static func checkTag(
        _ tag: Located<String>,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard !network.selectors.hasTag(tag.value) else { return }
        diagnostics.report(
            "no node has the tag \(quoted(tag.value))",
            at: tag.location,
            length: tag.value.utf8.count,
            hint: Suggestion.hint(for: tag.value, among: network.selectors.tags, are: "tags in use")
        )
    }
}
