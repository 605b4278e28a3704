import DefinitionModel
import MeshCore

/// The settings of a profile, of an entry of the defaults or of a node, with names bound.
struct SettingsTemplate {
    var settings: DesiredSettings
    /// Sorted by address, each address once.
    var models: [DesiredModel]
    /// States for every element that has the model that reports them, in the order of their forms; only defaults have
    /// them.
    var states: [Declared<DesiredModelState>] = []

    /// These settings merged over those of a profile or of defaults.
    func merged(over other: SettingsTemplate) -> SettingsTemplate {
        SettingsTemplate(
            settings: settings.merged(over: other.settings),
            models: models.isEmpty ? other.models : mergedModels(over: other.models),
            states: states.merged(over: other.states)
        )
    }

    private func mergedModels(over others: [DesiredModel]) -> [DesiredModel] {
        var result = others
        for model in models {
            let index = result.place(of: model.address)
            if index < result.count, result[index].address == model.address {
                result[index] = model.merged(over: result[index])
            } else {
                result.insert(model, at: index)
            }
        }
        return result
    }
}

extension [DesiredModel] {
    /// The index of the model with that address, or where to insert it.
    func place(of address: ModelAddress) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].address < address { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Changes the model with that address. Adds it unmanaged if it is not there.
    mutating func update(_ address: ModelAddress, at location: SourceLocation, _ change: (inout DesiredModel) -> Void) {
        let index = place(of: address)
        if index == count || self[index].address != address {
            insert(DesiredModel(address: address, location: location), at: index)
        }
        change(&self[index])
    }
}

extension Resolver {
    /// Settings with their names bound. Names that do not exist are reported and left out.
    mutating func template(of settings: NodeSettings, from origin: DeclarationOrigin) -> SettingsTemplate {
        func declared<Value>(_ value: Located<Value>?) -> Declared<Value>? { value.map { Declared($0, by: origin) } }
        let desired = DesiredSettings(
            subnets: settings.subnets.map { list in
                Declared(list.value.compactMap { netKey($0) }.sortedUnique(), at: list.location, by: origin)
            },
            applicationKeys: settings.applicationKeys.map { appKeys($0, from: origin) },
            defaultTTL: declared(settings.defaultTTL),
            secureNetworkBeacon: declared(settings.secureNetworkBeacon),
            relay: declared(settings.relay),
            relayRetransmit: declared(settings.relayRetransmit),
            proxy: declared(settings.proxy),
            friend: declared(settings.friend),
            networkTransmit: declared(settings.networkTransmit),
            states: states(of: settings, from: origin),
            bridgingTable: bridges(of: settings, from: origin)
        )
        var models: [DesiredModel] = []
        models.reserveCapacity(settings.elements.values.reduce(0) { $0 + $1.models.count })
        let elements = settings.elements.count > 1 ? settings.elements.keys.sorted() : Array(settings.elements.keys)
        for index in elements {
            guard let declared = settings.elements[index]?.models else { continue }
            for position in declared.indices {
                let model = model(declared, position, on: index, from: origin)
                let place = models.place(of: model.address)
                if place == models.count {
                    models.append(model)
                } else if models[place].address == model.address {
                    models[place] = model.merged(over: models[place])
                } else {
                    models.insert(model, at: place)
                }
                if declared[position].states != nil {
                    addStates(of: declared[position], on: index, from: origin, to: &models)
                }
                if !declared[position].scenes.isEmpty {
                    addScenes(of: declared[position], on: index, from: origin, to: &models)
                }
            }
        }
        return SettingsTemplate(settings: desired, models: models)
    }

    /// The settings of an entry of `defaults`, with its states of models.
    mutating func template(of entry: DefaultsDefinition, from origin: DeclarationOrigin) -> SettingsTemplate {
        var template = template(of: entry.settings, from: origin)
        template.states =
            entry.models.flatMap { $0.states?.value ?? [] }
            .map { Declared(DesiredModelState($0.value), at: $0.location, by: origin) }.inOrder
        return template
    }

    /// The model at a position with its names bound. It is read field by field: to copy it would take as long as all
    /// the rest.
    private mutating func model(
        _ declared: [ModelDefinition],
        _ position: Int,
        on element: UInt8,
        from origin: DeclarationOrigin
    ) -> DesiredModel {
        DesiredModel(
            address: ModelAddress(element: element, model: declared[position].identifier.value),
            location: declared[position].identifier.location,
            bindings: declared[position].keys.map { appKeys($0, from: origin) },
            subscriptions: declared[position].subscribe.map { list in
                Declared(list.value.compactMap { group($0) }.sortedUnique(), at: list.location, by: origin)
            },
            publication: declared[position].publish.flatMap { publish in
                guard let settings = publish.value else { return Declared(nil, at: publish.location, by: origin) }
                return publication(settings).map { Declared($0, at: settings.target.location, by: origin) }
            }
        )
    }

