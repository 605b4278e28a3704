/// An entry of the Bridging Table state of a Subnet Bridge (Mesh Protocol 1.1, 4.2.42).
package struct BridgingTableEntry: Hashable, Comparable, Sendable {
    /// The subnets of the first and the second address.
    package var subnets: NetKeyIndexPair
    /// The two addresses and the directions.
    package var addresses: BridgedAddresses

    package init(subnets: NetKeyIndexPair, addresses: BridgedAddresses) {
        self.subnets = subnets
        self.addresses = addresses
    }

    /// Whether it bridges the same addresses of the same subnets. A table holds only one such entry, with one value for
    /// the directions.
    package func isAbout(_ other: BridgingTableEntry) -> Bool {
        subnets == other.subnets && addresses.first == other.addresses.first
            && addresses.second == other.addresses.second
    }

    /// Orders by subnets, then addresses.
    package static func < (left: BridgingTableEntry, right: BridgingTableEntry) -> Bool {
        let (a, b) = (left.subnets, right.subnets)
        if a != b { return (a.first, a.second) < (b.first, b.second) }
        let (c, d) = (left.addresses, right.addresses)
        return (c.first, c.second, c.directions.rawValue) < (d.first, d.second, d.directions.rawValue)
    }
}
