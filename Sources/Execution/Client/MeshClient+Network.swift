package import MeshCore

/// Keys and nodes, as the owner updates them.
extension MeshClient {
    /// The keys in use.
    package var keys: KeyRing { stack.keys }

    /// Whether the IV index is known, not only supposed.
    package var isIVIndexKnown: Bool { stack.isIVIndexKnown }

    /// Whether a message of an element was ever accepted; its sequence numbers up to that one are not accepted again.
    package func hasHeard(_ source: UnicastAddress) -> Bool { stack.replay[source] != nil }

    /// Adds or replaces a NetKey.
    package mutating func set(_ key: NetKey) {
        stack.keys.set(key)
        nodes.set(key)
    }

    /// Adds or replaces an AppKey.
    package mutating func set(_ key: AppKey) {
        stack.keys.set(key)
    }

    /// Adds a node, or updates its DeviceKey, its NetKeys, its GATT proxy and its exclusion.
    package mutating func set(_ node: Node) {
        if let key = node.deviceKey { stack.keys.setDeviceKey(key, of: node.unicastAddress) }
        let wasProxy = nodes.isProxy(node.unicastAddress)
        nodes.set(node)
        if node.isExcluded {
            // The node gets no new keys, so nothing would get through it any longer.
            refuse(linksTo: node.unicastAddress)
        } else if wasProxy, !nodes.isProxy(node.unicastAddress) {
            expectEnd(ofLinksTo: node.unicastAddress)
        }
        let known = node.netKeys.map(\.index)
        for place in links.indices where links[place].proxy == node.unicastAddress { links[place].keep(known) }
    }

    /// A node's GATT proxy was switched off, which ends its links (Mesh Protocol 4.2.12). They take no more requests,
    /// and their end is no failure.
    ///
    /// The client may not know which advertiser is this node. So all must be heard again before it connects to one.
    /// They advertise about once a second, and connecting to one that does not takes long to fail.
    private mutating func expectEnd(ofLinksTo node: UnicastAddress) {
        // If a proxy is required, no other could take over.
        guard linkPolicy.proxy == nil else { return }
        selection.forgetHeard()
        leave(node)
    }

    private mutating func refuse(linksTo node: UnicastAddress) {
        for link in links where link.proxy == node {
            if let advertiser = link.advertiser { selection.refuse(advertiser) }
        }
        selection.forgetHeard()
        leave(node)
    }

    private mutating func leave(_ node: UnicastAddress) {
        for place in links.indices where links[place].proxy == node || links[place].directNode == node {
            links[place].isLeaving = true
        }
    }

    /// Adds a device that may have become a node: the client recognises its Node Identity, and its requests use this
    /// DeviceKey.
    package mutating func set(_ pending: PendingProvisioning, deviceKey: KeyMaterial) {
        stack.keys.setDeviceKey(deviceKey, of: pending.address)
        nodes.set(pending)
    }

    /// Forgets the node, or the device that may have become one, with this address of its primary element: it was reset
    /// or replaced.
    ///
    /// An outstanding request to it continues until its deadline.
    package mutating func remove(node: UnicastAddress) {
        stack.keys.removeDeviceKey(of: node)
        nodes.remove(node)
    }
}
