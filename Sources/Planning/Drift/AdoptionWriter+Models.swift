import Catalogue
import DefinitionModel
import MeshCore

/// The lines for models: keys, groups, publications and states.
extension AdoptionWriter {
    /// The drift of one model.
    private struct ModelDrift {
        var hasBindings = false
        var hasPublication = false
        var subscriptions: [SubscriptionAddress] = []
        var states: [String] = []
    }

    mutating func addModels(
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
            result.note("the value of `\(state.form.name)` cannot be declared; it is left out here")
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
            result.note(
                """
                the node uses the virtual address \(virtual), whose label the database does not know; it cannot be declared
                """
            )
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
            result.note(
                """
                this subscribes \(nodeNames.model(address.model)) to \(names.joined(separator: ", ")): \
                leave \(result.name) out of it
                """,
                at: rule.location
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
        let model = nodeNames.model(address.model)
        result.note(
            text == "none"
                ? "this has \(model) publish: leave \(result.name) out of it"
                : "in place of this for \(result.name): { node: \(result.name), model: \(model), \(text.dropFirst(2))",
            at: rule.location
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
