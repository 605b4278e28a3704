import MeshCore

/// The form of addresses in row bodies: the 16 bits of a unicast or group address, or of a virtual address whose label
/// is not known. A label is written as 0x0000 and its 16 octets.
extension ByteWriter {
    mutating func write(_ address: SubscriptionAddress) {
        switch address {
        case .group(let group): write(group.rawValue)
        case .virtual(let label): writeLabel(label)
        case .unknownLabel(let virtual): write(virtual.rawValue)
        }
    }

    mutating func write(_ address: PublishAddress) {
        switch address {
        case .unicast(let unicast): write(unicast.rawValue)
        case .group(let group): write(group.rawValue)
        case .virtual(let label): writeLabel(label)
        case .unknownLabel(let virtual): write(virtual.rawValue)
        }
    }

    private mutating func writeLabel(_ label: LabelUUID) {
        write(UInt16(0))
        write(label.rawValue)
    }
}

extension ByteReader {
    mutating func readSubscriptionAddress() throws(DecodeError) -> SubscriptionAddress {
        let value = try readUInt16()
        if value == 0 { return .virtual(LabelUUID(rawValue: try readOctets16())) }
        if let virtual = VirtualAddress(rawValue: value) { return .unknownLabel(virtual) }
        guard let group = GroupAddress(rawValue: value) else {
            throw .prohibited(field: "subscription address", value: UInt64(value))
        }
        return .group(group)
    }

    mutating func readPublishAddress() throws(DecodeError) -> PublishAddress {
        let value = try readUInt16()
        if value == 0 { return .virtual(LabelUUID(rawValue: try readOctets16())) }
        if let virtual = VirtualAddress(rawValue: value) { return .unknownLabel(virtual) }
        if let unicast = UnicastAddress(rawValue: value) { return .unicast(unicast) }
        guard let group = GroupAddress(rawValue: value) else {
            throw .prohibited(field: "publish address", value: UInt64(value))
        }
        return .group(group)
    }
}
