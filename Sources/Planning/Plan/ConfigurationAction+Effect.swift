package import MeshCore

extension Node {
    /// Records the effect of an action that the node has answered with success, including what the node removes by
    /// itself (Mesh Protocol 4.4.1.2).
    ///
    /// The effect is idempotent. Composition data comes with the answer and is recorded by ``Node/record(_:)``; reading
    /// it changes nothing here. A Relay Set that kept the node's retransmit value leaves the recorded one unchanged.
    /// What a definition has asked for is managed from now on.
    ///
    /// - Parameters:
    ///   - appKeys: the network's AppKeys, which show what is deleted with a NetKey.
    ///   - sharing: the models that share one subscription list, so that a change of one changes all.
    package mutating func apply(
        _ action: ConfigurationAction,
        appKeys: [AppKey],
        sharing: SharedLists = .unknown
    ) {
        switch action {
        case .readComposition, .read: break
        case .addNetKey(let index): netKeys.insert(index)
        case .deleteNetKey(let index): remove(index, appKeys: appKeys)
        case .addAppKey(let index, boundTo: _): self.appKeys.insert(index)
        case .deleteAppKey(let index, boundTo: _): remove(index)
        case .bind(let address, let index): update(address) { $0.bind(index) }
        case .unbind(let address, let index): update(address) { $0.unbind(index) }
        case .addSubscription(let address, let group): updateList(address, sharing) { $0.subscribe(to: group) }
        case .deleteSubscription(let address, let group): updateList(address, sharing) { $0.unsubscribe(from: group) }
        case .overwriteSubscriptions(let address, let group):
            updateList(address, sharing) { $0.setSubscriptions([group]) }
        case .deleteAllSubscriptions(let address): updateList(address, sharing) { $0.setSubscriptions([]) }
        case .setPublication(let address, let publication):
            update(address) {
                $0.publication = publication
                $0.isPublicationManaged = publication != nil
            }
        case .setDefaultTTL(let ttl): defaultTTL = ttl
        case .setSecureNetworkBeacon(let isOn): secureNetworkBeacon = isOn
        case .setRelay(let isOn, let retransmit):
            features.relay = isOn ? .enabled : .disabled
            if let retransmit { relayRetransmit = retransmit }
        case .setProxy(let isOn): setProxy(isOn)
        case .setFriend(let isOn): features.friend = isOn ? .enabled : .disabled
        case .setNetworkTransmit(let parameters): networkTransmit = parameters
        case .resetNode: forgetNetwork()
        case .set(let state):
            record(state)
            // Open Node Identity advertising in one subnet ends the private one in all subnets (1.1, 4.2.46.1).
            if case .nodeIdentity(_, .running) = state {
                for subnet in netKeys { forgetState(.privateNodeIdentity(subnet.index)) }
            }
        case .setModelState(let set):
            update(set.model) { $0.record(set) }
        case .holdState(let request): if !request.state.status.isEmpty { hold(request.state) }
        case .setBriefly: break
        case .restoreState(let request): release(request.state)
        case .addBridging(let entry): recordBridging(entry)
        case .removeBridging(let entry): removeBridging(entry)
        case .removeAllBridging(let subnets): removeBridging(between: subnets)
        case .updateNetKey(let index): confirm(.updated, of: index)
        case .updateAppKey(let index, boundTo: _): confirmUpdate(of: index)
        case .setKeyRefreshPhase(let index, .useNewKeys): confirm(.usingNewKey, of: index)
        case .setKeyRefreshPhase(let index, .revokeOldKeys): confirm(.revoked, of: index)
        }
    }

    /// A node that was reset has no keys, and none of the states that came with them (Mesh Protocol 3.11.7). Removing
    /// it from the list of nodes, with its addresses, is up to the network.
    private mutating func forgetNetwork() {
        isManaged = false
        netKeys = []
        appKeys = []
        features = Features()
        secureNetworkBeacon = nil
        defaultTTL = nil
        networkTransmit = nil
        relayRetransmit = nil
        states = []
        held = []
        bridgingTable = nil
        for element in elements.indices {
            for model in elements[element].models.indices {
                let identifier = elements[element].models[model].identifier
                elements[element].models[model] = Model(identifier: identifier)
            }
        }
    }

