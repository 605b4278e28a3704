import DefinitionModel
import MeshCore

/// Notes on subscriptions and publications of models that the definition names for none of the selected nodes.
///
/// Only compositions tell which models a node has, and a definition need not name them all. But if it names others
/// and not this one, that is mostly a slip, and a plan refuses the rule once all compositions are known.
enum UnnamedModels {
    /// The most matches of rules to look at. The planner checks all of them.
    private static let matchLimit = 2_000_000
    /// The most models to list in a note.
    private static let listLimit = 6

    static func notes(of definition: Definition) -> [Diagnostic] {
        guard !definition.subscriptions.isEmpty || !definition.publications.isEmpty else { return [] }
        let selectors = NodeSelectorIndex(definition.nodes)
        let profiles = Dictionary(definition.profiles.map { ($0.name.value, models(of: $0.settings)) }) { first, _ in
            first
        }
        let named = definition.nodes.map { node in
            models(of: node.settings).union(node.profile.flatMap { profiles[$0.value] } ?? [])
        }
        let rules =
            definition.subscriptions.map { ($0.models, $0.nodes) }
            + definition.publications.map { ([$0.model], $0.nodes) }
        var remaining = matchLimit
        var notes: [Diagnostic] = []
        for (models, selector) in rules where remaining > 0 {
            let selected = selectors.matches(selector)
            remaining -= selected.count
            let others = selected.reduce(into: Set<ModelIdentifier>()) { $0.formUnion(named[$1]) }
            // Imported nodes keep their models; the definition need not name any.
            guard !others.isEmpty else { continue }
            for model in models where !others.contains(model.value) {
                notes.append(note(on: model, selected.count, others, definition.modelNames))
            }
        }
        return notes
    }

    private static func models(of settings: NodeSettings) -> Set<ModelIdentifier> {
        Set(settings.elements.values.flatMap { $0.models.map(\.identifier.value) })
    }

    private static func note(
        on model: Located<ModelIdentifier>,
        _ selected: Int,
        _ others: Set<ModelIdentifier>,
        _ names: ModelNames
    ) -> Diagnostic {
        let name = names.name(of: model.value)
        let nodes = selected == 1 ? "the selected node does not name" : "none of the \(selected) selected nodes names"
        let list = others.sorted().prefix(listLimit).map { "`\(names.name(of: $0))`" }.joined(separator: ", ")
        return Diagnostic(
            .note,
            "\(nodes) `\(name)` among its models",
            at: model.location,
            length: name.utf8.count,
            hint:
                "\(selected == 1 ? "It names" : "They name") \(list)\(others.count > listLimit ? ", …" : ""); plan refuses "
                + "this if no composition has it"
        )
    }
}
