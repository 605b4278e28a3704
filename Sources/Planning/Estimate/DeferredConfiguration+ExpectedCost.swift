import MeshCore

extension DeferredConfiguration {
    /// What it will probably cost on air, for a node of which nothing is known: what is foreseen, and what depends on
    /// its composition as it comes out for stock firmware.
    ///
    /// Stock firmware has relay and GATT proxy on and no Friend feature, so that switching the first two off takes a
    /// message each. A rule finds each model that the definition declares on the node, else one.
    package var expectedCost: MessageCost {
        var cost = foreseenCost
        guard target == nil, subnetLosses != .alone else { return cost }
        if relay == false { cost += ConfigurationAction.setRelay(false, relayRetransmit).cost }
        if proxy == false { cost += ConfigurationAction.setProxy(false).cost }
        for rule in rules { cost += expectedCost(of: rule) }
        return cost
    }

    /// Whether rules name models that the definition does not declare on the node: it may have none of them or many.
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
        }
        return cost
    }
}
