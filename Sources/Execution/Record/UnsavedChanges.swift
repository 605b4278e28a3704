import MeshCore
import Planning
import Store

/// Which parts of a network changed since the last commit.
struct UnsavedChanges {
    /// Whether the network without its nodes changed.
    var isHeaderChanged = false
    /// Nodes that changed or are new.
    private(set) var nodes: Set<DeviceUUID> = []
    private(set) var removedNodes: Set<DeviceUUID> = []
    /// Nodes that have confirmed their record: only the times of their reports are new.
    private var confirmedNodes: Set<DeviceUUID> = []
    /// Nodes whose drift changed.
    private var drifts: Set<DeviceUUID> = []
    /// Devices whose pending provisioning changed.
    private var pendings: Set<DeviceUUID> = []
    /// Devices of which something new is remembered.
    private var memories: Set<DeviceUUID> = []
    /// What is new among the retired nodes.
    private var retirements: [RetiredNode] = []
    /// Nodes that no longer exist, so that the outcome of their reprovisioning does not matter.
    private var endedReprovisions: Set<DeviceUUID> = []
    /// Whether the remembered room in lists changed.
    var areCapacitiesChanged = false
    /// Whether it changed which lists are shared.
    var areSharingsChanged = false

    mutating func change(_ node: DeviceUUID) {
        nodes.insert(node)
    }

    mutating func confirm(_ node: DeviceUUID) {
        confirmedNodes.insert(node)
    }

    mutating func changeDrift(of node: DeviceUUID) {
        drifts.insert(node)
    }

    mutating func changePending(_ device: DeviceUUID) {
        pendings.insert(device)
    }

    /// Something new is remembered of a device.
    mutating func changeMemory(of device: DeviceUUID) {
        memories.insert(device)
    }

    /// A device became a node.
    mutating func insert(_ node: DeviceUUID) {
        pendings.insert(node)
        nodes.insert(node)
        removedNodes.remove(node)
    }

    /// A node is gone.
    ///
    /// - Parameter endsReprovision: whether a reprovisioning of it was pending.
    mutating func remove(_ node: DeviceUUID, endsReprovision: Bool) {
        if endsReprovision { endedReprovisions.insert(node) }
        isHeaderChanged = true
        nodes.remove(node)
        removedNodes.insert(node)
    }

    mutating func retire(_ nodes: some Sequence<RetiredNode>) {
        retirements += nodes
    }

    /// Adds everything to the changes of a commit.
    ///
    /// - Parameters:
    ///   - header: the network without its nodes.
    ///   - node: finds a node.
    func fill(_ changes: inout StoreChanges, from header: MeshNetwork, _ node: (DeviceUUID) -> Node?) {
        changes.nodes = nodes.sorted().compactMap { node($0) }
        changes.removedNodes = removedNodes.sorted()
        changes.confirmedNodes = confirmedNodes.subtracting(nodes).sorted().compactMap { node($0) }
        for uuid in drifts.sorted() {
            if let drift = header.drifts[uuid] {
                changes.drifts.append(drift)
            } else {
                changes.removedDrifts.append(uuid)
            }
        }
        for uuid in pendings.sorted() {
            if let pending = header.pendingProvisioning(of: uuid) {
                changes.pendingProvisionings.append(pending)
            } else {
                changes.removedPendingProvisionings.append(uuid)
            }
        }
        changes.deviceMemories = memories.sorted().compactMap { header.deviceMemories[$0] }
        if areCapacitiesChanged { changes.capacities = header.capacities }
        if areSharingsChanged { changes.listSharings = header.listSharings }
        changes.removedPendingReprovisions = endedReprovisions.sorted()
        changes.retiredNodes = retirements
        if isHeaderChanged { changes.network = header }
    }
}
