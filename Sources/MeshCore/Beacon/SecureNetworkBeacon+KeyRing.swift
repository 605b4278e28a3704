extension KeyRing {
    /// The subnet whose key, present or old, made a beacon; nil if none of the ring's did.
    package func netKeyIndex(authenticating beacon: SecureNetworkBeacon) -> NetKeyIndex? {
        candidates(networkID: beacon.networkID).first { beacon.isAuthentic(under: $0.credentials) }?.index
    }
}
