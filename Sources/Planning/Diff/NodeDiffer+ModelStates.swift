import DefinitionModel
import MeshCore

/// States of the models above the foundation. Nothing here depends on what a state means: a form says by which messages
/// and models it is set and read.
extension NodeDiffer {
    /// Adds the models through which states are set, and chooses the keys for it.
    ///
    /// A state is set and read under application keys that are bound to the two models. What the definition lists
    /// counts first, then what the node has. A key that only one of the models has, or the server of a setup server, is
    /// bound to the other, too.
    mutating func prepareStates(_ desired: inout DesiredNode, node: Node) {
        let families = desired.models.filter { !$0.states.isEmpty }.flatMap(\.stateFamilies)
        guard !families.isEmpty else { return }
        for family in families {
            for address in family.addresses { desired.models.update(address, at: family.model.location) { _ in } }
        }
        for (model, addresses) in families {
            for address in addresses {
                let family = DeclarableStates.family(of: address.model)
                    .map { ModelAddress(element: address.element, model: $0) }
                let others = (addresses + family.filter { !addresses.contains($0) }).filter { $0 != address }
                let key = stateKey(of: address, beside: others, in: desired, node: node)
                guard let key else {
                    reportNoKey(of: address, for: model, in: desired)
                    continue
                }
                desired.models.update(address, at: model.location) { $0.stateKey = $0.stateKey ?? key }
            }
        }
    }

    private func stateKey(
        of address: ModelAddress,
        beside others: [ModelAddress],
        in desired: DesiredNode,
        node: Node
    ) -> AppKeyIndex? {
        let declared = desired.model(at: address)
        let recorded = recordedKeys(of: address, in: desired, node: node)
        if let listed = declared?.bindings?.value {
            // The list is complete, so a key that it lacks cannot be bound.
            return listed.first(where: recorded.contains) ?? listed.first
        }
        let listedBeside = others.flatMap { desired.model(at: $0)?.bindings?.value ?? [] }
        if let key = listedBeside.first(where: recorded.contains) ?? listedBeside.first { return key }
        if let key = recorded.first ?? declared?.publicationKey { return key }
        return others.lazy.compactMap { other in
            recordedKeys(of: other, in: desired, node: node).first ?? desired.model(at: other)?.publicationKey
        }.first
    }

    /// The keys that are bound to a model and stay on the node.
    private func recordedKeys(of address: ModelAddress, in desired: DesiredNode, node: Node) -> [AppKeyIndex] {
        guard let recorded = node.model(address) else { return [] }
        let listed = desired.settings.applicationKeys?.value
        return recorded.bindings.filter { key in
            node.knows(key) && !leaving.appKeys.contains(key) && listed?.contains(key) != false
        }
    }

    mutating func reportNoKey(of address: ModelAddress, for model: DesiredModel, in desired: DesiredNode) {
        guard let first = model.states.first else { return }
        let name = names.model(address.model)
        // A default is not worth stopping for.
        let isDefault = model.states.allSatisfy(\.origin.isDefault)
        diagnostics.report("no key for states \(name)", at: first.location) {
            Diagnostic(
                isDefault ? .warning : .error,
                "`\(first.value.state.form.name)` cannot be set: no application key is bound to `\(name)`"
                    + (isDefault ? ", so the default does not apply" : ""),
                at: first.location,
                resource: "node." + desired.name.value,
                hint: "Add `keys: [KEY]` to `\(name)`, or to `\(names.model(model.address.model))` beside it"
            )
        }
    }

    /// The states that are unknown, or known to have another value.
    func stateDifferences(
        of model: DesiredModel,
        recorded: Model,
        in desired: DesiredNode
    ) -> [ModelStateDifference] {
        guard let readingKey = model.stateKey else { return [] }
        return model.states.compactMap { wanted in
            let state = wanted.value.state
            let known = recorded.state(named: state.form.name)
            if let known, known.form == state.form, state.isShown(by: known.status) { return nil }
            let setServer = ModelAddress(element: model.address.element, model: state.form.setServer)
            guard let key = desired.model(at: setServer)?.stateKey else { return nil }
            var difference = ModelStateDifference(
                before: known,
                text: wanted.value.text,
                set: ModelStateSet(state, of: model.address, key: key, readingKey: readingKey)
            )
            for part in state.contents {
                let setServer = ModelAddress(element: part.element, model: part.state.form.setServer)
                guard let key = desired.model(at: setServer)?.stateKey,
                    let readingKey = desired.model(at: part.model)?.stateKey
                else { return nil }
                difference.parts.append(ModelStateSet(part.state, of: part.model, key: key, readingKey: readingKey))
            }
            return difference
        }
    }

    /// Entries of lists that an earlier definition has asked for and this one does not: scenes, entries of schedulers.
    /// They are removed under keys that are bound already; what is bound only for them goes after that.
    func droppedEntries(
        of model: DesiredModel,
        recorded: Model,
        in desired: DesiredNode,
        node: Node
    ) -> [ModelStateDifference] {
        guard removesDropped, !recorded.states.isEmpty else { return [] }
        let names = Set(model.states.map(\.value.state.form.name))
        return recorded.states.compactMap { known in
            guard !names.contains(known.form.name), let removal = known.form.removal,
                known.form.register != nil || !removal.isShown(by: known.status)
            else { return nil }
            let setServer = ModelAddress(element: model.address.element, model: known.form.setServer)
            guard let readingKey = model.stateKey ?? recorded.bindings.first(where: { node.knows($0) }),
                let key = desired.model(at: setServer)?.stateKey
                    ?? node.model(at: setServer)?.bindings.first(where: { node.knows($0) })
            else { return nil }
            let set = ModelStateSet(removal, of: model.address, key: key, readingKey: readingKey)
            return ModelStateDifference(before: known, text: "", set: set)
        }
    }
}

extension DesiredModel {
    /// The models through which each of its states is set and read, and which so need a key. Values in scenes are those
    /// of other models.
    var stateFamilies: [(model: DesiredModel, addresses: [ModelAddress])] {
        let own = ([address.model] + otherSetServers.sorted())
            .map { ModelAddress(element: address.element, model: $0) }
        var families: [(model: DesiredModel, addresses: [ModelAddress])] = [(self, own)]
        for part in states.flatMap(\.value.state.contents) {
            let form = part.state.form
            let setServer = ModelAddress(element: part.element, model: form.setServer)
            let addresses = part.model == setServer ? [part.model] : [part.model, setServer]
            if !families.contains(where: { $0.addresses == addresses }) { families.append((self, addresses)) }
        }
        return families
    }
}
