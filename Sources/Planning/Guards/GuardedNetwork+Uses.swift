import MeshCore

extension GuardedNetwork {
    /// The nodes with NetKeys that are not in the network, by key.
    var unknownNetKeys: [NetKeyIndex: [DeviceUUID]] {
        let known = Set(network.netKeys.lazy.map(\.index))
        var users: [NetKeyIndex: [DeviceUUID]] = [:]
        for node in inspected {
            for key in node.netKeys where !known.contains(key.index) { users[key.index, default: []].append(node.uuid) }
        }
        return users
    }

    /// The nodes with AppKeys that are not in the network, by key.
    var unknownAppKeys: [AppKeyIndex: [DeviceUUID]] {
        let known = Set(network.appKeys.lazy.map(\.index))
        var users: [AppKeyIndex: [DeviceUUID]] = [:]
        for node in inspected {
            for key in node.appKeys where !known.contains(key.index) { users[key.index, default: []].append(node.uuid) }
        }
        return users
    }

    /// The nodes that use groups that are not in the network, by group: they subscribe, publish, or send or count
    /// heartbeats there. Fixed groups always exist.
    var unknownGroups: [SubscriptionAddress: [DeviceUUID]] {
        let known = Set(network.groups.lazy.map(\.address))
        var users: [SubscriptionAddress: [DeviceUUID]] = [:]
        func add(_ address: SubscriptionAddress, _ node: Node) {
            if case .unknownLabel = address { return }
            guard !known.contains(address) else { return }
            if case .group(let group) = address, !GroupAddress.assignable.contains(group.rawValue) { return }
            guard users[address]?.last != node.uuid else { return }
            users[address, default: []].append(node.uuid)
        }
        for node in inspected {
            for state in node.states { if let group = state.heartbeatGroup { add(group, node) } }
            for element in node.elements {
                for model in element.models {
                    for address in model.subscriptions { add(address, node) }
                    switch model.publication?.address {
                    case .group(let group): add(.group(group), node)
                    case .virtual(let label): add(.virtual(label), node)
                    case .unicast, .unknownLabel, nil: break
                    }
                }
            }
        }
        return users
    }
}

extension FoundationState {
    /// The group that heartbeats are sent to or counted at; nil if there is none.
    var heartbeatGroup: SubscriptionAddress? {
        let destination: Address
        switch self {
        case .heartbeatPublication(let heartbeat): destination = heartbeat.destination
        case .heartbeatSubscription(let heartbeat): destination = heartbeat.destination
        default: return nil
        }
        return GroupAddress(rawValue: destination.rawValue).map { .group($0) }
    }
}