    private mutating func appKeys(
        _ list: Located<[Located<String>]>,
        from origin: DeclarationOrigin
    ) -> Declared<[AppKeyIndex]> {
        Declared(list.value.compactMap { appKey($0) }.sortedUnique(), at: list.location, by: origin)
    }

    /// The publication; nil if a name does not exist or the target node has a diagnostic of its own.
    mutating func publication(_ settings: PublishSettings) -> DesiredPublication? {
        guard let target = target(settings.target) else { return nil }
        var key: AppKeyIndex?
        if let name = settings.key {
            guard let index = appKey(name) else { return nil }
            key = index
        }
        return DesiredPublication(
            target: target,
            key: key,
            ttl: settings.ttl?.value ?? Publication.defaultTTL,
            period: settings.period?.value ?? .none,
            retransmit: settings.retransmit?.value ?? .none,
            usesFriendshipCredentials: settings.usesFriendshipCredentials?.value ?? false
        )
    }

    mutating func target(_ target: Located<PublishTarget>) -> DesiredPublication.Target? {
        switch target.value {
        case .name(let name):
            return named(Located(name, at: target.location))
        case .element(node: let name, let index):
            return element(index, ofNode: Located(name, at: target.location))
        case .address(let address):
            if let unicast = UnicastAddress(rawValue: address.rawValue) { return .address(.unicast(unicast)) }
            if let group = GroupAddress(rawValue: address.rawValue) { return .address(.group(group)) }
            diagnostics.report(
                Diagnostic(
                    .error,
                    "\(address) is not an address to publish to",
                    at: target.location,
                    length: 6,
                    hint: address.kind == .virtual
                        ? "A virtual address needs its label: declare a group with `label:`"
                        : "Give the name of a group or node, or a unicast or group address"
                )
            )
            return nil
        }
    }

    private mutating func named(_ name: Located<String>) -> DesiredPublication.Target? {
        let isNode = nodeNumbers[name.value] != nil
        if let group = groups[name.value] {
            if isNode {
                diagnostics.report(
                    Diagnostic(
                        .error,
                        "`\(name.value)` is both a group and a node",
                        at: name.location,
                        length: name.value.count,
                        hint: "Write `\(name.value)/0` for the node's first element, or rename one of them"
                    )
                )
            }
            switch group {
            case .group(let address): return .address(.group(address))
            case .virtual(let label): return .address(.virtual(label))
            case .unknownLabel(let virtual): return .address(.unknownLabel(virtual))
            }
        }
        if isNode { return element(0, ofNode: name) }
        if let fixed = GroupAddress(fixedName: name.value) { return .address(.group(fixed)) }
        if name.value == PublishTarget.provisionerName { return provisioner(at: name.location) }
        reportUnknown("group or node", name, prefix: "group.")
        return nil
    }

    /// The primary element of this provisioner.
    private mutating func provisioner(at location: SourceLocation) -> DesiredPublication.Target? {
        if let own = network.nodes.first(where: { $0.uuid == network.ownProvisioner }) {
            return .address(.unicast(own.unicastAddress))
        }
        diagnostics.report("no own node", at: location) {
            Diagnostic(
                .error,
                "meshplan's own provisioner has no address in the database, so nothing can be published to it",
                at: location,
                length: PublishTarget.provisionerName.count,
                hint: "Import a database that holds its node, or give a unicast address"
            )
        }
        return nil
    }

    private mutating func element(_ index: UInt8, ofNode name: Located<String>) -> DesiredPublication.Target? {
        guard let number = nodeNumbers[name.value] else {
            reportUnknown("node", name, prefix: "node.")
            return nil
        }
        // A node that could not be placed has a diagnostic of its own.
        guard let placement = placements[number] else { return nil }
        let definition = definition.nodes[number]
        switch placement {
        case .device:
            guard let fixed = definition.address?.value else {
                return .element(of: definition.uuid.value, index: index)
            }
            if let address = fixed.element(index) { return .address(.unicast(address)) }
            reportMissingElement(index, name, hint: "Its address is \(fixed), and not enough addresses follow it")
        case .recorded(let position):
            let node = network.nodes[position]
            let exists = node.elements.isEmpty || Int(index) < node.elements.count
            if exists, let address = node.unicastAddress.element(index) { return .address(.unicast(address)) }
            reportMissingElement(index, name, hint: "Its elements are 0 to \(max(node.elements.count, 1) - 1)")
        }
        return nil
    }

    private mutating func reportMissingElement(_ index: UInt8, _ name: Located<String>, hint: String) {
        diagnostics.report(
            Diagnostic(
                .error,
                "node `\(name.value)` has no element \(index)",
                at: name.location,
                length: name.value.count,
                resource: "node." + name.value,
                hint: hint
            )
        )
    }
}
