package import MeshCore

/// A publication whose key may depend on the model's binding, and whose target may not have an address yet.
package struct DesiredPublication: Hashable, Sendable {
    /// The target of a publication.
    package enum Target: Hashable, Sendable {
        case address(PublishAddress)
        /// An element of a node that gets its address when it is provisioned.
        case element(of: DeviceUUID, index: UInt8)
    }

    package var target: Target
    /// The AppKey; nil for the only one that is bound to the model.
    package var key: AppKeyIndex?
    /// The TTL, 0...127, or ``Publication/defaultTTL``.
    package var ttl: UInt8
    package var period: PublishPeriod
    package var retransmit: PublishRetransmit
    package var usesFriendshipCredentials: Bool

    package init(
        target: Target,
        key: AppKeyIndex?,
        ttl: UInt8,
        period: PublishPeriod,
        retransmit: PublishRetransmit,
        usesFriendshipCredentials: Bool
    ) {
        self.target = target
        self.key = key
        self.ttl = ttl
        self.period = period
        self.retransmit = retransmit
        self.usesFriendshipCredentials = usesFriendshipCredentials
    }

    /// The node whose address is not known yet; nil if there is none.
    package var awaitedNode: DeviceUUID? {
        if case .element(of: let node, index: _) = target { return node }
        return nil
    }

    /// The publication with its address and key filled in.
    func publication(to address: PublishAddress, key: AppKeyIndex) -> Publication {
        Publication(
            address: address,
            appKeyIndex: key,
            usesFriendshipCredentials: usesFriendshipCredentials,
            ttl: ttl,
            period: period,
            retransmit: retransmit
        )
    }
}
