import DefinitionModel
import MeshCore
import Planning

/// Key refreshes and exclusions.
extension NetworkRecord {
    /// Moves the key refresh of a subnet to a stage.
    ///
    /// - Returns: whether this changed anything.
    mutating func refreshKeys(
        of index: NetKeyIndex,
        _ stage: KeyRefreshStage,
        key: (KeySource) throws(ExecutionContext.KeyError) -> KeyMaterial
    ) throws(ExecutionContext.KeyError) -> Bool {
        let isChange: Bool
        switch stage {
        case .distribute:
            isChange = try header.beginKeyRefresh(of: index) { () throws(ExecutionContext.KeyError) in
                try key(.generated)
            }
            guard isChange else { return false }
            let refreshed = Set(header.appKeysRefreshed(with: index))
            let own = header.ownProvisioner
            changeNodes { $0.beginKeyRefresh(of: index, appKeys: refreshed, isOwn: $0.uuid == own) }
        case .useNewKeys: isChange = header.useNewKeys(of: index)
        // Only the confirmations of the nodes tell how far this stage is.
        case .revokeOldKeys: return true
        case .finish:
            let refreshed = Set(header.appKeysRefreshed(with: index))
            isChange = header.endKeyRefresh(of: index)
            guard isChange else { return false }
            changeNodes { $0.endKeyRefresh(of: index, appKeys: refreshed) }
        }
        if isChange { unsaved.isHeaderChanged = true }
        return isChange
    }

    /// Why a key refresh cannot move to a stage now: words for people without a full stop; nil if it can.
    ///
    /// - Parameter doubtful: nodes that were sent the NetKey at some time, and did not say whether they got it.
    func objection(
        to stage: KeyRefreshStage,
        of index: NetKeyIndex,
        doubtful: [DeviceUUID] = []
    ) -> String? {
        // Before its beginning and after its end there is nothing to delay.
        guard header.netKeys.contains(where: { $0.index == index && $0.phase != .normal }) else { return nil }
        let refreshed = Set(header.appKeysRefreshed(with: index))
        let holding = nodes.filter { header.holdsUp($0, stage, of: index, refreshing: refreshed) }
        if let first = holding.first {
            let others = holding.count == 1 ? "" : " and \(holding.count - 1) more"
            return stage == .useNewKeys
                ? "\(first.name)\(others) would be left behind without the new keys"
                : "\(first.name)\(others) did not confirm the phase before"
        }
        guard stage == .useNewKeys else { return nil }
        // It is unknown which key a device has whose provisioning was not finished, and whether a node has the key at
        // all that it was sent before the refresh.
        if let pending = header.pendingProvisionings.first(where: { $0.netKeyIndex == index }) {
            return "\(pending.name) may have become a node with the old key"
        }
        let unsure = nodes.first { node in
            !node.knows(index) && !node.isExcluded && node.unprovisionedSeenAt == nil
                && (doubtful.contains(node.uuid) || node.doubtfulEntries.contains(.netKey(index)))
        }
        return unsure.map { "\($0.name) may have the old key, but has not said so" }
    }

    /// Records that the network was heard using its new keys, unless that would leave a node behind. The return to
    /// normal is left to the plan.
    ///
    /// - Returns: whether it is recorded.
    @discardableResult
    mutating func record(_ phase: KeyRefreshPhase, of index: NetKeyIndex) -> Bool {
        guard phase == .usingNewKeys, objection(to: .useNewKeys, of: index) == nil, header.useNewKeys(of: index) else {
            return false
        }
        unsaved.isHeaderChanged = true
        return true
    }

    /// Excludes a node, or a device that may have become one.
    ///
    /// - Returns: whether there is such a node that was not excluded.
    mutating func exclude(_ uuid: DeviceUUID) -> Bool {
        if header.pendingProvisioning(of: uuid) != nil {
            let count = header.retiredNodes.count
            header.excludeNode(uuid)
            unsaved.retire(header.retiredNodes[count...])
            unsaved.changePending(uuid)
            unsaved.isHeaderChanged = true
            return true
        }
        guard let node = node(uuid), !node.isExcluded else { return false }
        changeNodes { node in
            guard node.uuid == uuid else { return false }
            node.isExcluded = true
            return true
        }
        header.exclude(node.addresses)
        unsaved.isHeaderChanged = true
        return true
    }

    private mutating func changeNodes(_ change: (inout Node) -> Bool) {
        for index in nodes.indices where change(&nodes[index]) { unsaved.change(nodes[index].uuid) }
    }
}

extension MeshNetwork {
    /// Whether a key refresh of the subnet is in phase 2.
    func usesNewKeys(of index: NetKeyIndex) -> Bool {
        netKeys.contains { $0.index == index && $0.phase == .usingNewKeys }
    }
}
