import MeshCore

extension NodeExplainer {
    /// What the database knows about the node's configuration and the definition does not mention, in the order of
    /// plans.
    func undeclared() -> [UndeclaredValue] {
        var values: [UndeclaredValue] = []
        func add(_ resource: NodeResource, of model: ModelAddress? = nil, isDropped: Bool = false) {
            guard !isNeeded(resource),
                desired.declaration(of: resource, observed: node, names, explainer.boundNetKeys) == nil,
                let text = resource.text(of: node, names)
            else { return }
            values.append(
                UndeclaredValue(
                    model: model,
                    modelPath: model?.path(names),
                    path: resource.path(names),
                    value: text,
                    isDropped: isDropped
                )
            )
        }
        let leaving = explainer.state.leaving
        for key in node.netKeys { add(.netKey(key.index), isDropped: leaving.netKeys.contains(key.index)) }
        for key in node.appKeys { add(.appKey(key.index), isDropped: leaving.appKeys.contains(key.index)) }
        let states: [NodeResource] = [
            .defaultTTL, .secureNetworkBeacon, .networkTransmit, .relay, .relayRetransmit, .proxy, .friend,
        ]
        for resource in states { add(resource) }
        for state in node.states { add(.state(state.kind)) }
        for entry in node.bridgingTable ?? [] { add(.bridging(entry)) }
        for (index, element) in node.elements.enumerated() {
            guard let index = UInt8(exactly: index) else { break }
            for model in element.models {
                let address = ModelAddress(element: index, model: model.identifier)
                // A binding that somebody else's publication uses stays.
                let isForeign = desired.model(at: address)?.publication == nil && !model.isPublicationManaged
                let used = isForeign ? model.publication?.appKeyIndex : nil
                for key in model.bindings {
                    add(
                        .binding(address, key),
                        of: address,
                        isDropped: model.managedBindings.contains(key) && key != used
                    )
                }
                for group in model.subscriptions {
                    add(
                        .subscription(address, group),
                        of: address,
                        isDropped: model.managedSubscriptions.contains(group)
                    )
                }
                add(.publication(address), of: address, isDropped: model.isPublicationManaged)
                for state in model.states { add(.modelState(address, state.form.name), of: address) }
            }
        }
        return values
    }
    /// Whether something declared needs the resource, although no list contains it.
    private func isNeeded(_ resource: NodeResource) -> Bool {
        switch resource {
        case .netKey(let index): netKeyNeeds[index] != nil
        case .appKey(let index): appKeyNeeds[index] != nil
        case .binding(let address, _):
            desired.model(at: address)?.bindings == nil && stateAddresses.contains(address)
        default: false
        }
    }

    /// The models through which declared states are set and read, which get a key for that.
    private var stateAddresses: Set<ModelAddress> {
        Set(desired.models.filter { !$0.states.isEmpty }.flatMap(\.stateFamilies).flatMap(\.addresses))
    }
}
