import DefinitionModel
import MeshCore

extension NodeDiffer {
    /// Reports the states of the foundation models that the node cannot have, and removes them from what is desired.
    mutating func preflightStates(_ desired: inout DesiredNode, node: Node) {
        let name = desired.name.value
        if !desired.settings.states.isEmpty {
            var possible: [Declared<DesiredFoundationState>] = []
            for state in desired.settings.states where check(state, desired, node: node) { possible.append(state) }
            desired.settings.states = possible
        }
        guard let table = desired.settings.bridgingTable, !node.hasModel(.bridgeConfigurationServer) else { return }
        desired.settings.bridgingTable = nil
        if !table.value.isEmpty {
            reportMissing(.bridgeConfigurationServer, of: "Bridging Table", at: table, name: name)
        }
    }

    private mutating func check(_ state: Declared<DesiredFoundationState>, _ desired: DesiredNode, node: Node) -> Bool {
        let kind = state.value.kind
        let name = desired.name.value
        if !node.hasModel(kind.model) {
            // A state that does not exist counts as off.
            if !state.value.isOff { reportMissing(kind.model, of: kind.title, at: state, name: name) }
            return false
        }
        let lacksProxy = kind.needsProxyFeature && node.features.proxy == .notSupported
        if lacksProxy || node.state(kind)?.isNotSupported ?? false {
            if !state.value.isOff { reportUnsupported("GATT proxy", at: state, name: name) }
            return false
        }
        if case .value(.privateGATTProxy(.enabled)) = state.value,
            desired.settings.proxy?.value ?? (node.features.proxy == .enabled)
        {
            diagnostics.report("private and open proxy", at: state.location) {
                Diagnostic(
                    .error,
                    "node `\(name)` cannot be a private proxy while its GATT proxy is on",
                    at: state.location,
                    resource: "node." + name,
                    hint: "Also write `features: { proxy: off }` for it"
                )
            }
            return false
        }
        return true
    }

    private mutating func reportMissing<Value>(
        _ model: ModelIdentifier,
        of title: String,
        at setting: Declared<Value>,
        name: String
    ) {
        let isDefault = setting.origin.isDefault
        // With aliases, one line can be both a default and a node's own setting.
        diagnostics.report("missing \(title) \(isDefault)", at: setting.location) {
            Diagnostic(
                isDefault ? .note : .error,
                "node `\(name)` has no `\(model.name)`, which holds \(title)"
                    + (isDefault ? ", so the default does not apply to it" : ""),
                at: setting.location,
                resource: "node." + name,
                hint: isDefault ? nil : "Take the setting out for this node"
            )
        }
    }

    /// Compares the states of the foundation models; an unknown one counts as different.
    mutating func compareFoundation(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        for state in desired.settings.states {
            if let subnet = state.value.kind.subnet, !difference.leaves(subnet, on: node) { continue }
            // The node advertises no identity while its proxy is off, and refuses to start it.
            if case .nodeIdentity = state.value.kind, node.features.proxy == .disabled, difference.proxy?.after != true
            {
                continue
            }
            guard let value = state.value.value(on: node) else {
                difference.awaitedStates.append(state.value)
                continue
            }
            let recorded = node.state(value.kind)
            if value.agrees(with: recorded) { continue }
            difference.states.append(ValueDifference(before: recorded, after: value))
        }
        if let own = node.heartbeatToRestore,
            !desired.settings.states.contains(where: { $0.value.kind == .heartbeatPublication })
        {
            // A count of hops has ended too early.
            var value = own.isOff ? .off(netKeyIndex: node.transportNetKey ?? .primary) : own
            value.countLog = value.countLog ?? .off
            let state = FoundationState.heartbeatPublication(value)
            difference.states.insert(ValueDifference(before: node.state(.heartbeatPublication), after: state), at: 0)
        }
        guard let table = desired.settings.bridgingTable else { return }
        var wanted: [BridgingTableEntry] = []
        for bridge in table.value {
            if let entry = bridge.entry { wanted.append(entry) } else { difference.awaitedBridges.append(bridge) }
        }
        let recorded = node.bridgingTable ?? []
        for entry in wanted.sortedUnique() where !recorded.contains(entry) {
            let before = recorded.first { $0.isAbout(entry) }
            difference.bridges.append(BridgeDifference(before: before, after: entry))
        }
        for entry in recorded where !wanted.contains(where: entry.isAbout) {
            let isImplied = [entry.subnets.first, entry.subnets.second].contains { !difference.leaves($0, on: node) }
            difference.bridges.append(BridgeDifference(before: entry, isImplied: isImplied))
        }
    }
}

/// An entry of a bridging table that is added, changes its direction or is removed.
struct BridgeDifference {
    var before: BridgingTableEntry?
    var after: BridgingTableEntry?
    /// Whether it is removed together with a NetKey of the node.
    var isImplied = false

    /// Whether it makes other nodes harder to reach, and so must wait for them: it is removed, or forwards less.
    var isLate: Bool { after == nil || before?.addresses.directions == .bothWays }
}

extension NodeDifference {
    /// Whether the node has the NetKey in the end.
    fileprivate func leaves(_ subnet: NetKeyIndex, on node: Node) -> Bool {
        (node.knows(subnet) || addedNetKeys.contains(subnet)) && !deletedNetKeys.contains(subnet)
    }
}

extension Node {
    /// Whether the node has a model of the foundation. Every node has a Configuration Server.
    fileprivate func hasModel(_ model: ModelIdentifier) -> Bool {
        model == .configurationServer || hasPrimary(model)
    }
}

extension DesiredSettings {
    /// The subnets whose NetKeys the node needs for these states, ascending.
    var subnetsOfStates: [NetKeyIndex] {
        if states.isEmpty, bridgingTable == nil { return [] }
        let bridges = bridgingTable?.value ?? []
        return (states.compactMap(\.value.neededSubnet) + bridges.flatMap { [$0.subnets.first, $0.subnets.second] })
            .sortedUnique()
    }

    /// These states merged over those of other settings, by kind.
    func states(over others: [Declared<DesiredFoundationState>]) -> [Declared<DesiredFoundationState>] {
        if states.isEmpty || others.isEmpty { return states + others }
        var merged = states
        for other in others where !states.contains(where: { $0.value.kind == other.value.kind }) {
            merged.append(other)
        }
        return merged.sorted { $0.value.kind < $1.value.kind }
    }
}
