import DefinitionModel
import MeshCore

/// Assembles changes and steps in order: edits of the network, node after node, what makes nodes harder to reach, and
/// nodes to forget.
struct PlanBuilder {
    let names: ResourceNames
    var changes: [Change] = []
    var steps: [Step] = []
    var nodes: [NodeSummary] = []
    /// Steps that come after those of all nodes, by ``LatePhase``.
    private var lateSteps: [[(step: Step, isChained: Bool)]] = Array(repeating: [], count: LatePhase.allCases.count)
    /// Publications that wait for the address of their target node.
    private var awaiting: [(target: DeviceUUID, step: Step)] = []
    /// The guards that the plan may pass, sorted.
    private let allowed: [PlanGuard]
    /// The devices that become nodes; nil for all.
    private let orders: Set<DeviceUUID>?
    /// The steps that make devices nodes.
    private(set) var provisioningSteps: [DeviceUUID: Int] = [:]
    /// The differences of nodes through which devices are provisioned.
    private let servers: [DeviceUUID: NodeDifference]
    /// The steps that read compositions.
    private var compositionSteps: [DeviceUUID: Int] = [:]
    /// What leaves the network, and the steps by which nodes release it.
    var leaving = LeavingResources()
    var removalSteps: [NetworkResource: [Int]] = [:]
    /// What is released together with the NetKeys that carriers lose late.
    var lateLosses: [LateLoss: [NetworkResource]] = [:]
    /// What leaves the network for good, in order.
    var removals: [Removal] = []
    /// Nodes that are reset or provisioned again and have keys that leave.
    var nodesLosingAll: [NetworkResource: [DeviceUUID]] = [:]
    /// Nodes whose place another device takes, by that device.
    var substituted: [DeviceUUID: Node] = [:]
    /// The application keys that leave together with their subnets.
    var appKeysOfLeaving: [NetKeyIndex: [AppKeyIndex]] = [:]

    /// The indexes of the steps that create keys.
    private(set) var netKeySteps: [NetKeyIndex: Int] = [:]
    private(set) var appKeySteps: [AppKeyIndex: Int] = [:]
    /// The steps that begin to manage nodes.
    private var managingSteps: [DeviceUUID: Int] = [:]
    /// The steps that give NetKeys to nodes that carry messages of others.
    private var carrierSteps: [DeviceUUID: [NetKeyIndex: Int]] = [:]
    /// The index at which the steps of the other nodes begin, if there are carrier steps. Before it, the index at which
    /// the steps of those devices begin that become carriers themselves.
    private var carrierBarriers: [Int] = []

    /// What comes after the steps of all nodes. Each phase begins when the one before is over.
    enum LatePhase: Int, CaseIterable {
        /// Resets of nodes that do not carry messages of others.
        case resets
        /// Changes that make other nodes harder to reach, and edits that forget nodes.
        case endings
        /// Changes that end the links to a node itself: its GATT proxy, open or private, is switched off, or the
        /// private one is switched on, which needs the open one off. Before this, remaining work on the node may use
        /// such a link.
        case proxyEndings
        /// Relays leave subnets, and so do nodes that may carry messages of others, and nodes that were sent something
        /// until now.
        case departures
        /// Proxies leave subnets; the other nodes left through them.
        case proxyDepartures
        /// Resets of relays, and of nodes that may carry messages of others.
        case relayResets
        /// Resets of proxies, through which the other nodes were reset, and edits that exclude replaced nodes.
        case proxyResets
    }

    /// A builder without steps; for one node that is there already, only names are needed.
    init(
        names: ResourceNames,
        allowed: [PlanGuard] = [],
        orders: Set<DeviceUUID>? = nil,
        servers: [DeviceUUID: NodeDifference] = [:]
    ) {
        self.names = names
        self.allowed = allowed
        self.orders = orders
        self.servers = servers
    }

    /// Makes room for what that many differences usually need. Memory that is not used costs nothing, while arrays that
    /// grow are copied again and again.
    mutating func reserve(forDifferences count: Int) {
        changes.reserveCapacity(count * 24)
        steps.reserveCapacity(count * 10)
        nodes.reserveCapacity(count)
        guard orders?.isEmpty != true else { return }
        provisioningSteps.reserveCapacity(orders?.count ?? count)
        compositionSteps.reserveCapacity(orders?.count ?? count)
    }

    /// Adds a change, and returns its index.
    mutating func add(_ change: consuming Change) -> Int {
        changes.append(change)
        return changes.count - 1
    }

