import DefinitionModel
import MeshCore

/// Turns the difference of one node into changes and steps.
struct NodeLowering {
    let node: Node
    /// `node.NAME`, the start of the address of each of its resources.
    let prefix: String
    let boundNetKeys: [AppKeyIndex: NetKeyIndex]
    let name: String
    /// Steps that must succeed before any other step of the node.
    var prerequisites: [Int] = []
    /// The step that reads the composition, if there is one.
    var compositionSteps: [Int] = []
    /// The cost of the steps so far.
    var cost = MessageCost.zero

    /// What must be removed before other things are added.
    private var early = EarlyRemovals()
    /// The steps that give the node its new NetKeys.
    private(set) var netKeySteps: [NetKeyIndex: Int] = [:]
    private var appKeySteps: [AppKeyIndex: Int] = [:]
    private(set) var bindingSteps: [ModelAddress: [AppKeyIndex: Int]] = [:]
    /// Steps that move a publication away from an AppKey.
    private var movingSteps: [AppKeyIndex: [Int]] = [:]
    /// Steps that move a publication of one model to another AppKey.
    private var modelMovingSteps: [ModelAddress: Int] = [:]
    /// Removals that were described with a model and are sent with the other removals.
    private var publicationRemovals: [Removal] = []
    private var subscriptionRemovals: [Removal] = []
    private var bindingRemovals: [Removal] = []

    private struct Removal {
        var action: ConfigurationAction
        var change: Int
        var dependencies: [Int] = []
    }

    init(node: Node, name: String, boundNetKeys: [AppKeyIndex: NetKeyIndex]) {
        self.node = node
        self.name = name
        prefix = "node." + name
        var boundNetKeys = boundNetKeys
        if let only = node.onlyNetKey {
            for key in node.appKeys where boundNetKeys[key.index] == nil { boundNetKeys[key.index] = only }
        }
        self.boundNetKeys = boundNetKeys
    }

    mutating func send(
        _ action: ConfigurationAction,
        change: Int,
        after dependencies: [Int] = [],
        in builder: inout PlanBuilder
    ) -> Int {
        cost += action.cost
        return builder.add(.configure(node.uuid, action), change: change, after: prerequisites + dependencies)
    }

    func change(
        _ kind: Change.Kind,
        _ path: String,
        _ action: Change.Action,
        from before: String? = nil,
        to after: String? = nil,
        isImplied: Bool = false
    ) -> Change {
        change(kind, ResourcePath(path), action, from: before, to: after, isImplied: isImplied)
    }

    func change(
        _ kind: Change.Kind,
        _ path: ResourcePath,
        _ action: Change.Action,
        from before: String? = nil,
        to after: String? = nil,
        isImplied: Bool = false,
        isDeferred: Bool = false
    ) -> Change {
        Change(
            of: ResourceAddress(on: prefix, path),
            kind: kind,
            action: action,
            node: node.uuid,
            before: before,
            after: after,
            isImplied: isImplied,
            isDeferred: isDeferred
        )
    }

    /// Adds everything about the configuration.
    mutating func addConfiguration(_ difference: NodeDifference, to builder: inout PlanBuilder) {
        addKeys(difference, to: &builder)
        addModels(difference, to: &builder)
        addModelStates(difference, to: &builder)
        addStates(difference, to: &builder)
        addFoundation(difference, to: &builder)
        addRemovals(difference, to: &builder)
    }

    /// Adds steps for the composition, and for NetKeys and AppKeys that the node gets.
    mutating func addKeys(_ difference: NodeDifference, to builder: inout PlanBuilder) {
        if difference.readsComposition {
            let change = builder.add(change(.composition, "composition", .update))
            compositionSteps = [builder.addReading(of: node.uuid, change: change, after: prerequisites)]
            cost += ConfigurationAction.readComposition(page: 0).cost
        }
        early = EarlyRemovals(of: difference, on: node, boundNetKeys: boundNetKeys)
        let freeing = addEarlyKeyRemovals(difference, to: &builder)
        for key in difference.addedNetKeys {
            let name = builder.names.netKey(key)
            let change = builder.add(change(.nodeSubnet, "subnet." + name, .create, to: ValueText.index(key)))
            if let step = builder.attachCarrier(key, of: node.uuid, to: change) {
                cost += ConfigurationAction.addNetKey(key).cost
                netKeySteps[key] = step
                continue
            }
            let dependencies = (builder.netKeySteps[key].map { [$0] } ?? []) + freeing
            netKeySteps[key] = send(.addNetKey(key), change: change, after: dependencies, in: &builder)
        }
        for key in difference.addedAppKeys {
            guard let netKey = boundNetKeys[key] else { continue }
            let name = builder.names.appKey(key)
            let change = builder.add(
                change(.nodeApplicationKey, "application_key." + name, .create, to: ValueText.index(key))
            )
            let dependencies = [netKeySteps[netKey], builder.appKeySteps[key]].compactMap { $0 } + freeing
            appKeySteps[key] = send(
                .addAppKey(key, boundTo: netKey),
                change: change,
                after: dependencies,
                in: &builder
            )
        }
    }

