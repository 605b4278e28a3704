package import MeshCore

extension SimulatedWorld {
    /// How the nodes differ from a database, one sentence per difference, with nodes in the order of the database. It
    /// does not compare what the database does not know, nor provisioners and excluded nodes. It compares keys, but
    /// never names them.
    package func mismatches(against network: MeshNetwork) -> [String] {
        let provisioners = Set(network.provisioners.map(\.uuid))
        let netKeys = Dictionary(firstOf: network.netKeys.map { ($0.index, $0) })
        let appKeys = Dictionary(firstOf: network.appKeys.map { ($0.index, $0) })
        var found: [String] = []
        for node in network.nodes where !provisioners.contains(node.uuid) && !node.isExcluded {
            guard var state = self.node(node.uuid) else {
                found.append("\(node.name) is not in the simulated network")
                continue
            }
            // A DeviceKey candidate, which takes over with the first message under it, counts as the node's key.
            if let candidate = deviceKeyCandidate(of: node.uuid), candidate == node.deviceKey {
                state.deviceKey = candidate
            }
            var comparison = Comparison(name: node.name)
            comparison.compare(state, node)
            comparison.compareKeys(state, node, netKeys, appKeys)
            comparison.compareElements(state, node)
            comparison.compareStates(state, node)
            found += comparison.differences
        }
        return found + strangers(to: network)
    }

    /// Described devices that are nodes of a network, although its database does not know their DeviceKeys.
    private func strangers(to network: MeshNetwork) -> [String] {
        let known = Set(network.nodes.map(\.uuid))
        let keys = Set(network.netKeys.flatMap { [$0.key, $0.oldKey ?? $0.key] })
        let pending = Dictionary(firstOf: network.pendingProvisionings.map { ($0.uuid, $0) })
        let retired = Set(network.retiredNodes.map { [$0.node.uuid.rawValue, $0.node.deviceKey?.octets] })
        return nodes.compactMap { node in
            let state = node.state
            guard node.description != nil, state.isProvisioned, !known.contains(state.uuid),
                let deviceKey = state.deviceKey,
                state.netKeys.contains(where: { keys.contains($0.key) }),
                !retired.contains([state.uuid.rawValue, deviceKey.octets])
            else { return nil }
            guard let attempt = pending[state.uuid] else {
                return "\(state.name) is a node at \(state.address) that is not recorded"
            }
            if attempt.address != state.address {
                return "\(state.name) is a node at \(state.address), its attempt is recorded with \(attempt.address)"
            }
            return attempt.deviceKeys.contains(deviceKey)
                ? nil : "\(state.name): the DeviceKey does not match any of its attempts"
        }
    }
}

/// Collects the differences of one node.
private struct Comparison {
    var name: String
    var differences: [String] = []

    mutating func note(_ what: String, onAir: String, recorded: String) {
        differences.append("\(name): \(what) is \(onAir), recorded as \(recorded)")
    }

    mutating func compare<Value: Equatable>(_ what: String, _ onAir: Value, _ recorded: Value?) {
        guard let recorded, onAir != recorded else { return }
        note(what, onAir: "\(onAir)", recorded: "\(recorded)")
    }

    mutating func compare<Value: Equatable>(_ what: String, _ onAir: [Value], _ recorded: [Value]?) {
        guard let recorded, onAir != recorded else { return }
        note(what, onAir: Self.list(onAir), recorded: Self.list(recorded))
    }

    private static func list(_ values: [some Any]) -> String {
        values.isEmpty ? "empty" : values.map { "\($0)" }.joined(separator: ", ")
    }

    private static func text(_ publication: Publication?) -> String {
        guard let publication else { return "none" }
        var parts = ["to \(publication.address)", "key \(publication.appKeyIndex)"]
        if publication.ttl != Publication.defaultTTL { parts.append("ttl \(publication.ttl)") }
        if publication.period.milliseconds > 0 { parts.append("every \(publication.period.milliseconds) ms") }
        if publication.retransmit.count > 0 {
            parts.append("repeated \(publication.retransmit.count) times")
        }
        if publication.usesFriendshipCredentials { parts.append("with friendship credentials") }
        return parts.joined(separator: " ")
    }