    /// Adds a step, and returns its index.
    @discardableResult
    mutating func add(_ work: Step.Work, change: Int, after dependencies: [Int] = []) -> Int {
        steps.append(Step(change: change, work: allowing(work), dependencies: dependencies.sortedUnique()))
        return steps.count - 1
    }

    /// The same work, with the guards that it may pass when it is lowered.
    private func allowing(_ work: Step.Work) -> Step.Work {
        guard !allowed.isEmpty, case .configureWhenKnown(var configuration) = work else { return work }
        configuration.allowed = allowed
        return .configureWhenKnown(configuration)
    }

    /// Adds a step that waits until the steps of all nodes are over.
    ///
    /// - Parameter isChained: whether it depends on the late step of the phase that was added before it.
    mutating func addLate(
        _ work: Step.Work,
        change: Int,
        after dependencies: [Int] = [],
        phase: LatePhase = .endings,
        isChained: Bool = false
    ) {
        let step = Step(change: change, work: allowing(work), dependencies: dependencies.sortedUnique())
        lateSteps[phase.rawValue].append((step, isChained))
    }

    /// Adds publications that wait until their target is a node.
    mutating func addAwaiting(_ publications: DeferredConfiguration, change: Int, after dependencies: [Int]) {
        guard let target = publications.target else { return }
        awaiting.append(
            (target, Step(change: change, work: .configureWhenKnown(publications), dependencies: dependencies))
        )
    }

    /// The step that makes a device a node. If it already exists, it now belongs to that change.
    ///
    /// If the device is reached through a node that must first be provisioned, or whose composition must be read, the
    /// steps for that come first. Their changes are added later with that node.
    mutating func addProvisioning(_ order: ProvisioningOrder, change: Int) -> Int {
        if let step = provisioningSteps[order.uuid] {
            steps[step].change = change
            return step
        }
        if let server = order.route.server { addChain(to: server, for: order) }
        return addStep(order, change: change)
    }

    /// Adds the steps that make the node ready through which a device is provisioned, and those on the way to it.
    private mutating func addChain(to server: DeviceUUID, for order: ProvisioningOrder) {
        var chain: [(uuid: DeviceUUID, difference: NodeDifference)] = []
        var met: Set = [order.uuid]
        var next: DeviceUUID? = server
        while let uuid = next, met.insert(uuid).inserted, compositionSteps[uuid] == nil, let server = servers[uuid] {
            chain.append((uuid, server))
            next = server.order?.route.server
        }
        for (uuid, server) in chain.reversed() {
            let steps = server.order.map { [provisioningSteps[uuid] ?? addStep($0, change: 0)] } ?? []
            if server.readsComposition { _ = addReading(of: uuid, change: 0, after: steps) }
        }
    }

    private mutating func addStep(_ order: ProvisioningOrder, change: Int) -> Int {
        var dependencies = netKeySteps[order.netKeyIndex].map { [$0] } ?? []
        if let server = order.route.server, let step = compositionSteps[server] ?? provisioningSteps[server] {
            dependencies.append(step)
        }
        let step = add(.provision(order), change: change, after: dependencies)
        provisioningSteps[order.uuid] = step
        return step
    }

    /// The step that reads a node's composition. If it already exists, it now belongs to that change.
    mutating func addReading(of node: DeviceUUID, change: Int, after dependencies: [Int]) -> Int {
        if let step = compositionSteps[node] {
            steps[step].change = change
            return step
        }
        let step = add(.configure(node, .readComposition(page: 0)), change: change, after: dependencies)
        compositionSteps[node] = step
        return step
    }

    /// Whether this plan makes the device a node; devices that are left out do not become nodes.
    func provisions(_ node: DeviceUUID) -> Bool { orders?.contains(node) ?? true }

