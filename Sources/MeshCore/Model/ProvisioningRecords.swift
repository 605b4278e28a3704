/// A device that was about to become a node when it was last heard of: written before its provisioning data leaves, and
/// replaced by a ``Node`` once the device said that it accepts them.
///
/// Between the two nobody knows which of the two it is; the record holds its addresses until that is found out.
package struct PendingProvisioning: Hashable, Sendable {
    /// The device.
    package var uuid: DeviceUUID
    /// The name that the node will have.
    package var name: String
    /// The address of its primary element.
    package var address: UnicastAddress
    /// How many elements, and thus addresses, it has, 1...255.
    package var elementCount: UInt8
    /// The DeviceKeys of all attempts, the newest last, at least one: any of them may be the one that the device took.
    package var deviceKeys: [KeyMaterial]
    /// The subnet whose key it was, or was to be, given.
    package var netKeyIndex: NetKeyIndex
    /// Whether all attempts were authenticated with the public key read out of band (the database format's `security`).
    package var isSecurelyProvisioned: Bool
    /// When the latest attempt was made.
    package var attemptedAt: Timestamp

    /// A record of a first attempt.
    package init(
        uuid: DeviceUUID,
        name: String,
        address: UnicastAddress,
        elementCount: UInt8,
        deviceKeys: [KeyMaterial],
        netKeyIndex: NetKeyIndex,
        isSecurelyProvisioned: Bool,
        attemptedAt: Timestamp
    ) {
        self.uuid = uuid
        self.name = name
        self.address = address
        self.elementCount = elementCount
        self.deviceKeys = deviceKeys
        self.netKeyIndex = netKeyIndex
        self.isSecurelyProvisioned = isSecurelyProvisioned
        self.attemptedAt = attemptedAt
    }

    /// The addresses that it holds.
    package var addresses: ClosedRange<UInt16> {
        let last = min(Int(address.rawValue) + Int(max(elementCount, 1)) - 1, Int(UnicastAddress.last.rawValue))
        return address.rawValue...UInt16(last)
    }
}

/// A node that is one no more, reset by us or found unprovisioned, or that is one under another DeviceKey. The
/// DeviceKey is kept, should it turn up after all.
package struct RetiredNode: Hashable, Sendable {
    /// Why it is retired.
    package enum Reason: UInt8, CaseIterable, Sendable {
        /// We reset it.
        case reset = 0
        /// It was seen unprovisioned and provisioned anew.
        case replaced = 1
        /// It may have become a node or not, and is excluded.
        case excluded = 2
        /// It got another DeviceKey, and perhaps another address, and is a node on.
        case refreshed = 3
    }

    /// The node as it was last known.
    package var node: Node
    /// Why it is retired.
    package var reason: Reason
    /// When.
    package var retiredAt: Timestamp

    package init(node: Node, reason: Reason, retiredAt: Timestamp) {
        self.node = node
        self.reason = reason
        self.retiredAt = retiredAt
    }
}
