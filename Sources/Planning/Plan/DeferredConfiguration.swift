package import MeshCore

/// The desired configuration of a node that depends on its composition or on the addresses of nodes that are not
/// provisioned yet. Names are bound to indexes and addresses, profiles are merged, selectors are expanded, and it holds
/// no secret.
///
/// It is lowered to steps when both are known, without the definition that it comes from.
package struct DeferredConfiguration: Hashable, Sendable {
    package var node: DeviceUUID
    package var name: String
    /// If set, only publications to this node are meant, which has an address by then. Other steps handle the rest of
    /// the configuration.
    package var target: DeviceUUID?
    /// Exactly the subnets that it has beside those of its AppKeys, ascending; nil to keep what it has.
    package var subnets: [NetKeyIndex]?
    /// Exactly the AppKeys that it has beside those its models need, ascending; nil to keep what it has.
    package var applicationKeys: [AppKeyIndex]?
    /// Whether this configuration removes subnets that ``subnets`` does not list.
    package var subnetLosses = SubnetLosses.included
    /// The guards that the plan may pass, sorted, each once.
    package var allowed: [PlanGuard] = []
    /// A Default TTL with which only a GATT proxy can answer. So it waits until it is known whether the node is one.
    package var defaultTTL: UInt8?
    /// Relay on or off; nil if not managed, here and below.
    package var relay: Bool?
    package var relayRetransmit: TransmitParameters?
    /// GATT proxy on or off.
    package var proxy: Bool?
    package var friend: Bool?
    /// The features among relay, proxy and friend that are left out if the node lacks them, because a default for many
    /// nodes asks for them.
    package var optionalFeatures: FeatureSet
    /// States of the foundation models, ascending by kind, one of each.
    package var states: [DeferredState]
    /// Exactly the entries of the bridging table, or with a ``target`` those that name it; nil if not managed.
    package var bridges: [DesiredBridge]?
    /// Whether to leave the entries out if the node is not a bridge.
    package var areBridgesOptional = false
    /// The managed models that the definition declares for the node, each once, ascending by address.
    package var models: [DeferredModel]
    /// What rules for many nodes add to its models, in the order of the definition.
    package var rules: [ModelRule]
    /// The names that files give to its models, so that the changes are called as in the plan.
    package var modelNames: [NamedModel] = []

    package init(node: DeviceUUID, name: String) {
        self.node = node
        self.name = name
        optionalFeatures = []
        states = []
        models = []
        rules = []
    }

    /// Whether it is the whole configuration, not a part that comes after the rest.
    var isWhole: Bool { target == nil && subnetLosses != .alone }

    /// The cost on air for a node about which nothing is known, as far as the declared models show it.
    package var foreseenCost: MessageCost {
        var cost = MessageCost.zero
        // The configuration before this one contains the cost of the rest.
        guard subnetLosses != .alone else { return cost }
        if let defaultTTL { cost += ConfigurationAction.setDefaultTTL(defaultTTL).cost }
        if relay == true { cost += ConfigurationAction.setRelay(true, relayRetransmit).cost }
        if proxy == true { cost += ConfigurationAction.setProxy(true).cost }
        if friend == true { cost += ConfigurationAction.setFriend(true).cost }
        // What waits for another node has a configuration of its own.
        for state in states where target != nil || !state.state.targets.contains(where: { $0.awaitedNode != nil }) {
            cost += state.foreseenCost
        }
        let count = bridges?.count { target != nil || $0.awaitedNodes.isEmpty } ?? 0
        for _ in 0..<count { cost += DesiredBridge.cost }
        for index in models.indices { cost += models[index].foreseenCost(onlyTo: target) }
        for address in modelsWithImpliedKey { cost += ConfigurationAction.bind(address, AppKeyIndex.first).cost }
        return cost
    }

    /// The models through which states are set or read and for which the definition names no key, ascending. They get
    /// the key of a model beside them.
    private var modelsWithImpliedKey: [ModelAddress] {
        guard target == nil else { return [] }
        var addresses: Set<ModelAddress> = []
        guard models.indices.contains(where: { !models[$0].states.isEmpty }) else { return [] }
        for model in models where !model.states.isEmpty {
            addresses.insert(model.address)
            for state in model.states {
                addresses.insert(ModelAddress(element: model.address.element, model: state.state.form.setServer))
            }
        }
        for model in models where !(model.bindings ?? []).isEmpty { addresses.remove(model.address) }
        for case let (address, .on(publication)) in models.map({ ($0.address, $0.publication) })
        where publication.key != nil {
            addresses.remove(address)
        }
        return addresses.sorted()
    }

    /// Whether ``foreseenCost`` is the whole cost if the node is as expected. It is not with rules, which apply to the
    /// models that the node has, and with features to switch off, because the node may lack them.
    package var isCostExact: Bool {
        rules.isEmpty && relay != false && proxy != false && friend != false && optionalFeatures.isEmpty
            && !areBridgesOptional && states.allSatisfy { !$0.isOptional && !$0.state.isOff }
    }
}

