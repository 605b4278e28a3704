import MeshCore

/// Guards that check the configuration of a single node for its effect on others, in the network as it is by then. What
/// the plan relied on may not have happened.
extension NodeDiffer {
    // MARK: Carriers

    /// Keeps the last proxy and the last relay of subnets.
    mutating func leaveOutCarrierLosses(
        of node: Node,
        among surroundings: GuardedSurroundings,
        _ difference: inout NodeDifference
    ) {
        keepProxy(of: node, among: surroundings, &difference)
        keepRelay(of: node, among: surroundings, &difference)
        keepSubnets(of: node, among: surroundings, &difference)
    }

    private mutating func keepProxy(
        of node: Node,
        among surroundings: GuardedSurroundings,
        _ difference: inout NodeDifference
    ) {
        let isPrivate = difference.states.contains { $0.after.isPrivateProxy }
        guard difference.proxy?.after == false, !isPrivate else { return }
        let subnets = subnets(of: node, after: difference)
        let message: String
        if node.features.proxy == .enabled {
            guard let key = subnets.first(where: { surroundings.subnet($0, besides: node.uuid).proxies == 0 }) else {
                return
            }
            message =
                "subnet `\(names.netKey(key))` would lose its last GATT proxy, `\(difference.name)`, "
                + "and nobody could reach its other nodes any more"
        } else {
            // Stock firmware has the proxy on, but nobody has asked this node. It may be the only way to reach it.
            guard !subnets.contains(where: { surroundings.subnet($0, besides: node.uuid).proxies > 0 }) else { return }
            message =
                "node `\(difference.name)` would no longer be a GATT proxy, and no other node of its subnets is known "
                + "to be one"
        }
        let bare = subnets.filter { surroundings.subnet($0, besides: node.uuid).proxies == 0 }
        if leavesOut(.lastProxy), let waiting = surroundings.waiting(.proxyOff, in: bare, besides: node.uuid) {
            difference.waiting.append(waiting)
            difference.proxy = nil
            return
        }
        guards.report(
            GuardFinding(
                .lastProxy,
                message,
                nodes: [difference.name],
                resources: ["node.\(difference.name).proxy"]
            ),
            hint: "Make sure that another node of the subnet has `features: { proxy: on }` and is one, and apply again"
        )
        if leavesOut(.lastProxy) { difference.proxy = nil }
    }

    private mutating func keepRelay(
        of node: Node,
        among surroundings: GuardedSurroundings,
        _ difference: inout NodeDifference
    ) {
        guard difference.relay?.after == false, node.features.relay == .enabled else { return }
        let isProxy = difference.proxy?.after ?? (node.features.proxy == .enabled)
        let lost = subnets(of: node, after: difference).first { key in
            let others = surroundings.subnet(key, besides: node.uuid)
            // The relay of an only proxy helps nobody, and no relay helps its own node.
            guard !isProxy || others.proxies > 0, others.nodes > others.proxies else { return false }
            return others.usefulRelays(among: others.proxies + (isProxy ? 1 : 0)) == 0
        }
        guard let lost else { return }
        if leavesOut(.lastRelay), let waiting = surroundings.waiting(.relayOff, in: [lost], besides: node.uuid) {
            difference.waiting.append(waiting)
            difference.relay = nil
            difference.relaySetting = difference.relayRetransmit.map { (true, $0.after) }
            return
        }
        guards.report(
            GuardFinding(
                .lastRelay,
                "subnet `\(names.netKey(lost))` would lose its last relay, `\(difference.name)`, "
                    + "and nodes out of range of every proxy cannot be reached",
                nodes: [difference.name],
                resources: ["node.\(difference.name).relay"]
            ),
            hint: """
                Make sure that another node between the proxies and the others has `features: { relay: on }` and relays
                """
        )
        guard leavesOut(.lastRelay) else { return }
        difference.relay = nil
        difference.relaySetting = difference.relayRetransmit.map { (true, $0.after) }
    }

    /// Keeps carriers in subnets whose other nodes have no other carrier.
    private mutating func keepSubnets(
        of node: Node,
        among surroundings: GuardedSurroundings,
        _ difference: inout NodeDifference
    ) {
        guard node.isCarrier else { return }
        for key in difference.deletedNetKeys {
            let others = surroundings.subnet(key, besides: node.uuid)
            guard others.nodes > 0 else { continue }
            let planGuard: PlanGuard
            if node.features.proxy == .enabled, others.proxies == 0 {
                planGuard = .lastProxy
            } else if node.features.relay == .enabled, others.nodes > others.proxies,
                others.usefulRelays(among: others.proxies) == 0
            {
                planGuard = .lastRelay
            } else {
                continue
            }
            if leavesOut(planGuard), let waiting = surroundings.waiting(.subnetLoss, in: [key], besides: node.uuid) {
                difference.waiting.append(waiting)
                difference.keep([key] as Set, boundNetKeys: boundNetKeys)
                continue
            }
            let subnet = names.netKey(key)
            guards.report(
                GuardFinding(
                    planGuard,
                    "subnet `\(subnet)` would lose its last \(planGuard == .lastProxy ? "GATT proxy" : "relay"), "
                        + "`\(difference.name)`, while it has other nodes",
                    nodes: [difference.name],
                    resources: ["node.\(difference.name).subnet.\(subnet)"]
                ),
                hint: "Take the others out of the subnet first, or add `\(subnet)` to the node's `subnets`"
            )
            if leavesOut(planGuard) { difference.keep([key] as Set, boundNetKeys: boundNetKeys) }
        }
    }

