/// An address that a model may subscribe to: a group, or a virtual address with its label. Only the database remembers
/// the label, since status messages carry just its hash (Mesh Protocol 4.2.4).
package enum SubscriptionAddress: Hashable, Comparable, Sendable {
    /// A group other than all-nodes.
    case group(GroupAddress)
    case virtual(LabelUUID)
    /// A virtual address that a node reports and whose label is unknown here. It can be shown, but not set.
    case unknownLabel(VirtualAddress)

    /// The address in PDUs; for a label its virtual address.
    package var address: Address {
        switch self {
        case .group(let group): group.address
        case .virtual(let label): label.virtualAddress
        case .unknownLabel(let virtual): virtual.address
        }
    }
}

extension SubscriptionAddress: CustomStringConvertible {
    /// `0xC000`, or the label's 32 digits; `0x8123` if the label is unknown.
    package var description: String {
        switch self {
        case .group(let group): group.description
        case .virtual(let label): label.description
        case .unknownLabel(let virtual): virtual.description
        }
    }
}

/// The address that a model publishes to (Mesh Protocol 4.2.3.1). A model that does not publish has no ``Publication``.
package enum PublishAddress: Hashable, Comparable, Sendable {
    case unicast(UnicastAddress)
    /// A group, fixed groups included.
    case group(GroupAddress)
    case virtual(LabelUUID)
    /// A virtual address that a node reports and whose label is unknown here. It can be shown, but not set.
    case unknownLabel(VirtualAddress)

    /// The address in PDUs; for a label its virtual address.
    package var address: Address {
        switch self {
        case .unicast(let unicast): unicast.address
        case .group(let group): group.address
        case .virtual(let label): label.virtualAddress
        case .unknownLabel(let virtual): virtual.address
        }
    }
}

extension PublishAddress {
    /// Whether it is a virtual address whose label is unknown here.
    package var isOfUnknownLabel: Bool { if case .unknownLabel = self { true } else { false } }
}

extension PublishAddress: CustomStringConvertible {
    /// `0x0010`, `0xC000`, or the label's 32 digits; `0x8123` if the label is unknown.
    package var description: String {
        switch self {
        case .unicast(let unicast): unicast.description
        case .group(let group): group.description
        case .virtual(let label): label.description
        case .unknownLabel(let virtual): virtual.description
        }
    }
}

/// The publication of a model (Mesh Protocol 4.2.3).
package struct Publication: Hashable, Sendable {
    package var address: PublishAddress
    /// The AppKey that secures the messages. It must be bound to the model.
    package var appKeyIndex: AppKeyIndex
    /// Whether friendship credentials secure the messages, which then go to the Friend.
    package var usesFriendshipCredentials: Bool
    /// The TTL, 0...127, or 255 for the node's default TTL.
    package var ttl: UInt8
    package var period: PublishPeriod
    package var retransmit: PublishRetransmit

    package init(
        address: PublishAddress,
        appKeyIndex: AppKeyIndex,
        usesFriendshipCredentials: Bool = false,
        ttl: UInt8 = Publication.defaultTTL,
        period: PublishPeriod = .none,
        retransmit: PublishRetransmit = .none
    ) {
        self.address = address
        self.appKeyIndex = appKeyIndex
        self.usesFriendshipCredentials = usesFriendshipCredentials
        self.ttl = ttl
        self.period = period
        self.retransmit = retransmit
    }

    /// 0xFF stands for the node's default TTL.
    package static let defaultTTL: UInt8 = 0xFF
}
