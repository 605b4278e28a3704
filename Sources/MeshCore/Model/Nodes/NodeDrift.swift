/// A difference between a node's record and what the node reported: somebody else changed the node.
///
/// The network's record of a node is its latest report. This keeps what was last set or imported, until both agree
/// again because one of them was set.
package struct NodeDrift: Hashable, Sendable {
    /// The last recorded state before the node reported another, with everything set since, but without its DeviceKey.
    package private(set) var recorded: Node
    /// The differing resources, each with the time of the read-back that first showed the difference.
    package private(set) var since: [NodeResource: Timestamp]

    /// The difference between a record and a node's report; nil if there is none.
    ///
    /// - Parameters:
    ///   - recorded: the state last set or imported.
    ///   - observed: the node's latest report.
    ///   - since: the differences already known, with their times.
    ///   - now: the time for new differences.
    package init?(recorded: Node, observed: Node, since: [NodeResource: Timestamp] = [:], at now: Timestamp) {
        var recorded = recorded
        recorded.complete(from: observed)
        self.init(recorded: recorded, differences: recorded.differences(from: observed), since: since, at: now)
    }

    private init?(
        recorded: Node,
        differences: [NodeResource],
        since: [NodeResource: Timestamp],
        at now: Timestamp
    ) {
        guard !differences.isEmpty else { return nil }
        self.recorded = recorded
        self.recorded.deviceKey = nil
        self.since = Dictionary(uniqueKeysWithValues: differences.map { ($0, since[$0] ?? now) })
    }

    /// A drift from storage.
    package init(recorded: Node, since: [NodeResource: Timestamp]) {
        self.recorded = recorded
        self.recorded.deviceKey = nil
        self.since = since
    }

    /// The differing resources, sorted.
    package var resources: [NodeResource] { since.keys.sorted() }

    /// The drift after a change of both the node and its record, such as by a confirmed Set; nil if they now agree.
    ///
    /// - Parameters:
    ///   - change: the change of the node's record.
    ///   - observed: the node after the change.
    package func after(_ change: (inout Node) -> Void, observed: Node, at now: Timestamp) -> NodeDrift? {
        var recorded = recorded
        change(&recorded)
        return NodeDrift(recorded: recorded, observed: observed, since: since, at: now)
    }

    /// The drift after accepting part of the report as the record; nil if they now agree.
    ///
    /// - Parameters:
    ///   - accepted: the resources to accept.
    ///   - observed: the node's latest report.
    package func accepting(_ accepted: some Sequence<NodeResource>, observed: Node) -> NodeDrift? {
        var recorded = recorded
        for resource in accepted { recorded.take(resource, from: observed) }
        let differences = recorded.differences(from: observed).filter { since[$0] != nil }
        return NodeDrift(recorded: recorded, differences: differences, since: since, at: Timestamp(rawValue: 0))
    }
}

extension Node {
    /// Copies one resource of the configuration from another record of the same node.
    fileprivate mutating func take(_ resource: NodeResource, from other: Node) {
        switch resource {
        case .netKey(let index): netKeys.take(index, isThere: other.knows(index))
        case .appKey(let index): appKeys.take(index, isThere: other.knows(index))
        case .binding(let address, let key):
            update(address) { $0.bindings.take(key, isThere: other.model(at: address)?.bindings.contains(key) == true) }
        case .subscription(let address, let group):
            update(address) {
                $0.subscriptions.take(group, isThere: other.model(at: address)?.subscriptions.contains(group) == true)
            }
        case .publication(let address): update(address) { $0.publication = other.model(at: address)?.publication }
        case .defaultTTL: defaultTTL = other.defaultTTL
        case .secureNetworkBeacon: secureNetworkBeacon = other.secureNetworkBeacon
        case .networkTransmit: networkTransmit = other.networkTransmit
        case .friend: features.friend = other.features.friend
        case .relay: features.relay = other.features.relay
        case .relayRetransmit: relayRetransmit = other.relayRetransmit
        case .proxy: features.proxy = other.features.proxy
        case .state(let kind):
            forgetState(kind)
            if let state = other.state(kind) { record(state) }
        case .bridging(let entry):
            if other.bridgingTable?.contains(entry) == true {
                recordBridging(entry)
            } else {
                bridgingTable?.removeAll { $0 == entry }
            }
        case .modelState(let address, let name):
            guard let model = other.model(at: address) else { break }
            if let state = model.state(named: name) {
                update(address) { $0.record(state) }
            } else {
                update(address) { model in
                    if model.state(named: name)?.form.register != nil { model.forgetState(named: name) }
                }
            }
        }
    }

    /// The record of a model; nil if the node does not have it.
    package func model(at address: ModelAddress) -> Model? {
        guard elements.indices.contains(Int(address.element)) else { return nil }
        return elements[Int(address.element)].models.first { $0.identifier == address.model }
    }

    private mutating func update(_ address: ModelAddress, _ change: (inout Model) -> Void) {
        guard elements.indices.contains(Int(address.element)),
            let index = elements[Int(address.element)].models.firstIndex(where: { $0.identifier == address.model })
        else { return }
        change(&elements[Int(address.element)].models[index])
    }
}

extension Array {
    fileprivate mutating func take<Index>(_ index: Index, isThere: Bool) where Element == NodeKey<Index> {
        if !isThere { return removeAll { $0.index == index } }
        guard !contains(where: { $0.index == index }) else { return }
        insert(NodeKey(index: index), at: firstIndex { $0.index > index } ?? endIndex)
    }

    fileprivate mutating func take(_ element: Element, isThere: Bool) where Element: Comparable {
        if !isThere { return removeAll { $0 == element } }
        guard !contains(element) else { return }
        insert(element, at: firstIndex { $0 > element } ?? endIndex)
    }
}
