package import MeshCore

/// The type of an attribute, such as a service, a characteristic or a descriptor. A UUID of 16 bits stands for one of
/// 128 bits, 0000xxxx-0000-1000-8000-00805F9B34FB (Core Vol 3 Part B 2.5.1); both forms compare as equal.
package struct BluetoothUUID: Hashable, Sendable {
    private let octets: Octets16

    private static let base = Octets16(high: 0x0000_0000_0000_1000, low: 0x8000_0080_5F9B_34FB)

    /// The UUID that 16 bits stand for.
    package init(_ short: UInt16) {
        octets = Octets16(high: UInt64(short) << 32 | BluetoothUUID.base.high, low: BluetoothUUID.base.low)
    }

    /// The UUID with those 128 bits, most significant octet first.
    package init(_ octets: Octets16) {
        self.octets = octets
    }

    /// Reads 2 or 16 octets, least significant first, as attributes have them (Core Vol 3 Part F 3.2.1); nil for other
    /// lengths.
    package init?(attribute bytes: some BidirectionalCollection<UInt8>) {
        switch bytes.count {
        case 2:
            var short: UInt16 = 0
            for octet in bytes.reversed() { short = short << 8 | UInt16(octet) }
            self.init(short)
        case 16:
            guard let octets = Octets16(bytes.reversed()) else { return nil }
            self.init(octets)
        default: return nil
        }
    }

    /// The 16 bits that stand for it; nil if it has no short form.
    package var short: UInt16? {
        guard octets.low == BluetoothUUID.base.low, octets.high & ~(0xFFFF << 32) == BluetoothUUID.base.high
        else { return nil }
        return UInt16(truncatingIfNeeded: octets.high >> 32)
    }

    /// The octets in an attribute, least significant first: 2 if it has a short form, otherwise 16.
    package var attribute: [UInt8] {
        guard let short else { return longAttribute }
        return [UInt8(truncatingIfNeeded: short), UInt8(truncatingIfNeeded: short >> 8)]
    }

    /// All 16 octets, least significant first.
    package var longAttribute: [UInt8] { octets.bytes.reversed() }
}

extension BluetoothUUID {
    /// Primary Service, the declaration that a service begins with.
    package static let primaryService = BluetoothUUID(0x2800)
    /// Secondary Service, the declaration of a service that others include.
    package static let secondaryService = BluetoothUUID(0x2801)
    /// Characteristic, the declaration before a characteristic's value.
    package static let characteristic = BluetoothUUID(0x2803)
    /// Client Characteristic Configuration, the descriptor that turns notifications on (Core Vol 3 Part G 3.3.3.3).
    package static let clientCharacteristicConfiguration = BluetoothUUID(0x2902)
}

extension BluetoothUUID: CustomStringConvertible {
    /// `0x1828`, or upper-case digits with hyphens if it has no short form.
    package var description: String { short.map { "0x\($0.hexadecimal)" } ?? octets.hyphenated }
}
