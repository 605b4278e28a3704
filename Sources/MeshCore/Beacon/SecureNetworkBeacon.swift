/// A secure network beacon, 22 octets (Mesh Protocol 3.10.3): type 0x01, flags (1), Network ID (8), IV index (4),
/// authentication value (8), big-endian.
package struct SecureNetworkBeacon: Hashable, Sendable {
    package static let type: UInt8 = 0x01
    /// The number of octets, type included.
    package static let size = 22

    /// The flags as they are authenticated: bit 0 key refresh, bit 1 IV update; the others are reserved.
    package let flags: UInt8
    /// The Network ID of the NetKey that the beacon is about.
    package let networkID: UInt64
    /// The IV index; while an update is in progress, the new one.
    package let ivIndexValue: UInt32
    /// The authentication value, 64 bits.
    package let authenticationValue: UInt64

    /// Whether the network uses the new keys (phase 2 of a key refresh).
    package var isKeyRefreshing: Bool { flags & 1 != 0 }
    /// The IV index and whether its update is in progress.
    package var ivIndex: IVIndex { IVIndex(value: ivIndexValue, isUpdateInProgress: flags & 2 != 0) }

    /// A beacon of a subnet, authenticated with its key.
    package init(isKeyRefreshing: Bool, ivIndex: IVIndex, credentials: SubnetCredentials) {
        flags = (isKeyRefreshing ? 1 : 0) | (ivIndex.isUpdateInProgress ? 2 : 0)
        networkID = credentials.networkID
        ivIndexValue = ivIndex.value
        authenticationValue = SecureNetworkBeacon.code(flags, networkID, ivIndexValue, credentials)
    }

    /// Reads a beacon without checking that it is authentic.
    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        let type = try reader.readUInt8()
        guard type == SecureNetworkBeacon.type else { throw .unknownType(UInt64(type)) }
        flags = try reader.readUInt8()
        networkID = try reader.readUInt64()
        ivIndexValue = try reader.readUInt32()
        authenticationValue = try reader.readUInt64()
        try reader.expectEnd()
    }

    /// The 22 octets.
    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: SecureNetworkBeacon.size)
        writer.write(SecureNetworkBeacon.type)
        writer.write(flags)
        writer.write(networkID)
        writer.write(ivIndexValue)
        writer.write(authenticationValue)
        return writer.bytes
    }

    package func isAuthentic(under credentials: SubnetCredentials) -> Bool {
        networkID == credentials.networkID
            && authenticationValue == SecureNetworkBeacon.code(flags, networkID, ivIndexValue, credentials)
    }

    private static func code(
        _ flags: UInt8,
        _ networkID: UInt64,
        _ ivIndex: UInt32,
        _ credentials: SubnetCredentials
    ) -> UInt64 {
        var writer = ByteWriter(capacity: 13)
        writer.write(flags)
        writer.write(networkID)
        writer.write(ivIndex)
        return credentials.beacon.code(of: writer.bytes).high
    }
}
