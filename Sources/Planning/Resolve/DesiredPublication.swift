package import MeshCore

/// A publication whose key may still have to be chosen by the model that publishes, and whose target may not have an
/// address yet.
package struct DesiredPublication: Hashable, Sendable {
    /// Where a publication goes.
    package enum Target: Hashable, Sendable {
        /// To an address.
        case address(PublishAddress)
        /// To an element of a node that gets its address when it is provisioned.
        case element(of: DeviceUUID, index: UInt8)
    }

    /// Where it goes.
    package var target: Target
    /// The AppKey; nil for the only one that is bound to the model.
    package var key: AppKeyIndex?
    /// The TTL, 0...127, or ``Publication/defaultTTL``.
    package var ttl: UInt8
    /// How often.
    package var period: PublishPeriod
    /// How it is repeated.
    package var retransmit: PublishRetransmit
    /// Whether friendship credentials secure it.
    package var usesFriendshipCredentials: Bool

    /// A publication with those values.
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

    /// The node whose address is yet to be known, if there is one.
    package var awaitedNode: DeviceUUID? {
        if case .element(of: let node, index: _) = target { return node }
        return nil
    }

    /// The publication with its address and key.
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
