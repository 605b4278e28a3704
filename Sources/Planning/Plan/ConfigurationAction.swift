package import MeshCore

/// One request to a node, without secrets: keys are named by index and filled in when the message is made. All but the
/// Set of a model's state are messages of the foundation models (Mesh Protocol 4.3.2).
package enum ConfigurationAction: Hashable, Sendable {
    /// Config Composition Data Get of a page.
    case readComposition(page: UInt8)
    case addNetKey(NetKeyIndex)
    /// Config NetKey Delete. It also deletes the subnet's AppKeys on the node.
    case deleteNetKey(NetKeyIndex)
    case addAppKey(AppKeyIndex, boundTo: NetKeyIndex)
    /// Config AppKey Delete. It also ends bindings and publications that use the key.
    case deleteAppKey(AppKeyIndex, boundTo: NetKeyIndex)
    case bind(ModelAddress, AppKeyIndex)
    /// Config Model App Unbind. It also ends a publication that uses the key.
    case unbind(ModelAddress, AppKeyIndex)
    /// Config Model Subscription Add or Virtual Address Add.
    case addSubscription(ModelAddress, SubscriptionAddress)
    /// Config Model Subscription Delete or Virtual Address Delete.
    case deleteSubscription(ModelAddress, SubscriptionAddress)
    /// Config Model Subscription Overwrite or Virtual Address Overwrite: only this one stays.
    case overwriteSubscriptions(ModelAddress, SubscriptionAddress)
    case deleteAllSubscriptions(ModelAddress)
    /// Config Model Publication Set or Virtual Address Set; nil stops publishing.
    case setPublication(ModelAddress, Publication?)
    case setDefaultTTL(UInt8)
    case setSecureNetworkBeacon(Bool)
    /// Config Relay Set. If the retransmit is nil, the node's present one is read first and kept.
    case setRelay(Bool, TransmitParameters?)
    case setProxy(Bool)
    case setFriend(Bool)
    case setNetworkTransmit(TransmitParameters)
    /// Config Node Reset: the node leaves the network and is an unprovisioned device again.
    case resetNode
    /// The Set message of a state. What the value leaves open stays unchanged on the node.
    case set(FoundationState)
    /// Bridging Table Add. It changes the direction of an entry with the same addresses.
    case addBridging(BridgingTableEntry)
    /// Bridging Table Remove of the entry with the same addresses.
    case removeBridging(BridgingTableEntry)
    /// Bridging Table Remove of all entries between the first and the second subnet, whatever their addresses.
    case removeAllBridging(NetKeyIndexPair)
    /// The Set of a state of a model above the foundation.
    case setModelState(ModelStateSet)
    /// The Get of a state before it is changed for a moment. Its value is recorded, to be restored.
    case holdState(HeldStateRequest)
    /// The Set of a state for a moment, because another message stores what holds. Nothing is recorded of it.
    case setBriefly(ModelStateSet)
    /// The Set of a state to the recorded value from before.
    case restoreState(HeldStateRequest)
    /// A Get, which changes nothing.
    case read(NodeReading)
    /// Config NetKey Update with the new key of a refresh.
    case updateNetKey(NetKeyIndex)
    /// Config AppKey Update with the new key of a refresh.
    case updateAppKey(AppKeyIndex, boundTo: NetKeyIndex)
    case setKeyRefreshPhase(NetKeyIndex, KeyRefreshTransition)
}

extension ConfigurationAction {
    /// The cost of the action on air, from the lengths of its messages (Mesh Protocol 4.3.2).
    package var cost: MessageCost {
        switch self {
        case .readComposition: .exchange(request: 3, status: Self.typicalCompositionStatus)
        case .addNetKey: .exchange(request: 20, status: 5)
        case .deleteNetKey: .exchange(request: 4, status: 5)
        case .addAppKey: .exchange(request: 20, status: 6)
        case .deleteAppKey: .exchange(request: 5, status: 6)
        case .bind(let address, _), .unbind(let address, _):
            .exchange(request: 6 + address.model.encodedLength, status: 7 + address.model.encodedLength)
        case .addSubscription(let address, let group),
            .deleteSubscription(let address, let group),
            .overwriteSubscriptions(let address, let group):
            .exchange(
                request: 4 + group.encodedLength + address.model.encodedLength,
                status: 7 + address.model.encodedLength
            )
        case .deleteAllSubscriptions(let address):
            .exchange(request: 4 + address.model.encodedLength, status: 7 + address.model.encodedLength)
        case .setPublication(let address, let publication):
            .exchange(
                request: Self.publicationLength(publication) + address.model.encodedLength,
                status: 12 + address.model.encodedLength
            )
        case .resetNode: .exchange(request: 2, status: 2)
        case .read(let reading): reading.cost
        case .updateNetKey: .exchange(request: 20, status: 5)
        case .updateAppKey: .exchange(request: 20, status: 6)
        case .setKeyRefreshPhase: .exchange(request: 5, status: 6)
        case .setDefaultTTL, .setSecureNetworkBeacon, .setProxy, .setFriend, .setNetworkTransmit:
            .exchange(request: 3, status: 3)
        case .setRelay(_, let retransmit):
            // Without a retransmit value, Config Relay Get comes first.
            (retransmit == nil ? .exchange(request: 2, status: 4) : .zero) + .exchange(request: 4, status: 4)
        case .set(let state): .exchange(request: state.set?.encoded.count ?? 0, status: state.kind.statusLength)
        case .setModelState(let set), .setBriefly(let set): set.cost
        case .holdState(let request): request.readingCost
        case .restoreState(let request): request.restoringCost
        case .addBridging: .exchange(request: 10, status: 11)
        case .removeBridging, .removeAllBridging: .exchange(request: 9, status: 11)
        }
    }

    /// Opcode and Composition Data page 0 of a node with a few elements; the true length is known only afterwards.
    private static let typicalCompositionStatus = 52

    /// Config Model Publication Set has an opcode of one octet and an address of two octets. Virtual Address Set has an
    /// opcode of two octets and a label.
    private static func publicationLength(_ publication: Publication?) -> Int {
        if case .virtual = publication?.address { 25 } else { 10 }
    }
}

extension SubscriptionAddress {
    /// The octets of an address or a label in a request.
    fileprivate var encodedLength: Int {
        switch self {
        case .group, .unknownLabel: 2
        case .virtual: 16
        }
    }
}

extension Step {
    /// The cost of the step on air in messages of the mesh. It is zero for an edit, and for provisioning, which uses a
    /// link of its own. A deferred configuration costs at least this.
    package var cost: MessageCost {
        switch work {
        case .configure(_, let action): action.cost
        case .edit, .provision: .zero
        // For an unknown node; ``NodeReadBack/foreseen(for:appKeys:)`` gives more for a known one.
        case .readBack: NodeReading.composition.cost + NodeReading.netKeys.cost
        case .configureWhenKnown(let configuration): configuration.foreseenCost
        }
    }
}
