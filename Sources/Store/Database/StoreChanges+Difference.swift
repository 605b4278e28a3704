package import MeshCore

extension StoreChanges {
    /// The changes that turn a database with one state into one with another.
    ///
    /// Retired nodes are only ever added: their DeviceKeys exist nowhere else, so those of the old state stay. What is
    /// remembered of devices stays, too: it protects against somebody who is not undone.
    ///
    /// - Parameters:
    ///   - old: the state of the database.
    ///   - new: the state that it will have.
    package init(from old: MeshNetwork, to new: MeshNetwork) {
        self.init()
        let oldNodes = Dictionary(old.nodes.map { ($0.uuid, $0) }, uniquingKeysWith: { first, _ in first })
        nodes = new.nodes.filter { oldNodes[$0.uuid] != $0 }
        removedNodes = Self.removed(oldNodes.keys, from: Set(new.nodes.map(\.uuid)))
        drifts = new.drifts.values.filter { old.drifts[$0.recorded.uuid] != $0 }
            .sorted { $0.recorded.uuid < $1.recorded.uuid }
        removedDrifts = Self.removed(old.drifts.keys, from: Set(new.drifts.keys))
        let oldPending = Dictionary(
            old.pendingProvisionings.map { ($0.uuid, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        pendingProvisionings = new.pendingProvisionings.filter { oldPending[$0.uuid] != $0 }
        removedPendingProvisionings = Self.removed(oldPending.keys, from: Set(new.pendingProvisionings.map(\.uuid)))
        pendingReprovisions = new.sortedPendingReprovisions.filter { old.pendingReprovisions[$0.uuid] != $0 }
        removedPendingReprovisions = Self.removed(old.pendingReprovisions.keys, from: Set(new.pendingReprovisions.keys))
        let known = Set(old.retiredNodes)
        retiredNodes = new.retiredNodes.filter { !known.contains($0) }
        if old.withoutRows != new.withoutRows { network = new }
        if old.capacities != new.capacities { capacities = new.capacities }
        if old.listSharings != new.listSharings { listSharings = new.listSharings }
    }

    private static func removed(_ old: some Sequence<DeviceUUID>, from new: Set<DeviceUUID>) -> [DeviceUUID] {
        old.filter { !new.contains($0) }.sorted()
    }
}

extension MeshNetwork {
    /// The part that the network's own row holds.
    fileprivate var withoutRows: MeshNetwork {
        var network = self
        network.nodes = []
        network.pendingProvisionings = []
        network.pendingReprovisions = [:]
        network.retiredNodes = []
        network.drifts = [:]
        network.capacities = []
        network.listSharings = []
        network.deviceMemories = [:]
        return network
    }
}