    /// Adds the edits that create or rename resources of the network.
    mutating func addNetworkEdits(of desired: DesiredState) {
        for subnet in desired.subnets where subnet.recordedName != subnet.name.value || subnet.isProtectionChanged {
            let change = add(change(subnet, .subnet, .subnet))
            if subnet.recordedName == nil {
                netKeySteps[subnet.index] = add(
                    .edit(.createNetKey(subnet.index, name: subnet.name.value, source: subnet.source)),
                    change: change
                )
            } else if subnet.recordedName != subnet.name.value {
                add(.edit(.renameNetKey(subnet.index, name: subnet.name.value)), change: change)
            }
            protect(.netKey(subnet.index), subnet, change: change, after: netKeySteps[subnet.index])
        }
        for key in desired.applicationKeys where key.recordedName != key.name.value || key.isProtectionChanged {
            let change = add(change(key, .applicationKey, .applicationKey))
            if key.recordedName == nil {
                let edit = DatabaseEdit.createAppKey(
                    key.index,
                    name: key.name.value,
                    boundTo: key.boundNetKey,
                    source: key.source
                )
                let dependencies = netKeySteps[key.boundNetKey].map { [$0] } ?? []
                appKeySteps[key.index] = add(.edit(edit), change: change, after: dependencies)
            } else if key.recordedName != key.name.value {
                add(.edit(.renameAppKey(key.index, name: key.name.value)), change: change)
            }
            protect(.appKey(key.index), key, change: change, after: appKeySteps[key.index])
        }
        for group in desired.groups where group.isChanged {
            let old = group.recorded
            let change = add(
                Change(
                    address: "group." + group.group.name,
                    kind: .group,
                    action: old == nil ? .create : .update,
                    before: old.map(text),
                    after: text(group.group),
                    previousAddress: old.flatMap { $0.name == group.group.name ? nil : "group." + $0.name }
                )
            )
            add(.edit(.putGroup(group.group)), change: change)
        }
    }

    func text(_ group: Group) -> String {
        var text = "\(group.address), name \(group.name)"
        if let parent = group.parent { text += ", parent \(names.group(parent))" }
        return text + (group.isProtected ? ", protected" : "")
    }

    /// Adds the edits that make nodes managed, before anything is sent. Their changes are added later with the nodes.
    mutating func addManagement(of differences: [NodeDifference], in network: MeshNetwork) {
        for index in differences.indices {
            guard let management = differences[index].management,
                case .recorded(let position) = differences[index].origin
            else { continue }
            let uuid = network.nodes[position].uuid
            let edit = DatabaseEdit.manage(
                uuid,
                name: management.name,
                isProtected: management.isProtected,
                removalPolicy: management.removalPolicy
            )
            managingSteps[uuid] = add(.edit(edit), change: 0)
        }
    }

    /// Sets the change that the edit belongs to.
    mutating func attachManagement(of node: DeviceUUID, to change: Int) {
        guard let step = managingSteps[node] else { return }
        steps[step].change = change
    }

    /// Adds the steps that let proxies and relays carry subnets in which the plan sends to other nodes; until then
    /// those nodes may be out of reach. Such a proxy or relay may have to be provisioned first. Their changes are added
    /// later with the nodes.
    mutating func addCarriers(of differences: [NodeDifference], in network: MeshNetwork) {
        guard differences.indices.contains(where: { !differences[$0].addedNetKeys.isEmpty }) else { return }
        var awaited: Set<NetKeyIndex> = []
        for index in differences.indices where differences[index].needsMessages {
            switch differences[index].origin {
            case .recorded(let position):
                if let key = network.nodes[position].transportNetKey { awaited.insert(key) }
            case .device(let order, _): awaited.insert(order.netKeyIndex)
            case .node(let node):
                if let key = node.transportNetKey { awaited.insert(key) }
            }
        }
        // Devices, and nodes that will become carriers, get their messages in subnets that others carry by then.
        let carriers = differences.indices.filter { differences[$0].isCarrier(in: network) }
        let isReady = { (place: Int) in differences[place].isCarrierNow(in: network) }
        for place in carriers.filter(isReady) + carriers.filter({ !isReady($0) }) {
            let difference = differences[place]
            if !isReady(place), carrierBarriers.isEmpty, !carrierSteps.isEmpty {
                carrierBarriers.append(steps.count)
            }
            for key in difference.addedNetKeys where awaited.contains(key) {
                var dependencies = netKeySteps[key].map { [$0] } ?? []
                let uuid: DeviceUUID
                switch difference.origin {
                case .recorded(let position): uuid = network.nodes[position].uuid
                case .device(let order, _):
                    uuid = order.uuid
                    dependencies.append(addProvisioning(order, change: 0))
                case .node(let node): uuid = node.uuid
                }
                let step = add(.configure(uuid, .addNetKey(key)), change: 0, after: dependencies)
                carrierSteps[uuid, default: [:]][key] = step
            }
        }
        if !carrierSteps.isEmpty, carrierBarriers.last != steps.count { carrierBarriers.append(steps.count) }
    }

    /// The step that gives the NetKey to the node, if it already exists; it now belongs to that change.
    mutating func attachCarrier(_ key: NetKeyIndex, of node: DeviceUUID, to change: Int) -> Int? {
        guard let step = carrierSteps[node]?[key] else { return nil }
        steps[step].change = change
        return step
    }

