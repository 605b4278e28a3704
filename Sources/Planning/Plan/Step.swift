package import MeshCore

/// One thing to do for a change; its identifier is its position in the plan.
package struct Step: Hashable, Sendable {
    /// What is to be done.
    package enum Work: Hashable, Sendable {
        /// One Configuration request to a node.
        case configure(DeviceUUID, ConfigurationAction)
        /// A change of the database alone.
        case edit(DatabaseEdit)
        /// A device becomes a node.
        case provision(ProvisioningOrder)
        /// What of a node's configuration depends on its composition or on the address of another node that is yet to
        /// be provisioned: lowered to further steps when it is known.
        case configureWhenKnown(DeferredConfiguration)
        /// A node is asked for all of its configuration.
        case readBack(DeviceUUID)
    }

    /// The change it belongs to, a position in ``Plan/changes``.
    package var change: Int
    /// What is to be done.
    package var work: Work
    /// Positions of steps that must have succeeded before; all are smaller than this step's own.
    package var dependencies: [Int]

    /// A step.
    package init(change: Int, work: Work, dependencies: [Int] = []) {
        self.change = change
        self.work = work
        self.dependencies = dependencies
    }
}

/// A change of the mesh database that sends no message.
package enum DatabaseEdit: Hashable, Sendable {
    /// A new NetKey: made or read at apply, durable before any node gets it.
    case createNetKey(NetKeyIndex, name: String, source: KeySource)
    /// A new AppKey: made or read at apply, durable before any node gets it.
    case createAppKey(AppKeyIndex, name: String, boundTo: NetKeyIndex, source: KeySource)
    /// A name for a NetKey that exists; it is managed from now on.
    case renameNetKey(NetKeyIndex, name: String)
    /// A name for an AppKey that exists; it is managed from now on.
    case renameAppKey(AppKeyIndex, name: String)
    /// A new group, or another name, parent or protection for the group with that address; it is managed from now on.
    case putGroup(Group)
    /// The definition names this node: it is managed from now on, under this name.
    case manage(DeviceUUID, name: String, isProtected: Bool, removalPolicy: RemovalPolicy)
    /// The definition no longer names this node: it is left alone from now on; its DeviceKey is kept.
    case forget(DeviceUUID)
    /// Whether a subnet, application key or group refuses removal.
    case protect(NetworkResource, isProtected: Bool)
    /// A subnet, application key or group that the definition no longer mentions and no managed node uses any more.
    case remove(NetworkResource)
    /// The key refresh of a subnet comes to a stage; new keys are made at apply, durable before any node gets them. It
    /// fails while a node that takes part has not confirmed the stage before. The refresh is the one that replaces the key
    /// with that Network ID; once that is finished the edit changes nothing, whatever refresh follows.
    case refreshKeys(NetKeyIndex, KeyRefreshStage, replacing: UInt64)
    /// A node, or what may have become one, is excluded from the network; its DeviceKey is kept.
    case exclude(DeviceUUID)
}
