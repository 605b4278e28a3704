package import DefinitionModel
package import MeshCore

/// What to write into a definition so that it agrees with what nodes reported.
package struct DriftAdoption: Hashable, Sendable {
    /// The lines for one node.
    package struct NodeLines: Hashable, Sendable {
        package var name: String
        /// Where the definition names it; nil if nowhere.
        package var location: SourceLocation?
        /// Lines of YAML, with indentation, to write into the node. They replace what the node says about the same
        /// settings.
        package var lines: [String]
        /// What must be done elsewhere or is impossible, one sentence each.
        package var notes: [Note]

        /// Adds something to do by hand, once.
        mutating func note(_ text: Advice, at location: SourceLocation? = nil) {
            let note = Note(location: location, text: text)
            if !notes.contains(note) { notes.append(note) }
        }
    }

    /// Something to do by hand.
    package struct Note: Hashable, Sendable {
        /// Its location; nil if there is no particular one.
        package var location: SourceLocation?
        package var text: Advice
    }

    /// Groups that the definition lacks: lines of YAML for `groups:`.
    package var groups: [String] = []
    /// The nodes, in the order of the report.
    package var nodes: [NodeLines] = []
}

extension DriftAdoption {
    /// The lines for what has drifted and is not yet in the definition.
    package static func make(of report: DriftReport, network: MeshNetwork, definition: Definition) -> DriftAdoption {
        var diagnostics = CountedDiagnostics()
        let state = Resolver.resolve(definition, against: network, diagnostics: &diagnostics)
        var writer = AdoptionWriter(definition: definition, network: network, state: state)
        let recorded = Dictionary(network.nodes.map { ($0.uuid, $0) }) { first, _ in first }
        var adoption = DriftAdoption()
        for node in report.nodes where !node.entries.isEmpty {
            if let observed = recorded[node.uuid] { adoption.nodes.append(writer.lines(for: node, observed: observed)) }
        }
        adoption.groups = writer.newGroups.sorted { $0.key < $1.key }.map { address, name in
            if case .virtual(let label) = address { return "\(name): { label: \(label) }" }
            return "\(name): { address: \(address) }"
        }
        return adoption
    }
}
