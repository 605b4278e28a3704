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
    /// Names of devices that are not nodes yet, or no longer.
    var names: [DeviceUUID: String] = [:]
    /// The addresses for devices that become nodes.
    var addresses: AddressAssignment
    /// What is not yet durable.
    var unsaved = UnsavedChanges()
    /// Made when the first node is read back.
    private var labels: KnownLabels?
    /// What guards know of the network: made when a configuration is first lowered, and nil while it is lent.
    var surroundings: GuardedSurroundings?
    /// The nodes whose latest state the guards do not know.
    var unseenNodes: Set<DeviceUUID> = []

    /// The network of a snapshot.
    ///
    /// - Parameters:
    ///   - orders: the devices that are to become nodes.
    ///   - reservations: the addresses that the plan sets aside.
    init(_ network: MeshNetwork, orders: [ProvisioningOrder] = [], reservations: [AddressReservation] = []) {
        // A plan that is limited may leave out the nodes through which its devices are provisioned.
        for order in orders { if let server = order.route.server { names[server] = order.serverName } }
        for order in orders { names[order.uuid] = order.name }
        // What an earlier run of the plan has made a node has its addresses.
        let replaced = Set(orders.lazy.filter(\.isReplacement).map(\.uuid))
        let present = Set(reservations.isEmpty ? [] : network.nodes.map(\.uuid)).subtracting(replaced)
        addresses = AddressAssignment(orders, reservations: reservations.filter { !present.contains($0.device) })
        header = network
        header.nodes = []
        nodes = network.nodes
        for (index, node) in nodes.enumerated() { places[node.uuid] = index }
    }

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
        guard let index = places[uuid] else { return }
        change(&nodes[index])
        unsaved.change(uuid)
        guard let drift = header.drifts[uuid] else { return }
        header.drifts[uuid] = drift.after(change, observed: nodes[index], at: now)
        unsaved.changeDrift(of: uuid)
    }

    /// Records how far a node is, which changes no state.
    mutating func setHops(_ hops: UInt8, of uuid: DeviceUUID) {
        guard let index = places[uuid] else { return }
        nodes[index].hops = hops
        unsaved.confirm(uuid)
    }

    /// Records what a node has told about itself, and what that contradicts.
    ///
    /// - Returns: nil if there is no such node.
    mutating func observe(_ readBack: NodeReadBack, at now: Timestamp) -> ReadBackOutcome? {
        let uuid = readBack.node.uuid
        guard let index = places[uuid] else { return nil }
        let before = nodes[index]
        nodes[index].takeConfiguration(of: readBack.node)
        nodes[index].unprovisionedSeenAt = nil
        if readBack.isFinished { nodes[index].unread = readBack.unread.map(\.record) }
        let isNews = nodes[index] != before
        nodes[index].observedAt = now
        if readBack.isFinished { nodes[index].readBackAt = now }
        if isNews { unsaved.change(uuid) } else { unsaved.confirm(uuid) }
        let formerDrift = header.drifts[uuid]
        var recorded = formerDrift?.recorded ?? before
        recorded.takeSharedSubscriptions(from: nodes[index], sharing: header.sharedLists(of: nodes[index]))
        // Nobody has changed these: the node itself has.
        let moved = recorded.takeMovedStates(from: nodes[index])
        if readBack.isFinished, readBack.unread.isEmpty { learnContradictions(of: nodes[index]) }
        let drift = NodeDrift(
            recorded: recorded,
            observed: nodes[index],
            since: formerDrift?.since ?? [:],
            at: now
        )
        if drift != formerDrift {
            header.drifts[uuid] = drift
            unsaved.changeDrift(of: uuid)
        }
        let former = Set(formerDrift?.since.keys.map(\.self) ?? [])
        let present = drift?.resources ?? []
        return ReadBackOutcome(
            reports: readBack.reports,
            refused: readBack.refused,
            unread: readBack.unread,
            isAskedSingly: readBack.isAskedSingly,
            isComplete: readBack.isFinished,
            isCompositionNew: before.isCompositionKnown && !before.isMade(as: nodes[index]),
            newlyDrifted: present.filter { !former.contains($0) },
            drifted: present,
            moved: moved,
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
        if case .title(let resource, let title) = edit {
            // A copy of the header for each of many titles would take long.
            guard header.titles[resource] != title else { return false }
            header.titles[resource] = title
            unsaved.isHeaderChanged = true
            return true
        }
        let before = header
        if case .refreshKeys(let index, let stage, replacing: let networkID) = edit {
            guard header.networkIDReplaced(in: index) == networkID else { return false }
            return try refreshKeys(of: index, stage, key: key)
        }
        if case .exclude(let uuid) = edit { return exclude(uuid) }
        guard let uuid = edit.node else {
            try header.apply(edit, makeKey: key)
            guard header != before else { return false }
            unsaved.isHeaderChanged = true
            if case .remove(let resource) = edit { forget(resource) }
            labels = nil
            return true
        }
        guard let index = places[uuid] else { return false }
        header.nodes = [nodes[index]]
        defer { header.nodes = [] }
        try header.apply(edit, makeKey: key)
        guard let after = header.nodes.first, after != nodes[index] else { return false }
        nodes[index] = after
        unsaved.change(uuid)
        return true
    }

    mutating func apply(_ claims: Claims) {
        let before = header
        for resource in claims.resources { header.manage(resource) }
        if header != before { unsaved.isHeaderChanged = true }
        for claim in claims.nodes {
            guard let index = places[claim.node] else { continue }
            nodes[index].apply(claim)
            unsaved.change(claim.node)
        }
    }

    /// Removes a key that the network no longer has from the records of our own node and of excluded nodes, to which no
    /// messages are sent any longer.
    private mutating func forget(_ resource: NetworkResource) {
        for index in nodes.indices {
            var node = nodes[index]
            node.forget(resource)
            guard node != nodes[index] else { continue }
            nodes[index] = node
            unsaved.change(node.uuid)
        }
    }

    /// Records a new IV index and when it began, unless it only corrects a supposition; removes exclusions that have
    /// expired.
    mutating func record(_ ivIndex: IVIndex, isCorrection: Bool, at now: Timestamp) {
        header.record(ivIndex, isCorrection: isCorrection, at: now)
        unsaved.isHeaderChanged = true
    }

    /// Remembers that a node refused an action for lack of room.
    mutating func learnCapacity(from action: ConfigurationAction, refusedBy uuid: DeviceUUID) {
        guard let node = node(uuid), header.learnCapacity(from: action, refusedBy: node) else { return }
        unsaved.areCapacitiesChanged = true
    }

    /// Corrects the remembered capacity when a node has accepted more entries.
    mutating func checkCapacity(after action: ConfigurationAction, on uuid: DeviceUUID) {
        guard let node = node(uuid), header.correctCapacity(after: action, on: node) else { return }
        unsaved.areCapacitiesChanged = true
    }

    /// Moves what is not yet durable into the changes of a commit.
    mutating func takeChanges(into changes: inout StoreChanges) {
        if surroundings != nil { unseenNodes.formUnion(unsaved.nodes.union(unsaved.removedNodes)) }
        unsaved.fill(&changes, from: header) { node($0) }
        unsaved = UnsavedChanges()
    }

    /// The subnets in which a node takes messages, sorted; see ``MeshNetwork``.
    ///
    /// - Parameter action: nil for a question that belongs to none.
    func subnets(of node: Node, for action: ConfigurationAction? = nil) -> [NetKeyIndex] {
        header.subnets(of: node, for: action)
    }

    func hasEffect(_ action: ConfigurationAction, on node: Node) -> Bool { header.hasEffect(action, on: node) }

    /// Why a node cannot have the composition that it tells, words for people after "the node reports"; nil if it can.
    ///
    /// A node has as many elements as when it was provisioned (Mesh Protocol 4.2.2). Its addresses were assigned by
    /// that number, and further ones may belong to another node.
    func objection(to composition: Composition, of uuid: DeviceUUID) -> String? {
        guard let index = places[uuid] else { return nil }
        let node = nodes[index]
        let count = composition.elements.count
        guard node.elements.isEmpty else {
            return count == node.elements.count
                ? nil : "\(count) elements, but it was provisioned with \(node.elements.count)"
        }
        let last = Int(node.unicastAddress.rawValue) + max(count, 1) - 1
        let next = index + 1 < nodes.count ? Int(nodes[index + 1].unicastAddress.rawValue) : Int.max
        let isFree =
            last <= Int(UnicastAddress.last.rawValue) && last < next
            && !header.pendingProvisionings.contains { pending in
                pending.uuid != uuid && pending.address > node.unicastAddress && Int(pending.address.rawValue) <= last
            }
        return isFree ? nil : "\(count) elements, which have no room from \(node.unicastAddress) on"
    }
}

