import MeshCore

extension NodeLowering {
    /// Adds states of the foundation models and bridging tables. What makes nodes harder to reach waits for all other
    /// nodes.
    mutating func addFoundation(_ difference: NodeDifference, to builder: inout PlanBuilder) {
        var emptied = emptiedPairs(difference)
        for bridge in difference.bridges { add(bridge, emptied: &emptied, to: &builder) }
        for state in difference.states {
            let names = builder.names
            let change = builder.add(
                change(
                    Change.Kind(state.after.kind),
                    path(of: state.after.kind, names),
                    .update,
                    from: state.before.map { ValueText.state($0, names: names) },
                    to: ValueText.state(state.after, names: names)
                )
            )
            // A private proxy cannot be on before the open one is off, and that happens late.
            let isLate = state.after.cutsReachability || difference.proxy?.after == false && state.after.isPrivateProxy
            set(
                .set(state.after),
                isLate: isLate,
                phase: state.after.kind == .privateGATTProxy ? .proxyEndings : .endings,
                change: change,
                after: steps(for: state.after),
                in: &builder
            )
        }
        addAwaited(difference, to: &builder)
    }

    private func path(of kind: FoundationState.Kind, _ names: ResourceNames) -> String {
        kind.word + (kind.subnet.map { "." + names.netKey($0) } ?? "")
    }

    private func steps(for state: FoundationState) -> [Int] {
        var subnets: [NetKeyIndex] = []
        if let subnet = state.kind.subnet { subnets.append(subnet) }
        if case .heartbeatPublication(let heartbeat) = state, !heartbeat.isOff { subnets.append(heartbeat.netKeyIndex) }
        return subnets.compactMap { netKeySteps[$0] }
    }

    /// The pairs of subnets that lose several entries and keep or get none, so that one message removes them all.
    ///
    /// Otherwise the other entries would have to be set again after it, and until then nothing would pass.
    private func emptiedPairs(_ difference: NodeDifference) -> [NetKeyIndexPair: Bool] {
        guard difference.bridges.count > 1 else { return [:] }
        var going: [NetKeyIndexPair: Int] = [:]
        for bridge in difference.bridges where bridge.after == nil && !bridge.isImplied {
            if let entry = bridge.before { going[entry.subnets, default: 0] += 1 }
        }
        for bridge in difference.bridges { if let entry = bridge.after { going[entry.subnets] = nil } }
        for bridge in difference.awaitedBridges { going[bridge.subnets] = nil }
        var present: [NetKeyIndexPair: Int] = [:]
        for entry in node.bridgingTable ?? [] { present[entry.subnets, default: 0] += 1 }
        return going.filter { $0.value > 1 && $0.value == present[$0.key] }.mapValues { _ in false }
    }

    /// Adds a change of one entry.
    ///
    /// - Parameter emptied: the pairs whose entries are all removed by one message, and whether that message was added
    ///   already.
    private mutating func add(
        _ bridge: BridgeDifference,
        emptied: inout [NetKeyIndexPair: Bool],
        to builder: inout PlanBuilder
    ) {
        guard let entry = bridge.after ?? bridge.before else { return }
        let names = builder.names
        let change = builder.add(
            change(
                .bridgingTableEntry,
                "bridging_table.\(ValueText.bridgeName(entry, names: names))",
                bridge.after == nil ? .delete : bridge.before == nil ? .create : .update,
                from: bridge.before.map { ValueText.direction($0.addresses.directions) },
                to: bridge.after.map { ValueText.direction($0.addresses.directions) },
                isImplied: bridge.isImplied
            )
        )
        if bridge.isImplied { return }
        guard let after = bridge.after else {
            if let isSent = emptied[entry.subnets] {
                if !isSent { set(.removeAllBridging(entry.subnets), isLate: true, change: change, in: &builder) }
                emptied[entry.subnets] = true
                return
            }
            set(.removeBridging(entry), isLate: true, change: change, in: &builder)
            return
        }
        let keys = [after.subnets.first, after.subnets.second].compactMap { netKeySteps[$0] }
        set(.addBridging(after), isLate: bridge.isLate, change: change, after: keys, in: &builder)
    }

    /// Adds what names nodes that get their addresses from this plan.
    private mutating func addAwaited(_ difference: NodeDifference, to builder: inout PlanBuilder) {
        var changes: [DeviceUUID: Int] = [:]
        for state in difference.awaitedStates {
            let change = addWaiting(state, in: &builder)
            for target in state.targets.compactMap(\.awaitedNode) where changes[target] == nil {
                changes[target] = change
            }
        }
        for bridge in difference.awaitedBridges {
            let change = addWaiting(bridge, in: &builder)
            for target in bridge.awaitedNodes where changes[target] == nil { changes[target] = change }
        }
        let keys = netKeySteps.values.sorted()
        for (target, change) in changes.sorted(by: { $0.key < $1.key }) {
            var part = DeferredConfiguration(node: node.uuid, name: name)
            part.target = target
            part.states = difference.awaitedStates.filter { $0.targets.contains { $0.awaitedNode == target } }
                .map { DeferredState(state: $0, isOptional: false) }
            let naming = difference.awaitedBridges.filter { $0.awaitedNodes.contains(target) }
            if !naming.isEmpty { part.bridges = naming }
            cost += part.foreseenCost
            builder.addAwaiting(part, change: change, after: prerequisites + keys)
        }
    }

    private func addWaiting(_ state: DesiredFoundationState, in builder: inout PlanBuilder) -> Int {
        var change = change(
            Change.Kind(state.kind),
            path(of: state.kind, builder.names),
            .update,
            to: ValueText.state(state, on: node, names: builder.names)
        )
        change.isDeferred = true
        return builder.add(change)
    }

    private func addWaiting(_ bridge: DesiredBridge, in builder: inout PlanBuilder) -> Int {
        var change = change(
            .bridgingTableEntry,
            "bridging_table.\(ValueText.bridgeName(bridge, names: builder.names))",
            .create,
            to: ValueText.direction(bridge.directions)
        )
        change.isDeferred = true
        return builder.add(change)
    }
}

extension FoundationState {
    /// Whether setting this may make other nodes, or this provisioner, unable to reach nodes.
    var cutsReachability: Bool {
        switch self {
        case .privateGATTProxy(let state): state != .enabled
        case .onDemandPrivateProxy(let seconds): seconds == 0
        case .subnetBridge(let isOn): !isOn
        default: false
        }
    }

    /// Whether it makes the node a private proxy.
    var isPrivateProxy: Bool { self == .privateGATTProxy(.enabled) }
}
