/// The key refresh of a subnet and of the AppKeys bound to it, in the database (Mesh Protocol 3.11.4).
extension MeshNetwork {
    /// Whether a node has to get each step of a subnet's key refresh: it has the key, is not excluded, and was not seen
    /// without a network since, which left it without keys. Provisioners get the new keys with the database.
    package func takesPart(_ node: Node, inRefreshOf index: NetKeyIndex) -> Bool {
        node.knows(index) && !node.isExcluded && node.unprovisionedSeenAt == nil
            && !provisioners.contains { $0.uuid == node.uuid }
    }

    /// The AppKeys that are refreshed with a subnet, sorted. Before the refresh these are all that are bound to it,
    /// later those that have an old value. An AppKey made during the refresh is already new.
    package func appKeysRefreshed(with index: NetKeyIndex) -> [AppKeyIndex] {
        let isBeginning = netKeys.first { $0.index == index }?.phase == .normal
        return appKeys.filter { $0.boundNetKey == index && (isBeginning || $0.oldKey != nil) }.map(\.index)
    }

    /// Whether a node keeps the refresh of a subnet from entering a stage, because it has not confirmed the stages
    /// before. Entering the stage anyway could cut it off for good.
    ///
    /// - Parameter appKeys: the result of ``appKeysRefreshed(with:)``, which the caller computes once.
    package func holdsUp(
        _ node: Node,
        _ stage: KeyRefreshStage,
        of index: NetKeyIndex,
        refreshing appKeys: Set<AppKeyIndex>
    ) -> Bool {
        guard stage > .distribute, takesPart(node, inRefreshOf: index) else { return false }
        if node.netKeys.contains(where: { $0.index == index && $0.progress < stage.requirement }) { return true }
        return stage == .useNewKeys && node.appKeys.contains { appKeys.contains($0.index) && !$0.isUpdated }
    }

    /// The Network ID of the key that the current or next key refresh of a subnet replaces; nil if there is no such
    /// subnet. It distinguishes one refresh from the next and is not secret.
    package func networkIDReplaced(in index: NetKeyIndex) -> UInt64? {
        guard let subnet = netKeys.first(where: { $0.index == index }) else { return nil }
        return KeyDerivation.k3(subnet.phase == .normal ? subnet.key : subnet.oldKey ?? subnet.key)
    }

    /// Begins the key refresh of a subnet (phase 1). Its NetKey and the AppKeys bound to it get new values in addition
    /// to the current ones, and the nodes' records of an earlier refresh are cleared.
    ///
    /// Nothing changes in a subnet that is already being refreshed.
    ///
    /// - Parameter makeKey: makes a new key; called once for each key.
    /// - Returns: whether a refresh began.
    /// - Throws: the error of `makeKey`; the network is then unchanged.
    @discardableResult
    package mutating func beginKeyRefresh<Failure: Error>(
        of index: NetKeyIndex,
        makeKey: () throws(Failure) -> KeyMaterial
    ) throws(Failure) -> Bool {
        guard let place = netKeys.firstIndex(where: { $0.index == index }), netKeys[place].phase == .normal else {
            return false
        }
        var (netKeys, appKeys) = (self.netKeys, self.appKeys)
        netKeys[place].oldKey = netKeys[place].key
        netKeys[place].key = try makeKey()
        netKeys[place].phase = .keyDistribution
        for place in appKeys.indices where appKeys[place].boundNetKey == index {
            appKeys[place].oldKey = appKeys[place].key
            appKeys[place].key = try makeKey()
        }
        (self.netKeys, self.appKeys) = (netKeys, appKeys)
        let refreshed = Set(appKeysRefreshed(with: index))
        for place in nodes.indices {
            let isOwn = nodes[place].uuid == ownProvisioner
            nodes[place].beginKeyRefresh(of: index, appKeys: refreshed, isOwn: isOwn)
        }
        return true
    }

    /// Moves the key refresh of a subnet to phase 2: everybody sends with the new keys.
    ///
    /// - Returns: whether it was in phase 1.
    @discardableResult
    package mutating func useNewKeys(of index: NetKeyIndex) -> Bool {
        guard let place = netKeys.firstIndex(where: { $0.index == index }), netKeys[place].phase == .keyDistribution
        else { return false }
        netKeys[place].phase = .usingNewKeys
        return true
    }

