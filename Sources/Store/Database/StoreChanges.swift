package import MeshCore

/// The changes of one commit, all or nothing.
package struct StoreChanges: Sendable {
    /// Nodes that are new or have a new state, each as a whole.
    package var nodes: [Node] = []
    /// Nodes of which only something is new that outdates no plan, each as a whole: the time when a node confirmed its
    /// known state, or what our own node operates others with.
    package var confirmedNodes: [Node] = []
    /// Nodes whose drift from their record has changed, with that record.
    package var drifts: [NodeDrift] = []
    /// Nodes that no longer differ from their record.
    package var removedDrifts: [DeviceUUID] = []
    package var removedNodes: [DeviceUUID] = []
    /// Devices that will now get an address and a DeviceKey, or whose record has changed, each as a whole.
    package var pendingProvisionings: [PendingProvisioning] = []
    /// Devices that are now known to be nodes, or not to be.
    package var removedPendingProvisionings: [DeviceUUID] = []
    /// Nodes that will now get another DeviceKey, each as a whole.
    package var pendingReprovisions: [PendingReprovision] = []
    /// Nodes whose DeviceKey is known again.
    package var removedPendingReprovisions: [DeviceUUID] = []
    /// Former nodes to add to those recorded before. ``removedNodes`` says that each is gone, unless ``nodes`` holds
    /// what replaced it; ``network`` says what happened to its addresses.
    package var retiredNodes: [RetiredNode] = []
    /// The network's own state: name, IV index, keys, groups, provisioners, scenes, exclusions. Its nodes and
    /// records of provisioning are ignored.
    package var network: MeshNetwork?
    /// The known sizes of products' lists, as a whole.
    package var capacities: [ListCapacity]?
    /// The models that are known to share subscription lists, by product, as a whole.
    package var listSharings: [ListSharing]?
    /// What is remembered of devices, each as a whole. It outdates no plan, and never goes back.
    package var deviceMemories: [DeviceMemory] = []
    /// What imports brought along and exports write out again.
    package var extras: CDBExtras?
    /// Replay entries, one for each source. One that is older than the stored one changes nothing.
    package var replay: [ReplayProtection.Entry] = []
    /// Messages that will be sent as soon as the commit returns.
    package var intents: [JournalIntent] = []
    /// The run that makes the changes, if there is one. The database records that they belong to it.
    package var run: RunIdentifier?
    package var outcomes: [JournalOutcome] = []
    /// The lowest serial after a change of the state, for a state that comes from another database.
    var minimumSerial: UInt64 = 0

    package init() {}

    /// Whether this outdates plans that were made before.
    var isStateChange: Bool {
        !nodes.isEmpty || !removedNodes.isEmpty || network != nil || extras != nil || capacities != nil
            || listSharings != nil
            || !pendingProvisionings.isEmpty || !removedPendingProvisionings.isEmpty || !retiredNodes.isEmpty
            || !drifts.isEmpty || !removedDrifts.isEmpty || !pendingReprovisions.isEmpty
            || !removedPendingReprovisions.isEmpty
    }

    package var isEmpty: Bool {
        !isStateChange && confirmedNodes.isEmpty && deviceMemories.isEmpty && replay.isEmpty && intents.isEmpty
            && outcomes.isEmpty
    }
}

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
        let oldNodes = Dictionary(firstOf: old.nodes.map { ($0.uuid, $0) })
        nodes = new.nodes.filter { oldNodes[$0.uuid] != $0 }
        removedNodes = Self.removed(oldNodes.keys, from: Set(new.nodes.map(\.uuid)))
        drifts = new.drifts.values.filter { old.drifts[$0.recorded.uuid] != $0 }
            .sorted { $0.recorded.uuid < $1.recorded.uuid }
        removedDrifts = Self.removed(old.drifts.keys, from: Set(new.drifts.keys))
        let oldPending = Dictionary(firstOf: old.pendingProvisionings.map { ($0.uuid, $0) })
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
