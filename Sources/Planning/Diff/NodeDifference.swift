import DefinitionModel
import MeshCore

/// A present value (nil if unknown or none), and the desired one.
struct ValueDifference<Value> {
    var before: Value?
    var after: Value
}

/// Everything in which one node differs from the definition. What agrees is empty or nil.
struct NodeDifference {
    var origin: DesiredNode.Origin
    var name: String
    /// Its name, its protection and how it will leave; nil if the node is managed already and none of these changes.
    var management: Management?
    var readsComposition = false
    var deferred: DeferredConfiguration?
    /// What that will be if the node is made as expected, without what need not wait; none if nothing waits. A list,
    /// because no value can contain one of its kind.
    var expected: [NodeDifference] = []
    /// The NetKeys that the node loses, as far as known while its composition is not.
    var deferredNetKeys: [NetKeyIndex] = []
    var addedNetKeys: [NetKeyIndex] = []
    var deletedNetKeys: [NetKeyIndex] = []
    var addedAppKeys: [AppKeyIndex] = []
    /// All AppKeys that the node loses, including those deleted with a NetKey.
    var deletedAppKeys: [AppKeyIndex] = []
    var models: [ModelDifference] = []
    var defaultTTL: ValueDifference<UInt8>?
    var secureNetworkBeacon: ValueDifference<Bool>?
    var networkTransmit: ValueDifference<TransmitParameters>?
    var relay: ValueDifference<Bool>?
    var relayRetransmit: ValueDifference<TransmitParameters>?
    /// The content of Config Relay Set, if either of the two above differs; with a nil retransmit the node keeps its
    /// value.
    var relaySetting: (isOn: Bool, retransmit: TransmitParameters?)?
    var proxy: ValueDifference<Bool>?
    var friend: ValueDifference<Bool>?
    /// States of the foundation models, by kind.
    var states: [ValueDifference<FoundationState>] = []
    var bridges: [BridgeDifference] = []
    /// States and entries that wait for the addresses of nodes that are not provisioned yet.
    var awaitedStates: [DesiredFoundationState] = []
    var awaitedBridges: [DesiredBridge] = []
    /// How many entries each list of the node has room for, as far as its product has shown.
    var rooms: [ListCapacity.List: Int] = [:]
    /// What only a later plan does: no relay, proxy or member of a subnet gives up its role before the devices that
    /// take it over have become nodes.
    var waiting: [WaitingChange] = []
    /// What to read before values are set for a moment, and what to restore afterwards.
    var holding: [HeldStateRequest] = []
    var restoring: [HeldStateRequest] = []
    /// What must be found out about lists that models share.
    var inquiries: [ListInquiry] = []

    /// What the database records about a node beside its configuration.
    struct Management: Equatable {
        var name: String
        var isProtected: Bool
        var removalPolicy: RemovalPolicy
    }

    /// The order, if the node must be provisioned.
    var order: ProvisioningOrder? {
        if case .device(let order, _) = origin { return order }
        return nil
    }

    /// The node before its configuration.
    func baseline(in network: MeshNetwork) -> Node { origin.baseline(in: network) }

    var needsMessages: Bool {
        readsComposition || !addedNetKeys.isEmpty || !deletedNetKeys.isEmpty || !addedAppKeys.isEmpty
            || !deletedAppKeys.isEmpty || !models.isEmpty || defaultTTL != nil || secureNetworkBeacon != nil
            || networkTransmit != nil || relaySetting != nil || proxy != nil || friend != nil || !states.isEmpty
            || !bridges.isEmpty || !awaitedStates.isEmpty || !awaitedBridges.isEmpty || !restoring.isEmpty
    }

    var isEmpty: Bool { management == nil && !needsMessages }
}

extension NodeDifference.Management {
    init(_ node: Node) {
        self.init(name: node.name, isProtected: node.isProtected, removalPolicy: node.removalPolicy)
    }
}