    /// Adds a node that leaves the definition and is reset.
    mutating func addReset(_ node: Node) {
        let text = "\(node.unicastAddress)" + (node.unprovisionedSeenAt == nil ? "" : ", seen unprovisioned")
        let change = add(
            Change(address: "node." + node.name, kind: .node, action: .delete, node: node.uuid, before: text)
        )
        nodes.append(
            NodeSummary(
                uuid: node.uuid,
                name: node.name,
                address: node.unicastAddress,
                action: .reset,
                changes: change..<change + 1,
                cost: ConfigurationAction.resetNode.cost
            )
        )
        noteLossOfAllKeys(of: node)
        let phase: LatePhase =
            node.features.proxy == .enabled
            ? .proxyResets : node.mayCarry ? .relayResets : .resets
        addLate(.configure(node.uuid, .resetNode), change: change, phase: phase)
    }

    /// Adds a node that leaves the definition.
    mutating func addForgotten(_ node: Node) {
        let change = add(
            Change(
                address: "node." + node.name,
                kind: .node,
                action: .forget,
                node: node.uuid,
                before: "managed"
            )
        )
        nodes.append(
            NodeSummary(
                uuid: node.uuid,
                name: node.name,
                address: node.unicastAddress,
                action: .forget,
                changes: change..<change + 1,
                cost: .zero
            )
        )
        addLate(.edit(.forget(node.uuid)), change: change)
    }

    /// All steps in order, and the indexes of the barriers. It is the last call to a builder.
    mutating func finish() -> (steps: [Step], barriers: [Int]) {
        for (target, step) in awaiting {
            guard let provisioning = provisioningSteps[target] else { continue }
            add(step.work, change: step.change, after: step.dependencies + [provisioning])
        }
        var barriers = carrierBarriers.filter { $0 < steps.count }
        var hasMessages = steps.indices.contains { steps[$0].work.isMessage }
        for phase in lateSteps {
            // Whoever is let go must not be needed any more.
            let sends = phase.contains { $0.step.work.isMessage || $0.step.work.takenWay != nil }
            if sends, hasMessages, barriers.last != steps.count { barriers.append(steps.count) }
            hasMessages = hasMessages || sends
            for late in phase {
                var step = late.step
                if late.isChained { step.dependencies.append(steps.count - 1) }
                steps.append(step)
            }
        }
        noteLateLosses()
        finishRemovals()
        return (steps, barriers)
    }
}

extension NodeDifference {
    /// Whether the node carries messages of others now.
    fileprivate func isCarrierNow(in network: MeshNetwork) -> Bool {
        if case .recorded(let position) = origin { return network.nodes[position].isCarrier }
        return false
    }

    /// Whether the node carries messages of others, now or after the plan.
    fileprivate func isCarrier(in network: MeshNetwork) -> Bool {
        if isCarrierNow(in: network) { return true }
        return proxy?.after == true || relay?.after == true || deferred?.proxy == true || deferred?.relay == true
    }
}

extension Step.Work {
    fileprivate var isMessage: Bool {
        switch self {
        case .configure, .provision, .configureWhenKnown, .readBack: true
        case .edit: false
        }
    }
}

/// What the definition's subnets and application keys have in common.
protocol DesiredKey {
    var name: Located<String> { get }
    /// Its name in the database; nil if it does not exist there.
    var recordedName: String? { get }
    /// Whether it refuses removal; nil leaves that unchanged.
    var isProtected: Bool? { get }
    /// Whether it refuses removal according to the database.
    var wasProtected: Bool { get }
}

extension DesiredSubnet: DesiredKey {}
extension DesiredApplicationKey: DesiredKey {}

extension DesiredKey {
    /// Whether its protection begins or ends.
    var isProtectionChanged: Bool { isProtected.map { $0 != wasProtected } ?? false }
}

extension DesiredGroup {
    /// Whether it differs from the database. Becoming managed does not count.
    var isChanged: Bool {
        guard var old = recorded else { return true }
        old.isManaged = group.isManaged
        return old != group
    }
}

extension PlanBuilder {
    func change(_ key: some DesiredKey, _ kind: Change.Kind, _ noun: NamedKind) -> Change {
        func text(_ name: String, _ isProtected: Bool) -> String { "name \(name)" + (isProtected ? ", protected" : "") }
        let name = key.name.value
        return Change(
            address: "\(noun.rawValue).\(name)",
            kind: kind,
            action: key.recordedName == nil ? .create : .update,
            before: key.recordedName.map { text($0, key.wasProtected) },
            after: text(name, key.isProtected ?? key.wasProtected),
            previousAddress: key.recordedName.flatMap { $0 == name ? nil : "\(noun.rawValue).\($0)" }
        )
    }

