import DefinitionModel
import MeshCore

/// Writes what nodes reported in the language of definitions.
struct AdoptionWriter {
    let definition: Definition
    let selection: NodeSelectorIndex
    let places: [DeviceUUID: Int]
    let netKeyNames: [NetKeyIndex: String]
    let appKeyNames: [AppKeyIndex: String]
    var groupNames: [SubscriptionAddress: String]
    let recordedGroups: [SubscriptionAddress: String]
    let desired: [DeviceUUID: DesiredNode]
    let nodeNames: ResourceNames
    /// Groups that the lines mention and the definition lacks, with their new names.
    var newGroups: [SubscriptionAddress: String] = [:]

    init(definition: Definition, network: MeshNetwork, state: DesiredState) {
        self.definition = definition
        selection = NodeSelectorIndex(definition.nodes)
        places = Dictionary(definition.nodes.enumerated().map { ($1.uuid.value, $0) }) { first, _ in first }
        netKeyNames = Dictionary(state.subnets.map { ($0.index, $0.name.value) }) { first, _ in first }
        appKeyNames = Dictionary(state.applicationKeys.map { ($0.index, $0.name.value) }) { first, _ in first }
        groupNames = Dictionary(state.groups.map { ($0.group.address, $0.group.name) }) { first, _ in first }
        recordedGroups = Dictionary(network.groups.map { ($0.address, $0.name) }) { first, _ in first }
        nodeNames = ResourceNames(desired: state, network: network)
        var desired: [DeviceUUID: DesiredNode] = [:]
        for node in state.nodes {
            if case .recorded(let position) = node.origin { desired[network.nodes[position].uuid] = node }
        }
        self.desired = desired
    }

    mutating func lines(for drifted: DriftedNode, observed: Node) -> DriftAdoption.NodeLines {
        let place = places[drifted.uuid]
        var result = DriftAdoption.NodeLines(
            name: drifted.name,
            location: place.map { definition.nodes[$0].name.location },
            lines: [],
            notes: []
        )
        guard place != nil else {
            result.note("the definition does not have this node: add it, or use \(command: .acceptDrift)")
            return result
        }
        let resources = drifted.entries.map(\.resource)
        addKeys(resources, observed, to: &result)
        addStates(resources, observed, to: &result)
        addModels(drifted.entries, observed, to: &result)
        return result
    }

    // MARK: Keys and states

    private func addKeys(_ resources: [NodeResource], _ node: Node, to result: inout DriftAdoption.NodeLines) {
        if resources.contains(where: { if case .netKey = $0 { true } else { false } }) {
            let names = node.netKeys.compactMap { key in
                name(netKeyNames[key.index], "subnet", key.index.description, &result)
            }
            result.lines.append("subnets: [\(names.joined(separator: ", "))]")
        }
        if resources.contains(where: { if case .appKey = $0 { true } else { false } }) {
            let names = node.appKeys.compactMap { key in
                name(appKeyNames[key.index], "application key", key.index.description, &result)
            }
            result.lines.append("application_keys: [\(names.joined(separator: ", "))]")
        }
    }

    /// The name of a key; what has none is left out, with a note.
    func name(
        _ name: String?,
        _ noun: String,
        _ index: String,
        _ result: inout DriftAdoption.NodeLines
    ) -> String? {
        guard name == nil else { return name }
        result.note(
            "the node has \(noun) index \(index), which the definition does not declare; it is left out here"
        )
        return nil
    }

    private func addStates(_ resources: [NodeResource], _ node: Node, to result: inout DriftAdoption.NodeLines) {
        let drifted = Set(resources)
        if drifted.contains(.defaultTTL), let ttl = node.defaultTTL { result.lines.append("ttl: \(ttl)") }
        if drifted.contains(.secureNetworkBeacon), let isOn = node.secureNetworkBeacon {
            result.lines.append("secure_network_beacon: \(ValueText.state(isOn))")
        }
        var features: [String] = []
        for (resource, name, state) in [
            (NodeResource.relay, "relay", node.features.relay), (.proxy, "proxy", node.features.proxy),
            (.friend, "friend", node.features.friend),
        ] where drifted.contains(resource) {
            if let isOn = state.isOn {
                features.append("\(name): \(ValueText.state(isOn))")
            } else {
                result.note("the node does not have the \(name) feature: leave `\(name)` out")
            }
        }
        if !features.isEmpty { result.lines.append("features: { \(features.joined(separator: ", ")) }") }
        if drifted.contains(.networkTransmit), let transmit = node.networkTransmit {
            result.lines.append("network_transmit: \(DefinitionValue.transmit(transmit).flow)")
        }
        if drifted.contains(.relayRetransmit), let transmit = node.relayRetransmit {
            result.lines.append("relay_retransmit: \(DefinitionValue.transmit(transmit).flow)")
        }
    }
}
