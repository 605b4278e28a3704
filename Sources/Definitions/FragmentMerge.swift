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
            for section in Definition.sections {
                section.merge(fragment.definition, &combined.definition, &diagnostics)
            }
            combined.broken.formUnion(fragment.broken)
        }
        return combined
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
