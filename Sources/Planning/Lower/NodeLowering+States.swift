import MeshCore

extension NodeLowering {
    /// Adds TTL, beacon, transmit and features. Switching a relay or proxy off waits for all other nodes.
    mutating func addStates(_ difference: NodeDifference, to builder: inout PlanBuilder) {
        if let ttl = difference.defaultTTL {
            let change = builder.add(
                change(.defaultTTL, "ttl", .update, from: ttl.before.map { "\($0)" }, to: "\(ttl.after)")
            )
            _ = send(.setDefaultTTL(ttl.after), change: change, in: &builder)
        }
        if let beacon = difference.secureNetworkBeacon {
            let change = builder.add(state(.secureNetworkBeacon, "secure_network_beacon", beacon))
            _ = send(.setSecureNetworkBeacon(beacon.after), change: change, in: &builder)
        }
        if let transmit = difference.networkTransmit {
            let change = builder.add(parameters(.networkTransmit, "network_transmit", transmit))
            _ = send(.setNetworkTransmit(transmit.after), change: change, in: &builder)
        }
        if let friend = difference.friend {
            let change = builder.add(state(.friend, "friend", friend))
            _ = send(.setFriend(friend.after), change: change, in: &builder)
        }
        if let setting = difference.relaySetting {
            let firstChange = builder.changes.count
            if let relay = difference.relay { _ = builder.add(state(.relay, "relay", relay)) }
            if let retransmit = difference.relayRetransmit {
                _ = builder.add(parameters(.relayRetransmit, "relay_retransmit", retransmit))
            }
            set(
                .setRelay(setting.isOn, setting.retransmit),
                isLate: difference.relay?.after == false,
                change: firstChange,
                in: &builder
            )
        }
        if let proxy = difference.proxy {
            let change = builder.add(state(.proxy, "proxy", proxy))
            set(.setProxy(proxy.after), isLate: !proxy.after, phase: .proxyEndings, change: change, in: &builder)
        }
    }

    /// Adds a step with the others of the node, or late: after those of all nodes.
    mutating func set(
        _ action: ConfigurationAction,
        isLate: Bool,
        phase: PlanBuilder.LatePhase = .endings,
        change: Int,
        after dependencies: [Int] = [],
        in builder: inout PlanBuilder
    ) {
        if isLate {
            cost += action.cost
            builder.addLate(
                .configure(node.uuid, action),
                change: change,
                after: prerequisites + dependencies,
                phase: phase
            )
        } else {
            _ = send(action, change: change, after: dependencies, in: &builder)
        }
    }

    private func state(_ kind: Change.Kind, _ path: String, _ value: ValueDifference<Bool>) -> Change {
        change(kind, path, .update, from: value.before.map(ValueText.state), to: ValueText.state(value.after))
    }

    private func parameters(
        _ kind: Change.Kind,
        _ path: String,
        _ value: ValueDifference<TransmitParameters>
    ) -> Change {
        change(kind, path, .update, from: value.before.map(ValueText.transmit), to: ValueText.transmit(value.after))
    }
}
