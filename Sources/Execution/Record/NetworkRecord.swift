import DefinitionModel
import MeshCore
import Planning
import Store

/// The network as a run knows it, and which parts of it are not yet durable.
struct NetworkRecord {
    /// The network without its nodes.
    var header: MeshNetwork
    /// Sorted by unicast address.
    var nodes: [Node]
    var places: [DeviceUUID: Int] = [:]
    var dirtyNodes: Set<DeviceUUID> = []
    var removedNodes: Set<DeviceUUID> = []
    /// Names of devices that are not nodes yet, or no longer.
    var names: [DeviceUUID: String] = [:]
    /// The addresses that orders fix; no other device gets them.
    var fixedAddresses: [DeviceUUID: UnicastAddress] = [:]
    /// Made when the first address is needed.
    var pool: UnicastAddressPool?
    var isHeaderDirty = false
    /// Nodes that have confirmed their record: only the times of their reports are new.
    private var confirmedNodes: Set<DeviceUUID> = []
    var dirtyDrifts: Set<DeviceUUID> = []
    /// Made when the first node is read back.
    private var labels: KnownLabels?
    var dirtyPendings: Set<DeviceUUID> = []
    var newRetirements: [RetiredNode] = []
    /// What guards know of the network: made when a configuration is first lowered, and nil while it is lent.
    var surroundings: GuardedSurroundings?
    /// The nodes whose latest state the guards do not know.
    var unseenNodes: Set<DeviceUUID> = []
    /// Nodes that no longer exist, so that the outcome of their reprovisioning does not matter.
    var endedReprovisions: Set<DeviceUUID> = []
    private var areCapacitiesDirty = false
    var areSharingsDirty = false

    /// The network of a snapshot.
    ///
    /// - Parameter orders: the devices that are to become nodes.
    init(_ network: MeshNetwork, orders: [ProvisioningOrder] = []) {
        // A plan that is limited may leave out the nodes through which its devices are provisioned.
        for order in orders { if let server = order.route.server { names[server] = order.serverName } }
        for order in orders {
            names[order.uuid] = order.name
            fixedAddresses[order.uuid] = order.address
        }
        header = network
        header.nodes = []
        nodes = network.nodes
        for (place, node) in nodes.enumerated() { places[node.uuid] = place }
    }

    /// A node; nil if there is none.
    func node(_ uuid: DeviceUUID) -> Node? {
        places[uuid].map { nodes[$0] }
    }

    /// How many nodes there are, including our own.
    var count: Int { nodes.count }

    /// The name of a node or device; its UUID if it has none.
    func name(of uuid: DeviceUUID) -> String {
        node(uuid)?.name ?? names[uuid] ?? header.pendingProvisioning(of: uuid)?.name ?? uuid.description
    }

    /// Changes a node, and the values with which its drift is compared.
    mutating func update(_ uuid: DeviceUUID, at now: Timestamp, _ change: (inout Node) -> Void) {
        guard let place = places[uuid] else { return }
        change(&nodes[place])
        dirtyNodes.insert(uuid)
        guard let drift = header.drifts[uuid] else { return }
        header.drifts[uuid] = drift.after(change, observed: nodes[place], at: now)
        dirtyDrifts.insert(uuid)
    }

    /// Records what a node has told about itself, and what that contradicts.
    ///
    /// - Returns: nil if there is no such node.
    mutating func observe(_ readBack: NodeReadBack, at now: Timestamp) -> ReadBackOutcome? {
        let uuid = readBack.node.uuid
        guard let place = places[uuid] else { return nil }
        let before = nodes[place]
        nodes[place].takeConfiguration(of: readBack.node)
        nodes[place].unprovisionedSeenAt = nil
        if readBack.isFinished { nodes[place].unread = readBack.unread.map(\.record) }
        let isNews = nodes[place] != before
        nodes[place].observedAt = now
        if readBack.isFinished { nodes[place].readBackAt = now }
        if isNews { dirtyNodes.insert(uuid) } else { confirmedNodes.insert(uuid) }
        let formerDrift = header.drifts[uuid]
        var recorded = formerDrift?.recorded ?? before
        recorded.takeSharedSubscriptions(from: nodes[place], sharing: header.sharedLists(of: nodes[place]))
        if readBack.isFinished, readBack.unread.isEmpty { learnContradictions(of: nodes[place]) }
        let drift = NodeDrift(
            recorded: recorded,
            observed: nodes[place],
            since: formerDrift?.since ?? [:],
            at: now
        )
        if drift != formerDrift {
            header.drifts[uuid] = drift
            dirtyDrifts.insert(uuid)
        }
        let former = Set(formerDrift?.since.keys.map(\.self) ?? [])
        let present = drift?.resources ?? []
        return ReadBackOutcome(
            reports: readBack.reports,
            refused: readBack.refused,
            unread: readBack.unread,
            isAskedSingly: readBack.isAskedSingly,
            isComplete: readBack.isFinished,
            isCompositionNew: before.isCompositionKnown && !before.isMade(as: nodes[place]),
            newlyDrifted: present.filter { !former.contains($0) },
            drifted: present,
            returned: former.subtracting(present).sorted()
        )
    }

