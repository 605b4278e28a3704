import DefinitionModel
import MeshCore

/// A network's definition, and what else the checks need to know.
struct NetworkFragments {
    /// Everything that its documents declare.
    var definition: Definition
    /// The names whose declarations had to be left out.
    var broken: Set<BrokenName>
}

/// Puts the documents of each network together.
enum FragmentMerge {
    /// One definition for each network, in the order of first mention. Documents that name no network belong to the
    /// only one of the run.
    static func merge(_ fragments: [Fragment], into diagnostics: inout DiagnosticCollector) -> [NetworkFragments] {
        var order: [String] = []
        var groups: [String: [Fragment]] = [:]
        for fragment in fragments {
            guard let network = fragment.network else { continue }
            if groups[network.value] == nil { order.append(network.value) }
            groups[network.value, default: []].append(fragment)
        }
        let nameless = fragments.filter { $0.network == nil }
        if let only = order.first, order.count == 1 {
            groups[only] = fragments
        } else {
            for fragment in nameless where !fragment.namesNetwork {
                reportNameless(fragment, networks: order, into: &diagnostics)
            }
        }
        if fragments.isEmpty { reportNothing(into: &diagnostics) }
        return order.compactMap { groups[$0] }.compactMap { combine($0, into: &diagnostics) }
    }

    private static func combine(
        _ fragments: [Fragment],
        into diagnostics: inout DiagnosticCollector
    ) -> NetworkFragments? {
        guard let named = fragments.first(where: { $0.network != nil }), let network = named.network else { return nil }
        if !fragments.contains(where: \.hasVersion) {
            diagnostics.report(.error) {
                Diagnostic(
                    .error,
                    "`version` is missing",
                    at: named.location,
                    hint: "start the definition with `version: 1`"
                )
            }
        }
        var combined = NetworkFragments(definition: Definition(network: network), broken: [])
        for fragment in fragments {
            let part = fragment.definition
            merge(part.provisioning, into: &combined.definition.provisioning, &diagnostics)
            merge(part.wording.title, into: &combined.definition.wording.title, "the title", &diagnostics)
            merge(
                part.wording.description,
                into: &combined.definition.wording.description,
                "the description",
                &diagnostics
            )
            merge(part.removals, into: &combined.definition.removals, "the limit of `removals`", &diagnostics)
            append(part.subnets, to: &combined.definition.subnets)
            append(part.applicationKeys, to: &combined.definition.applicationKeys)
            append(part.groups, to: &combined.definition.groups)
            append(part.defaults, to: &combined.definition.defaults)
            append(part.profiles, to: &combined.definition.profiles)
            append(part.nodes, to: &combined.definition.nodes)
            append(part.subscriptions, to: &combined.definition.subscriptions)
            append(part.publications, to: &combined.definition.publications)
            append(part.moved, to: &combined.definition.moved)
            append(part.checks, to: &combined.definition.checks)
            append(part.scenes, to: &combined.definition.scenes)
            append(part.schedules, to: &combined.definition.schedules)
            merge(part.timeZone, into: &combined.definition.timeZone, "the time zone", &diagnostics)
            append(part.tests, to: &combined.definition.tests)
            append(part.floors, to: &combined.definition.floors)
            combined.broken.formUnion(fragment.broken)
        }
        return combined
    }

    /// Merges the rules of a network. Only one of its documents may have them, so that nobody need look for weaker
    /// rules elsewhere.
    private static func merge(
        _ part: ProvisioningRules?,
        into rules: inout ProvisioningRules?,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard let part else { return }
        guard let first = rules else {
            rules = part
            return
        }
        diagnostics.report(
            "`provisioning` of the network is given twice",
            at: part.location,
            length: Keyword.provisioning.rawValue.utf8.count,
            related: [Diagnostic.Related(message: "first here", location: first.location)]
        )
    }

    /// Merges a value of the network, such as a limit. Only one of its documents may have it, too.
    private static func merge<Value>(
        _ part: Located<Value>?,
        into limit: inout Located<Value>?,
        _ title: String,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard let part else { return }
        guard let first = limit else {
            limit = part
            return
        }
        diagnostics.report(
            "\(title) is given twice",
            at: part.location,
            related: [Diagnostic.Related(message: "first here", location: first.location)]
        )
    }

    /// Appends a list. The first one is taken as it is, so that a definition in one file is not copied.
    private static func append<Element>(_ part: [Element], to list: inout [Element]) {
        if list.isEmpty { list = part } else { list += part }
    }

    private static func reportNameless(
        _ fragment: Fragment,
        networks: [String],
        into diagnostics: inout DiagnosticCollector
    ) {
        diagnostics.report(.error) {
            let names = networks.sorted().map(quoted).joined(separator: ", ")
            return Diagnostic(
                .error,
                "`network` is missing",
                at: fragment.location,
                hint: networks.isEmpty
                    ? "name the network: `network: building`" : "which of the networks is this part of: \(names)?"
            )
        }
    }

    private static func reportNothing(into diagnostics: inout DiagnosticCollector) {
        guard !diagnostics.hasErrors else { return }
        diagnostics.report(.error) {
            Diagnostic(
                .error,
                "no network is defined",
                hint: "a definition needs at least `version: 1` and `network: NAME`"
            )
        }
    }
}