    /// Deletes the keys that must make room for others.
    private mutating func addEarlyKeyRemovals(_ difference: NodeDifference, to builder: inout PlanBuilder) -> [Int] {
        var steps: [Int] = []
        for key in difference.deletedNetKeys where early.netKeys.contains(key) {
            let change = addLoss(of: key, to: &builder)
            steps.append(send(.deleteNetKey(key), change: change, in: &builder))
        }
        for key in difference.deletedAppKeys where early.appKeys.contains(key) {
            guard let netKey = boundNetKeys[key] else { continue }
            let change = addLoss(of: key, isImplied: false, to: &builder)
            steps.append(send(.deleteAppKey(key, boundTo: netKey), change: change, in: &builder))
        }
        return steps
    }

    /// Adds bindings, subscriptions and publications; keeps removals for later.
    mutating func addModels(_ difference: NodeDifference, to builder: inout PlanBuilder) {
        for model in difference.models {
            let path = model.address.path(builder.names)
            var bindingSteps: [AppKeyIndex: Int] = [:]
            let freeing = addEarlyUnbindings(of: model, path: path, to: &builder)
            for key in model.boundKeys {
                let change = builder.add(
                    change(
                        .binding,
                        ResourcePath(path, ".binding.", builder.names.appKey(key)),
                        .create,
                        to: ValueText.index(key)
                    )
                )
                let dependencies = (appKeySteps[key].map { [$0] } ?? []) + freeing
                bindingSteps[key] = send(.bind(model.address, key), change: change, after: dependencies, in: &builder)
            }
            if !bindingSteps.isEmpty { self.bindingSteps[model.address] = bindingSteps }
            let inquiry = difference.inquiries.first { $0.lead == model.address }
            addSubscriptions(of: model, path: path, inquiry: inquiry, to: &builder)
            addPublication(of: model, path: path, bindingSteps: bindingSteps, to: &builder)
            addUnbindings(of: model, path: path, to: &builder)
        }
    }

    private mutating func addSubscriptions(
        of model: ModelDifference,
        path: String,
        inquiry: ListInquiry?,
        to builder: inout PlanBuilder
    ) {
        if let lists = model.impliedSubscriptions {
            _ = addChanges(from: lists.existing, to: lists.target, path: path, isImplied: true, in: &builder)
        }
        guard let lists = model.subscriptions else { return }
        let firstChange = builder.changes.count
        let places = addChanges(from: lists.existing, to: lists.target, path: path, isImplied: false, in: &builder)
        var before: [Int] = []
        ask(inquiry, change: firstChange, in: &builder)
        let operations = model.subscriptionOperations
        let lastAddition = operations.lastIndex { if case .add = $0 { true } else { false } } ?? 0
        for (position, operation) in operations.enumerated() {
            switch operation {
            case .add(let address):
                _ = send(
                    .addSubscription(model.address, address),
                    change: places[address] ?? firstChange,
                    after: before,
                    in: &builder
                )
                if position == 0 { ask(inquiry, change: firstChange, in: &builder) }
            case .overwrite(let address):
                let action = ConfigurationAction.overwriteSubscriptions(model.address, address)
                before.append(send(action, change: places[address] ?? firstChange, in: &builder))
            case .delete(let address):
                let removal = Removal(
                    action: .deleteSubscription(model.address, address),
                    change: places[address] ?? firstChange
                )
                // A deletion that makes room cannot wait for the other removals.
                if position < lastAddition {
                    before.append(send(removal.action, change: removal.change, in: &builder))
                } else {
                    subscriptionRemovals.append(removal)
                }
            case .deleteAll:
                subscriptionRemovals.append(
                    Removal(action: .deleteAllSubscriptions(model.address), change: firstChange)
                )
            }
        }
    }

    /// Adds a change for each entry that is added or removed, and returns their indexes.
    private func addChanges(
        from existing: [SubscriptionAddress],
        to target: [SubscriptionAddress],
        path: String,
        isImplied: Bool,
        in builder: inout PlanBuilder
    ) -> [SubscriptionAddress: Int] {
        var places: [SubscriptionAddress: Int] = [:]
        for address in target.subtracting(existing) {
            let place = ResourcePath(path, ".subscription.", builder.names.group(address))
            places[address] = builder.add(
                change(.subscription, place, .create, to: address.description, isImplied: isImplied)
            )
        }
        for address in existing.subtracting(target) {
            let place = ResourcePath(path, ".subscription.", builder.names.group(address))
            places[address] = builder.add(
                change(.subscription, place, .delete, from: address.description, isImplied: isImplied)
            )
        }
        return places
    }

