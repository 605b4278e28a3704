/// The content of a secure network beacon or a mesh private beacon of a known subnet (Mesh Protocol 3.10.3 and 3.10.4).
/// A proxy sends its client one or the other.
package struct AuthenticBeacon: Hashable, Sendable {
    package let netKeyIndex: NetKeyIndex
    /// Whether it was made with the key that a key refresh replaces.
    package let isUnderOldKey: Bool
    /// Whether the network uses the new keys (phase 2 of a key refresh).
    package let isKeyRefreshing: Bool
    /// The IV index and whether its update is in progress.
    package let ivIndex: IVIndex

    private init(_ entry: KeyRing.SubnetEntry, isKeyRefreshing: Bool, ivIndex: IVIndex) {
        netKeyIndex = entry.index
        isUnderOldKey = entry.isOld
        self.isKeyRefreshing = isKeyRefreshing
        self.ivIndex = ivIndex
    }

    /// Reads a beacon: its type (1), then the rest.
    ///
    /// - Returns: nil if none of the ring's keys, new or old, made it.
    package init?(_ bytes: [UInt8], under keys: KeyRing) throws(DecodeError) {
        if bytes.first == MeshPrivateBeacon.type {
            guard bytes.count == MeshPrivateBeacon.size else { throw .length(bytes.count) }
            for entry in keys.subnetEntries {
                guard let beacon = try MeshPrivateBeacon(opening: bytes, with: entry.credentials) else { continue }
                self.init(entry, isKeyRefreshing: beacon.isKeyRefreshing, ivIndex: beacon.ivIndex)
                return
            }
            return nil
        }
        let beacon = try SecureNetworkBeacon(decoding: bytes)
        let entry = keys.candidates(networkID: beacon.networkID).first { beacon.isAuthentic(under: $0.credentials) }
        guard let entry else { return nil }
        self.init(entry, isKeyRefreshing: beacon.isKeyRefreshing, ivIndex: beacon.ivIndex)
    }
}
