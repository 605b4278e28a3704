import DefinitionModel
import MeshCore

/// Checks that floors are declared once, and that nodes are on floors that exist.
enum FloorChecks {
    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        let definition = network.definition
        var names = Uniqueness<String>()
        for floor in definition.floors {
            names.check(floor.name, resource: "floor.\(floor.name.value)", into: &diagnostics) {
                "the floor \(quoted($0))"
            }
        }
        guard !definition.floors.isEmpty else { return }
        let floors = Dictionary(definition.floors.map { ($0.name.value, $0) }) { first, _ in first }
        for node in definition.nodes {
            guard let position = node.position?.value else { continue }
            let name = position.floor
            guard let floor = floors[name.value] else {
                guard !network.broken.contains(BrokenName(section: .floors, name: name.value)) else { continue }
                diagnostics.report(
                    "there is no floor \(quoted(name.value))",
                    at: name.location,
                    length: name.value.utf8.count,
                    resource: "node.\(node.name.value)",
                    hint: Suggestion.hint(
                        for: name.value,
                        among: definition.floors.map(\.name.value),
                        are: "floors are"
                    )
                )
                continue
            }
            let isBeside = floor.width.map { position.x > $0.value } ?? false
            let isBelow = floor.height.map { position.y > $0.value } ?? false
            guard isBeside || isBelow else { continue }
            diagnostics.report(
                "`\(node.name.value)` is beside the floor \(quoted(name.value))",
                at: node.position?.location ?? name.location,
                severity: .warning,
                resource: "node.\(node.name.value)",
                hint: "lengths count from the upper left corner to the right and downwards"
            )
        }
    }
}
