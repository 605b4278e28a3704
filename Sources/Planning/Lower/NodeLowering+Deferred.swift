import DefinitionModel
import MeshCore

extension NodeLowering {
    /// Adds the change and the step that make a device a node; the step may already be there.
    mutating func addProvisioning(_ difference: NodeDifference, to builder: inout PlanBuilder) {
        guard case .device(let order, let device) = difference.origin else { return }
        let before = builder.text(ofReplacedBy: order.uuid, device.replaced)
        let change = builder.add(
            Change(
                address: prefix,
                kind: .provisioning,
                action: before == nil ? .create : .replace,
                node: order.uuid,
                before: before,
                after: text(of: order, pending: device.pending, names: builder.names)
            )
        )
        let step = builder.addProvisioning(order, change: change)
        prerequisites = [step]
    }

    private func text(of order: ProvisioningOrder, pending: PendingProvisioning?, names: ResourceNames) -> String {
        var text = order.address.map { "at \($0)" } ?? "at an address that apply chooses"
        text += ", in subnet \(names.netKey(order.netKeyIndex))"
        if let method = order.method { text += ", \(method.name)" }
        if order.publicKeyFile != nil { text += ", public key from \(order.publicKeyFile ?? "")" }
        text += words(on: order)
        if let algorithm = order.algorithm { text += ", \(algorithm.name)" }
        switch order.route {
        case .any: break
        case .direct: text += ", directly"
        case .remote: text += ", through a node"
        case .node(let server): text += ", through node.\(names.node(server))"
        }
        if pending != nil { text += " (an earlier attempt may have succeeded; apply finds out first)" }
        return text
    }

    /// What will be known of the device. A claim is called one wherever it may be all.
    private func words(on order: ProvisioningOrder) -> String {
        switch order.assurance {
        case .authenticated: order.method == nil ? ", authenticated" : ""
        case .claimed:
            order.publicKeyFile == nil ? ", claimed at least (an answer under AES-CMAC can be made up)" : ""
        case .nothing: ""
        }
    }

    /// Adds what waits for the composition: the changes to expect, and the steps that will add the true ones.
    ///
    /// Switching a relay or proxy off waits for all other nodes, as it does with a known composition. So do losses of
    /// subnets: until then the node may turn out to carry messages of others there.
    mutating func addDeferred(_ difference: NodeDifference, to builder: inout PlanBuilder) {
        guard var configuration = difference.deferred else { return }
        let firstChange = builder.changes.count
        for expected in difference.expected { addExpected(expected, to: &builder) }
        let change = min(firstChange, builder.changes.count - 1)
        let after = prerequisites + compositionSteps
        let departing = mayLoseSubnets(configuration, difference) ? configuration.subnetLossesAlone : nil
        if configuration.subnets != nil { configuration.subnetLosses = .later }
        let late = configuration.removeLate()
        if !configuration.isEmpty {
            cost += configuration.foreseenCost
            for target in configuration.awaitedNodes where builder.provisions(target) {
                let publications = configuration.publications(to: target)
                cost += publications.foreseenCost
                builder.addAwaiting(publications, change: change, after: after)
            }
            builder.add(.configureWhenKnown(configuration), change: change, after: after)
        }
        if let late {
            cost += late.foreseenCost
            builder.addLate(
                .configureWhenKnown(late),
                change: change,
                after: after,
                phase: late.endsLinks ? .proxyEndings : .endings
            )
        }
        if let departing {
            builder.addLate(.configureWhenKnown(departing), change: change, after: after, phase: departure)
        }
    }

    /// Whether the node will lose subnets, or may once the rules for it are known.
    private func mayLoseSubnets(_ configuration: DeferredConfiguration, _ difference: NodeDifference) -> Bool {
        guard let subnets = configuration.subnets else { return false }
        if !difference.deferredNetKeys.isEmpty { return true }
        return configuration.rules.contains { rule in
            guard let netKey = rule.publicationKey.flatMap({ boundNetKeys[$0] }) else { return false }
            return node.knows(netKey) && !subnets.contains(netKey)
        }
    }

    /// Adds the changes alone: their steps are made when the composition is known.
    private func addExpected(_ difference: NodeDifference, to builder: inout PlanBuilder) {
        var scratch = PlanBuilder(names: builder.names)
        var lowering = NodeLowering(node: node, name: name, boundNetKeys: boundNetKeys)
        lowering.addConfiguration(difference, to: &scratch)
        for var change in scratch.changes {
            change.isDeferred = true
            _ = builder.add(change)
        }
    }

