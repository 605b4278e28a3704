package import MeshCore

/// What one commit changes, all of it or nothing.
package struct StoreChanges: Sendable {
    /// Nodes that are new or have a new state, whole.
    package var nodes: [Node] = []
    /// Nodes that confirmed what is known of them: new is only when they did, which outdates no plan. Whole.
    package var confirmedNodes: [Node] = []
    /// Nodes that have drifted from their records otherwise than before, with those records.
    package var drifts: [NodeDrift] = []
    /// Nodes that have not drifted any more.
    package var removedDrifts: [DeviceUUID] = []
    /// Nodes that are gone.
    package var removedNodes: [DeviceUUID] = []
    /// Devices that are about to be given an address and a DeviceKey, or of which there is news, whole.
    package var pendingProvisionings: [PendingProvisioning] = []
    /// Devices of which it is known now whether they are nodes.
    package var removedPendingProvisionings: [DeviceUUID] = []
    /// Nodes that are about to be given another DeviceKey, whole.
    package var pendingRefreshes: [PendingRefresh] = []
    /// Nodes of which it is known now which DeviceKey they have.
    package var removedPendingRefreshes: [DeviceUUID] = []
    /// Nodes that are none any more, to be added to those before. That they are gone stands in ``removedNodes``, unless
    /// ``nodes`` has what replaced them; what became of their addresses stands in ``network``.
    package var retiredNodes: [RetiredNode] = []
    /// The network's own state: name, IV index, keys, groups, provisioners, scenes, exclusions. Its nodes and
    /// records of provisioning are ignored.
    package var network: MeshNetwork?
    /// What is known of the room in lists of products, whole.
    package var capacities: [ListCapacity]?
    /// What is known of which models of products share one subscription list, whole.
    package var listSharings: [ListSharing]?
    /// What imports brought along and exports give back.
    package var extras: CDBExtras?
    /// Replay entries, one a source; older ones than those stored change nothing.
    package var replay: [ReplayProtection.Entry] = []
    /// Messages that will be sent as soon as the commit has returned.
    package var intents: [JournalIntent] = []
    /// The run that makes the changes, if one does; the database remembers that they are its.
    package var run: RunIdentifier?
    /// What became of messages.
    package var outcomes: [JournalOutcome] = []
    /// What the serial is at least after a change of the state, where a state comes from another database.
    var minimumSerial: UInt64 = 0

    /// No changes.
    package init() {}

    /// Whether a plan made before is outdated by this.
    var isStateChange: Bool {
        !nodes.isEmpty || !removedNodes.isEmpty || network != nil || extras != nil || capacities != nil
            || listSharings != nil
            || !pendingProvisionings.isEmpty || !removedPendingProvisionings.isEmpty || !retiredNodes.isEmpty
            || !drifts.isEmpty || !removedDrifts.isEmpty || !pendingRefreshes.isEmpty
            || !removedPendingRefreshes.isEmpty
    }

    /// Whether there is nothing to commit.
    package var isEmpty: Bool {
        !isStateChange && confirmedNodes.isEmpty && replay.isEmpty && intents.isEmpty && outcomes.isEmpty
    }
}

/// The state of a database at one moment.
package struct Snapshot: Hashable, Sendable {
    /// Fixed at the making of the database.
    package var lineage: Octets16
    /// Rises by one with every commit that changes network, nodes, their drift, records of provisioning or extras; starts
    /// at 1. When something was observed changes nothing else and does not count.
    package var serial: UInt64
    /// The network with its nodes and records of provisioning.
    package var network: MeshNetwork
    /// The replay list, sorted by source.
    package var replay: [ReplayProtection.Entry]
    /// Intents without a certain outcome, oldest run first.
    package var unresolved: [JournalIntent]
}
