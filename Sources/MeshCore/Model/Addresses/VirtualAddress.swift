/// A virtual address, 0x8000 to 0xBFFF: 14 bits of the hash of a label, as they stand in a PDU (Mesh Protocol 3.4.2.3).
package struct VirtualAddress: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt16

    /// The address with those bits; nil outside 0x8000 to 0xBFFF.
    package init?(rawValue: UInt16) {
        guard (0x8000...0xBFFF).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// The same bits as an address of any kind.
    package var address: Address { Address(rawValue: rawValue) }

    package static func < (left: VirtualAddress, right: VirtualAddress) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension VirtualAddress: CustomStringConvertible {
    /// The address as definitions write it: `0x8123`.
    package var description: String { address.description }
}
