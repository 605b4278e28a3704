/// A 16-bit mesh address of any kind, as it stands in a PDU (Mesh Protocol 3.4.2).
package struct Address: RawRepresentable, Hashable, Comparable, Sendable {
    /// The 16 bits; big-endian in network headers, little-endian in access messages.
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// 0x0000: no address.
    package static let unassigned = Address(rawValue: 0)

    /// The ranges of the address space.
    package enum Kind: Sendable {
        case unassigned
        case unicast
        case virtual
        case group
    }

    /// The range that contains the address.
    package var kind: Kind {
        switch rawValue {
        case 0: .unassigned
        case ..<0x8000: .unicast
        case ..<0xC000: .virtual
        default: .group
        }
    }

    package static func < (left: Address, right: Address) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension Address: CustomStringConvertible {
    /// The address as definitions write it: `0xC000`.
    package var description: String { "0x" + rawValue.hexadecimal }
}

/// The address of one element, 0x0001 to 0x7FFF (Mesh Protocol 3.4.2.2).
package struct UnicastAddress: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt16

    /// The address with those bits; nil outside 0x0001 to 0x7FFF.
    package init?(rawValue: UInt16) {
        guard (0x0001...0x7FFF).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// The lowest unicast address, 0x0001.
    package static let first = UnicastAddress(unchecked: 0x0001)

    /// The highest unicast address, 0x7FFF.
    package static let last = UnicastAddress(unchecked: 0x7FFF)

    private init(unchecked rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The address of the element with that index, on the node whose primary element has this one; nil past 0x7FFF.
    package func element(_ index: UInt8) -> UnicastAddress? {
        UnicastAddress(rawValue: rawValue + UInt16(index))
    }

    /// The same bits as an address of any kind.
    package var address: Address { Address(rawValue: rawValue) }

    package static func < (left: UnicastAddress, right: UnicastAddress) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension UnicastAddress: CustomStringConvertible {
    /// The address as definitions write it: `0x0010`.
    package var description: String { address.description }
}

/// A group address, 0xC000 to 0xFFFF, fixed groups included (Mesh Protocol 3.4.2.4).
package struct GroupAddress: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt16

    /// The address with those bits; nil below 0xC000.
    package init?(rawValue: UInt16) {
        guard rawValue >= 0xC000 else { return nil }
        self.rawValue = rawValue
    }

    private init(unchecked rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// All nodes with the GATT Proxy feature on, 0xFFFC.
    package static let allProxies = GroupAddress(unchecked: 0xFFFC)
    /// All nodes with the Friend feature on, 0xFFFD.
    package static let allFriends = GroupAddress(unchecked: 0xFFFD)
    /// All nodes with the Relay feature on, 0xFFFE.
    package static let allRelays = GroupAddress(unchecked: 0xFFFE)
    /// All nodes, 0xFFFF; models cannot subscribe to it.
    package static let allNodes = GroupAddress(unchecked: 0xFFFF)

    /// 0xC000 to 0xFEFF: the addresses that a network may assign to its groups. Those above are fixed groups.
    package static let assignable: ClosedRange<UInt16> = 0xC000...0xFEFF

    /// The same bits as an address of any kind.
    package var address: Address { Address(rawValue: rawValue) }

    package static func < (left: GroupAddress, right: GroupAddress) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension GroupAddress: CustomStringConvertible {
    /// The address as definitions write it: `0xC000`.
    package var description: String { address.description }
}

extension GroupAddress {
    /// The fixed groups of every network, with their names in definitions and views.
    package static let fixedGroups: [(name: String, group: GroupAddress)] = [
        ("all-proxies", .allProxies), ("all-friends", .allFriends), ("all-relays", .allRelays),
        ("all-nodes", .allNodes),
    ]

    /// The fixed group with that name; nil for any other name.
    package init?(fixedName name: String) {
        guard let fixed = GroupAddress.fixedGroups.first(where: { $0.name == name }) else { return nil }
        self = fixed.group
    }

    /// The name of a fixed group; nil for other groups.
    package var fixedName: String? { GroupAddress.fixedGroups.first { $0.group == self }?.name }

    /// Whether models can subscribe to the group: to any group except all-nodes (Mesh Protocol 4.3.2.19).
    package var canBeSubscribedTo: Bool { self != .allNodes }
}