/// What is remembered of devices.
extension NetworkRecord {
    /// Remembers something of a device.
    ///
    /// - Parameter key: makes the key of a new memory.
    mutating func remember(
        _ uuid: DeviceUUID,
        key: () -> KeyMaterial,
        _ change: (inout DeviceMemory) -> Void
    ) {
        let former = header.deviceMemories[uuid]
        var memory = former ?? DeviceMemory(uuid: uuid, key: key())
        change(&memory)
        guard memory != former else { return }
        header.deviceMemories[uuid] = memory
        unsaved.changeMemory(of: uuid)
    }

    /// Takes back that a value was given away.
    mutating func withdraw(_ value: StaticOutOfBandValue, of uuid: DeviceUUID) {
        guard header.deviceMemories[uuid]?.isUsed(value) == true else { return }
        header.deviceMemories[uuid]?.withdraw(value)
        unsaved.changeMemory(of: uuid)
    }

    /// Who knew HMAC-SHA256, if a device should know it, too: the device itself, a node of the same product, or the
    /// file of the product.
    func evidenceOfHMAC(_ order: ProvisioningOrder) -> HMACEvidence? {
        if header.deviceMemories[order.uuid]?.knowsHMAC == true { return .itself }
        if order.productKnowsHMAC { return .productFile }
        guard let product = order.product else { return nil }
        let isKnown = nodes.contains { node in
            node.product.map { ProductIdentifier(company: $0.company, product: $0.product) } == product
                && (node.authentication?.algorithm == .hmacSHA256
                    || header.deviceMemories[node.uuid]?.knowsHMAC == true)
        }
        return isKnown ? .product : nil
    }
}

/// Who has shown that a device should know HMAC-SHA256.
package enum HMACEvidence: Hashable, Sendable {
    /// The device itself, earlier.
    case itself
    /// A node of the same product.
    case product
    case productFile
}

/// The values that guards examine when a configuration is lowered during a run.
extension NetworkRecord {
    /// The surroundings that guards need, lent so that nothing is copied.
    ///
    /// - Parameter steps: the steps of the plan, whose results guards know from the beginning.
    mutating func lendSurroundings(expecting steps: some Sequence<Step>) -> GuardedSurroundings {
        guard var surroundings else {
            var surroundings = withNodes { GuardedSurroundings($0) }
            surroundings.expect(steps)
            unseenNodes = []
            return surroundings
        }
        self.surroundings = nil
        for uuid in unseenNodes.union(unsaved.nodes).union(unsaved.removedNodes).sorted() {
            if let node = node(uuid) { surroundings.set(node) } else { surroundings.remove(uuid) }
        }
        unseenNodes = []
        return surroundings
    }

    mutating func takeBack(_ surroundings: GuardedSurroundings) {
        self.surroundings = surroundings
    }
}
