package import MeshCore

/// What a node is to be, as far as that depends on what it is made of or on the addresses of nodes yet to be
/// provisioned: names bound to indexes and addresses, profiles merged, selectors expanded, and no secret in it.
///
/// It is lowered to steps when both are known, without the definition it comes from.
package struct DeferredConfiguration: Hashable, Sendable {
    /// The node.
    package var node: DeviceUUID
    /// Its name in the definition.
    package var name: String
    /// If not nil, only publications to this node are meant, which has an address by then; everything else of the node
    /// is the matter of other steps.
    package var target: DeviceUUID?
    /// The subnets it has beside those of its AppKeys, ascending: these and no others; nil if it keeps what it has.
    package var subnets: [NetKeyIndex]?
    /// The AppKeys it has beside those its models need, ascending: these and no others; nil if it keeps what it has.
    package var applicationKeys: [AppKeyIndex]?
    /// Which of its subnets it loses with this configuration, where ``subnets`` says that it loses some.
    package var subnetLosses = SubnetLosses.included
    /// The guards that may be passed, sorted, each once.
    package var allowed: [PlanGuard] = []
    /// A Default TTL with which only a GATT proxy can answer, so that it waits for whether the node is one.
    package var defaultTTL: UInt8?
    /// Relay on or off; nil is not managed, here and below.
    package var relay: Bool?
    /// Relay Retransmit.
    package var relayRetransmit: TransmitParameters?
    /// GATT proxy on or off.
    package var proxy: Bool?
    /// Friend on or off.
    package var friend: Bool?
    /// Of relay, proxy and friend those that are left out where the node lacks the feature, since they are asked of all
    /// nodes and not of this one.
    package var optionalFeatures: FeatureSet
    /// States of the foundation models, ascending by kind, one of each.
    package var states: [DeferredState]
    /// The entries of the bridging table: these and no others, or with a ``target`` those that name it; nil is not managed.
    package var bridges: [DesiredBridge]?
    /// Whether the entries are left out where the node is no bridge.
    package var areBridgesOptional = false
    /// The managed models that the definition declares for the node, each once, ascending by address.
    package var models: [DeferredModel]
    /// What rules for many nodes add to its models, in the order of the definition.
    package var rules: [ModelRule]

    /// A configuration that manages nothing.
    package init(node: DeviceUUID, name: String) {
        self.node = node
        self.name = name
        optionalFeatures = []
        states = []
        models = []
        rules = []
    }

    /// Whether everything that it says is meant, and not a part that comes after the rest.
    var isWhole: Bool { target == nil && subnetLosses != .alone }

    /// What it costs on air as far as that can be told from the declared models, for a node of which nothing is known.
    package var foreseenCost: MessageCost {
        var cost = MessageCost.zero
        // What else it says comes with the configuration before it.
        guard subnetLosses != .alone else { return cost }
        if let defaultTTL { cost += ConfigurationAction.setDefaultTTL(defaultTTL).cost }
        if relay == true { cost += ConfigurationAction.setRelay(true, relayRetransmit).cost }
        if proxy == true { cost += ConfigurationAction.setProxy(true).cost }
        if friend == true { cost += ConfigurationAction.setFriend(true).cost }
        // What awaits another node comes with a configuration of its own.
        for state in states where target != nil || !state.state.targets.contains(where: { $0.awaitedNode != nil }) {
            cost += state.foreseenCost
        }
        let count = bridges?.count { target != nil || $0.awaitedNodes.isEmpty } ?? 0
        for _ in 0..<count { cost += DesiredBridge.cost }
        for model in models { cost += model.foreseenCost(onlyTo: target) }
        return cost
    }

    /// Whether ``foreseenCost`` is all there will be if the node is what it is thought to be: rules apply to the models
    /// that the node has, and a feature that it lacks needs not be switched off.
    package var isCostExact: Bool {
        rules.isEmpty && relay != false && proxy != false && friend != false && optionalFeatures.isEmpty
            && !areBridgesOptional && states.allSatisfy { !$0.isOptional && !$0.state.isOff }
    }
}

/// When a node whose composition has to be read first loses subnets: what is sent to it may need them until everything
/// else is done, and so may other nodes, whose messages it turns out to carry.
package enum SubnetLosses: UInt8, Hashable, Sendable {
    /// With everything else of the configuration.
    case included = 0
    /// Later: another configuration of the same node is lowered to them when nobody needs them any more.
    case later = 1
    /// Now, and nothing else happens: the rest is there to tell which keys the node needs, and was lowered before.
    case alone = 2
}

/// A managed model of a node whose composition is not known; each of the three states is managed if present, and then
/// exactly so.
package struct DeferredModel: Hashable, Sendable {
    /// What is to become of a publication.
    package enum Publishing: Hashable, Sendable {
        /// It is not managed.
        case unmanaged
        /// The model does not publish.
        case off
        /// The model publishes so.
        case on(DesiredPublication)
    }

    /// Which model.
    package var address: ModelAddress
    /// The bound AppKeys, ascending.
    package var bindings: [AppKeyIndex]?
    /// The groups, ascending.
    package var subscriptions: [SubscriptionAddress]?
    /// Its publication.
    package var publication: Publishing

    /// A model of which that is managed.
    package init(
        address: ModelAddress,
        bindings: [AppKeyIndex]? = nil,
        subscriptions: [SubscriptionAddress]? = nil,
        publication: Publishing = .unmanaged
    ) {
        self.address = address
        self.bindings = bindings
        self.subscriptions = subscriptions
        self.publication = publication
    }

    /// What it costs to bring the model of a new node there, or only its publication to one node.
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
        return cost
    }
}

extension DesiredPublication {
    /// An address that takes as much room as the true one: a unicast address takes that of a group address.
    var sampleAddress: PublishAddress {
        if case .address(let address) = target { address } else { .group(.allNodes) }
    }
}

/// What a rule of the definition adds to the models of one node.
package struct ModelRule: Hashable, Sendable {
    /// What it does to a model.
    package enum Effect: Hashable, Sendable {
        /// Adds groups, ascending, to every model of that kind.
        case subscribe([SubscriptionAddress])
        /// Sets the publication of the first model of that kind.
        case publish(DesiredPublication)
    }

    /// Which models.
    package var model: ModelIdentifier
    /// On which element; nil for any.
    package var element: UInt8?
    /// Whether the rule names the node, so that the node must have the model.
    package var isRequired: Bool
    /// What it does.
    package var effect: Effect

    /// A rule with those parts.
    package init(model: ModelIdentifier, element: UInt8?, isRequired: Bool, effect: Effect) {
        self.model = model
        self.element = element
        self.isRequired = isRequired
        self.effect = effect
    }

    /// The node to which it publishes and which has no address yet, if there is one.
    package var awaitedNode: DeviceUUID? {
        if case .publish(let publication) = effect { return publication.awaitedNode }
        return nil
    }
}
