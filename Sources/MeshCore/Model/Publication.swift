/// What a model may subscribe to: a group, or a virtual address with its label, which only
/// the database remembers, since status messages carry just its hash (Mesh Protocol 4.2.4).
package enum SubscriptionAddress: Hashable, Comparable, Sendable {
    /// A group other than all-nodes.
    case group(GroupAddress)
    /// A virtual address.
    case virtual(LabelUUID)
    /// A virtual address that a node tells of and whose label nobody here knows; it can be seen, not asked for.
    case unknownLabel(VirtualAddress)

    /// The address that stands in PDUs: for a label its virtual address.
    package var address: Address {
        switch self {
        case .group(let group): group.address
        case .virtual(let label): label.virtualAddress
        case .unknownLabel(let virtual): virtual.address
        }
    }
}

extension SubscriptionAddress: CustomStringConvertible {
    /// `0xC000`, or the label's 32 digits; `0x8123` where the label is not known.
    package var description: String {
        switch self {
        case .group(let group): group.description
        case .virtual(let label): label.description
        case .unknownLabel(let virtual): virtual.description
        }
    }
}

/// Where a model publishes to (Mesh Protocol 4.2.3.1); no publication is the absence of a ``Publication``.
package enum PublishAddress: Hashable, Comparable, Sendable {
    /// One element.
    case unicast(UnicastAddress)
    /// A group, fixed groups included.
    case group(GroupAddress)
    /// A virtual address.
    case virtual(LabelUUID)
    /// A virtual address that a node tells of and whose label nobody here knows; it can be seen, not asked for.
    case unknownLabel(VirtualAddress)

    /// The address that stands in PDUs: for a label its virtual address.
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
    /// Whether it is a virtual address whose label nobody here knows.
    package var isOfUnknownLabel: Bool { if case .unknownLabel = self { true } else { false } }
}

extension PublishAddress: CustomStringConvertible {
    /// `0x0010`, `0xC000`, or the label's 32 digits; `0x8123` where the label is not known.
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
    /// Where to.
    package var address: PublishAddress
    /// The AppKey that secures the messages; must be bound to the model.
    package var appKeyIndex: AppKeyIndex
    /// Whether messages go to the Friend with friendship credentials.
    package var usesFriendshipCredentials: Bool
    /// 0...127, or 255 for the node's default TTL.
    package var ttl: UInt8
    /// How often.
    package var period: PublishPeriod
    /// How each message is repeated.
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

    /// 0xFF: use the node's default TTL.
    package static let defaultTTL: UInt8 = 0xFF
}