/// Everything in which one model differs.
struct ModelDifference {
    var address: ModelAddress
    var boundKeys: [AppKeyIndex] = []
    /// Keys to unbind, except those that go with an AppKey of the node.
    var unboundKeys: [AppKeyIndex] = []
    /// Bindings that are removed together with an AppKey of the node.
    var lostBindings: [AppKeyIndex] = []
    /// The recorded and the desired list, both sorted, if they differ.
    var subscriptions: (existing: [SubscriptionAddress], target: [SubscriptionAddress])?
    /// Whether to keep entries that are in neither list because nobody knows of them. Then no message may clear the
    /// whole list.
    var keepsUnknownSubscriptions = false
    /// How many entries its subscription list has room for; nil if unknown.
    var room: Int?
    /// The recorded list, and its content after the change of a model that shares it. It needs no message of its own.
    var impliedSubscriptions: (existing: [SubscriptionAddress], target: [SubscriptionAddress])?
    var publication: PublicationDifference?
    /// A publication that waits for the address of a node that is not provisioned yet, with its key.
    var awaited: AwaitedPublication?
    var states: [ModelStateDifference] = []

    var isEmpty: Bool {
        boundKeys.isEmpty && unboundKeys.isEmpty && lostBindings.isEmpty && subscriptions == nil && publication == nil
            && awaited == nil && impliedSubscriptions == nil && states.isEmpty
    }
}

/// A state of a model that is unknown or has another value.
struct ModelStateDifference {
    /// What is known of it; nil if nothing.
    var before: KnownModelState?
    /// The desired value, for people.
    var text: String
    var set: ModelStateSet
    /// The values to set for a moment before that, because it stores them.
    var parts: [ModelStateSet] = []
}

/// A publication to a node that is not provisioned yet.
struct AwaitedPublication {
    var node: DeviceUUID
    var before: Publication?
    /// The publication, with its key.
    var after: DesiredPublication
}

/// A change of a publication.
struct PublicationDifference {
    var before: Publication?
    var after: Publication?
    /// Whether it ends because its key is unbound or deleted, without a separate message.
    var isImplied: Bool
}

extension NodeDifference {
    /// The identity of the node, or of the device that becomes it.
    fileprivate func uuid(in network: MeshNetwork) -> DeviceUUID {
        switch origin {
        case .recorded(let position): network.nodes[position].uuid
        case .device(let order, _): order.uuid
        case .node(let node): node.uuid
        }
    }
}

extension [NodeDifference] {
    /// The nodes through which devices are provisioned. By index, like all passes over differences: to copy one takes
    /// longer than to look at it.
    private var wantedServers: Set<DeviceUUID> { Set(indices.lazy.compactMap { self[$0].order?.route.server }) }

    /// The differences of the nodes through which devices are provisioned.
    func servers(in network: MeshNetwork) -> [DeviceUUID: NodeDifference] {
        let wanted = wantedServers
        guard !wanted.isEmpty else { return [:] }
        var servers: [DeviceUUID: NodeDifference] = [:]
        for index in indices {
            let uuid = self[index].uuid(in: network)
            if wanted.contains(uuid) { servers[uuid] = self[index] }
        }
        return servers
    }

    /// Notes about devices whose provisioning goes through something that neither is a node nor becomes one by these
    /// differences.
    func unreachableNotes(_ network: MeshNetwork) -> [String] {
        let wanted = wantedServers
        guard !wanted.isEmpty else { return [] }
        let there = Set(network.nodes.lazy.filter { $0.unprovisionedSeenAt == nil }.map(\.uuid))
            .union(indices.lazy.compactMap { self[$0].order?.uuid })
        let count = indices.count { self[$0].order?.route.server.map { !there.contains($0) } ?? false }
        guard count > 0 else { return [] }
        return [
            count == 1
                ? "1 device is to be provisioned through a node that is not provisioned yet and is left out of this "
                    + "plan."
                : "\(count) devices are to be provisioned through nodes that are not provisioned yet and are left out "
                    + "of this plan."
        ]
    }
}
