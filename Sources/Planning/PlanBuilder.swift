internal import MeshCore

/// Puts changes and steps together in their order: edits of the network, nodes in turn, what makes nodes harder to
/// reach, nodes to be forgotten.
struct PlanBuilder {
    let names: ResourceNames
    var changes: [Change] = []
    var steps: [Step] = []
    var nodes: [NodeSummary] = []
    /// Steps that come after those of all nodes.
    private var lateSteps: [Step] = []

    /// Where the steps are that make keys.
    private(set) var netKeySteps: [NetKeyIndex: Int] = [:]
    private(set) var appKeySteps: [AppKeyIndex: Int] = [:]
    /// The steps that begin to manage nodes, by the node's position in the database.
    private var managingSteps: [Int: Int] = [:]
    /// The steps that give NetKeys to nodes that carry the messages of others, by the node's position.
    private var carrierSteps: [Int: [NetKeyIndex: Int]] = [:]
    /// Where the steps of the other nodes begin if there are such steps.
    private var carrierBarrier: Int?

    init(names: ResourceNames) {
        self.names = names
    }

    /// Adds a change and gives its position.
    mutating func add(_ change: Change) -> Int {
        changes.append(change)
        return changes.count - 1
    }

    /// Adds a step and gives its position.
    @discardableResult
    mutating func add(_ work: Step.Work, change: Int, after dependencies: [Int] = []) -> Int {
        steps.append(Step(change: change, work: work, dependencies: dependencies.sortedUnique()))
        return steps.count - 1
    }

    /// Adds a step that waits until those of all nodes are over.
    mutating func addLate(_ work: Step.Work, change: Int) {
        lateSteps.append(Step(change: change, work: work))
    }

    /// Adds what has to be created or renamed in the network itself.
    mutating func addNetworkEdits(of desired: DesiredState) {
        for subnet in desired.subnets where subnet.recordedName != subnet.name.value {
            let change = add(change(.subnet, "subnet", subnet.name.value, from: subnet.recordedName))
            if subnet.recordedName == nil {
                netKeySteps[subnet.index] = add(
                    .edit(.createNetKey(subnet.index, name: subnet.name.value, source: subnet.source)),
                    change: change
                )
            } else {
                add(.edit(.renameNetKey(subnet.index, name: subnet.name.value)), change: change)
            }
        }
        for key in desired.applicationKeys where key.recordedName != key.name.value {
            let change = add(change(.applicationKey, "application_key", key.name.value, from: key.recordedName))
            if key.recordedName == nil {
                let edit = DatabaseEdit.createAppKey(
                    key.index,
                    name: key.name.value,
                    boundTo: key.boundNetKey,
                    source: key.source
                )
                let dependencies = netKeySteps[key.boundNetKey].map { [$0] } ?? []
                appKeySteps[key.index] = add(.edit(edit), change: change, after: dependencies)
            } else {
                add(.edit(.renameAppKey(key.index, name: key.name.value)), change: change)
            }
        }
        for group in desired.groups where group.group != group.recorded {
            let change = add(
                Change(
                    address: "group." + group.group.name,
                    kind: .group,
                    action: group.recorded == nil ? .create : .update,
                    before: group.recorded.map(text),
                    after: text(group.group)
                )
            )
            add(.edit(.putGroup(group.group)), change: change)
        }
    }

    private func change(_ kind: Change.Kind, _ noun: String, _ name: String, from recordedName: String?) -> Change {
        Change(
            address: noun + "." + name,
            kind: kind,
            action: recordedName == nil ? .create : .update,
            before: recordedName.map { "name \($0)" },
            after: "name \(name)"
        )
    }

    private func text(_ group: Group) -> String {
        var text = "\(group.address), name \(group.name)"
        if let parent = group.parent { text += ", parent \(names.group(parent))" }
        return text
    }

    /// Adds the edits with which nodes begin to be managed, before anything is sent; their changes follow with the
    /// nodes.
    mutating func addManagement(of differences: [NodeDifference], in network: MeshNetwork) {
        for difference in differences {
            guard let management = difference.management else { continue }
            let edit = DatabaseEdit.manage(
                network.nodes[difference.position].uuid,
                name: management.name,
                isProtected: management.isProtected,
                removalPolicy: management.removalPolicy
            )
            managingSteps[difference.position] = add(.edit(edit), change: 0)
        }
    }

    /// Says which change the edit belongs to.
    mutating func attachManagement(of position: Int, to change: Int) {
        guard let step = managingSteps[position] else { return }
        steps[step].change = change
    }

    /// Adds the steps that let proxies and relays carry subnets in which other nodes of the plan are spoken to: until
    /// they are done those nodes may be out of reach. Their changes follow with the nodes.
    mutating func addCarriers(of differences: [NodeDifference], in network: MeshNetwork) {
        guard differences.contains(where: { !$0.addedNetKeys.isEmpty }) else { return }
        var awaited: Set<NetKeyIndex> = []
        for difference in differences where difference.needsMessages {
            if let key = network.nodes[difference.position].transportNetKey { awaited.insert(key) }
        }
        for difference in differences where difference.isCarrier(network.nodes[difference.position]) {
            for key in difference.addedNetKeys where awaited.contains(key) {
                let uuid = network.nodes[difference.position].uuid
                let step = add(.configure(uuid, .addNetKey(key)), change: 0)
                carrierSteps[difference.position, default: [:]][key] = step
                carrierBarrier = steps.count
            }
        }
    }

    /// The step that gives the NetKey to the node, if it is there already; it now belongs to that change.
    mutating func attachCarrier(_ key: NetKeyIndex, of position: Int, to change: Int) -> Int? {
        guard let step = carrierSteps[position]?[key] else { return nil }
        steps[step].change = change
        return step
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

    /// All steps in their order, and where the barriers are.
    mutating func finish() -> (steps: [Step], barriers: [Int]) {
        let isBarrierNeeded = lateSteps.contains { $0.work.isMessage } && steps.contains { $0.work.isMessage }
        var barriers: [Int] = []
        if let barrier = carrierBarrier, barrier < steps.count { barriers.append(barrier) }
        if isBarrierNeeded { barriers.append(steps.count) }
        steps += lateSteps
        lateSteps = []
        return (steps, barriers)
    }
}

extension NodeDifference {
    /// Whether the node passes on messages of others, now or after the plan.
    fileprivate func isCarrier(_ node: Node) -> Bool {
        node.features.proxy == .enabled || node.features.relay == .enabled || proxy?.after == true
            || relay?.after == true
    }
}

extension Step.Work {
    /// Whether the step sends a message.
    fileprivate var isMessage: Bool {
        switch self {
        case .configure, .provision, .configureWhenKnown: true
        case .edit: false
        }
    }
}