    /// The labels that virtual addresses of read-backs may stand for.
    mutating func knownLabels() -> KnownLabels {
        if let labels { return labels }
        let labels = withNodes { KnownLabels($0) }
        self.labels = labels
        return labels
    }

    /// Calls `body` with the whole network, nodes included.
    mutating func withNodes<Value>(_ body: (MeshNetwork) -> Value) -> Value {
        // Lent, so that neither side copies the nodes when it changes one.
        header.nodes = nodes
        defer { header.nodes = [] }
        return body(header)
    }

    /// Makes a database edit.
    ///
    /// - Returns: whether this changed anything.
    mutating func apply(
        _ edit: DatabaseEdit,
        key: (KeySource) throws(ExecutionContext.KeyError) -> KeyMaterial
    ) throws(ExecutionContext.KeyError) -> Bool {
        let before = header
        if case .refreshKeys(let index, let stage, replacing: let networkID) = edit {
            guard header.networkIDReplaced(in: index) == networkID else { return false }
            return try refreshKeys(of: index, stage, key: key)
        }
        if case .exclude(let uuid) = edit { return exclude(uuid) }
        guard let uuid = edit.node else {
            try header.apply(edit, makeKey: key)
            guard header != before else { return false }
            isHeaderDirty = true
            if case .remove(let resource) = edit { forget(resource) }
            labels = nil
            return true
        }
        guard let place = places[uuid] else { return false }
        header.nodes = [nodes[place]]
        defer { header.nodes = [] }
        try header.apply(edit, makeKey: key)
        guard let after = header.nodes.first, after != nodes[place] else { return false }
        nodes[place] = after
        dirtyNodes.insert(uuid)
        return true
    }

    /// Records what is managed from now on.
    mutating func apply(_ claims: Claims) {
        let before = header
        for resource in claims.resources { header.manage(resource) }
        if header != before { isHeaderDirty = true }
        for claim in claims.nodes {
            guard let place = places[claim.node] else { continue }
            nodes[place].apply(claim)
            dirtyNodes.insert(claim.node)
        }
    }

    /// Removes a key that the network no longer has from the records of our own node and of excluded nodes, to which no
    /// messages are sent any longer.
    private mutating func forget(_ resource: NetworkResource) {
        for place in nodes.indices {
            var node = nodes[place]
            node.forget(resource)
            guard node != nodes[place] else { continue }
            nodes[place] = node
            dirtyNodes.insert(node.uuid)
        }
    }

    /// Records a new IV index and when it began, unless it only corrects a supposition; removes exclusions that have
    /// expired.
    mutating func record(_ ivIndex: IVIndex, isCorrection: Bool, at now: Timestamp) {
        header.record(ivIndex, isCorrection: isCorrection, at: now)
        isHeaderDirty = true
    }

    /// Records the room in a list of a product.
    mutating func set(_ capacity: ListCapacity) {
        header.capacities.removeAll { $0.product == capacity.product && $0.list == capacity.list }
        header.capacities.append(capacity)
        areCapacitiesDirty = true
    }

