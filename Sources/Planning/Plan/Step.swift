package import DefinitionModel
package import MeshCore

/// One thing to do for a change. Its identifier is its index in the plan.
package struct Step: Hashable, Sendable {
    /// The work of a step.
    package enum Work: Hashable, Sendable {
        /// One Configuration request to a node.
        case configure(DeviceUUID, ConfigurationAction)
        /// A change of the database only.
        case edit(DatabaseEdit)
        /// A device becomes a node.
        case provision(ProvisioningOrder)
        /// The part of a node's configuration that depends on its composition or on the address of another node that is
        /// not provisioned yet. It is lowered to further steps when these are known.
        case configureWhenKnown(DeferredConfiguration)
        case readBack(DeviceUUID)
    }

    /// The change it belongs to: an index into ``Plan/changes``.
    package var change: Int
    package var work: Work
    /// Indexes of steps that must have succeeded before; all are smaller than this step's own.
    package var dependencies: [Int]

    package init(change: Int, work: Work, dependencies: [Int] = []) {
        self.change = change
        self.work = work
        self.dependencies = dependencies
    }

    /// Whether it does something to a node: only such steps are counted where people and scripts see a number of steps.
    /// Edits of the database go nowhere, and what waits for a composition is counted as the steps that it grows into.
    package var concernsNode: Bool {
        switch work {
        case .configure, .provision, .readBack: true
        case .edit, .configureWhenKnown: false
        }
    }
}

/// A change of the mesh database that sends no message.
package enum DatabaseEdit: Hashable, Sendable {
    /// Creates a NetKey. It is made or read during apply, and durable before any node gets it.
    case createNetKey(NetKeyIndex, name: String, source: KeySource)
    /// Creates an AppKey. It is made or read during apply, and durable before any node gets it.
    case createAppKey(AppKeyIndex, name: String, boundTo: NetKeyIndex, source: KeySource)
    /// Renames an existing NetKey; it is managed from now on.
    case renameNetKey(NetKeyIndex, name: String)
    /// Renames an existing AppKey; it is managed from now on.
    case renameAppKey(AppKeyIndex, name: String)
    /// Creates a group, or gives the group with that address another name, parent or protection; it is managed from now
    /// on.
    case putGroup(Group)
    /// Manages a node from now on under this name, because the definition names it.
    case manage(DeviceUUID, name: String, isProtected: Bool, removalPolicy: RemovalPolicy)
    /// Leaves a node alone from now on, because the definition no longer names it. Its DeviceKey is kept.
    case forget(DeviceUUID)
    /// Sets whether a subnet, application key or group refuses removal.
    case protect(NetworkResource, isProtected: Bool)
    /// Removes a subnet, application key or group that the definition no longer mentions and no managed node uses any
    /// more.
    case remove(NetworkResource)
    /// Moves the key refresh of a subnet to a stage. New keys are made during apply, and durable before any node gets
    /// them. It fails while a participant has not confirmed the stage before. The refresh is the one that replaces the
    /// key with that Network ID; once that refresh is finished the edit changes nothing, whatever refresh follows.
    case refreshKeys(NetKeyIndex, KeyRefreshStage, replacing: UInt64)
    /// Excludes a node, or a device that may have become one, from the network. Its DeviceKey is kept.
    case exclude(DeviceUUID)
    /// Gives something another title, or none.
    case title(TitledResource, String?)
}