    private func subnets(of node: Node, after difference: NodeDifference) -> [NetKeyIndex] {
        (node.netKeys.map(\.index) + difference.addedNetKeys).sortedUnique().subtracting(difference.deletedNetKeys)
    }

    // MARK: Replay protection lists

    /// Leaves out subscriptions of the node, and publications that others hear, if they bring more sources than replay
    /// protection lists hold.
    mutating func leaveOutReplayDemand(
        of node: Node,
        among surroundings: inout GuardedSurroundings,
        _ difference: inout NodeDifference
    ) {
        guard difference.models.contains(where: { $0.subscriptions != nil || $0.publication?.after != nil }) else {
            return
        }
        leaveOutSubscriptions(of: node, among: surroundings, &difference)
        for index in difference.models.indices {
            let model = difference.models[index]
            guard let publication = model.publication?.after,
                let element = node.unicastAddress.element(model.address.element),
                let hearer = surroundings.overloadedHearer(of: publication, from: element.rawValue, on: node.uuid)
            else { continue }
            report(overload: hearer, path(of: model, in: difference) + ".publication")
            if leavesOut(.replayList) { difference.models[index].publication = nil }
        }
    }

    private mutating func leaveOutSubscriptions(
        of node: Node,
        among surroundings: GuardedSurroundings,
        _ difference: inout NodeDifference
    ) {
        let lists = difference.models.compactMap(\.subscriptions)
        let added = lists.flatMap { $0.target.subtracting($0.existing) }.sortedUnique()
        guard node.replayListSize != nil, !added.isEmpty else { return }
        var after = node
        for key in difference.addedAppKeys where !after.knows(key) { after.appKeys.append(NodeKey(index: key)) }
        after.appKeys.removeAll { difference.deletedAppKeys.contains($0.index) }
        var refused: Set<SubscriptionAddress> = []
        for model in difference.models {
            guard let lists = model.subscriptions else { continue }
            after.setSubscriptions(lists.target.filter(lists.existing.contains), of: model.address)
        }
        guard let host = difference.models.first(where: { $0.subscriptions != nil })?.address else { return }
        for group in added {
            let fewer = after
            after.addSubscription(group, of: host)
            guard surroundings.isOverloaded(after, insteadOf: node) else { continue }
            refused.insert(group)
            after = fewer
        }
        guard !refused.isEmpty else { return }
        report(overload: node, "node.\(difference.name)")
        guard leavesOut(.replayList) else { return }
        for index in difference.models.indices {
            difference.models[index].leaveOut(refused, of: \.subscriptions)
            difference.models[index].leaveOut(refused, of: \.impliedSubscriptions)
        }
    }

    private mutating func report(overload node: Node, _ resource: String) {
        guards.report(
            GuardFinding(
                .replayList,
                PlanReview.objection(toReplayListOf: node.name, size: node.replayListSize ?? 0),
                nodes: [node.name],
                resources: [resource]
            ),
            hint: PlanReview.replayHint
        )
    }
}

extension ModelDifference {
    fileprivate mutating func leaveOut(
        _ groups: Set<SubscriptionAddress>,
        of list: WritableKeyPath<ModelDifference, (existing: [SubscriptionAddress], target: [SubscriptionAddress])?>
    ) {
        guard var lists = self[keyPath: list] else { return }
        let existing = lists.existing
        lists.target.removeAll { groups.contains($0) && !existing.contains($0) }
        self[keyPath: list] = lists.target == existing ? nil : lists
    }
}

extension Node {
    fileprivate mutating func setSubscriptions(_ list: [SubscriptionAddress], of address: ModelAddress) {
        change(address) { $0.subscriptions = list }
    }

    fileprivate mutating func addSubscription(_ group: SubscriptionAddress, of address: ModelAddress) {
        change(address) { $0.subscriptions.append(group) }
    }

    private mutating func change(_ address: ModelAddress, _ change: (inout Model) -> Void) {
        let element = Int(address.element)
        guard elements.indices.contains(element),
            let index = elements[element].models.firstIndex(where: { $0.identifier == address.model })
        else { return }
        change(&elements[element].models[index])
    }
}