/// When a node whose composition must be read first loses subnets. Messages to the node may need the subnets until
/// everything else is done. So may other nodes, if the node turns out to carry their messages.
package enum SubnetLosses: UInt8, Hashable, Sendable {
    /// With everything else of the configuration.
    case included = 0
    /// Later: another configuration of the same node is lowered to the losses when nobody needs the subnets any more.
    case later = 1
    /// Now, and nothing else happens. The rest was lowered before; it is only there to show which keys the node needs.
    case alone = 2
}

/// A managed model of a node with an unknown composition. Its bindings, subscriptions and publication
/// are managed if present, and then completely.
package struct DeferredModel: Hashable, Sendable {
    /// The desired publication.
    package enum Publishing: Hashable, Sendable {
        case unmanaged
        case off
        case on(DesiredPublication)
    }

    package var address: ModelAddress
    /// The bound AppKeys, ascending.
    package var bindings: [AppKeyIndex]?
    /// The groups, ascending.
    package var subscriptions: [SubscriptionAddress]?
    package var publication: Publishing
    /// The states that it reports, in the order of their forms.
    package var states: [DesiredModelState]

    package init(
        address: ModelAddress,
        bindings: [AppKeyIndex]? = nil,
        subscriptions: [SubscriptionAddress]? = nil,
        publication: Publishing = .unmanaged,
        states: [DesiredModelState] = []
    ) {
        self.address = address
        self.bindings = bindings
        self.subscriptions = subscriptions
        self.publication = publication
        self.states = states
    }

    /// The cost to configure the model of a new node, or only its publication to one node.
    func foreseenCost(onlyTo target: DeviceUUID?) -> MessageCost {
        var cost = MessageCost.zero
        var keys = bindings ?? []
        if case .on(let publication) = publication, let key = publication.key ?? bindings?.first {
            keys.insertSorted(key)
            if publication.awaitedNode == target {
                let action = ConfigurationAction.setPublication(
                    address,
                    publication.publication(to: publication.sampleAddress, key: key)
                )
                cost += action.cost
            }
        }
        guard target == nil else { return cost }
        for key in keys { cost += ConfigurationAction.bind(address, key).cost }
        for group in subscriptions ?? [] { cost += ConfigurationAction.addSubscription(address, group).cost }
        let key = AppKeyIndex.first
        for state in states {
            cost += ModelStateSet(state.state, of: address, key: key, readingKey: key).cost
            for part in state.state.contents {
                cost += ModelStateSet(part.state, of: part.model, key: key, readingKey: key).cost
                let held = HeldState(model: part.model, form: part.state.form)
                let request = HeldStateRequest(held, key: key, readingKey: key)
                cost += request.readingCost + request.restoringCost
            }
        }
        return cost
    }
}

extension DesiredPublication {
    /// An address of the same length as the true one; a group address stands in for a unicast address.
    var sampleAddress: PublishAddress {
        if case .address(let address) = target { address } else { .group(.allNodes) }
    }
}

/// What a rule of the definition adds to the models of one node.
package struct ModelRule: Hashable, Sendable {
    /// The effect of a rule on a model.
    package enum Effect: Hashable, Sendable {
        /// Adds groups, ascending, to every model of that kind.
        case subscribe([SubscriptionAddress])
        /// Sets the publication of the first model of that kind.
        case publish(DesiredPublication)
        /// Sets a state of every model of that kind, except where the node's own models have the state already.
        case state(DesiredModelState)
    }

    package var model: ModelIdentifier
    /// The element; nil for any.
    package var element: UInt8?
    /// Whether the rule names the node, so that the node must have the model.
    package var isRequired: Bool
    package var effect: Effect

    package init(model: ModelIdentifier, element: UInt8?, isRequired: Bool, effect: Effect) {
        self.model = model
        self.element = element
        self.isRequired = isRequired
        self.effect = effect
    }

    /// The target node, if it has no address yet; otherwise nil.
    package var awaitedNode: DeviceUUID? {
        if case .publish(let publication) = effect { return publication.awaitedNode }
        return nil
    }
}
