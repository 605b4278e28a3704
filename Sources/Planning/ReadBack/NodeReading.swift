package import MeshCore

/// One Get to a node: what is asked.
package enum NodeReading: Hashable, Sendable {
    /// Config Composition Data Get of page 0.
    case composition
    /// Config NetKey Get.
    case netKeys
    /// Config AppKey Get: the AppKeys that are bound to a NetKey.
    case appKeys(NetKeyIndex)
    /// Config SIG or Vendor Model App Get.
    case bindings(ModelAddress)
    /// Config SIG or Vendor Model Subscription Get.
    case subscriptions(ModelAddress)
    /// Config Model Publication Get.
    case publication(ModelAddress)
    /// Config Default TTL Get.
    case defaultTTL
    /// Config Beacon Get.
    case secureNetworkBeacon
    /// Config Network Transmit Get.
    case networkTransmit
    /// Config Friend Get.
    case friend
    /// Config Relay Get: Relay and Relay Retransmit.
    case relay
    /// Config GATT Proxy Get.
    case proxy
    /// The Get of another state of the foundation models.
    case state(FoundationState.Kind)
    /// Bridged Subnets Get: pairs of subnets that the bridging table joins, from a position on.
    case bridgedSubnets(from: UInt8)
    /// Bridging Table Get: the entries that join two subnets, from a position on.
    case bridgingTable(NetKeyIndexPair, from: UInt16)
    /// The Get of a composition page beside page 0, or of metadata of the models.
    case page(PageReading.Part)
}

extension NodeReading {
    /// What the Get and its status cost on air, from the lengths of the messages (Mesh Protocol 4.3.2); lists are taken to
    /// have a few entries.
    package var cost: MessageCost {
        let lengths = lengths(on: nil)
        return .exchange(request: lengths.request, status: lengths.status)
    }

    /// Octets of the Get and of its status, opcodes included.
    ///
    /// - Parameter node: tells how long its lists are, if they are as recorded; nil for lists of a few entries. In how many
    ///   subnets its AppKeys are is left out of account, so that a list of them may turn out shorter.
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
        case .page(.composition): (3, 52)
        case .page(.largeComposition), .page(.modelsMetadata): (5, 60)
        }
    }

    /// Whether it can be asked together with others: not what says whether there is an Opcodes Aggregator Server, and not
    /// lists and pages that a node cuts where its message ends.
    var isFitForSequence: Bool {
        switch self {
        case .composition, .bridgedSubnets, .bridgingTable, .page: false
        default: true
        }
    }

    /// Octets of so many key indexes, which go in pairs of three octets (Mesh Protocol 4.3.1.1).
    private static func packed(_ count: Int) -> Int { count / 2 * 3 + count % 2 * 2 }
}

/// What a node says when it is asked.
package enum NodeReport: Hashable, Sendable {
    /// Composition Data page 0.
    case composition(Composition)
    /// All its NetKeys; the order says nothing.
    case netKeys([NetKeyIndex])
    /// Its AppKeys that are bound to a NetKey; the order says nothing.
    case appKeys(NetKeyIndex, [AppKeyIndex])
    /// The AppKeys that are bound to a model; the order says nothing.
    case bindings(ModelAddress, [AppKeyIndex])
    /// What a model subscribes to, virtual addresses without their labels; the order says nothing.
    case subscriptions(ModelAddress, [Address])
    /// How a model publishes, to a virtual address without its label; it does not if the address is unassigned.
    case publication(ModelAddress, Address, PublicationSettings)
    /// The Default TTL state.
    case defaultTTL(UInt8)
    /// The Secure Network Beacon state.
    case secureNetworkBeacon(Bool)
    /// The Network Transmit state.
    case networkTransmit(TransmitParameters)
    /// The Friend state.
    case friend(FeatureState)
    /// The Relay and Relay Retransmit states.
    case relay(FeatureState, TransmitParameters)
    /// The GATT Proxy state.
    case proxy(FeatureState)
    /// Another state of the foundation models.
    case state(FoundationState)
    /// Pairs of subnets that the bridging table joins, from a position on; none if there are no more.
    case bridgedSubnets([NetKeyIndexPair])
    /// Entries of the bridging table between two subnets, from a position on; none if there are no more.
    case bridgingTable(NetKeyIndexPair, [BridgedAddresses])
    /// A page of its composition or of the metadata of its models, or a part of one.
    case page(PageReading.Answer)
}