    /// Adds a publication of a known node to one that gets its address from this plan.
    mutating func addAwaited(
        _ awaited: AwaitedPublication,
        of model: ModelDifference,
        path: String,
        bindings: [AppKeyIndex: Int],
        to builder: inout PlanBuilder
    ) {
        var change = change(
            .publication,
            ResourcePath(path, ".publication"),
            awaited.before == nil ? .create : .update,
            from: awaited.before.map { ValueText.publication($0, names: builder.names) },
            to: ValueText.publication(awaited.after, key: awaited.after.key, names: builder.names)
        )
        change.isDeferred = true
        let place = builder.add(change)
        var configuration = DeferredConfiguration(node: node.uuid, name: name)
        configuration.target = awaited.node
        configuration.models = [DeferredModel(address: model.address, publication: .on(awaited.after))]
        cost += configuration.foreseenCost
        let binding = awaited.after.key.flatMap { bindings[$0] }.map { [$0] } ?? []
        builder.addAwaiting(configuration, change: place, after: prerequisites + binding)
    }
}

extension DeferredConfiguration {
    /// Whether it may switch the node's GATT proxy off, open or private. The private one can be switched on only when
    /// the open one is off, so it comes after that, too.
    fileprivate var endsLinks: Bool {
        proxy == false
            || states.contains { if case .value(.privateGATTProxy) = $0.state { true } else { false } }
    }

    /// Only what shows which keys the node needs.
    fileprivate var subnetLossesAlone: DeferredConfiguration {
        var part = self
        part.subnetLosses = .alone
        part.defaultTTL = nil
        part.relay = nil
        part.relayRetransmit = nil
        part.proxy = nil
        part.friend = nil
        part.optionalFeatures = []
        return part
    }

    /// Takes out what waits for all other nodes, because it makes them harder to reach; nil if there is nothing.
    fileprivate mutating func removeLate() -> DeferredConfiguration? {
        guard relay == false || proxy == false || !states.isEmpty else { return nil }
        var late = DeferredConfiguration(node: node, name: name)
        late.optionalFeatures = optionalFeatures
        if relay == false {
            late.relay = false
            late.relayRetransmit = relayRetransmit
            relay = nil
            relayRetransmit = nil
        }
        if proxy == false {
            late.proxy = false
            proxy = nil
        }
        let isProxyLate = late.proxy == false
        let isLate = { (state: DeferredState) in
            guard case .value(let value) = state.state else { return false }
            return value.cutsReachability || isProxyLate && value.isPrivateProxy
        }
        late.states = states.filter(isLate)
        states.removeAll(where: isLate)
        return late.isEmpty ? nil : late
    }

    /// The nodes without an address that are the target of something, in order, each once.
    var awaitedNodes: [DeviceUUID] {
        var nodes: [DeviceUUID] = []
        for index in models.indices {
            if case .on(let publication) = models[index].publication, let node = publication.awaitedNode {
                nodes.append(node)
            }
        }
        for index in rules.indices { if let node = rules[index].awaitedNode { nodes.append(node) } }
        for index in states.indices { nodes += states[index].state.targets.compactMap(\.awaitedNode) }
        nodes += bridges?.flatMap(\.awaitedNodes) ?? []
        return nodes.sortedUnique()
    }

    /// The part that contains the publications to one node, together with rules and models that may contradict them,
    /// and everything else that names that node.
    func publications(to target: DeviceUUID) -> DeferredConfiguration {
        var part = DeferredConfiguration(node: node, name: name)
        part.target = target
        part.models = models.compactMap { model in
            guard model.publication != .unmanaged else { return nil }
            return DeferredModel(address: model.address, bindings: model.bindings, publication: model.publication)
        }
        part.rules = rules.filter { if case .publish = $0.effect { true } else { false } }
        part.states = states.filter { $0.state.targets.contains { $0.awaitedNode == target } }
        let naming = bridges?.filter { $0.awaitedNodes.contains(target) } ?? []
        if !naming.isEmpty {
            part.bridges = naming
            part.areBridgesOptional = areBridgesOptional
        }
        return part
    }
}
