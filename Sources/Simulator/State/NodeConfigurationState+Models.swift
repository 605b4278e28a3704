import MeshCore

// These functions change the models of a Configuration Server. Their checks follow the order of the specification (Mesh
// Protocol 4.4.1.2). A request that would change nothing succeeds.

extension NodeConfigurationState {
    /// The position of a model in ``elements``.
    struct ModelPosition: Hashable {
        var element: Int
        var model: Int
    }

    /// Why a model cannot be accessed.
    struct Refusal: Error {
        var status: ConfigStatusCode
    }

    /// The model on the element with that address.
    func position(_ address: UnicastAddress, _ identifier: ModelIdentifier) throws(Refusal) -> ModelPosition {
        let element = Int(address.rawValue) - Int(self.address.rawValue)
        guard elements.indices.contains(element) else { throw Refusal(status: .invalidAddress) }
        guard let model = elements[element].models.firstIndex(where: { $0.identifier == identifier }) else {
            throw Refusal(status: .invalidModel)
        }
        return ModelPosition(element: element, model: model)
    }

    subscript(_ position: ModelPosition) -> Model {
        get { elements[position.element].models[position.model] }
        set { elements[position.element].models[position.model] = newValue }
    }

    mutating func bind(_ position: ModelPosition, _ key: AppKeyIndex, limit: Int) -> ConfigStatusCode {
        let model = self[position]
        if model.bindings.contains(key) { return .success }
        guard ModelCatalogue.model(model.identifier)?.supportsAppKeyBinding != false else { return .cannotBind }
        guard appKey(key) != nil else { return .invalidAppKeyIndex }
        guard model.bindings.count < limit else { return .insufficientResources }
        self[position].bindings = (model.bindings + [key]).sorted()
        return .success
    }

    /// Removes a binding. This also ends a publication that uses the key.
    mutating func unbind(_ position: ModelPosition, _ key: AppKeyIndex) -> ConfigStatusCode {
        guard appKey(key) != nil else { return .invalidAppKeyIndex }
        self[position].bindings.removeAll { $0 == key }
        if self[position].publication?.appKeyIndex == key { self[position].publication = nil }
        return .success
    }

    /// Sets a publication; nil ends it.
    mutating func publish(
        _ position: ModelPosition,
        _ publication: Publication?,
        labelLimit: Int
    ) -> ConfigStatusCode {
        let model = self[position]
        guard ModelCatalogue.model(model.identifier)?.supportsPublication != false else {
            return .invalidPublishParameters
        }
        guard let publication else {
            self[position].publication = nil
            return .success
        }
        guard model.bindings.contains(publication.appKeyIndex) else { return .invalidAppKeyIndex }
        if publication.usesFriendshipCredentials, !isLowPowerSupported { return .featureNotSupported }
        if case .virtual(let label) = publication.address, !hasRoom(for: label, limit: labelLimit) {
            return .insufficientResources
        }
        self[position].publication = publication
        return .success
    }

    mutating func subscribe(
        _ position: ModelPosition,
        _ address: SubscriptionAddress,
        limits: NodeLimits,
        shared: Bool
    ) -> ConfigStatusCode {
        guard canSubscribe(position) else { return .notASubscribeModel }
        let subscriptions = self[position].subscriptions
        if subscriptions.contains(address) { return .success }
        guard subscriptions.count < limits.subscriptionsPerModel else { return .insufficientResources }
        guard hasRoom(for: address, limits) else { return .insufficientResources }
        setSubscriptions((subscriptions + [address]).sorted(), position, shared: shared)
        return .success
    }

    mutating func unsubscribe(
        _ position: ModelPosition,
        _ address: SubscriptionAddress,
        shared: Bool
    ) -> ConfigStatusCode {
        guard canSubscribe(position) else { return .notASubscribeModel }
        setSubscriptions(self[position].subscriptions.filter { $0 != address }, position, shared: shared)
        return .success
    }

    /// Replaces all subscriptions with the given ones.
    mutating func overwriteSubscriptions(
        _ position: ModelPosition,
        _ addresses: [SubscriptionAddress],
        limits: NodeLimits,
        shared: Bool
    ) -> ConfigStatusCode {
        guard canSubscribe(position) else { return .notASubscribeModel }
        guard addresses.count <= limits.subscriptionsPerModel else { return .insufficientResources }
        let before = self
        setSubscriptions([], position, shared: shared)
        guard addresses.allSatisfy({ hasRoom(for: $0, limits) }) else {
            self = before
            return .insufficientResources
        }
        setSubscriptions(addresses, position, shared: shared)
        return .success
    }

    func canSubscribe(_ position: ModelPosition) -> Bool {
        ModelCatalogue.model(self[position].identifier)?.supportsSubscription != false
    }

    private mutating func setSubscriptions(_ list: [SubscriptionAddress], _ position: ModelPosition, shared: Bool) {
        self[position].subscriptions = list
        guard shared else { return }
        let models = elements[position.element].models.map(\.identifier)
        let groups = ModelRelations.extensionGroups(
            onElement: position.element,
            of: elements.map { $0.models.map(\.identifier) },
            page1: foundation.compositionPages[1]
        )
        guard let group = groups.first(where: { $0.contains(self[position].identifier) }) else { return }
        for model in models.indices where group.contains(models[model]) {
            elements[position.element].models[model].subscriptions = list
        }
    }

    private func hasRoom(for address: SubscriptionAddress, _ limits: NodeLimits) -> Bool {
        guard case .virtual(let label) = address else { return true }
        return hasRoom(for: label, limit: limits.labels)
    }

    private func hasRoom(for label: LabelUUID, limit: Int) -> Bool {
        let known = labels
        return known.contains(label) || known.count < limit
    }

    var labels: Set<LabelUUID> {
        var labels: Set<LabelUUID> = []
        for model in elements.flatMap(\.models) {
            for case .virtual(let label) in model.subscriptions { labels.insert(label) }
            if case .virtual(let label)? = model.publication?.address { labels.insert(label) }
        }
        return labels
    }
}
