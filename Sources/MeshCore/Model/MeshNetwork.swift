/// The state of one mesh network in the database, secrets included. The data of the running stack (sequence numbers,
/// replay list) are not part of it.
package struct MeshNetwork: Hashable, Sendable {
    /// The UUID of the network (the database format's `meshUUID`).
    package var uuid: Octets16
    package var name: String
    /// The IV index and whether an update is in progress.
    package var ivIndex: IVIndex
    /// When ``ivIndex`` took its value, as far as we have seen; nil if it had the value before we joined.
    package var ivIndexChangedAt: Timestamp?
    /// When the IV index was last recovered; nil if never. A node may recover it only once in 192 hours (Mesh Protocol
    /// 3.11.6).
    package var ivIndexRecoveredAt: Timestamp?
    /// When a person stated ``ivIndex``, if no node has confirmed it since; nil if it was received or given.
    package var ivIndexStatedAt: Timestamp?
    /// NetKeys sorted by index.
    package var netKeys: [NetKey]
    /// AppKeys sorted by index.
    package var appKeys: [AppKey]
    /// Groups sorted by address.
    package var groups: [Group]
    /// Provisioners in the database's order.
    package var provisioners: [Provisioner]
    /// The UUID of the provisioner that meshplan acts as, and of its node.
    package var ownProvisioner: DeviceUUID
    /// Scenes in the database's order. They are kept and exported, not managed.
    package var scenes: [Scene]
    /// Addresses of removed nodes that must not be assigned before the IV index allows it.
    package var exclusions: [NetworkExclusion]
    /// All nodes, including those of provisioners, sorted by unicast address.
    package var nodes: [Node]
    /// Devices that may have become nodes, each once, sorted by UUID.
    package var pendingProvisionings: [PendingProvisioning] = []
    /// Nodes that may have a new DeviceKey and perhaps a new address.
    package var pendingReprovisions: [DeviceUUID: PendingReprovision] = [:]
    /// Former nodes, and the former state of reprovisioned nodes, in the order of their retirement.
    package var retiredNodes: [RetiredNode] = []
    /// Nodes that reported something other than their record, with that record.
    package var drifts: [DeviceUUID: NodeDrift] = [:]
    /// What is known about room in lists of products; each list of a product once, in the order learned.
    package var capacities: [ListCapacity] = []
    /// What is known about models of products that share one Subscription List; each two models of a product once, in
    /// the order learned. ``learn(_:)`` changes it.
    package var listSharings: [ListSharing] = []
    /// What is remembered of devices that were provisioned or tried to be.
    package var deviceMemories: [DeviceUUID: DeviceMemory] = [:]
    /// What people call things of the network; some of them may have left it.
    package var titles: [TitledResource: String] = [:]

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
    /// The current index; while an update is in progress, the new one.
    package var value: UInt32
    package var isUpdateInProgress: Bool

    package init(value: UInt32, isUpdateInProgress: Bool = false) {
        self.value = value
        self.isUpdateInProgress = isUpdateInProgress
    }

    /// The index for outgoing messages: one less while an update is in progress.
    package var transmitValue: UInt32 { isUpdateInProgress && value > 0 ? value - 1 : value }
}

/// A named group of the network. It may belong to another group, but that affects only names.
package struct Group: Hashable, Sendable {
    package var name: String
    /// Its address or label.
    package var address: SubscriptionAddress
    /// The group that contains it; nil if none.
    package var parent: SubscriptionAddress?
    /// Whether an applied definition names it. Plans do not change groups that are not managed.
    package var isManaged = false
    /// Whether plans must not remove it, even after it has left the definition.
    package var isProtected = false

    package init(name: String, address: SubscriptionAddress, parent: SubscriptionAddress? = nil) {
        self.name = name
        self.address = address
        self.parent = parent
    }
}

/// Someone who adds and configures nodes, with the ranges that only they assign from.
package struct Provisioner: Hashable, Sendable {
    package var name: String
    /// Its UUID, also that of its node.
    package var uuid: DeviceUUID
    package var unicastRanges: [ClosedRange<UInt16>]
    package var groupRanges: [ClosedRange<UInt16>]
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
    package var name: String
    /// The elements that store it.
    package var addresses: [UnicastAddress]

    package init(number: UInt16, name: String, addresses: [UnicastAddress]) {
        self.number = number
        self.name = name
        self.addresses = addresses
    }
}

/// Addresses that were in use at an IV index and may be assigned again only two indexes later.
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
