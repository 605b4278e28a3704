package import DefinitionModel
package import MeshCore

/// An existing network, written as a definition that asks only for what is there.
///
/// Nodes that agree share a profile. What a definition cannot express is left out and listed; plans leave alone what no
/// definition mentions.
package struct Adoption: Hashable, Sendable {
    /// Something that the definition does not say.
    package struct Note: Hashable, Sendable {
        /// The item: `node lamp-1 (0x0010)`.
        package var subject: String
        /// The fact, without a full stop.
        package var text: Advice
    }

    /// An item whose name in the definition differs from that in the database.
    package struct Renaming: Hashable, Sendable {
        /// `node`, `group`, `subnet` or `application key`.
        package var noun: String
        /// The name in the database.
        package var from: String
        /// The name in the definition.
        package var to: String
    }

    /// The definition. All its locations are the same and have no meaning.
    package var definition: Definition
    /// The items with another name now, in the order of the definition.
    package var renamings: [Renaming]
    /// Nodes that the definition leaves out, by address, with the reasons.
    package var leftOut: [Note]
    /// Everything else that is not in the definition, in its order, with the reasons.
    package var notes: [Note]
}

extension Adoption {
    /// The adoption of a network.
    ///
    /// - Parameters:
    ///   - network: the network as the database knows it.
    ///   - name: the network's name in the definition.
    ///   - keepsNamesAsTitles: whether a name that no definition can have becomes a title.
    package static func make(
        of network: MeshNetwork,
        named name: String,
        keepsNamesAsTitles: Bool = true
    ) -> Adoption {
        var refused: [DeviceUUID: String] = [:]
        while true {
            let draft = DefinitionDraft(
                network,
                named: name,
                without: refused,
                keepsNamesAsTitles: keepsNamesAsTitles
            )
            let adoption = Adoption(
                definition: ProfileFactoring.factored(draft),
                renamings: draft.renamings,
                leftOut: draft.leftOut,
                notes: draft.notes
            )
            let contradictions = Self.contradictions(in: network, adoption.definition)
            // Each round leaves out at least one more node.
            guard !contradictions.isEmpty else { return adoption }
            refused.merge(contradictions) { first, _ in first }
        }
    }

    /// The nodes whose records contradict themselves, so that the definition made from a record does not match the
    /// node.
    private static func contradictions(in network: MeshNetwork, _ definition: Definition) -> [DeviceUUID: String] {
        var diagnostics = CountedDiagnostics()
        let desired = Resolver.resolve(definition, against: network, diagnostics: &diagnostics)
        let differ = NodeDiffer(
            network: network,
            applicationKeys: desired.applicationKeys,
            names: ResourceNames(desired: desired, network: network),
            leaving: desired.leaving,
            removesDropped: true,
            diagnostics: CountedDiagnostics()
        )
        var contradictions: [DeviceUUID: String] = [:]
        for node in desired.nodes {
            var differ = differ
            let difference = differ.difference(of: node)
            if differ.diagnostics.hasErrors {
                contradictions[node.uuid(in: network)] = differ.diagnostics.finished().first?.message ?? ""
            } else if difference?.needsMessages == true {
                contradictions[node.uuid(in: network)] = "its record contradicts itself"
            }
        }
        return contradictions
    }
}

extension MeshNetwork {
    /// The network after a plan that needs no message: items of the definition have their names and are managed.
    package func recording(_ plan: Plan) -> MeshNetwork? {
        var network = self
        // Finding a node walks over all nodes. Ten thousand edits must not do that each.
        let places = Dictionary(nodes.enumerated().map { ($1.uuid, $0) }) { first, _ in first }
        for step in plan.steps {
            guard case .edit(let edit) = step.work else { return nil }
            switch edit {
            case .manage(let uuid, let name, let isProtected, let removalPolicy):
                guard let index = places[uuid] else { return nil }
                network.nodes[index].isManaged = true
                network.nodes[index].name = name
                network.nodes[index].isProtected = isProtected
                network.nodes[index].removalPolicy = removalPolicy
            case .forget(let uuid):
                guard let index = places[uuid] else { return nil }
                network.nodes[index].isManaged = false
                network.nodes[index].disownConfiguration()
            case .renameNetKey, .renameAppKey, .putGroup, .protect, .title:
                let unchanged: Void? = try? network.apply(edit) { _ throws(NoKey) in throw NoKey() }
                guard unchanged != nil else { return nil }
            default: return nil
            }
        }
        network.apply(plan.claims)
        return network
    }

    private struct NoKey: Error {}
}