    /// Reads the lists that may be shared; no step depends on the answer.
    private mutating func ask(_ inquiry: ListInquiry?, change: Int, in builder: inout PlanBuilder) {
        guard let inquiry else { return }
        for model in inquiry.others { _ = send(.read(.subscriptions(model)), change: change, in: &builder) }
    }

    private mutating func addPublication(
        of model: ModelDifference,
        path: String,
        bindingSteps: [AppKeyIndex: Int],
        to builder: inout PlanBuilder
    ) {
        if let awaited = model.awaited {
            addAwaited(awaited, of: model, path: path, bindings: bindingSteps, to: &builder)
        }
        guard let publication = model.publication else { return }
        let before = publication.before.map { ValueText.publication($0, names: builder.names) }
        let after = publication.after.map { ValueText.publication($0, names: builder.names) }
        let action: Change.Action = after == nil ? .delete : before == nil ? .create : .update
        let change = builder.add(
            change(
                .publication,
                path + ".publication",
                action,
                from: before,
                to: after,
                isImplied: publication.isImplied
            )
        )
        if publication.isImplied { return }
        guard let wanted = publication.after else {
            publicationRemovals.append(Removal(action: .setPublication(model.address, nil), change: change))
            return
        }
        let dependencies = bindingSteps[wanted.appKeyIndex].map { [$0] } ?? []
        let step = send(
            .setPublication(model.address, wanted),
            change: change,
            after: dependencies,
            in: &builder
        )
        if let old = publication.before?.appKeyIndex, old != wanted.appKeyIndex {
            movingSteps[old, default: []].append(step)
            modelMovingSteps[model.address] = step
        }
    }

    /// Unbinds the keys that must make room for others.
    private mutating func addEarlyUnbindings(
        of model: ModelDifference,
        path: String,
        to builder: inout PlanBuilder
    ) -> [Int] {
        guard let keys = early.bindings[model.address] else { return [] }
        return keys.map { key in
            let change = builder.add(
                change(
                    .binding,
                    ResourcePath(path, ".binding.", builder.names.appKey(key)),
                    .delete,
                    from: ValueText.index(key)
                )
            )
            return send(.unbind(model.address, key), change: change, in: &builder)
        }
    }

    private mutating func addUnbindings(of model: ModelDifference, path: String, to builder: inout PlanBuilder) {
        for key in model.unboundKeys where early.bindings[model.address]?.contains(key) != true {
            let change = builder.add(
                change(
                    .binding,
                    ResourcePath(path, ".binding.", builder.names.appKey(key)),
                    .delete,
                    from: ValueText.index(key)
                )
            )
            // Unbinding the key of the present publication would end it, so the new one must be set.
            let isMoving = model.publication?.before?.appKeyIndex == key
            let dependencies = isMoving ? modelMovingSteps[model.address].map { [$0] } ?? [] : []
            bindingRemovals.append(
                Removal(action: .unbind(model.address, key), change: change, dependencies: dependencies)
            )
        }
        for key in model.lostBindings {
            _ = builder.add(
                change(
                    .binding,
                    ResourcePath(path, ".binding.", builder.names.appKey(key)),
                    .delete,
                    from: ValueText.index(key),
                    isImplied: true
                )
            )
        }
    }

    /// Adds what the node loses, in reverse order of how it was added.
    mutating func addRemovals(_ difference: NodeDifference, to builder: inout PlanBuilder) {
        for removal in publicationRemovals + subscriptionRemovals + bindingRemovals {
            _ = send(removal.action, change: removal.change, after: removal.dependencies, in: &builder)
        }
        for key in difference.deletedAppKeys where !early.appKeys.contains(key) {
            let goesWithNetKey = boundNetKeys[key].map(difference.deletedNetKeys.contains) ?? false
            let change = addLoss(of: key, isImplied: goesWithNetKey, to: &builder)
            guard !goesWithNetKey, let netKey = boundNetKeys[key] else { continue }
            _ = send(
                .deleteAppKey(key, boundTo: netKey),
                change: change,
                after: movingSteps[key] ?? [],
                in: &builder
            )
        }
        for key in difference.deletedNetKeys where !early.netKeys.contains(key) {
            let change = addLoss(of: key, to: &builder)
            let moving = difference.deletedAppKeys.filter { boundNetKeys[$0] == key }
                .flatMap { movingSteps[$0] ?? [] }
            set(
                .deleteNetKey(key),
                isLate: difference.losesSubnetsLate(node),
                phase: departure,
                change: change,
                after: moving,
                in: &builder
            )
        }
    }

