/// A mesh private beacon (Mesh Protocol 1.1, 3.10.4), 27 octets: type 0x02, random (13), obfuscated flags and IV index
/// (5), authentication tag (8). Obfuscation and tag are AES-CCM with the random as nonce.
package struct MeshPrivateBeacon: Hashable, Sendable {
    package static let type: UInt8 = 0x02
    /// The number of octets, type included.
    package static let size = 27

    /// Whether the network uses the new keys (phase 2 of a key refresh).
    package var isKeyRefreshing: Bool
    /// The IV index and whether its update is in progress.
    package var ivIndex: IVIndex
    /// The 13 random octets from which the obfuscation is made.
    package var random: Nonce

    package init(isKeyRefreshing: Bool, ivIndex: IVIndex, random: Nonce) {
        self.isKeyRefreshing = isKeyRefreshing
        self.ivIndex = ivIndex
        self.random = random
    }

    /// Opens a beacon of the subnet with those credentials. Nothing in a beacon tells which subnet it belongs to.
    ///
    /// - Returns: nil if the beacon is not authentic under them.
    package init?(opening bytes: [UInt8], with credentials: SubnetCredentials) throws(DecodeError) {
        var reader = ByteReader(bytes)
        let type = try reader.readUInt8()
        guard type == MeshPrivateBeacon.type else { throw .unknownType(UInt64(type)) }
        let random = Nonce(try reader.read(13))
        let sealed = try reader.read(13)
        try reader.expectEnd()
        guard let random, let data = credentials.privateBeacon.open(sealed, nonce: random, mic: .bits64) else {
            return nil
        }
        var content = ByteReader(data)
        let flags = try content.readUInt8()
        isKeyRefreshing = flags & 1 != 0
        ivIndex = IVIndex(value: try content.readUInt32(), isUpdateInProgress: flags & 2 != 0)
        self.random = random
    }

    /// The 27 octets.
    package func encoded(with credentials: SubnetCredentials) -> [UInt8] {
        var content = ByteWriter(capacity: 5)
        content.write((isKeyRefreshing ? 1 : 0) | (ivIndex.isUpdateInProgress ? 2 : 0) as UInt8)
        content.write(ivIndex.value)
        let sealed = credentials.privateBeacon.seal(content.bytes, nonce: random, mic: .bits64)
        return [MeshPrivateBeacon.type] + random.bytes + sealed
    }
}