    /// The open and the private proxy cannot be on at the same time (1.1, 4.2.45.1).
    private mutating func setProxy(_ isOn: Bool) {
        features.proxy = isOn ? .enabled : .disabled
        if isOn, state(.privateGATTProxy) == .privateGATTProxy(.enabled) { record(.privateGATTProxy(.disabled)) }
    }

    /// Deleting a NetKey deletes its AppKeys (Mesh Protocol 4.4.1.2, NetKey List).
    private mutating func remove(_ index: NetKeyIndex, appKeys: [AppKey]) {
        netKeys.removeAll { $0.index == index }
        forgetStates(of: index)
        for appKey in appKeys where appKey.boundNetKey == index { remove(appKey.index) }
    }

    /// Removes a key from the record that is no longer a key of the network.
    package mutating func forget(_ resource: NetworkResource) {
        switch resource {
        case .netKey(let index): netKeys.removeAll { $0.index == index }
        case .appKey(let index): remove(index)
        case .group: break
        }
    }

    /// Deleting an AppKey ends its bindings and publications (Mesh Protocol 4.4.1.2, AppKey List).
    private mutating func remove(_ index: AppKeyIndex) {
        guard knows(index) else { return }
        appKeys.removeAll { $0.index == index }
        for element in elements.indices {
            for model in elements[element].models.indices { elements[element].models[model].unbind(index) }
        }
    }

    /// Changes the subscription list of a model, and of all models that share it.
    private mutating func updateList(
        _ address: ModelAddress,
        _ sharing: SharedLists,
        _ change: (inout Model) -> Void
    ) {
        for model in sharing.models(sharingListOf: address) {
            update(ModelAddress(element: address.element, model: model), change)
        }
    }

    private mutating func update(_ address: ModelAddress, _ change: (inout Model) -> Void) {
        let element = Int(address.element)
        guard elements.indices.contains(element),
            let model = elements[element].models.firstIndex(where: { $0.identifier == address.model })
        else { return }
        change(&elements[element].models[model])
    }
}

extension Model {
    /// Unbinding a key ends a publication that uses it (Mesh Protocol 4.4.1.2, Model to AppKey List).
    fileprivate mutating func unbind(_ index: AppKeyIndex) {
        bindings.removeAll { $0 == index }
        managedBindings.removeAll { $0 == index }
        if publication?.appKeyIndex == index { endPublication() }
    }

    /// The model does not publish any more. What does not publish has nothing that a definition could have asked for.
    mutating func endPublication() {
        publication = nil
        isPublicationManaged = false
    }

    /// Without an answer, the state has the value already, or this is a look ahead.
    fileprivate mutating func record(_ set: ModelStateSet) {
        guard !set.state.isRemoval else { return forgetState(named: set.state.form.name) }
        let known = state(named: set.state.form.name)
        if set.status == nil, let known, set.state.isShown(by: known.status) { return }
        record(
            KnownModelState(
                form: set.state.form,
                status: set.status ?? set.state.expected.octets,
                mask: set.state.expected.mask
            )
        )
    }

    fileprivate mutating func bind(_ index: AppKeyIndex) {
        bindings.insertSorted(index)
        managedBindings.insertSorted(index)
    }

    fileprivate mutating func subscribe(to group: SubscriptionAddress) {
        subscriptions.insertSorted(group)
        managedSubscriptions.insertSorted(group)
    }

    fileprivate mutating func unsubscribe(from group: SubscriptionAddress) {
        subscriptions.removeAll { $0 == group }
        managedSubscriptions.removeAll { $0 == group }
    }

    fileprivate mutating func setSubscriptions(_ list: [SubscriptionAddress]) {
        subscriptions = list
        managedSubscriptions = list
    }
}

extension Array {
    fileprivate mutating func insert<Index>(_ index: Index) where Element == NodeKey<Index> {
        guard !contains(where: { $0.index == index }) else { return }
        let place = firstIndex { $0.index > index } ?? endIndex
        insert(NodeKey(index: index), at: place)
    }
}
