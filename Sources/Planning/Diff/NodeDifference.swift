internal import MeshCore

/// A value that is there, nil if unknown or none, and the one that is wanted.
struct ValueDifference<Value> {
    var before: Value?
    var after: Value
}

/// Everything in which one node differs from the definition; what agrees is empty or nil.
struct NodeDifference {
    /// What the node is made from.
    var origin: DesiredNode.Origin
    var name: String
    /// Its name, its protection and what becomes of it in the end, if it is to be managed or any of these changes.
    var management: Management?
    var readsComposition = false
    /// What waits for the composition.
    var deferred: DeferredConfiguration?
    /// Keys of a node whose composition is not known that it is to lose, as far as that is known.
    var deferredNetKeys: [NetKeyIndex] = []
    var deferredAppKeys: [AppKeyIndex] = []
    var addedNetKeys: [NetKeyIndex] = []
    var deletedNetKeys: [NetKeyIndex] = []
    var addedAppKeys: [AppKeyIndex] = []
    /// All AppKeys that the node is to lose, those that go with a NetKey included.
    var deletedAppKeys: [AppKeyIndex] = []
    var models: [ModelDifference] = []
    var defaultTTL: ValueDifference<UInt8>?
    var secureNetworkBeacon: ValueDifference<Bool>?
    var networkTransmit: ValueDifference<TransmitParameters>?
    var relay: ValueDifference<Bool>?
    var relayRetransmit: ValueDifference<TransmitParameters>?
    /// What Config Relay Set carries if either of the two above differs; a nil retransmit keeps the node's.
    var relaySetting: (isOn: Bool, retransmit: TransmitParameters?)?
    var proxy: ValueDifference<Bool>?
    var friend: ValueDifference<Bool>?
    /// States of the foundation models, by kind.
    var states: [ValueDifference<FoundationState>] = []
    /// Entries of the bridging table.
    var bridges: [BridgeDifference] = []
    /// States and entries that wait for the addresses of nodes yet to be provisioned.
    var awaitedStates: [DesiredFoundationState] = []
    var awaitedBridges: [DesiredBridge] = []
    /// How many entries lists of the node have room for, as far as its product has shown.
    var rooms: [ListCapacity.List: Int] = [:]
    /// What is left out for now, since devices that are to become nodes have to be there first.
    var waiting: [WaitingChange] = []
    /// What is to be found out of lists that models share.
    var inquiries: [ListInquiry] = []

    /// What the database records of a node beside its configuration.
    struct Management: Equatable {
        var name: String
        var isProtected: Bool
        var removalPolicy: RemovalPolicy
    }

    /// The order if the node is to be provisioned.
    var order: ProvisioningOrder? {
        if case .device(let order, _) = origin { return order }
        return nil
    }

    /// The node as it is before its configuration.
    func baseline(in network: MeshNetwork) -> Node { origin.baseline(in: network) }

    /// Whether a message has to be sent.
    var needsMessages: Bool {
        readsComposition || !addedNetKeys.isEmpty || !deletedNetKeys.isEmpty || !addedAppKeys.isEmpty
            || !deletedAppKeys.isEmpty || !models.isEmpty || defaultTTL != nil || secureNetworkBeacon != nil
            || networkTransmit != nil || relaySetting != nil || proxy != nil || friend != nil || !states.isEmpty
            || !bridges.isEmpty || !awaitedStates.isEmpty || !awaitedBridges.isEmpty
    }

    /// Whether anything differs.
    var isEmpty: Bool { management == nil && !needsMessages }
}

extension NodeDifference.Management {
    /// What is recorded of a node.
    init(_ node: Node) {
        self.init(name: node.name, isProtected: node.isProtected, removalPolicy: node.removalPolicy)
    }
}

/// Everything in which one model differs.
struct ModelDifference {
    var address: ModelAddress
    var boundKeys: [AppKeyIndex] = []
    /// Keys to be unbound, those that go with an AppKey of the node not included.
    var unboundKeys: [AppKeyIndex] = []
    /// Bindings that go with an AppKey of the node.
    var lostBindings: [AppKeyIndex] = []
    /// The recorded and the wanted list, if they differ; both sorted.
    var subscriptions: (existing: [SubscriptionAddress], target: [SubscriptionAddress])?
    /// Whether what is in neither list, since nobody knows of it, is to stay: messages that clear the whole list are
    /// left out then.
    var keepsUnknownSubscriptions = false
    /// How many entries its subscription list has room for, nil if nobody knows.
    var room: Int?
    /// The recorded list and what it becomes by what is done to a model that shares it, without a message of its own.
    var impliedSubscriptions: (existing: [SubscriptionAddress], target: [SubscriptionAddress])?
    var publication: PublicationDifference?
    /// A publication that waits for the address of a node yet to be provisioned, with its key.
    var awaited: AwaitedPublication?

    var isEmpty: Bool {
        boundKeys.isEmpty && unboundKeys.isEmpty && lostBindings.isEmpty && subscriptions == nil && publication == nil
            && awaited == nil && impliedSubscriptions == nil
    }
}

/// A publication to a node that is yet to be provisioned.
struct AwaitedPublication {
    /// The node it goes to.
    var node: DeviceUUID
    var before: Publication?
    /// With its key.
    var after: DesiredPublication
}

/// A publication that changes.
struct PublicationDifference {
    var before: Publication?
    var after: Publication?
    /// Whether it ends because its key is unbound or deleted, without a message of its own.
    var isImplied: Bool
}
