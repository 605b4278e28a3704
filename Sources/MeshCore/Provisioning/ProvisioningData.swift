/// The data that make a device a node, 25 octets (Mesh Protocol 5.4.1.9, 5.4.2.5): NetKey (16), NetKey index (2), flags
/// (1: bit 0 key refresh, bit 1 IV update), IV index (4), unicast address of the primary element (2), big-endian.
package struct ProvisioningData: Hashable, Sendable {
    /// The number of octets before encryption.
    static let size = 25

    /// The NetKey for the node; during a key refresh see ``init(subnet:ivIndex:address:)``.
    package var netKey: KeyMaterial
    package var netKeyIndex: NetKeyIndex
    /// Whether the subnet is in phase 2 of a key refresh and uses its new keys.
    package var isKeyRefreshing: Bool
    /// The current IV index and whether its update is in progress.
    package var ivIndex: IVIndex
    /// The address of the primary element. The other elements have the addresses that follow.
    package var address: UnicastAddress

    package init(
        netKey: KeyMaterial,
        netKeyIndex: NetKeyIndex,
        isKeyRefreshing: Bool = false,
        ivIndex: IVIndex,
        address: UnicastAddress
    ) {
        self.netKey = netKey
        self.netKeyIndex = netKeyIndex
        self.isKeyRefreshing = isKeyRefreshing
        self.ivIndex = ivIndex
        self.address = address
    }

    /// Data for a node that joins a subnet. In phase 1 of a key refresh it gets the old key, with which the others
    /// still send, else the current one.
    package init(subnet: NetKey, ivIndex: IVIndex, address: UnicastAddress) {
        self.init(
            netKey: subnet.phase == .keyDistribution ? subnet.oldKey ?? subnet.key : subnet.key,
            netKeyIndex: subnet.index,
            isKeyRefreshing: subnet.phase == .usingNewKeys,
            ivIndex: ivIndex,
            address: address
        )
    }

    /// Reads the 25 octets; reserved flags are ignored.
    ///
    /// - Throws: ``DecodeError`` for another length, an index above 12 bits or an address that is not unicast.
    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        netKey = KeyMaterial(try reader.readOctets16())
        let index = try reader.readUInt16()
        guard let netKeyIndex = NetKeyIndex(rawValue: index) else {
            throw .prohibited(field: "NetKeyIndex", value: UInt64(index))
        }
        self.netKeyIndex = netKeyIndex
        let flags = try reader.readUInt8()
        isKeyRefreshing = flags & 1 != 0
        ivIndex = IVIndex(value: try reader.readUInt32(), isUpdateInProgress: flags & 2 != 0)
        let rawAddress = try reader.readUInt16()
        guard let address = UnicastAddress(rawValue: rawAddress) else {
            throw .prohibited(field: ProvisioningData.addressField, value: UInt64(rawAddress))
        }
        self.address = address
        try reader.expectEnd()
    }

    /// The name of the field in errors.
    static let addressField = "UnicastAddress"

    /// The 25 octets, which contain the NetKey.
    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: ProvisioningData.size)
        writer.write(netKey.octets.high)
        writer.write(netKey.octets.low)
        writer.write(netKeyIndex.rawValue)
        writer.write(UInt8(isKeyRefreshing ? 1 : 0) | (ivIndex.isUpdateInProgress ? 2 : 0))
        writer.write(ivIndex.value)
        writer.write(address.rawValue)
        return writer.bytes
    }

    /// Whether a node with that many elements fits below 0x8000.
    package func hasRoom(forElements count: UInt8) -> Bool {
        count > 0 && Int(address.rawValue) + Int(count) - 1 <= Int(UnicastAddress.last.rawValue)
    }
}