    /// Ends the key refresh of a subnet. The old keys are forgotten, and nodes that took no part and have only those no
    /// longer know the subnet.
    ///
    /// - Returns: whether a refresh was in phase 2.
    @discardableResult
    package mutating func endKeyRefresh(of index: NetKeyIndex) -> Bool {
        guard let place = netKeys.firstIndex(where: { $0.index == index }), netKeys[place].phase == .usingNewKeys
        else { return false }
        let refreshed = Set(appKeysRefreshed(with: index))
        for place in nodes.indices { nodes[place].endKeyRefresh(of: index, appKeys: refreshed) }
        netKeys[place].phase = .normal
        netKeys[place].oldKey = nil
        for place in appKeys.indices where appKeys[place].boundNetKey == index { appKeys[place].oldKey = nil }
        return true
    }

    /// Excludes a node. It gets no more keys, its messages are ignored, and its addresses are not assigned before the
    /// IV index allows it. Its DeviceKey is kept.
    ///
    /// A device that may have become a node is treated as one: it is retired with each DeviceKey that it may have.
    ///
    /// - Returns: whether a node or device existed that was not yet excluded.
    @discardableResult
    package mutating func excludeNode(_ uuid: DeviceUUID) -> Bool {
        if let pending = abandonProvisioning(of: uuid) {
            exclude(pending.addresses)
            return true
        }
        guard let index = nodes.firstIndex(where: { $0.uuid == uuid }), !nodes[index].isExcluded else { return false }
        nodes[index].isExcluded = true
        exclude(nodes[index].addresses)
        return true
    }
}

extension Node {
    /// Forgets what an earlier refresh left. Our own node has the new keys as soon as they exist.
    ///
    /// - Parameter appKeys: the AppKeys that are refreshed with the subnet.
    /// - Returns: whether anything changed.
    @discardableResult
    package mutating func beginKeyRefresh(
        of index: NetKeyIndex,
        appKeys refreshed: Set<AppKeyIndex>,
        isOwn: Bool
    ) -> Bool {
        let before = (netKeys, appKeys)
        for place in netKeys.indices where netKeys[place].index == index {
            netKeys[place].progress = isOwn ? .revoked : .none
        }
        for index in appKeys.indices where refreshed.contains(appKeys[index].index) {
            appKeys[index].progress = isOwn ? .updated : .none
        }
        return before != (netKeys, appKeys)
    }

    /// Records the end of a refresh. A node that is excluded or was reset, and did not get the new keys, has lost the
    /// subnet.
    ///
    /// - Parameter appKeys: the AppKeys that were refreshed with the subnet.
    /// - Returns: whether anything changed.
    @discardableResult
    package mutating func endKeyRefresh(of index: NetKeyIndex, appKeys refreshed: Set<AppKeyIndex>) -> Bool {
        let before = (netKeys, appKeys)
        if isExcluded || unprovisionedSeenAt != nil {
            netKeys.removeAll { $0.index == index && !$0.isUpdated }
            appKeys.removeAll { refreshed.contains($0.index) && !$0.isUpdated }
        }
        for place in netKeys.indices where netKeys[place].index == index { netKeys[place].progress = .none }
        for index in appKeys.indices where refreshed.contains(appKeys[index].index) { appKeys[index].progress = .none }
        return before != (netKeys, appKeys)
    }

    /// Records that the node has confirmed this progress for a NetKey that it knows.
    package mutating func confirm(_ progress: KeyRefreshProgress, of index: NetKeyIndex) {
        guard let place = netKeys.firstIndex(where: { $0.index == index }) else { return }
        netKeys[place].progress = max(netKeys[place].progress, progress)
    }

    /// Records that the node has the new value of an AppKey that it knows.
    package mutating func confirmUpdate(of index: AppKeyIndex) {
        guard let place = appKeys.firstIndex(where: { $0.index == index }) else { return }
        appKeys[place].progress = max(appKeys[place].progress, .updated)
    }
}
