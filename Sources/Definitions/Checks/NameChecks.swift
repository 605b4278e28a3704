import DefinitionModel
import MeshCore

/// Checks that each name is declared once and is no word of the language itself.
enum NameChecks {
    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        let definition = network.definition
        check(definition.subnets.map(\.name), "subnet", network.subnets, &diagnostics)
        check(definition.applicationKeys.map(\.name), "application key", network.applicationKeys, &diagnostics)
        check(definition.groups.map(\.name), "group", network.groups, &diagnostics)
        check(definition.profiles.map(\.name), "profile", network.profiles, &diagnostics)
        check(definition.nodes.map(\.name), "node", network.nodes, &diagnostics)
        check(definition.scenes.map(\.name), "scene", network.scenes, &diagnostics)
        if definition.schedules.count > 1 {
            let names = definition.schedules.map(\.name)
            let first = Dictionary(names.enumerated().map { ($1.value, $0) }) { first, _ in first }
            check(names, "schedule", first, &diagnostics)
        }
        for (name, _) in GroupAddress.fixedGroups {
            let problem = "is that of a fixed group of every network"
            if let position = network.groups[name] { report(definition.groups[position].name, problem, &diagnostics) }
            if let position = network.nodes[name] { report(definition.nodes[position].name, problem, &diagnostics) }
        }
        let provisioner = PublishTarget.provisionerName
        let problem = "stands for meshplan's own provisioner in publications"
        if let position = network.groups[provisioner] {
            report(definition.groups[position].name, problem, &diagnostics)
        }
        if let position = network.nodes[provisioner] {
            report(definition.nodes[position].name, problem, &diagnostics)
        }
        if let position = network.nodes["all"] {
            report(definition.nodes[position].name, "selects every node in selectors", &diagnostics)
        }
    }

    /// Reports names of tests or checks that occur twice.
    static func checkTitles(
        _ names: [Located<String>],
        _ title: String,
        _ diagnostics: inout DiagnosticCollector
    ) {
        var positions: [String: Int] = [:]
        for (position, name) in names.enumerated() where positions[name.value] == nil {
            positions[name.value] = position
        }
        check(names, title, positions, &diagnostics)
    }

    private static func check(
        _ names: [Located<String>],
        _ title: String,
        _ positions: [String: Int],
        _ diagnostics: inout DiagnosticCollector
    ) {
        for (position, name) in names.enumerated() {
            guard let first = positions[name.value], first != position else { continue }
            diagnostics.report(
                "the \(title) \(quoted(name.value)) is declared twice",
                at: name.location,
                length: name.value.utf8.count,
                related: [Diagnostic.Related(message: "first here", location: names[first].location)]
            )
        }
    }

    private static func report(
        _ name: Located<String>,
        _ problem: String,
        _ diagnostics: inout DiagnosticCollector
    ) {
        diagnostics.report(
            "the name \(quoted(name.value)) \(problem)",
            at: name.location,
            length: name.value.utf8.count,
            hint: "choose another name"
        )
    }
}
