import DefinitionModel
import MeshCore
import Planning
import Store

/// Updates records to what nodes reported, for values where that is wanted.
enum DriftSettlement {
    /// Accepts observed values that the definition does not mention, and values that it has adopted.
    ///
    /// - Returns: the number of values that the definition does not mention.
    static func accept(
        _ report: DriftReport,
        in network: MeshNetwork,
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
        try settle(resources, in: network, database, lease)
        return accepted
    }

    /// Accepts observed values that the definition has adopted.
    ///
    /// - Returns: whether anything was accepted.
    @discardableResult
    static func settleAdopted(
        _ definition: Definition,
        in network: MeshNetwork,
        _ database: MeshDatabase,
        _ lease: WriteLease
    ) throws(StoreError) -> Bool {
        guard !network.drifts.isEmpty else { return false }
        var resources: [DeviceUUID: [NodeResource]] = [:]
        for node in DriftReport.make(of: network, definition: definition).nodes where !node.adopted.isEmpty {
            resources[node.uuid] = node.adopted
        }
        return try settle(resources, in: network, database, lease)
    }

    @discardableResult
    private static func settle(
        _ resources: [DeviceUUID: [NodeResource]],
        in network: MeshNetwork,
        _ database: MeshDatabase,
        _ lease: WriteLease
    ) throws(StoreError) -> Bool {
        var changes = StoreChanges()
        for node in network.nodes {
            guard let drift = network.drifts[node.uuid], let accepted = resources[node.uuid], !accepted.isEmpty
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
