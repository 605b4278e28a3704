import DefinitionModel
package import MeshCore

/// Which of the messages that are heard somebody wants to know of.
package struct WatchSelection: Hashable, Sendable {
    /// Elements whose messages are wanted.
    package private(set) var sources: Set<UnicastAddress> = []
    /// Groups to which messages are wanted.
    package private(set) var groups: Set<SubscriptionAddress> = []
    /// The model; nil for all. Heartbeats are of no model.
    package var model: ModelIdentifier?

    /// Everything.
    ///
    /// - Parameter model: the model whose messages alone are wanted; nil for all.
    package init(model: ModelIdentifier? = nil) {
        self.model = model
    }

    /// What targets stand for: nodes, elements and tags for what they send; groups for what is sent to them, whoever
    /// listens.
    ///
    /// - Parameters:
    ///   - resolver: finds nodes.
    ///   - network: the network that has the groups.
    /// - Throws: ``TargetError`` for the first target that is nothing.
    package init(
        _ targets: [OperatingTarget],
        _ resolver: TargetResolver,
        in network: MeshNetwork,
        model: ModelIdentifier? = nil
    ) throws(TargetError) {
        self.model = model
        for target in targets {
            if case .group(let name) = target {
                groups.insert(try Self.group(named: name, in: network))
                continue
            }
            for part in try resolver.resolve(target).elements {
                let node = network.nodes[part.node]
                guard let address = node.unicastAddress.element(UInt8(clamping: part.element)) else { continue }
                sources.insert(address)
            }
        }
    }

    private static func group(named name: String, in network: MeshNetwork) throws(TargetError) -> SubscriptionAddress {
        if let known = network.group(called: name) { return known.address }
        if let fixed = GroupAddress(fixedName: name) { return .group(fixed) }
        let names = network.groups.map(\.name) + GroupAddress.fixedGroups.map(\.name)
        let nearest = Suggestion.nearest(to: name, among: names)
        throw .noGroup(name, suggestion: nearest.map { OperatingTarget.groupPrefix + $0 })
    }

    package func wants(_ message: WatchedMessage) -> Bool {
        isAbout(message.source, message.destination, message.label)
            && (model.map { message.models.contains($0) } ?? true)
    }

    package func wants(_ heartbeat: WatchedHeartbeat) -> Bool {
        model == nil && isAbout(heartbeat.source, heartbeat.destination, nil)
    }

    private func isAbout(_ source: UnicastAddress, _ destination: Address, _ label: LabelUUID?) -> Bool {
        if sources.isEmpty && groups.isEmpty || sources.contains(source) { return true }
        if let label { return groups.contains(.virtual(label)) }
        return groups.contains { $0.address == destination }
    }

    // MARK: What a proxy has to pass on

    /// What to hear in a network: the groups that are wanted first, then all others that it has or that its models use,
    /// then the fixed ones. If only groups are wanted, nothing else.
    package func wish(in network: MeshNetwork) -> WatchWish {
        var addresses = OrderedAddresses()
        for group in groups.sorted() { addresses.add(group.address) }
        if groups.isEmpty || !sources.isEmpty {
            for group in network.groups { addresses.add(group.address.address) }
            for node in network.nodes { addresses.addGroups(of: node) }
            for fixed in GroupAddress.fixedGroups.reversed() { addresses.add(fixed.group.address) }
        }
        return WatchWish(
            addresses: addresses.addresses,
            labels: labels(of: network),
            subnets: network.netKeys.map(\.index).sorted()
        )
    }

    private func labels(of network: MeshNetwork) -> [LabelUUID] {
        var labels: Set<LabelUUID> = []
        for case .virtual(let label) in network.groups.map(\.address) { labels.insert(label) }
        for model in network.nodes.lazy.flatMap(\.elements).flatMap(\.models) {
            for case .virtual(let label) in model.subscriptions { labels.insert(label) }
            if case .virtual(let label)? = model.publication?.address { labels.insert(label) }
        }
        return labels.sorted()
    }
}

/// Groups and virtual addresses, each once, in the order in which they were added.
private struct OrderedAddresses {
    private(set) var addresses: [Address] = []
    private var seen: Set<Address> = []

    mutating func add(_ address: Address) {
        guard address.kind == .group || address.kind == .virtual, seen.insert(address).inserted else { return }
        addresses.append(address)
    }

    /// What the models of a node send to and listen to, and where its heartbeats go.
    mutating func addGroups(of node: Node) {
        if case .heartbeatPublication(let heartbeat) = node.state(.heartbeatPublication) { add(heartbeat.destination) }
        for model in node.elements.lazy.flatMap(\.models) {
            if let publication = model.publication { add(publication.address.address) }
            for subscription in model.subscriptions { add(subscription.address) }
        }
    }
}