    /// Adds the edits that give things other titles.
    mutating func addTitles(_ titles: [TitleDifference]) {
        for title in titles {
            let change = add(
                Change(
                    address: title.address + ".title",
                    kind: .title,
                    action: title.isOfNew ? .create : title.after == nil ? .delete : .update,
                    before: title.before,
                    after: title.after
                )
            )
            add(.edit(.title(title.resource, title.after)), change: change)
        }
    }

    /// Adds the edit that begins or ends its protection, if that changes.
    mutating func protect(_ resource: NetworkResource, _ key: some DesiredKey, change: Int, after step: Int?) {
        guard let isProtected = key.isProtected, key.isProtectionChanged else { return }
        add(.edit(.protect(resource, isProtected: isProtected)), change: change, after: step.map { [$0] } ?? [])
    }
}

extension PlanBuilder {
    /// Adds all changes of a node, and the steps for them.
    ///
    /// Keys come before what uses them. Additions come before removals, and removals are in reverse order of additions.
    mutating func add(_ difference: NodeDifference, node: Node, boundNetKeys: [AppKeyIndex: NetKeyIndex]) {
        let firstChange = changes.count
        let firstStep = steps.count
        var lowering = NodeLowering(node: node, name: difference.name, boundNetKeys: boundNetKeys)
        lowering.addProvisioning(difference, to: &self)
        addManagement(difference, node: node, lowering)
        lowering.addConfiguration(difference, to: &self)
        lowering.addDeferred(difference, to: &self)
        noteRemovals(of: difference, on: node, since: firstStep, boundNetKeys)
        nodes.append(
            NodeSummary(
                uuid: node.uuid,
                name: difference.name,
                address: difference.order.map(\.address) ?? node.unicastAddress,
                action: action(of: difference, node: node),
                changes: firstChange..<changes.count,
                cost: lowering.cost
            )
        )
    }

    private func action(of difference: NodeDifference, node: Node) -> NodeSummary.Action {
        if let order = difference.order {
            return order.isReplacement ? .replace : substituted[order.uuid] == nil ? .provision : .substitute
        }
        return node.isManaged ? .update : .manage
    }

    private mutating func addManagement(_ difference: NodeDifference, node: Node, _ lowering: NodeLowering) {
        guard let management = difference.management else { return }
        let before = text(NodeDifference.Management(node))
        let change = add(
            Change(
                address: lowering.prefix,
                kind: .node,
                action: node.isManaged ? .update : .create,
                node: node.uuid,
                before: node.isManaged || node.name != management.name ? before : nil,
                after: text(management)
            )
        )
        attachManagement(of: node.uuid, to: change)
    }

    func text(_ management: NodeDifference.Management) -> String {
        "name \(management.name)" + (management.isProtected ? ", protected" : "")
            + (management.removalPolicy == .reset ? ", reset when removed" : "")
    }
}

extension PlanBuilder {
    /// Adds a node whose place another device takes. It is left alone from then on, and excluded: it is no member of
    /// anything, gets no new keys, and its addresses are not given again before the IV index allows it.
    ///
    /// It stays a node until the device has become one, and a managed one until it is excluded. So an attempt that
    /// fails changes nothing, and the next plan knows whose place is taken.
    mutating func addSubstituted(_ node: Node, by device: DeviceUUID) {
        let change = add(
            Change(
                address: "node." + node.name,
                kind: .node,
                action: .delete,
                node: node.uuid,
                before: "\(node.unicastAddress), its place has another device"
            )
        )
        nodes.append(
            NodeSummary(
                uuid: node.uuid,
                name: node.name,
                address: node.unicastAddress,
                action: .exclude,
                changes: change..<change + 1,
                cost: .zero
            )
        )
        let provisioning = provisioningSteps[device].map { [$0] } ?? []
        addLate(.edit(.exclude(node.uuid)), change: change, after: provisioning, phase: .proxyResets)
        addLate(.edit(.forget(node.uuid)), change: change, phase: .proxyResets, isChained: true)
    }

    /// How the node is known that a device replaces: it was seen unprovisioned itself, or another device takes its
    /// place; nil if the device replaces none.
    func text(ofReplacedBy device: DeviceUUID, _ position: Int?) -> String? {
        if let position { return names.recordedAddress(at: position) + ", seen unprovisioned" }
        return substituted[device].map { "\($0.unicastAddress), UUID \($0.uuid)" }
    }
}
