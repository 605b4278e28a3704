import MeshCore

extension DeferredConfiguration {
    /// The messages that it will probably take. Nothing is known of the node, so this assumes stock firmware wherever
    /// the cost depends on its composition.
    ///
    /// Stock firmware has relay and GATT proxy on and no Friend feature. Switching one of the first two off takes a
    /// message. A rule applies to each model that the definition declares on the node, or to one model if it declares
    /// none.
    package var expectedCost: MessageCost {
        var cost = foreseenCost
        guard target == nil, subnetLosses != .alone else { return cost }
        if relay == false { cost += ConfigurationAction.setRelay(false, relayRetransmit).cost }
        if proxy == false { cost += ConfigurationAction.setProxy(false).cost }
        for rule in rules { cost += expectedCost(of: rule) }
        return cost
    }

    /// Whether rules name models that the definition does not declare on the node. The node may have none or many.
    var hasRulesForUndeclaredModels: Bool {
        rules.contains { places(of: $0).isEmpty }
    }

    private func places(of rule: ModelRule) -> [DeferredModel] {
        models.filter { model in
            model.address.model == rule.model && (rule.element.map { $0 == model.address.element } ?? true)
        }
    }

    private func expectedCost(of rule: ModelRule) -> MessageCost {
        let declared = places(of: rule)
        let undeclared = DeferredModel(address: ModelAddress(element: rule.element ?? 0, model: rule.model))
        var cost = MessageCost.zero
        switch rule.effect {
        case .subscribe(let groups):
            for model in declared.isEmpty ? [undeclared] : declared {
                for group in groups where !(model.subscriptions ?? []).contains(group) {
                    cost += ConfigurationAction.addSubscription(model.address, group).cost
                }
            }
        case .publish(let publication):
            let model = declared.first ?? undeclared
            guard publication.awaitedNode == nil, let key = publication.key ?? model.bindings?.first else { break }
            if !(model.bindings ?? []).contains(key) { cost += ConfigurationAction.bind(model.address, key).cost }
            let known = publication.publication(to: publication.sampleAddress, key: key)
            cost += ConfigurationAction.setPublication(model.address, known).cost
        case .state(let state):
            let key = AppKeyIndex.first
            for model in declared.isEmpty ? [undeclared] : declared
            where !model.states.contains(where: { $0.state.form.name == state.state.form.name }) {
                cost += ModelStateSet(state.state, of: model.address, key: key, readingKey: key).cost
            }
        }
        return cost
    }
}
