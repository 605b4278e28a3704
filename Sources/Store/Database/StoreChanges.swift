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
    /// Nodes to remove.
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
    /// The outcomes of messages.
    package var outcomes: [JournalOutcome] = []
    /// The lowest serial after a change of the state, for a state that comes from another database.
    var minimumSerial: UInt64 = 0

    /// No changes.
    package init() {}

    /// Whether this outdates plans that were made before.
    var isStateChange: Bool {
        !nodes.isEmpty || !removedNodes.isEmpty || network != nil || extras != nil || capacities != nil
            || listSharings != nil
            || !pendingProvisionings.isEmpty || !removedPendingProvisionings.isEmpty || !retiredNodes.isEmpty
            || !drifts.isEmpty || !removedDrifts.isEmpty || !pendingReprovisions.isEmpty
            || !removedPendingReprovisions.isEmpty
    }

    /// Whether there is nothing to commit.
    package var isEmpty: Bool {
        !isStateChange && confirmedNodes.isEmpty && deviceMemories.isEmpty && replay.isEmpty && intents.isEmpty
            && outcomes.isEmpty
    }
}