    /// Moves what is not yet durable into the changes of a commit.
    mutating func takeChanges(into changes: inout StoreChanges) {
        changes.nodes = dirtyNodes.sorted().compactMap { node($0) }
        changes.removedNodes = removedNodes.sorted()
        changes.confirmedNodes = confirmedNodes.subtracting(dirtyNodes).sorted().compactMap { node($0) }
        if surroundings != nil { unseenNodes.formUnion(dirtyNodes.union(removedNodes)) }
        dirtyNodes = []
        removedNodes = []
        confirmedNodes = []
        for uuid in dirtyDrifts.sorted() {
            if let drift = header.drifts[uuid] {
                changes.drifts.append(drift)
            } else {
                changes.removedDrifts.append(uuid)
            }
        }
        dirtyDrifts = []
        for uuid in dirtyPendings.sorted() {
            if let pending = header.pendingProvisioning(of: uuid) {
                changes.pendingProvisionings.append(pending)
            } else {
                changes.removedPendingProvisionings.append(uuid)
            }
        }
        dirtyPendings = []
        if areCapacitiesDirty {
            changes.capacities = header.capacities
            areCapacitiesDirty = false
        }
        if areSharingsDirty {
            changes.listSharings = header.listSharings
            areSharingsDirty = false
        }
        changes.removedPendingReprovisions = endedReprovisions.sorted()
        endedReprovisions = []
        changes.retiredNodes = newRetirements
        newRetirements = []
        if isHeaderDirty {
            changes.network = header
            isHeaderDirty = false
        }
    }

    /// The subnets in which a node takes messages, sorted. The one that the action deletes is left out if there is
    /// another: a node does not remove the key that secures the request (Mesh Protocol 4.4.1.2, NetKey List).
    ///
    /// - Parameter action: nil for a question that belongs to none.
    func subnets(of node: Node, for action: ConfigurationAction? = nil) -> [NetKeyIndex] {
        var accepted: [NetKeyIndex] = []
        for key in node.netKeys {
            if header.netKeys.contains(where: { $0.index == key.index }) { accepted.append(key.index) }
        }
        guard case .deleteNetKey(let deleted) = action, accepted.contains(where: { $0 != deleted }) else {
            return accepted
        }
        return accepted.filter { $0 != deleted }
    }

    /// Why a node cannot have the composition that it tells, words for people after "the node reports"; nil if it can.
    ///
    /// A node has as many elements as when it was provisioned (Mesh Protocol 4.2.2). Its addresses were assigned by
    /// that number, and further ones may belong to another node.
    func objection(to composition: Composition, of uuid: DeviceUUID) -> String? {
        guard let place = places[uuid] else { return nil }
        let node = nodes[place]
        let count = composition.elements.count
        guard node.elements.isEmpty else {
            return count == node.elements.count
                ? nil : "\(count) elements, but it was provisioned with \(node.elements.count)"
        }
        let last = Int(node.unicastAddress.rawValue) + max(count, 1) - 1
        let next = place + 1 < nodes.count ? Int(nodes[place + 1].unicastAddress.rawValue) : Int.max
        let isFree =
            last <= Int(UnicastAddress.last.rawValue) && last < next
            && !header.pendingProvisionings.contains { pending in
                pending.uuid != uuid && pending.address > node.unicastAddress && Int(pending.address.rawValue) <= last
            }
        return isFree ? nil : "\(count) elements, which have no room from \(node.unicastAddress) on"
    }

    /// Whether the record already has an action's effect.
    func hasEffect(_ action: ConfigurationAction, on node: Node) -> Bool {
        switch action {
        case .readComposition(let page): return page == 0 && node.isCompositionKnown
        case .bind(let model, _), .unbind(let model, _), .addSubscription(let model, _),
            .deleteSubscription(let model, _), .overwriteSubscriptions(let model, _),
            .deleteAllSubscriptions(let model), .setPublication(let model, _):
            // Nothing is known of a model without a record, so nothing can be skipped.
            let element = Int(model.element)
            guard node.elements.indices.contains(element),
                node.elements[element].models.contains(where: { $0.identifier == model.model })
            else { return false }
        case .resetNode:
            // A node that is reset has no record any longer.
            return false
        // The change that a key refresh was to make is there once it is over.
        case .updateNetKey(let index), .updateAppKey(_, boundTo: let index), .setKeyRefreshPhase(let index, _):
            if header.netKeys.contains(where: { $0.index == index && $0.phase == .normal }) { return true }
        case .set(let state): return state.agrees(with: node.state(state.kind))
        // Nothing is known of a bridging table without a record.
        case .removeBridging, .removeAllBridging:
            if node.bridgingTable == nil { return false }
        case .read: return false
        default: break
        }
        var after = node
        after.apply(action, appKeys: header.appKeys, sharing: header.sharedLists(of: node))
        return after.hasConfiguration(of: node)
    }
}
