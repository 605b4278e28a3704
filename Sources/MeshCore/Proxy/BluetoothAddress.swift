/// The address of a Bluetooth device: six octets, and for low energy whether they are public or random (Core Vol 6
/// Part B 1.3).
package struct BluetoothAddress: Hashable, Sendable {
    /// The kinds of address, as the octet that HCI and an ``AdvertiserIdentifier`` have for it.
    package enum Kind: UInt8, Hashable, Sendable {
        /// Assigned by the IEEE.
        case `public` = 0
        /// Chosen by the device: static, or private and changing.
        case random = 1
    }

    /// How the address came to be.
    package var kind: Kind
    /// The octets as they are written, most significant first; HCI has them the other way round.
    package private(set) var octets: [UInt8]

    /// An address whose octets stand least significant first, as HCI and the kernel have them.
    ///
    /// - Throws: ``DecodeError`` unless they are six.
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

    /// The address in the identifier of an advertiser; nil if it holds none.
    ///
    /// A bearer that is composed of several puts the place of one, an octet each time, at most two, in front of what
    /// ``AdvertiserIdentifier/init(_:)`` makes.
    package init?(of advertiser: AdvertiserIdentifier) {
        guard (7...9).contains(advertiser.rawValue.count) else { return nil }
        guard let address = AdvertiserIdentifier(rawValue: Array(advertiser.rawValue.suffix(7))).bluetoothAddress else {
            return nil
        }
        self = address
    }

    /// Whether an advertiser has these octets for its address, public or random.
    package func isAddress(of advertiser: AdvertiserIdentifier) -> Bool {
        BluetoothAddress(of: advertiser)?.octets == octets
    }

    /// The octets least significant first.
    package var littleEndian: [UInt8] { octets.reversed() }

    /// Whether the adapter has no address of its own (yet).
    package var isZero: Bool { octets.allSatisfy { $0 == 0 } }
}

extension BluetoothAddress: CustomStringConvertible {
    /// The octets in hexadecimal with colons, most significant first.
    package var description: String { octets.map { $0.hexadecimal }.joined(separator: ":") }
}

extension AdvertiserIdentifier {
    /// Whoever advertises under a Bluetooth address: its kind (1), then its octets (6), most significant first.
    package init(_ address: BluetoothAddress) {
        self.init(rawValue: [address.kind.rawValue] + address.octets)
    }

    /// The Bluetooth address, nil if the identifier is another bearer's.
    package var bluetoothAddress: BluetoothAddress? {
        guard rawValue.count == 7, let kind = BluetoothAddress.Kind(rawValue: rawValue[0]) else { return nil }
        return try? BluetoothAddress(kind, littleEndian: rawValue[1...].reversed())
    }
}
