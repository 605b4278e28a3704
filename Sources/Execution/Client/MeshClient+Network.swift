package import MeshCore

/// What the owner tells of keys and nodes as they change.
extension MeshClient {
    /// The keys in use.
    package var keys: KeyRing { stack.keys }

    /// Whether the IV index is more than a supposition.
    package var isIVIndexKnown: Bool { stack.isIVIndexKnown }

    /// Whether a message from an element was ever accepted; such numbers as it has used are not accepted again.
    package func hasHeard(_ source: UnicastAddress) -> Bool { stack.replay[source] != nil }

    /// Adds a NetKey, or takes it as it is now.
    package mutating func set(_ key: NetKey) {
        stack.keys.set(key)
        nodes.set(key)
    }

    /// Adds an AppKey, or takes it as it is now.
    package mutating func set(_ key: AppKey) {
        stack.keys.set(key)
    }

    /// Adds a node, or takes its DeviceKey, its NetKeys, its GATT proxy and its exclusion as they are now.
    package mutating func set(_ node: Node) {
        if let key = node.deviceKey { stack.keys.setDeviceKey(key, of: node.unicastAddress) }
        let wasProxy = nodes.isProxy(node.unicastAddress)
        nodes.set(node)
        if node.isExcluded {
            // It gets no new keys, so that nothing would go through it any more.
            refuse(linksTo: node.unicastAddress)
        } else if wasProxy, !nodes.isProxy(node.unicastAddress) {
            expectEnd(ofLinksTo: node.unicastAddress)
        }
        let known = node.netKeys.map(\.index)
        for place in links.indices where links[place].proxy == node.unicastAddress { links[place].keep(known) }
    }

    /// A node's GATT proxy was switched off, with which it ends its links (Mesh Protocol 4.2.12): they take no more
    /// requests, and that they end is no failure.
    ///
    /// Which of those that were heard it is may not be known, so that they all have to be heard anew before one is
    /// connected to: they advertise about once a second, and connecting to one that does not takes long to fail.
    private mutating func expectEnd(ofLinksTo node: UnicastAddress) {
        // Where no other proxy may be used there is nobody to go on with.
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

    /// Adds what may have become a node: its Node Identity is recognised, and requests to it use that DeviceKey.
    package mutating func set(_ pending: PendingProvisioning, deviceKey: KeyMaterial) {
        stack.keys.setDeviceKey(deviceKey, of: pending.address)
        nodes.set(pending)
    }

    /// Forgets the node, or what may have become one, with that address of its primary element: it was reset or
    /// replaced.
    ///
    /// A request to it that is outstanding goes on to its deadline.
    package mutating func remove(node: UnicastAddress) {
        stack.keys.removeDeviceKey(of: node)
        nodes.remove(node)
    }
}
