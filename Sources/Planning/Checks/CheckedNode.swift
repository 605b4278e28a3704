import DefinitionModel
import MeshCore

/// What checks ask of one node: what the definition gives it, after profiles, defaults and rules.
struct CheckedNode {
    let desired: DesiredNode
    /// Its record, if its composition is known.
    let recorded: Node?

    init(_ desired: DesiredNode, in network: MeshNetwork) {
        self.desired = desired
        if case .recorded(let index) = desired.origin, network.nodes[index].isCompositionKnown {
            recorded = network.nodes[index]
        } else {
            recorded = nil
        }
    }

    /// Whether it has a model. While nobody has read its composition, it has what the definition declares.
    func has(_ model: ModelIdentifier) -> Bool {
        if let recorded { return !recorded.elements(with: model, on: nil).isEmpty }
        return desired.models.contains { $0.address.model == model } || desired.rules.contains { $0.model == model }
    }

    /// Whether a key is bound to a model; nil for any model.
    func binds(_ key: AppKeyIndex, to model: ModelIdentifier?) -> Bool {
        models(model).contains { $0.bindings?.value.contains(key) == true || $0.publicationKey == key }
            || rules(model).contains {
                if case .publish(let publication) = $0.effect { publication.key == key } else { false }
            }
    }

    /// Whether a model subscribes to a group; nil for any model.
    func subscribes(to group: SubscriptionAddress, with model: ModelIdentifier?) -> Bool {
        models(model).contains { $0.subscriptions?.value.contains(group) == true }
            || rules(model).contains {
                if case .subscribe(let groups) = $0.effect { groups.contains(group) } else { false }
            }
    }

    /// Whether a model publishes to a group; nil for any model.
    func publishes(to group: SubscriptionAddress, with model: ModelIdentifier?) -> Bool {
        models(model).contains { $0.publication?.value?.target.isGroup(group) == true }
            || rules(model).contains {
                if case .publish(let publication) = $0.effect { publication.target.isGroup(group) } else { false }
            }
    }

    private func models(_ model: ModelIdentifier?) -> some Sequence<DesiredModel> {
        desired.models.lazy.filter { model == nil || $0.address.model == model }
    }

    private func rules(_ model: ModelIdentifier?) -> some Sequence<ModelRule> {
        desired.rules.lazy.filter { model == nil || $0.model == model }
    }
}

extension DesiredPublication.Target {
    func isGroup(_ group: SubscriptionAddress) -> Bool {
        switch (self, group) {
        case (.address(.group(let own)), .group(let other)): own == other
        case (.address(.virtual(let own)), .virtual(let other)): own == other
        default: false
        }
    }
}
