/// The address of a Bluetooth device: six octets, and for low energy whether it is public or random (Core Vol 6 Part B
/// 1.3).
package struct BluetoothAddress: Hashable, Sendable {
    /// The kinds of addresses, with their octets in HCI and in an ``AdvertiserIdentifier``.
    package enum Kind: UInt8, Hashable, Sendable {
        /// Assigned by the IEEE.
        case `public` = 0
        /// Chosen by the device: static, or private and changing.
        case random = 1
    }

    package var kind: Kind
    /// The octets in the order of writing, most significant first. HCI has the opposite order.
    package private(set) var octets: [UInt8]

    /// An address from octets in the order of HCI and the kernel, least significant first.
    ///
    /// - Throws: ``DecodeError/length(_:)`` unless there are six.
    package init(_ kind: Kind, littleEndian octets: some Collection<UInt8>) throws(DecodeError) {
        guard octets.count == 6 else { throw .length(octets.count) }
        self.kind = kind
        self.octets = octets.reversed()
    }

    /// Reads `01:23:45:67:89:AB`, in either case.
    ///
    /// - Returns: nil for any other text.
    package init?(_ text: String, _ kind: Kind = .public) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let octets = parts.compactMap { part in
            part.utf8.count == 2 && part.allSatisfy(\.isHexDigit) ? UInt8(part, radix: 16) : nil
        }
        guard parts.count == 6, octets.count == 6 else { return nil }
        self.kind = kind
        self.octets = octets
    }

    /// The address in an advertiser's identifier; nil if it contains none.
    ///
    /// A bearer that is composed of several puts the index of one of them, one octet for each level and at most two,
    /// before the octets of ``AdvertiserIdentifier/init(_:)``.
    package init?(of advertiser: AdvertiserIdentifier) {
        guard (7...9).contains(advertiser.rawValue.count) else { return nil }
        guard let address = AdvertiserIdentifier(rawValue: Array(advertiser.rawValue.suffix(7))).bluetoothAddress else {
            return nil
        }
        self = address
    }

    /// Whether these octets are the advertiser's address, public or random.
    package func isAddress(of advertiser: AdvertiserIdentifier) -> Bool {
        BluetoothAddress(of: advertiser)?.octets == octets
    }

    /// The octets least significant first.
    package var littleEndian: [UInt8] { octets.reversed() }

    /// Whether all octets are zero: the adapter has no address of its own, or not yet.
    package var isZero: Bool { octets.allSatisfy { $0 == 0 } }
}

extension BluetoothAddress: CustomStringConvertible {
    /// The octets in hexadecimal with colons, most significant first.
    package var description: String { octets.map { $0.hexadecimal }.joined(separator: ":") }
}

extension AdvertiserIdentifier {
    /// The identifier for a Bluetooth address: its kind (1), then its octets (6), most significant first.
    package init(_ address: BluetoothAddress) {
        self.init(rawValue: [address.kind.rawValue] + address.octets)
    }

    /// The Bluetooth address; nil if the identifier comes from another bearer.
    package var bluetoothAddress: BluetoothAddress? {
        guard rawValue.count == 7, let kind = BluetoothAddress.Kind(rawValue: rawValue[0]) else { return nil }
        return try? BluetoothAddress(kind, littleEndian: rawValue[1...].reversed())
    }
}
