import ArgumentParser
import MeshCore

/// Unicast addresses on the command line: one, as in `0x0010`, or the first and last of a range, as in `0x0010-0x001f`.
struct AddressRangeArgument: ExpressibleByArgument, CustomStringConvertible {
    /// At most 255 addresses.
    var addresses: UnicastAddressRange

    init(addresses: UnicastAddressRange) {
        self.addresses = addresses
    }

    /// Parses one address or two.
    init?(argument: String) {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
        let ends = parts.compactMap { part -> UnicastAddress? in
            guard part.hasPrefix("0x"), let bits = UInt16(part.dropFirst(2), radix: 16) else { return nil }
            return UnicastAddress(rawValue: bits)
        }
        guard (1...2).contains(ends.count), ends.count == parts.count, let first = ends.first, let last = ends.last,
            first <= last, let count = UInt8(exactly: last.rawValue - first.rawValue + 1)
        else { return nil }
        addresses = UnicastAddressRange(first: first, count: count)
    }

    /// A text like `0x0010`, or `0x0010 to 0x001F`.
    var description: String {
        let last = Address(rawValue: addresses.first.rawValue + UInt16(addresses.count) - 1)
        return addresses.count == 1 ? addresses.first.description : "\(addresses.first) to \(last)"
    }
}
