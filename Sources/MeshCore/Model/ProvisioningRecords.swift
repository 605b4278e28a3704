/// A device that was about to become a node when we last heard from it. It is written before the provisioning data are
/// sent, and replaced by a ``Node`` once the device has accepted them.
///
/// In between nobody knows whether it is a node. The record keeps its addresses from being assigned until that is
/// known.
package struct PendingProvisioning: Hashable, Sendable {
    package var uuid: DeviceUUID
    package var name: String
    /// The address of its primary element.
    package var address: UnicastAddress
    /// The number of its elements and addresses, 1...255.
    package var elementCount: UInt8
    /// The DeviceKeys of all attempts, at least one, the newest last. The device may have taken any of them.
    package var deviceKeys: [KeyMaterial]
    /// The subnet whose key it got or was about to get.
    package var netKeyIndex: NetKeyIndex
    /// Whether all attempts were authenticated with a public key read out of band (`security` in the database format).
    package var isSecurelyProvisioned: Bool
    /// How the device proved who it is in the attempt that proved the least; nil if that was not recorded.
    package var authentication: NodeAuthentication?
    /// The time of the latest attempt.
    package var attemptedAt: Timestamp

    /// A record of a first attempt, or of several with one set of addresses.
    package init(
        uuid: DeviceUUID,
        name: String,
        address: UnicastAddress,
        elementCount: UInt8,
        deviceKeys: [KeyMaterial],
        netKeyIndex: NetKeyIndex,
        isSecurelyProvisioned: Bool,
        authentication: NodeAuthentication? = nil,
        attemptedAt: Timestamp
    ) {
        self.uuid = uuid
        self.name = name
        self.address = address
        self.elementCount = elementCount
        self.deviceKeys = deviceKeys
        self.netKeyIndex = netKeyIndex
        self.isSecurelyProvisioned = isSecurelyProvisioned
        self.authentication = authentication
        self.attemptedAt = attemptedAt
    }

    package var addresses: ClosedRange<UInt16> {
        let last = min(Int(address.rawValue) + Int(max(elementCount, 1)) - 1, Int(UnicastAddress.last.rawValue))
        return address.rawValue...UInt16(last)
    }
}

/// A former node: we reset it, found it unprovisioned, or it now has another DeviceKey. Its DeviceKey is kept in case
/// the node turns up after all.
package struct RetiredNode: Hashable, Sendable {
    /// Why it is retired.
    package enum Reason: UInt8, CaseIterable, Sendable {
        case reset = 0
        /// It was seen unprovisioned and was provisioned again.
        case replaced = 1
        /// It may or may not have become a node, and is excluded.
        case excluded = 2
        /// It got another DeviceKey, perhaps another address, and remains a node.
        case reprovisioned = 3
    }

    /// The last known state of the node.
    package var node: Node
    package var reason: Reason
    package var retiredAt: Timestamp

    package init(node: Node, reason: Reason, retiredAt: Timestamp) {
        self.node = node
        self.reason = reason
        self.retiredAt = retiredAt
    }
}
