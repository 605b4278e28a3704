package import MeshCore

/// One Get to a node.
package enum NodeReading: Hashable, Sendable {
    /// Config Composition Data Get of page 0.
    case composition
    case netKeys
    /// Config AppKey Get: the AppKeys bound to a NetKey.
    case appKeys(NetKeyIndex)
    /// Config SIG or Vendor Model App Get.
    case bindings(ModelAddress)
    /// Config SIG or Vendor Model Subscription Get.
    case subscriptions(ModelAddress)
    case publication(ModelAddress)
    case defaultTTL
    case secureNetworkBeacon
    case networkTransmit
    case friend
    /// Config Relay Get: Relay and Relay Retransmit.
    case relay
    /// Config GATT Proxy Get.
    case proxy
    /// The Get of another state of the foundation models.
    case state(FoundationState.Kind)
    /// Bridged Subnets Get: pairs of subnets in the bridging table, from an index on.
    case bridgedSubnets(from: UInt8)
    /// Bridging Table Get: the entries between two subnets, from an index on.
    case bridgingTable(NetKeyIndexPair, from: UInt16)
    /// The Get of a composition page beside page 0, or of the models' metadata.
    case page(PageReading.Part)
    /// The Get of a state of a model above the foundation, under an AppKey that is bound to the model.
    case modelState(ModelAddress, ModelStateForm, AppKeyIndex)
}

extension NodeReading {
    /// The cost of the Get and its status on air, from the lengths of the messages (Mesh Protocol 4.3.2), with a few
    /// entries in each list.
    package var cost: MessageCost {
        let lengths = lengths(on: nil)
        return .exchange(request: lengths.request, status: lengths.status)
    }

    /// Octets of the Get and of its status, opcodes included.
    ///
    /// - Parameter node: shows how long its lists are if its record is right; nil for lists of a few entries. It does
    ///   not matter in how many subnets its AppKeys are, so a list of them may turn out shorter.
    func lengths(on node: Node?) -> (request: Int, status: Int) {
        switch self {
        case .composition: (3, 52)
        case .netKeys: (2, node.map { 2 + Self.packed($0.netKeys.count) } ?? 5)
        case .appKeys: (4, node.map { 5 + Self.packed($0.appKeys.count) } ?? 8)
        case .bindings(let address):
            (
                4 + address.model.encodedLength,
                address.model.encodedLength + (node?.model(at: address).map { 5 + Self.packed($0.bindings.count) } ?? 9)
            )
        case .subscriptions(let address):
            (
                4 + address.model.encodedLength,
                address.model.encodedLength + (node?.model(at: address).map { 5 + 2 * $0.subscriptions.count } ?? 9)
            )
        case .publication(let address): (4 + address.model.encodedLength, 12 + address.model.encodedLength)
        case .defaultTTL, .secureNetworkBeacon, .networkTransmit, .friend, .proxy: (2, 3)
        case .relay: (2, 4)
        case .state(let kind): (kind.subnet == nil ? 2 : 4, kind.statusLength)
        case .bridgedSubnets: (5, 8)
        case .bridgingTable: (7, 18)
        case .modelState(let address, let form, _):
            (
                form.getPayload.count,
                form.statusOpcode.encoded.count
                    + (node?.model(at: address)?.state(named: form.name)?.status.count ?? 4)
            )
        case .page(.composition): (3, 52)
        case .page(.largeComposition), .page(.modelsMetadata): (5, 60)
        }
    }

    /// Whether it can be asked together with others. A reading that shows whether there is an Opcodes Aggregator Server
    /// cannot, and neither can lists and pages that a node cuts at the end of a message.
    var isFitForSequence: Bool {
        switch self {
        case .composition, .bridgedSubnets, .bridgingTable, .page: false
        // A sequence is secured as a whole, and this one needs an AppKey.
        case .modelState: false
        default: true
        }
    }

    /// Octets of so many key indexes, which are packed in pairs of three octets (Mesh Protocol 4.3.1.1).
    private static func packed(_ count: Int) -> Int { count / 2 * 3 + count % 2 * 2 }
}

/// The answer of a node to a Get.
package enum NodeReport: Hashable, Sendable {
    /// Composition Data page 0.
    case composition(Composition)
    /// All its NetKeys; the order has no meaning.
    case netKeys([NetKeyIndex])
    /// Its AppKeys that are bound to a NetKey; the order has no meaning.
    case appKeys(NetKeyIndex, [AppKeyIndex])
    /// The AppKeys that are bound to a model; the order has no meaning.
    case bindings(ModelAddress, [AppKeyIndex])
    /// The addresses that a model subscribes to, virtual ones without their labels; the order has no meaning.
    case subscriptions(ModelAddress, [Address])
    /// The publication of a model, with a virtual address instead of its label. The model does not publish if the
    /// address is unassigned.
    case publication(ModelAddress, Address, PublicationSettings)
    case defaultTTL(UInt8)
    case secureNetworkBeacon(Bool)
    case networkTransmit(TransmitParameters)
    case friend(FeatureState)
    /// The Relay and Relay Retransmit states.
    case relay(FeatureState, TransmitParameters)
    case proxy(FeatureState)
    /// Another state of the foundation models.
    case state(FoundationState)
    /// Pairs of subnets in the bridging table, from an index on; empty if there are no more.
    case bridgedSubnets([NetKeyIndexPair])
    /// Entries of the bridging table between two subnets, from an index on; empty if there are no more.
    case bridgingTable(NetKeyIndexPair, [BridgedAddresses])
    /// A page of its composition or of its models' metadata, or a part of one.
    case page(PageReading.Answer)
    /// The parameters of the status of a model's state.
    case modelState(ModelAddress, ModelStateForm, [UInt8])
}
