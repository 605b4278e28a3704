import MeshCore

/// Builds the changes and steps of a key refresh.
///
/// Between two stages there is an edit of the database. It waits for all nodes, and the next stage waits for it. So the
/// number of dependencies grows with the number of steps, not with its square.
struct KeyRefreshBuilder {
    private(set) var changes: [Change] = []
    private(set) var steps: [Step] = []
    private(set) var nodes: [NodeSummary] = []

    private let subnet: NetKey
    private let excluded: Set<DeviceUUID>
    private let network: MeshNetwork
    private let refreshed: Set<AppKeyIndex>
    private let networkID: UInt64
    private let appKeyNames: [AppKeyIndex: String]
    private let participants: [Node]
    /// The changes of each participant's NetKey.
    private var subnetChanges: [Int] = []

    /// How many nodes take part.
    var participantCount: Int { participants.count }

    init(_ subnet: NetKey, excluded: Set<DeviceUUID>, in network: MeshNetwork) {
        self.subnet = subnet
        self.excluded = excluded
        self.network = network
        networkID = network.networkIDReplaced(in: subnet.index) ?? 0
        refreshed = Set(network.appKeysRefreshed(with: subnet.index))
        appKeyNames = Dictionary(firstOf: network.appKeys.map { ($0.index, $0.name) })
        participants = network.nodes.filter { node in
            !excluded.contains(node.uuid) && network.takesPart(node, inRefreshOf: subnet.index)
        }
    }

    mutating func build() {
        let subnetChange = add(
            Change(
                address: "subnet." + subnet.name,
                kind: .subnet,
                action: .update,
                before: subnet.phase.text,
                after: "new key alone"
            )
        )
        for key in network.appKeys where refreshed.contains(key.index) {
            _ = add(
                Change(
                    address: "application_key." + key.name,
                    kind: .applicationKey,
                    action: .update,
                    before: subnet.phase.text,
                    after: "new key alone",
                    isImplied: true
                )
            )
        }
        var gate = addExclusions()
        if subnet.phase == .normal { gate = [edit(.distribute, subnetChange, after: gate)] }
        let updates = addUpdates(after: gate)
        if subnet.phase != .usingNewKeys || !updates.isEmpty {
            gate = [edit(.useNewKeys, subnetChange, after: gate + updates)]
        }
        let uses = addPhase(.useNewKeys, .usingNewKey, after: gate)
        gate = [edit(.revokeOldKeys, subnetChange, after: gate + uses)]
        let revocations = addPhase(.revokeOldKeys, .revoked, after: gate)
        _ = edit(.finish, subnetChange, after: gate + revocations)
    }

    // MARK: Nodes

    private mutating func addExclusions() -> [Int] {
        var edits: [Int] = []
        for node in network.nodes where excluded.contains(node.uuid) && !node.isExcluded {
            edits.append(addExclusion(of: node.uuid, node.name, at: node.unicastAddress))
        }
        for pending in network.pendingProvisionings where excluded.contains(pending.uuid) {
            edits.append(addExclusion(of: pending.uuid, pending.name, at: pending.address))
        }
        return edits
    }

    private mutating func addExclusion(of uuid: DeviceUUID, _ name: String, at address: UnicastAddress) -> Int {
        let change = add(
            Change(
                address: "node." + name,
                kind: .node,
                action: .delete,
                node: uuid,
                before: address.description
            )
        )
        nodes.append(
            NodeSummary(
                uuid: uuid,
                name: name,
                address: address,
                action: .exclude,
                changes: change..<change + 1,
                cost: .zero
            )
        )
        return add(.edit(.exclude(uuid)), change)
    }

