import Catalogue
import DefinitionModel
import MeshCore

/// The table of states that a definition can declare, made from the catalogue.
enum ModelStateTable {
    static func render() -> String {
        var rows = ["| model | state | example |", "| --- | --- | --- |"]
        for model in ModelCatalogue.models where !model.name.contains("-setup-") {
            for state in DeclarableStates(of: model.identifier, in: .sig).states {
                let keys = state.description.keys.map { ": { <\($0.name)>" }.joined()
                let selected = state.instances?.last?.fixedKeys ?? [:]
                let closing = state.description.keys.map { _ in " }" }.joined()
                let names = [state.writtenName] + (state.isKeyed ? [] : [state.name].filter { $0 != state.writtenName })
                let title = names.map { "`\($0)`" }.joined(separator: ", ")
                rows.append(
                    "| `\(model.name)` | \(title) | `\(state.writtenName)\(keys): \(state.example(for: selected))\(closing)` |"
                )
            }
        }
        return rows.joined(separator: "\n") + "\n"
    }
}
