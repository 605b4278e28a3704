package import MeshCore

/// Keys and nodes, as the owner updates them.
extension MeshClient {
    /// The keys in use.
    package var keys: KeyRing { transport.stack.keys }

    /// Whether the IV index is known, not only supposed.
    package var isIVIndexKnown: Bool { transport.stack.isIVIndexKnown }

    /// Whether a message of an element was ever accepted; its sequence numbers up to that one are not accepted again.
    package func hasHeard(_ source: UnicastAddress) -> Bool { transport.stack.replay[source] != nil }

    /// Adds or replaces a NetKey.
    package mutating func set(_ key: NetKey) {
        transport.stack.keys.set(key)
        transport.keeper.nodes.set(key)
    }

    /// Adds or replaces an AppKey.
    package mutating func set(_ key: AppKey) {
        transport.stack.keys.set(key)
    }

    /// Adds a node, or updates its DeviceKey, its NetKeys, its GATT proxy and its exclusion.
    package mutating func set(_ node: Node) {
        transport.set(node)
    }

    /// Adds a device that may have become a node: the client recognises its Node Identity, and its requests use this
    /// DeviceKey.
    package mutating func set(_ pending: PendingProvisioning, deviceKey: KeyMaterial) {
        transport.stack.keys.setDeviceKey(deviceKey, of: pending.address)
        transport.keeper.nodes.set(pending)
    }

    /// Forgets the node, or the device that may have become one, with this address of its primary element: it was reset
    /// or replaced.
    ///
    /// An outstanding request to it continues until its deadline.
    package mutating func remove(node: UnicastAddress) {
        transport.stack.keys.removeDeviceKey(of: node)
        transport.keeper.nodes.remove(node)
    }
}
