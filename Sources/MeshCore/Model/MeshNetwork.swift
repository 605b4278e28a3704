/// The state of one mesh network as the database knows it, secrets included, without what belongs to the
/// running stack (sequence numbers, replay list).
package struct MeshNetwork: Hashable, Sendable {
    /// The UUID of the network (the database format's `meshUUID`).
    package var uuid: Octets16
    /// The name of the network.
    package var name: String
    /// The IV index and whether an update is in progress.
    package var ivIndex: IVIndex
    /// When ``ivIndex`` became what it is, as far as we have seen; nil if the network had it before we joined.
    package var ivIndexChangedAt: Timestamp?
    /// When the IV index was last recovered, which is to happen once in 192 hours (Mesh Protocol 3.11.6); nil if it
    /// never was.
    package var ivIndexRecoveredAt: Timestamp?
    /// When a person stated ``ivIndex``, which nobody of the network has confirmed since; nil if it was heard or given.
    package var ivIndexStatedAt: Timestamp?
    /// NetKeys sorted by index.
    package var netKeys: [NetKey]
    /// AppKeys sorted by index.
    package var appKeys: [AppKey]
    /// Groups sorted by address.
    package var groups: [Group]
    /// Provisioners in the database's order.
    package var provisioners: [Provisioner]
    /// The UUID of the provisioner that meshplan acts as; also the UUID of its node.
    package var ownProvisioner: DeviceUUID
    /// Scenes in the database's order; kept and exported, not managed.
    package var scenes: [Scene]
    /// Addresses of removed nodes that must not be given out before the IV index allows it.
    package var exclusions: [NetworkExclusion]
    /// All nodes, provisioners' own included, sorted by unicast address.
    package var nodes: [Node]
    /// Devices that may have become nodes or not, sorted by UUID, each once.
    package var pendingProvisionings: [PendingProvisioning] = []
    /// Nodes that have a new DeviceKey, and perhaps a new address, or not.
    package var pendingRefreshes: [DeviceUUID: PendingRefresh] = [:]
    /// Nodes that are none any more, and what nodes were before they were refreshed, in the order of their retirement.
    package var retiredNodes: [RetiredNode] = []
    /// The nodes that told of themselves what contradicts their record, with that record.
    package var drifts: [DeviceUUID: NodeDrift] = [:]
    /// What is known of the room in lists of products, each list of a product once, in the order they were learned.
    package var capacities: [ListCapacity] = []
    /// What is known of which models of products share one Subscription List, two models of a product once, in the
    /// order they were learned; changed by ``learn(_:)``.
    package var listSharings: [ListSharing] = []

    package init(
        uuid: Octets16,
        name: String,
        ivIndex: IVIndex,
        netKeys: [NetKey],
        appKeys: [AppKey] = [],
        groups: [Group] = [],
        provisioners: [Provisioner],
        ownProvisioner: DeviceUUID,
        scenes: [Scene] = [],
        exclusions: [NetworkExclusion] = [],
        nodes: [Node]
    ) {
        self.uuid = uuid
        self.name = name
        self.ivIndex = ivIndex
        self.netKeys = netKeys
        self.appKeys = appKeys
        self.groups = groups
        self.provisioners = provisioners
        self.ownProvisioner = ownProvisioner
        self.scenes = scenes
        self.exclusions = exclusions
        self.nodes = nodes
    }
}

/// The IV index of a network and whether its update is in progress (Mesh Protocol 3.11.5).
package struct IVIndex: Hashable, Sendable {
    /// The current index; the one to be used after the update while one is in progress.
    package var value: UInt32
    /// Whether the IV Update procedure is in progress.
    package var isUpdateInProgress: Bool

    package init(value: UInt32, isUpdateInProgress: Bool = false) {
        self.value = value
        self.isUpdateInProgress = isUpdateInProgress
    }

    /// What outgoing messages use: one less while an update is in progress.
    package var transmitValue: UInt32 { isUpdateInProgress && value > 0 ? value - 1 : value }
}

/// A named group of the network; a group may lie in another, which is a matter of names only.
package struct Group: Hashable, Sendable {
    /// Its name in the database.
    package var name: String
    /// Its address or label.
    package var address: SubscriptionAddress
    /// The group it lies in, nil if none.
    package var parent: SubscriptionAddress?
    /// Whether a definition that was applied names it. Groups that are not managed are left alone.
    package var isManaged = false
    /// Refuses removal even after its line is gone from the definition.
    package var isProtected = false

    package init(name: String, address: SubscriptionAddress, parent: SubscriptionAddress? = nil) {
        self.name = name
        self.address = address
        self.parent = parent
    }
}

/// Somebody who adds and configures nodes, with the ranges that it alone gives out.
package struct Provisioner: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// Its UUID, also that of its node.
    package var uuid: DeviceUUID
    /// Ranges of unicast addresses.
    package var unicastRanges: [ClosedRange<UInt16>]
    /// Ranges of group addresses.
    package var groupRanges: [ClosedRange<UInt16>]
    /// Ranges of scene numbers.
    package var sceneRanges: [ClosedRange<UInt16>]

    package init(
        name: String,
        uuid: DeviceUUID,
        unicastRanges: [ClosedRange<UInt16>],
        groupRanges: [ClosedRange<UInt16>] = [],
        sceneRanges: [ClosedRange<UInt16>] = []
    ) {
        self.name = name
        self.uuid = uuid
        self.unicastRanges = unicastRanges
        self.groupRanges = groupRanges
        self.sceneRanges = sceneRanges
    }
}

/// A scene of the network.
package struct Scene: Hashable, Sendable {
    /// Its number, 1...65535.
    package var number: UInt16
    /// Its name.
    package var name: String
    /// The elements that hold it.
    package var addresses: [UnicastAddress]

    package init(number: UInt16, name: String, addresses: [UnicastAddress]) {
        self.number = number
        self.name = name
        self.addresses = addresses
    }
}

/// Addresses that were in use at an IV index and may be given out again only two indexes later.
package struct NetworkExclusion: Hashable, Sendable {
    /// The IV index at which the nodes were removed.
    package var ivIndex: UInt32
    /// The addresses of all their elements, sorted.
    package var addresses: [UnicastAddress]

    package init(ivIndex: UInt32, addresses: [UnicastAddress]) {
        self.ivIndex = ivIndex
        self.addresses = addresses
    }
}
