import Catalogue
package import DefinitionModel
package import MeshCore

/// What to write into a definition so that it agrees with what nodes reported.
package struct DriftAdoption: Hashable, Sendable {
    /// The lines for one node.
    package struct NodeLines: Hashable, Sendable {
        /// Its name.
        package var name: String
        /// Where the definition names it; nil if nowhere.
        package var location: SourceLocation?
        /// Lines of YAML, with indentation, to write into the node. They replace what the node says about the same
        /// settings.
        package var lines: [String]
        /// What must be done elsewhere or is impossible, one sentence each.
        package var notes: [Note]
    }

    /// Something to do by hand.
    package struct Note: Hashable, Sendable {
        /// Its location; nil if there is no particular one.
        package var location: SourceLocation?
        /// What to do.
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

/// Writes what nodes reported in the language of definitions.
struct AdoptionWriter {
    private let definition: Definition
    private let selection: NodeSelectorIndex
    private let places: [DeviceUUID: Int]
    private let netKeyNames: [NetKeyIndex: String]
    private let appKeyNames: [AppKeyIndex: String]
    private var groupNames: [SubscriptionAddress: String]
    private let recordedGroups: [SubscriptionAddress: String]
    private let desired: [DeviceUUID: DesiredNode]
    private let nodeNames: ResourceNames
    /// Groups that the lines mention and the definition lacks, with their new names.
    private(set) var newGroups: [SubscriptionAddress: String] = [:]

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
            result.notes.append(
                DriftAdoption.Note(
                    location: nil,
                    text: "the definition does not have this node: add it, or use \(command: .acceptDrift)"
                )
            )
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

    private func name(
        _ name: String?,
        _ noun: String,
        _ index: String,
        _ result: inout DriftAdoption.NodeLines
    ) -> String? {
        guard name == nil else { return name }
        let note = DriftAdoption.Note(
            location: nil,
            text: "the node has \(noun) index \(index), which the definition does not declare; it is left out here"
        )
        if !result.notes.contains(note) { result.notes.append(note) }
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
                result.notes.append(
                    DriftAdoption.Note(
                        location: nil,
                        text: "the node does not have the \(name) feature: leave `\(name)` out"
                    )
                )
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

    // MARK: Models

    /// The drift of one model.
    private struct ModelDrift {
        var hasBindings = false
        var hasPublication = false
        var subscriptions: [SubscriptionAddress] = []
        var states: [String] = []
    }

    private mutating func addModels(
        _ entries: [DriftEntry],
        _ node: Node,
        to result: inout DriftAdoption.NodeLines
    ) {
        var models: [ModelAddress: ModelDrift] = [:]
        for entry in entries {
            switch entry.resource {
            case .binding(let address, _): models[address, default: ModelDrift()].hasBindings = true
            case .subscription(let address, let group):
                models[address, default: ModelDrift()].subscriptions.append(group)
            case .publication(let address): models[address, default: ModelDrift()].hasPublication = true
            case .modelState(let address, let name): models[address, default: ModelDrift()].states.append(name)
            default: break
            }
        }
        var elements: [UInt8: [String]] = [:]
        for (address, drift) in models.sorted(by: { $0.key < $1.key }) {
            guard let model = node.model(at: address) else { continue }
            var parts: [String] = []
            if drift.hasBindings {
                let names = model.bindings.compactMap { key in
                    name(appKeyNames[key], "application key", key.description, &result)
                }
                parts.append("keys: [\(names.joined(separator: ", "))]")
            }
            if !drift.subscriptions.isEmpty {
                let names = model.subscriptions.compactMap { group(of: $0, &result) }
                parts.append("subscribe: [\(names.joined(separator: ", "))]")
                noteRules(drift.subscriptions.filter { !model.subscriptions.contains($0) }, address, node, &result)
            }
            if drift.hasPublication, let text = publication(model, address, node, &result) {
                parts.append("publish: \(text)")
            }
            if let text = states(drift.states, of: model, address, &result) { parts.append("states: \(text)") }
            if !parts.isEmpty {
                elements[address.element, default: []].append(
                    "    \(nodeNames.model(address.model)): { \(parts.joined(separator: ", ")) }"
                )
            }
        }
        guard !elements.isEmpty else { return }
        result.lines.append("elements:")
        for (element, lines) in elements.sorted(by: { $0.key < $1.key }) { result.lines += ["  \(element):"] + lines }
    }

    /// The states with these names; nil if a definition can ask for none of their values.
    private func states(
        _ names: [String],
        of model: Model,
        _ address: ModelAddress,
        _ result: inout DriftAdoption.NodeLines
    ) -> String? {
        guard !names.isEmpty else { return nil }
        let declarable = DeclarableStates(of: address.model, in: nodeNames.known)
        var settings: [ModelStateSetting] = []
        for state in model.states where names.contains(state.form.name) {
            if let setting = declarable.setting(of: state.form, shownBy: state.status) {
                settings.append(setting)
                continue
            }
            result.notes.append(
                DriftAdoption.Note(
                    location: nil,
                    text: "the value of `\(state.form.name)` cannot be declared; it is left out here"
                )
            )
        }
        return settings.isEmpty ? nil : DefinitionValue.modelStates(settings).flow
    }

    private mutating func group(of address: SubscriptionAddress, _ result: inout DriftAdoption.NodeLines) -> String? {
        if let name = groupNames[address] { return name }
        switch address {
        case .group(let group):
            if let name = group.fixedName { return name }
        case .virtual: break
        case .unknownLabel(let virtual):
            let note = DriftAdoption.Note(
                location: nil,
                text: """
                    the node uses the virtual address \(virtual), whose label the database does not know; it cannot be declared
                    """
            )
            if !result.notes.contains(note) { result.notes.append(note) }
            return nil
        }
        // A name in the database may not be valid in a definition.
        let recorded = recordedGroups[address].flatMap { Name.isValid($0) ? $0 : nil }
        let isTaken = recorded.map { Set(groupNames.values).contains($0) } ?? true
        let name = isTaken ? "group-" + address.address.rawValue.hexadecimal.lowercased() : recorded ?? ""
        groupNames[address] = name
        newGroups[address] = name
        return name
    }

    /// Notes groups that rules add, whatever the node's own lists say.
    private func noteRules(
        _ missing: [SubscriptionAddress],
        _ address: ModelAddress,
        _ node: Node,
        _ result: inout DriftAdoption.NodeLines
    ) {
        guard !missing.isEmpty, let place = places[node.uuid] else { return }
        for rule in definition.subscriptions
        where rule.models.contains(where: { $0.value == address.model })
            && (rule.element.map { $0.value == address.element } ?? true)
        {
            let names = rule.groups.map(\.value).filter { name in missing.contains { groupNames[$0] == name } }
            guard !names.isEmpty, selection.matches(rule.nodes).contains(place) else { continue }
            result.notes.append(
                DriftAdoption.Note(
                    location: rule.location,
                    text: """
                        this subscribes \(nodeNames.model(address.model)) to \(names.joined(separator: ", ")): \
                        leave \(result.name) out of it
                        """
                )
            )
        }
    }

    private mutating func publication(
        _ model: Model,
        _ address: ModelAddress,
        _ node: Node,
        _ result: inout DriftAdoption.NodeLines
    ) -> String? {
        var text: String? = "none"
        if let publication = model.publication { text = self.text(publication, &result) }
        guard let place = places[node.uuid], let text else { return nil }
        let rule = definition.publications.first { rule in
            rule.model.value == address.model && (rule.element.map { $0.value == address.element } ?? true)
                && selection.matches(rule.nodes).contains(place)
        }
        let declared = desired[node.uuid]?.model(at: address)?.publication
        guard let rule, declared?.location == rule.location else { return text }
        result.notes.append(
            DriftAdoption.Note(
                location: rule.location,
                text: text == "none"
                    ? "this has \(nodeNames.model(address.model)) publish: leave \(result.name) out of it"
                    : """
                    in place of this for \(result.name): { node: \(result.name), \
                    model: \(nodeNames.model(address.model)), \(text.dropFirst(2))
                    """
            )
        )
        return nil
    }

    private mutating func text(_ publication: Publication, _ result: inout DriftAdoption.NodeLines) -> String? {
        let target: PublishTarget
        switch publication.address {
        case .unicast(let unicast): target = self.target(unicast)
        case .group(let group):
            guard let name = self.group(of: .group(group), &result) else { return nil }
            target = .name(name)
        case .virtual(let label):
            guard let name = self.group(of: .virtual(label), &result) else { return nil }
            target = .name(name)
        case .unknownLabel(let virtual):
            _ = self.group(of: .unknownLabel(virtual), &result)
            return nil
        }
        let index = publication.appKeyIndex
        guard let key = name(appKeyNames[index], "application key", index.description, &result) else { return nil }
        let settings = PublishSettings(publication, to: target, key: key, at: DefinitionDraft.place)
        return DefinitionValue.publication(settings).flow
    }

    /// An element of a node of the definition, or an address.
    private func target(_ unicast: UnicastAddress) -> PublishTarget {
        let words = nodeNames.target(.unicast(unicast)).split(separator: "/").map(String.init)
        guard let node = words.first, selection.position(named: node) != nil else { return .address(unicast.address) }
        guard words.count == 2 else { return .name(node) }
        return UInt8(words[1]).map { .element(node: node, index: $0) } ?? .address(unicast.address)
    }
}
