internal import MeshCore
internal import Planning
internal import Store

/// Makes records agree with what nodes told, where that is what is wanted.
enum DriftSettlement {
    /// Takes for recorded what the definition says nothing of, and what it has adopted.
    ///
    /// - Returns: how many values the definition says nothing of.
    static func accept(
        _ report: DriftReport,
        in snapshot: Snapshot,
        _ database: MeshDatabase,
        _ lease: WriteLease
    ) throws(StoreError) -> Int {
        var accepted = 0
        var resources: [DeviceUUID: [NodeResource]] = [:]
        for node in report.nodes {
            let unmanaged = node.entries.filter { $0.declared == .unmanaged }.map(\.resource)
            accepted += unmanaged.count
            resources[node.uuid] = unmanaged + node.adopted
        }
        try settle(resources, in: snapshot, database, lease)
        return accepted
    }

    /// Takes for recorded what the definition has adopted.
    ///
    /// - Returns: whether there was anything.
    @discardableResult
    static func settleAdopted(
        _ definition: Definition,
        in snapshot: Snapshot,
        _ database: MeshDatabase,
        _ lease: WriteLease
    ) throws(StoreError) -> Bool {
        guard !snapshot.network.drifts.isEmpty else { return false }
        var resources: [DeviceUUID: [NodeResource]] = [:]
        for node in DriftReport.make(of: snapshot.network, definition: definition).nodes where !node.adopted.isEmpty {
            resources[node.uuid] = node.adopted
        }
        return try settle(resources, in: snapshot, database, lease)
    }

    @discardableResult
    private static func settle(
        _ resources: [DeviceUUID: [NodeResource]],
        in snapshot: Snapshot,
        _ database: MeshDatabase,
        _ lease: WriteLease
    ) throws(StoreError) -> Bool {
        var changes = StoreChanges()
        for node in snapshot.network.nodes {
            guard let drift = snapshot.network.drifts[node.uuid], let accepted = resources[node.uuid], !accepted.isEmpty
            else { continue }
            if let rest = drift.accepting(accepted, observed: node) {
                changes.drifts.append(rest)
            } else {
                changes.removedDrifts.append(node.uuid)
            }
        }
        guard !changes.isEmpty else { return false }
        try database.commit(changes, with: lease)
        return true
    }
}
