import DefinitionModel
import MeshCore

/// Gives the places of a definition their devices, and reports what contradicts.
enum AssignmentMerge {
    /// Applies the assignments of a network. A `uuid` of the definition wins.
    static func merge(
        _ assignments: [AssignmentsFile.Assignment],
        into network: inout NetworkFragments,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard !assignments.isEmpty else { return }
        var nodes: [String: Int] = [:]
        for (position, node) in network.definition.nodes.enumerated() where nodes[node.name.value] == nil {
            nodes[node.name.value] = position
        }
        var places: [String: AssignmentsFile.Assignment] = [:]
        var devices: [DeviceUUID: AssignmentsFile.Assignment] = [:]
        var unknown: [Located<String>] = []
        for assignment in assignments {
            let name = assignment.place.value
            if let first = places[name] {
                diagnostics.report(
                    "place `\(name)` has two devices",
                    at: assignment.place.location,
                    length: name.utf8.count,
                    resource: "node.\(name)",
                    hint: "keep the line of the device that is there",
                    related: [Diagnostic.Related(message: "the other one", location: first.place.location)]
                )
                continue
            }
            places[name] = assignment
            if let first = devices[assignment.device.value] {
                diagnostics.report(
                    "this device is already at `\(first.place.value)`",
                    at: assignment.device.location,
                    length: 32,
                    resource: "node.\(name)",
                    hint: "keep the line of the place where it is",
                    related: [Diagnostic.Related(message: "here", location: first.device.location)]
                )
                continue
            }
            devices[assignment.device.value] = assignment
            guard let position = nodes[name] else {
                // Its declaration may have a diagnostic of its own.
                if !network.broken.contains(BrokenName(section: .nodes, name: name)) {
                    unknown.append(assignment.place)
                }
                continue
            }
            if network.definition.nodes[position].awaitsDevice {
                network.definition.nodes[position].assign(assignment.device)
            } else if network.definition.nodes[position].uuid.value != assignment.device.value {
                let declared = network.definition.nodes[position].uuid
                diagnostics.report(
                    "the definition gives `\(name)` another device, which counts",
                    at: assignment.device.location,
                    length: 32,
                    severity: .warning,
                    resource: "node.\(name)",
                    hint: "take this line away, or the `uuid` of the node",
                    related: [Diagnostic.Related(message: "the `uuid` of the node", location: declared.location)]
                )
            }
        }
        report(unknown: unknown, among: network, &diagnostics)
    }

    /// Places that are not there. Where a part of the building has left the definition there are many, which are one
    /// diagnostic.
    private static func report(
        unknown places: [Located<String>],
        among network: NetworkFragments,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard places.count > mostNamed, let first = places.first else {
            for place in places { report(unknown: place, among: network, &diagnostics) }
            return
        }
        let named = places.prefix(mostNamed).map { "`\($0.value)`" }.joined(separator: ", ")
        diagnostics.report(
            "\(places.count) of these places are not in the definition: \(named) and \(places.count - mostNamed) more",
            at: first.location,
            length: first.value.utf8.count,
            hint: "take the lines of those away that are gone; give the others the names that their nodes have now"
        )
    }

    /// How many places are named.
    private static let mostNamed = 3

    private static func report(
        unknown place: Located<String>,
        among network: NetworkFragments,
        _ diagnostics: inout DiagnosticCollector
    ) {
        diagnostics.report(.error) {
            let names = network.definition.nodes.map(\.name.value)
            let nearest = Suggestion.nearest(to: place.value, among: names).map { "did you mean `\($0)`? " } ?? ""
            return Diagnostic(
                .error,
                "there is no place `\(place.value)` in the definition",
                at: place.location,
                length: place.value.utf8.count,
                hint: nearest + "if its node has another name now, give this line that name; "
                    + "if it is gone, take the line away"
            )
        }
    }
}