    mutating func compare(_ state: NodeConfigurationState, _ node: Node) {
        compare("membership", state.isProvisioned, true)
        compare("the address", state.address, node.unicastAddress)
        if state.deviceKey != node.deviceKey { differences.append("\(name): the DeviceKey differs") }
        compare("relay", state.relay, node.features.relay)
        compare("proxy", state.proxy, node.features.proxy)
        compare("friend", state.friend, node.features.friend)
        compare("the Secure Network Beacon", state.secureNetworkBeacon, node.secureNetworkBeacon)
        compare("the Default TTL", state.defaultTTL, node.defaultTTL)
        compare("Network Transmit", state.networkTransmit, node.networkTransmit)
        if state.relay != .notSupported {
            compare("Relay Retransmit", state.relayRetransmit, node.relayRetransmit)
        }
    }

    mutating func compareKeys(
        _ state: NodeConfigurationState,
        _ node: Node,
        _ netKeys: [NetKeyIndex: NetKey],
        _ appKeys: [AppKeyIndex: AppKey]
    ) {
        compare("the list of NetKeys", state.netKeys.map(\.index), node.netKeys.map(\.index).sorted())
        for known in node.netKeys {
            guard let stored = state.netKey(known.index), let key = netKeys[known.index] else { continue }
            let expected = NodeNetKey(key, progress: known.progress)
            // A node that joined in phase 2 never had the old key.
            let hasJoinedLate = stored.phase == .usingNewKeys && stored.oldKey == stored.key
            // Once the network is in phase 2, beacons move nodes that have the new key to phase 2. Stragglers may still
            // be behind.
            let mayDiffer = key.phase == .usingNewKeys && known.isUpdated && known.progress != .revoked
            let hasLeft = mayDiffer && stored.phase == .normal && stored.oldKey == nil
            if stored.key != expected.key || stored.oldKey != expected.oldKey && !hasJoinedLate && !hasLeft {
                differences.append("\(name): NetKey \(known.index) has other octets")
            }
            if !mayDiffer {
                compare("the key refresh phase of NetKey \(known.index)", stored.phase, expected.phase)
            }
        }
        compare("the list of AppKeys", state.appKeys.map(\.index), node.appKeys.map(\.index).sorted())
        for known in node.appKeys {
            guard let stored = state.appKey(known.index), let key = appKeys[known.index] else { continue }
            let expected = NodeAppKey(key, isUpdated: known.isUpdated)
            let hasLeft = stored.oldKey == nil && state.netKey(stored.boundNetKey)?.phase == .normal && known.isUpdated
            if stored.key != expected.key || stored.oldKey != expected.oldKey && !hasLeft {
                differences.append("\(name): AppKey \(known.index) has other octets")
            }
            compare("the NetKey of AppKey \(known.index)", stored.boundNetKey, expected.boundNetKey)
        }
    }

    mutating func compareStates(_ state: NodeConfigurationState, _ node: Node) {
        for recorded in node.states {
            let onAir = state.foundationState(recorded.kind)
            guard onAir.map({ !recorded.allows($0) }) ?? true else { continue }
            note("\(recorded.kind.word)", onAir: onAir.map { $0.text() } ?? "not there", recorded: recorded.text())
        }
        compare("the bridging table", state.foundation.bridgingTable.sorted(), node.bridgingTable)
    }

    mutating func compareElements(_ state: NodeConfigurationState, _ node: Node) {
        guard node.isCompositionKnown else { return }
        compare("the number of elements", state.elements.count, node.elements.count)
        for (index, (onAir, recorded)) in zip(state.elements, node.elements).enumerated() {
            compare(
                "the list of models of element \(index)",
                onAir.models.map(\.identifier),
                recorded.models.map(\.identifier)
            )
            let known = Dictionary(firstOf: recorded.models.map { ($0.identifier, $0) })
            for model in onAir.models {
                guard let other = known[model.identifier] else { continue }
                let place = "of \(model.identifier.name) on element \(index)"
                compare("the list of bindings \(place)", model.bindings, other.bindings.sorted())
                compare("the list of subscriptions \(place)", model.subscriptions, other.subscriptions.sorted())
                if model.publication != other.publication {
                    note(
                        "the publication \(place)",
                        onAir: Self.text(model.publication),
                        recorded: Self.text(other.publication)
                    )
                }
            }
        }
    }
}
