package import DefinitionModel
package import MeshCore

/// What nodes reported that contradicts their records, beside what the definition says: declared, recorded and observed
/// values.
package struct DriftReport: Hashable, Sendable {
    /// The nodes that have drifted: those of the definition in its order, then others by address.
    package var nodes: [DriftedNode]

    /// Further facts, as sentences: keys that nodes have and the database does not know, and what can be done.
    package var notes: [String] = []

    /// How many resources differ from their records, without those that the definition has adopted.
    package var count: Int { nodes.reduce(0) { $0 + $1.entries.count } }

    /// Whether the definition has adopted every difference.
    package var isEmpty: Bool { nodes.allSatisfy(\.entries.isEmpty) }
}

/// A node that has drifted.
package struct DriftedNode: Hashable, Sendable {
    package var uuid: DeviceUUID
    /// Its name in the definition, else in the database.
    package var name: String
    /// The address of its primary element.
    package var address: UnicastAddress
    /// When the node last reported all of its configuration.
    package var readBackAt: Timestamp?
    /// The differences, in the order of resources.
    package var entries: [DriftEntry]
    /// Resources that differ from their records, but agree with the definition by now.
    package var adopted: [NodeResource]
}

/// One resource of a node that differs from its record.
package struct DriftEntry: Hashable, Sendable {
    /// What the definition says about it.
    package enum Declaration: Hashable, Sendable {
        /// Nothing; the resource is left alone.
        case unmanaged
        /// The desired value, for people; nil if the resource should not be there.
        case value(String?)
    }

    package var resource: NodeResource
    /// Its address as in plans, without the node: `element[0].generic-onoff-server.subscription.kitchen`.
    package var path: String
    /// What the definition says.
    package var declared: Declaration
    /// What was last set or imported, for people; nil if it was not there. Never a key.
    package var recorded: String?
    /// What the node last reported, for people; nil if it is not there. Never a key.
    package var observed: String?
    /// When a read-back first reported it.
    package var since: Timestamp
}

extension DriftReport {
    /// Compares what drifted with a definition.
    ///
    /// - Parameters:
    ///   - network: the network as the database knows it.
    ///   - definition: a definition without errors; nil if there is none, so that nothing is managed.
    package static func make(of network: MeshNetwork, definition: Definition?) -> DriftReport {
        let unknownKeys = UnknownKeys(network)
        guard !network.drifts.isEmpty else {
            return DriftReport(nodes: [], notes: unknownKeys.notes(of: network) { _ in nil })
        }
        var diagnostics = CountedDiagnostics()
        let state = definition.map { Resolver.resolve($0, against: network, diagnostics: &diagnostics) }
        let names = state.map { ResourceNames(desired: $0, network: network) } ?? ResourceNames(network: network)
        var desired: [Int: DesiredNode] = [:]
        for node in state?.nodes ?? [] {
            if case .recorded(let position) = node.origin { desired[position] = node }
        }
        var bound = Dictionary(network.appKeys.map { ($0.index, $0.boundNetKey) }) { first, _ in first }
        for key in state?.applicationKeys ?? [] { bound[key.index] = key.boundNetKey }
        let nodes = network.nodes.enumerated().compactMap { position, node in
            network.drifts[node.uuid].map { drift in
                DriftedNode(drift, of: node, desired: desired[position], names: names, boundNetKeys: bound)
            }
        }
        return DriftReport(
            nodes: definition.map { nodes.arranged(as: $0) } ?? nodes,
            notes: unknownKeys.notes(of: network) { desired[$0]?.name.value }
        )
    }
}

extension [DriftedNode] {
    /// Those that a definition has in its order, as in a plan, then the others in theirs.
    fileprivate func arranged(as definition: Definition) -> [DriftedNode] {
        let places = Dictionary(definition.nodes.enumerated().map { ($1.uuid.value, $0) }) { first, _ in first }
        return enumerated().sorted { first, second in
            (places[first.element.uuid] ?? .max, first.offset) < (places[second.element.uuid] ?? .max, second.offset)
        }.map(\.element)
    }
}

extension DriftedNode {
    fileprivate init(
        _ drift: NodeDrift,
        of node: Node,
        desired: DesiredNode?,
        names: ResourceNames,
        boundNetKeys: [AppKeyIndex: NetKeyIndex]
    ) {
        self.init(
            uuid: node.uuid,
            name: desired?.name.value ?? node.name,
            address: node.unicastAddress,
            readBackAt: node.readBackAt,
            entries: [],
            adopted: []
        )
        var previous: BridgingTableEntry?
        for resource in drift.resources {
            if case .bridging(let entry) = resource {
                // The same entry with another direction gives one line with both.
                if previous?.isAbout(entry) == true { continue }
                previous = entry
            }
            let declaration = desired?.declaration(of: resource, observed: node, names, boundNetKeys)
            if declaration?.agrees == true {
                adopted.append(resource)
                continue
            }
            entries.append(
                DriftEntry(
                    resource: resource,
                    path: resource.path(names),
                    declared: declaration?.text ?? .unmanaged,
                    recorded: resource.text(of: drift.recorded, names),
                    observed: resource.text(of: node, names),
                    since: drift.since[resource] ?? node.observedAt ?? Timestamp(rawValue: 0)
                )
            )
        }
    }
}