    /// When the node leaves subnets, if that waits for others.
    var departure: PlanBuilder.LatePhase { node.features.proxy == .enabled ? .proxyDepartures : .departures }

    private func addLoss(of key: NetKeyIndex, to builder: inout PlanBuilder) -> Int {
        builder.add(
            change(.nodeSubnet, "subnet." + builder.names.netKey(key), .delete, from: ValueText.index(key))
        )
    }

    private func addLoss(of key: AppKeyIndex, isImplied: Bool, to builder: inout PlanBuilder) -> Int {
        let path = "application_key." + builder.names.appKey(key)
        return builder.add(change(.nodeApplicationKey, path, .delete, from: ValueText.index(key), isImplied: isImplied))
    }
}

extension NodeDifference {
    /// Whether the node leaves subnets only when everything else is done.
    ///
    /// A node that carries messages of others, or may, carries them in the subnet until they are done. A node that
    /// still gets messages by then may be out of reach without the subnet: what needs a composition or the address of
    /// another node is lowered while the plan is carried out, and what makes other nodes harder to reach comes late.
    func losesSubnetsLate(_ node: Node) -> Bool {
        node.mayCarry || deferred != nil || models.contains { $0.awaited != nil } || !awaitedStates.isEmpty
            || !awaitedBridges.isEmpty || states.contains { $0.after.cutsReachability }
            || bridges.contains { !$0.isImplied && $0.isLate }
    }
}

extension Node {
    /// Whether the node is known to carry messages of others.
    var isCarrier: Bool { features.proxy == .enabled || features.relay == .enabled }

    /// Whether the node carries messages of others, or may, as far as known.
    var mayCarry: Bool { isCarrier || features.proxy == nil || features.relay == nil }
}

extension NodeLowering {
    /// Adds states of the models above the foundation, each after the bindings of its keys. What stores the values that
    /// hold comes last, because the others say what a light can do.
    mutating func addModelStates(_ difference: NodeDifference, to builder: inout PlanBuilder) {
        var storing: [(change: Int, state: ModelStateDifference)] = []
        for model in difference.models {
            for state in model.states {
                let form = state.set.state.form
                let path = ResourcePath(model.address.path(builder.names), ".state.", form.name)
                let isRemoval = state.set.state.isRemoval
                let change = builder.add(
                    change(
                        .modelState,
                        path,
                        isRemoval ? .delete : .update,
                        from: state.before.map(builder.names.value),
                        to: isRemoval ? nil : state.text
                    )
                )
                if state.set.state.contents.isEmpty {
                    _ = send(.setModelState(state.set), change: change, after: bindings(of: state.set), in: &builder)
                } else {
                    storing.append((change, state))
                }
            }
        }
        addStored(storing, difference, to: &builder)
    }

    /// Adds what is stored: all values are read, set, stored, and restored at the end. A value is restored even if
    /// something between failed, so it depends on nothing but its reading; the steps of a node keep their order.
    private mutating func addStored(
        _ storing: [(change: Int, state: ModelStateDifference)],
        _ difference: NodeDifference,
        to builder: inout PlanBuilder
    ) {
        guard !storing.isEmpty || !difference.restoring.isEmpty else { return }
        let first =
            storing.first?.change
            ?? builder.add(change(.modelState, "held_states", .update, to: "as before the scenes were stored"))
        var held: [Int: Int] = [:]
        for (index, request) in difference.holding.enumerated() {
            let after = bindings(of: request)
            held[difference.restoring.count - difference.holding.count + index] =
                send(.holdState(request), change: first, after: after, in: &builder)
        }
        for (change, state) in storing {
            var steps: [Int] = []
            for part in state.parts {
                let after = held.values.sorted() + bindings(of: part)
                steps.append(send(.setBriefly(part), change: change, after: after, in: &builder))
            }
            _ = send(.setModelState(state.set), change: change, after: bindings(of: state.set) + steps, in: &builder)
        }
        for (index, request) in difference.restoring.enumerated() {
            let after = held[index].map { [$0] } ?? []
            _ = send(.restoreState(request), change: first, after: after, in: &builder)
        }
    }

    private func bindings(of set: ModelStateSet) -> [Int] {
        let setServer = ModelAddress(element: set.model.element, model: set.state.form.setServer)
        return [bindingSteps[setServer]?[set.key], bindingSteps[set.model]?[set.readingKey]].compactMap(\.self)
            .sortedUnique()
    }

    private func bindings(of request: HeldStateRequest) -> [Int] {
        let model = request.state.model
        let setServer = ModelAddress(element: model.element, model: request.state.form.setServer)
        return [bindingSteps[setServer]?[request.key], bindingSteps[model]?[request.readingKey]].compactMap(\.self)
            .sortedUnique()
    }
}

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
