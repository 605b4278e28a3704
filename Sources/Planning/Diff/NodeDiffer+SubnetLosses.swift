import DefinitionModel
import MeshCore

/// Removes subnets separately from everything else, for nodes whose composition must be read first; see
/// ``SubnetLosses``.
extension NodeDiffer {
    /// Postpones the removal of NetKeys, and of what goes with them, except for keys that must make room.
    mutating func leaveSubnetLossesForLater(of node: Node, _ difference: inout NodeDifference) {
        let early = EarlyRemovals(of: difference, on: node, boundNetKeys: boundNetKeys).netKeys
        difference.keep(Set(difference.deletedNetKeys).subtracting(early), boundNetKeys: boundNetKeys)
        // Guards report the loss of keys when it is due.
        guards = GuardReports()
    }

    /// Keeps only the removal of keys, and of what goes with them.
    ///
    /// Everything else was done before. If part of it failed, a key that something still depends on stays.
    mutating func leaveOnlySubnetLosses(of node: Node, _ difference: inout NodeDifference) {
        var losses = NodeDifference(origin: difference.origin, name: difference.name)
        losses.deletedNetKeys = difference.deletedNetKeys
        losses.deletedAppKeys = difference.deletedAppKeys
        losses.rooms = difference.rooms
        losses.bridges = difference.bridges.filter(\.isImplied)
        for model in difference.models {
            var loss = ModelDifference(address: model.address)
            loss.lostBindings = model.lostBindings
            if let publication = model.publication, publication.isImplied, let key = publication.before?.appKeyIndex,
                losses.deletedAppKeys.contains(key)
            {
                loss.publication = publication
            }
            if !loss.isEmpty { losses.models.append(loss) }
        }
        // Drops what an earlier step has already reported about the node.
        diagnostics = CountedDiagnostics()
        let used = difference.models.compactMap { model -> AppKeyIndex? in
            guard let publication = model.publication, publication.after != nil else { return nil }
            return publication.before?.appKeyIndex
        }.filter(losses.deletedAppKeys.contains).sortedUnique()
        for key in used { reportUse(of: key, by: difference.name) }
        losses.keep(used, boundNetKeys: boundNetKeys)
        // A NetKey that was not added cannot be used to reach the node.
        if losses.deletedNetKeys.count == node.netKeys.count, let last = node.transportNetKey {
            guards = GuardReports()
            report(lossOf: last, in: losses)
            losses.keep(Set(losses.deletedNetKeys), boundNetKeys: boundNetKeys)
        }
        difference = losses
    }

    private mutating func reportUse(of key: AppKeyIndex, by name: String) {
        diagnostics.report(
            Diagnostic(
                .error,
                "node `\(name)` keeps application key `\(names.appKey(key))`: a publication that should have got "
                    + "another key still uses it",
                resource: "node." + name,
                hint: "Find out why that failed, and apply again"
            )
        )
    }

    private mutating func report(lossOf subnet: NetKeyIndex, in difference: NodeDifference) {
        let name = names.netKey(subnet)
        guards.report(
            GuardFinding(
                .lastNetKey,
                "node `\(difference.name)` would lose its last NetKey, that of subnet `\(name)`",
                nodes: [difference.name],
                resources: ["node.\(difference.name).subnet.\(name)"]
            ),
            hint: "Find out why it did not get another one, and apply again"
        )
    }
}

extension NodeDifference {
    /// Keeps NetKeys that the node would lose, with the AppKeys that would be deleted with them.
    mutating func keep(_ netKeys: Set<NetKeyIndex>, boundNetKeys: [AppKeyIndex: NetKeyIndex]) {
        guard !netKeys.isEmpty else { return }
        deletedNetKeys.removeAll(where: netKeys.contains)
        keepAppKeys { key in boundNetKeys[key].map(netKeys.contains) ?? false }
        bridges.removeAll { bridge in
            guard bridge.isImplied, let pair = bridge.before?.subnets else { return false }
            return !deletedNetKeys.contains(pair.first) && !deletedNetKeys.contains(pair.second)
        }
    }

    /// Keeps AppKeys that the node would lose, and the NetKeys whose deletion would delete them.
    mutating func keep(_ appKeys: [AppKeyIndex], boundNetKeys: [AppKeyIndex: NetKeyIndex]) {
        guard !appKeys.isEmpty else { return }
        keepAppKeys(where: appKeys.contains)
        let netKeys = Set(appKeys.compactMap { boundNetKeys[$0] }).intersection(deletedNetKeys)
        deletedNetKeys.removeAll(where: netKeys.contains)
    }

    private mutating func keepAppKeys(where isKept: (AppKeyIndex) -> Bool) {
        deletedAppKeys.removeAll(where: isKept)
        for index in models.indices {
            models[index].lostBindings.removeAll(where: isKept)
            guard let publication = models[index].publication, publication.isImplied,
                let key = publication.before?.appKeyIndex, isKept(key)
            else { continue }
            models[index].publication = nil
        }
        models.removeAll(where: \.isEmpty)
    }
}
