import MeshCore

/// What the client writes to a proxy to set the link up.
extension ProxyLink {
    /// A key for a proxy configuration message.
    struct ConfigurationKey: Hashable {
        var index: NetKeyIndex
        /// Whether it is the old key, whatever the phase of the key refresh.
        var isOld = false
    }

    /// In how many subnets the client tries a proxy of which it knows nothing; each takes a sequence number.
    private static let maximumGuesses = 16

    /// The key of the first subnet for which the proxy relays.
    var configurationKey: ConfigurationKey {
        let subnet = subnets.first ?? .primary
        return ConfigurationKey(index: subnet, isOld: oldKeySubnets.contains(subnet))
    }

    /// The keys under which to set the filter type: the key of the proxy's beacon; without a beacon the keys of the
    /// subnets that it advertised, or all keys. A proxy that was left out of a key refresh has only the old key, so the
    /// client tries old and new keys in turn.
    ///
    /// - Parameter attempt: counts from 1.
    func filterTypeKeys(_ attempt: Int, of keys: KeyRing) -> [ConfigurationKey] {
        guard subnets.isEmpty else { return [configurationKey] }
        return (advertisedSubnets ?? keys.netKeys.map(\.index)).prefix(Self.maximumGuesses)
            .map { index in
                let isRefreshing = keys.netKey(index)?.phase == .usingNewKeys
                return ConfigurationKey(index: index, isOld: isRefreshing && attempt.isMultiple(of: 2))
            }
    }

    /// Sends a Proxy PDU in as many packets as it needs.
    func writing(_ pdu: ProxyPDU) -> [ClientOutput] {
        guard let identifier else { return [] }
        return ProxySegmenter.packets(of: pdu, maximumSize: maximumPacketSize).map { .send($0, on: identifier) }
    }
}
