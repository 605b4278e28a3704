import DefinitionModel
import MeshCore

extension NodeDiffer {
    /// Reports what the node does not support, and removes it from what is desired.
    mutating func preflight(_ desired: inout DesiredNode, node: Node) {
        let name = desired.name.value
        prepareStates(&desired, node: node)
        var isPossible = true
        for index in desired.models.indices {
            let address = desired.models[index].address
            if !node.has(address.model, on: address.element) {
                reportMissing(address, at: desired.models[index].location, node: node, desired)
                isPossible = false
            } else if desired.models[index].exceedsAbilities {
                // Only in this case, because the first change copies the list.
                checkCapabilities(&desired.models[index], name: name)
            }
        }
        if !isPossible {
            desired.models.removeAll { !node.has($0.address.model, on: $0.address.element) }
        }
        check(&desired.settings.relay, "relay", state: node.features.relay, name: name)
        check(&desired.settings.proxy, "proxy", state: node.features.proxy, name: name)
        check(&desired.settings.friend, "friend", state: node.features.friend, name: name)
        if let retransmit = desired.settings.relayRetransmit, node.features.relay == .notSupported {
            desired.settings.relayRetransmit = nil
            reportUnsupported("relay", at: retransmit, name: name)
        }
        preflightStates(&desired, node: node)
    }

    private mutating func reportMissing(
        _ address: ModelAddress,
        at location: SourceLocation,
        node: Node,
        _ desired: DesiredNode
    ) {
        diagnostics.report("missing \(address)", at: location) {
            MissingModel(
                model: address.model,
                element: address.element,
                node: node,
                name: desired.name.value,
                product: desired.described,
                names: names.models
            ).diagnostic(at: location)
        }
    }

    /// Reports what a node does not support according to the file that describes its product, as long as the node has
    /// not told what it is made of. What can be said without a composition is not said here.
    mutating func checkAsDescribed(_ desired: DesiredNode) {
        guard let product = desired.described else { return }
        let name = desired.name.value
        var node = desired.baseline(in: network)
        node.record(product.composition)
        var desired = desired
        var quiet = self
        quiet.prepareStates(&desired, node: node)
        for model in desired.models where !node.has(model.address.model, on: model.address.element) {
            reportMissing(model.address, at: model.location, node: node, desired)
        }
        desired.models.removeAll { !node.has($0.address.model, on: $0.address.element) }
        check(&desired.settings.relay, "relay", state: node.features.relay, name: name)
        check(&desired.settings.proxy, "proxy", state: node.features.proxy, name: name)
        check(&desired.settings.friend, "friend", state: node.features.friend, name: name)
        preflightStates(&desired, node: node)
        guard let identity = node.product, rooms[identity] != nil else { return }
        quiet = self
        for rule in desired.rules {
            let location = ModelRule.Place(rule: desired.name.location, model: desired.name.location)
            _ = rule.expand(on: node, models: &desired.models, at: location)
        }
        var difference = NodeDifference(origin: desired.origin, name: name)
        quiet.compare(desired, node: node, &difference)
        for full in quiet.fullLists(of: node, difference) {
            let message = full.list.objection(of: name, to: full.count, room: full.room, names)
            // What nodes share through a profile is one warning.
            let model = full.list.address.flatMap { address in desired.models.first { $0.address == address } }
            let location = model?.location ?? desired.settings.subnets?.location ?? desired.name.location
            diagnostics.report("full \(full.list)", at: location) {
                Diagnostic(
                    .warning,
                    message,
                    at: location,
                    resource: "node." + name,
                    hint: ListCapacity.List.hint
                )
            }
        }
    }

    /// Reports what no model of this kind supports, and removes it.
    mutating func checkCapabilities(_ model: inout DesiredModel, name: String) {
        guard let known = ModelCatalogue.model(model.address.model) else { return }
        if let keys = model.bindings, !keys.value.isEmpty, known.supportsAppKeyBinding == false {
            reportIncapable(known, of: "application keys", at: keys.location, name: name)
            model.bindings = nil
        }
        if let list = model.subscriptions, !list.value.isEmpty, known.supportsSubscription == false {
            reportIncapable(known, of: "subscriptions", at: list.location, name: name)
            model.subscriptions = nil
        }
        if let publication = model.publication, publication.value != nil, known.supportsPublication == false {
            reportIncapable(known, of: "publication", at: publication.location, name: name)
            model.publication = nil
        }
    }

    private mutating func reportIncapable(
        _ model: CatalogueModel,
        of purpose: String,
        at location: SourceLocation,
        name: String
    ) {
        diagnostics.report("incapable of \(purpose) \(model.name)", at: location) {
            Diagnostic(
                .error,
                "`\(model.name)` does not support \(purpose)",
                at: location,
                resource: "node." + name,
                hint: model.supportsAppKeyBinding == false ? "The model uses only the device key" : nil
            )
        }
    }

    private mutating func check(
        _ setting: inout Declared<Bool>?,
        _ feature: String,
        state: FeatureState?,
        name: String
    ) {
        guard let wanted = setting, state == .notSupported else { return }
        // A feature that does not exist counts as off.
        setting = nil
        if wanted.value { reportUnsupported(feature, at: wanted, name: name) }
    }

    /// Reports an unsupported feature. A default applies only to nodes that support it, so that is a note. A setting
    /// for the node or its kind is an error.
    mutating func reportUnsupported<Value>(_ feature: String, at setting: Declared<Value>, name: String) {
        let isDefault = setting.origin.isDefault
        diagnostics.report("unsupported \(feature) \(isDefault)", at: setting.location) {
            Diagnostic(
                isDefault ? .note : .error,
                "node `\(name)` does not have the \(feature) feature"
                    + (isDefault ? ", so the default does not apply to it" : ""),
                at: setting.location,
                resource: "node." + name,
                hint: isDefault ? nil : "Take the setting out for this node"
            )
        }
    }
}

extension ListCapacity.List {
    /// The model that has the list; nil for lists of the node.
    fileprivate var address: ModelAddress? {
        switch self {
        case .netKeys, .appKeys: nil
        case .bindings(let element, let model), .subscriptions(let element, let model):
            ModelAddress(element: element, model: model)
        }
    }
}

extension DesiredModel {
    /// Whether the definition asks for something that no model of this kind supports.
    var exceedsAbilities: Bool {
        guard let abilities = ModelCatalogue.abilities(of: address.model) else { return false }
        if abilities.appKeyBinding == false, let bindings, !bindings.value.isEmpty { return true }
        if !abilities.subscription, let subscriptions, !subscriptions.value.isEmpty { return true }
        if !abilities.publication, let publication, publication.value != nil { return true }
        return false
    }
}