    /// Adds the steps that give nodes their new keys. Returns the steps that the next stage waits for.
    private mutating func addUpdates(after gate: [Int]) -> [Int] {
        var all: [Int] = []
        for node in participants {
            guard !isDone(node) else {
                subnetChanges.append(0)
                continue
            }
            let first = changes.count
            let subnetChange = add(change(of: node, .nodeSubnet, "subnet." + subnet.name, progress(of: node)))
            subnetChanges.append(subnetChange)
            var cost = MessageCost.zero
            var own: [Int] = []
            if progress(of: node) < .updated {
                let action = ConfigurationAction.updateNetKey(subnet.index)
                own.append(add(.configure(node.uuid, action), subnetChange, after: gate))
                cost += action.cost
            }
            let netKeyStep = own.last.map { [$0] } ?? gate
            for key in node.appKeys where refreshed.contains(key.index) {
                guard subnet.phase == .normal || !key.isUpdated else { continue }
                let name = appKeyNames[key.index] ?? key.index.description
                let change = add(change(of: node, .nodeApplicationKey, "application_key." + name, .none))
                let action = ConfigurationAction.updateAppKey(key.index, boundTo: subnet.index)
                own.append(add(.configure(node.uuid, action), change, after: netKeyStep))
                cost += action.cost
            }
            if progress(of: node) < .usingNewKey { cost += phaseCost(.useNewKeys) }
            if progress(of: node) < .revoked { cost += phaseCost(.revokeOldKeys) }
            nodes.append(
                NodeSummary(
                    uuid: node.uuid,
                    name: node.name,
                    address: node.unicastAddress,
                    action: .update,
                    changes: first..<changes.count,
                    cost: cost
                )
            )
            all += own
        }
        return all
    }

    /// Adds a Key Refresh Phase Set for each node that has not confirmed the phase.
    private mutating func addPhase(
        _ transition: KeyRefreshTransition,
        _ goal: KeyRefreshProgress,
        after gate: [Int]
    ) -> [Int] {
        var steps: [Int] = []
        for (node, change) in zip(participants, subnetChanges) where progress(of: node) < goal {
            let action = ConfigurationAction.setKeyRefreshPhase(subnet.index, transition)
            steps.append(add(.configure(node.uuid, action), change, after: gate))
        }
        return steps
    }

    // MARK: Parts

    /// How far a node is. Outside a refresh, the recorded progress means nothing.
    private func progress(of node: Node) -> KeyRefreshProgress {
        guard subnet.phase != .normal else { return .none }
        return node.netKeys.first { $0.index == subnet.index }?.progress ?? .none
    }

    /// Whether a node needs no further message.
    private func isDone(_ node: Node) -> Bool {
        progress(of: node) == .revoked
            && !node.appKeys.contains { refreshed.contains($0.index) && !$0.isUpdated }
    }

    private func phaseCost(_ transition: KeyRefreshTransition) -> MessageCost {
        ConfigurationAction.setKeyRefreshPhase(subnet.index, transition).cost
    }

    private func change(
        of node: Node,
        _ kind: Change.Kind,
        _ path: String,
        _ progress: KeyRefreshProgress
    ) -> Change {
        let before: String
        switch progress {
        case .none: before = "present key"
        case .updated, .usingNewKey: before = "both keys"
        case .revoked: before = "new key alone"
        }
        return Change(
            address: "node.\(node.name).\(path)",
            kind: kind,
            action: .update,
            node: node.uuid,
            before: before,
            after: "new key alone"
        )
    }

    private mutating func edit(_ stage: KeyRefreshStage, _ change: Int, after dependencies: [Int]) -> Int {
        add(.edit(.refreshKeys(subnet.index, stage, replacing: networkID)), change, after: dependencies)
    }

    private mutating func add(_ change: Change) -> Int {
        changes.append(change)
        return changes.count - 1
    }

    private mutating func add(_ work: Step.Work, _ change: Int, after dependencies: [Int] = []) -> Int {
        steps.append(Step(change: change, work: work, dependencies: dependencies))
        return steps.count - 1
    }
}

extension KeyRefreshPhase {
    /// The state of a subnet's keys, for people.
    var text: String {
        switch self {
        case .normal: "present key"
        case .keyDistribution: "both keys, phase 1"
        case .usingNewKeys: "both keys, phase 2"
        }
    }
}
