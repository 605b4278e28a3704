/// The device address of a Bluetooth controller, as people write it: `C0:11:22:33:44:55` (Core Vol 6 Part B 1.3).
package struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    /// Six octets, the most significant first, as they are written.
    package let octets: [UInt8]

    /// The address that is written so, in either case; nil if it is none.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6 else { return nil }
        var octets: [UInt8] = []
        for part in parts {
            guard part.utf8.count == 2, part.allSatisfy(\.isHexDigit), let octet = UInt8(part, radix: 16) else {
                return nil
            }
            octets.append(octet)
        }
        self.octets = octets
    }

    /// The address in the identifier of an advertiser; nil if it holds none.
    ///
    /// Bluetooth's identifiers are the address type (1), 0 public or 1 random, then the address (6), the most significant
    /// octet first; a bearer that is composed of several puts the place of one, at most two octets, in front.
    package init?(of advertiser: AdvertiserIdentifier) {
        let tail = advertiser.rawValue.suffix(7)
        guard (7...9).contains(advertiser.rawValue.count), let type = tail.first, type <= 1 else { return nil }
        octets = Array(tail.dropFirst())
    }

    /// Whether an advertiser has the address, public or random.
    package func isAddress(of advertiser: AdvertiserIdentifier) -> Bool {
        BluetoothAddress(of: advertiser) == self
    }

    /// Upper case with colons.
    package var description: String {
        octets.map { Hexadecimal.encode([$0]).uppercased() }.joined(separator: ":")
    }
}
