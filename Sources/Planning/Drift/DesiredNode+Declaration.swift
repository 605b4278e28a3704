import MeshCore

/// What the definition declares about one resource of a node.
struct DeclaredResource {
    var text: DriftEntry.Declaration
    var agrees: Bool
}

extension DesiredNode {
    /// What the definition says about a resource; nil if nothing.
    ///
    /// - Parameter node: the node as it last reported itself.
    func declaration(
        of resource: NodeResource,
        observed node: Node,
        _ names: ResourceNames,
        _ boundNetKeys: [AppKeyIndex: NetKeyIndex]
    ) -> DeclaredResource? {
        switch resource {
        case .netKey(let index):
            let isNeeded =
                neededAppKeys.contains { boundNetKeys[$0] == index } || settings.subnetsOfStates.contains(index)
            guard let list = settings.subnets else {
                return isNeeded ? thing("index \(index)", true, node.knows(index)) : nil
            }
            // The subnets of AppKeys that are left alone are left alone, too.
            let isKept =
                settings.applicationKeys == nil && node.appKeys.contains { boundNetKeys[$0.index] == index }
            return thing("index \(index)", isNeeded || isKept || list.value.contains(index), node.knows(index))
        case .appKey(let index):
            let isNeeded = neededAppKeys.contains(index)
            guard isNeeded || settings.applicationKeys != nil else { return nil }
            return thing("index \(index)", isNeeded, node.knows(index))
        case .binding(let address, let key):
            guard let model = model(at: address) else { return nil }
            let isPublishing = model.publicationKey == key
            guard isPublishing || model.bindings != nil else { return nil }
            return thing(
                "index \(key)",
                isPublishing || model.bindings?.value.contains(key) == true,
                node.model(at: address)?.bindings.contains(key) == true
            )
        case .subscription(let address, let group):
            guard let list = model(at: address)?.subscriptions else { return nil }
            let isThere = node.model(at: address)?.subscriptions.contains(group) == true
            return thing(group.description, list.value.contains(group), isThere)
        case .publication(let address): return publication(of: address, node, names)
        case .defaultTTL: return value(settings.defaultTTL?.value, node.defaultTTL) { "\($0)" }
        case .secureNetworkBeacon:
            return value(settings.secureNetworkBeacon?.value, node.secureNetworkBeacon, ValueText.state)
        case .networkTransmit:
            return settings.networkTransmit.map { wanted in
                DeclaredResource(
                    text: .value(ValueText.transmit(wanted.value)),
                    agrees: wanted.value.isEquivalent(to: node.networkTransmit)
                )
            }
        case .friend: return value(settings.friend?.value, node.features.friend.isOn, ValueText.state)
        case .relay: return value(settings.relay?.value, node.features.relay.isOn, ValueText.state)
        case .relayRetransmit:
            return settings.relayRetransmit.map { wanted in
                DeclaredResource(
                    text: .value(ValueText.transmit(wanted.value)),
                    agrees: wanted.value.isEquivalent(to: node.relayRetransmit)
                )
            }
        case .proxy: return value(settings.proxy?.value, node.features.proxy.isOn, ValueText.state)
        case .state(let kind): return state(kind, node, names)
        case .bridging(let entry):
            guard let table = settings.bridgingTable?.value.compactMap(\.entry) else { return nil }
            let wanted = table.first(where: entry.isAbout)
            let observed = node.bridgingTable?.first(where: entry.isAbout)
            return DeclaredResource(
                text: .value(wanted.map { ValueText.direction($0.addresses.directions) }),
                agrees: wanted == observed
            )
        case .modelState(let address, let name): return modelState(name, of: address, node)
        }
    }

    private func modelState(_ name: String, of address: ModelAddress, _ node: Node) -> DeclaredResource? {
        guard let wanted = model(at: address)?.states.first(where: { $0.value.state.form.name == name })?.value else {
            return nil
        }
        let observed = node.model(at: address)?.state(named: name)
        return DeclaredResource(
            text: .value(wanted.text),
            agrees: observed.map { wanted.state.isShown(by: $0.status) } ?? false
        )
    }

    private func state(_ kind: FoundationState.Kind, _ node: Node, _ names: ResourceNames) -> DeclaredResource? {
        guard let wanted = settings.states.first(where: { $0.value.kind == kind })?.value else { return nil }
        return DeclaredResource(
            text: .value(ValueText.state(wanted, on: node, names: names)),
            agrees: wanted.value(on: node).map { $0.agrees(with: node.state(kind)) } ?? false
        )
    }

    /// The AppKeys that the node needs for its declared configuration, and those that it lists.
    private var neededAppKeys: Set<AppKeyIndex> {
        var keys = Set(settings.applicationKeys?.value ?? [])
        for model in models {
            keys.formUnion(model.bindings?.value ?? [])
            if let key = model.publicationKey { keys.insert(key) }
        }
        return keys
    }

    /// What is declared about a model; nil if nothing.
    func model(at address: ModelAddress) -> DesiredModel? {
        let index = models.place(of: address)
        return index < models.count && models[index].address == address ? models[index] : nil
    }

    private func publication(of address: ModelAddress, _ node: Node, _ names: ResourceNames) -> DeclaredResource? {
        guard let model = model(at: address), let declared = model.publication else { return nil }
        let observed = node.model(at: address)?.publication
        guard let wanted = declared.value else {
            return DeclaredResource(text: .value(nil), agrees: observed == nil)
        }
        let text = ValueText.publication(wanted, key: model.publicationKey, names: names)
        var agrees = false
        if let key = model.publicationKey, case .address(let target) = wanted.target, let observed {
            agrees = observed.isEquivalent(to: wanted.publication(to: target, key: key))
        }
        return DeclaredResource(text: .value(text), agrees: agrees)
    }

    private func thing(_ text: String, _ isWanted: Bool, _ isThere: Bool) -> DeclaredResource {
        DeclaredResource(text: .value(isWanted ? text : nil), agrees: isWanted == isThere)
    }

    private func value<Value: Equatable>(
        _ wanted: Value?,
        _ observed: Value?,
        _ text: (Value) -> String
    ) -> DeclaredResource? {
        wanted.map { DeclaredResource(text: .value(text($0)), agrees: $0 == observed) }
    }
}
