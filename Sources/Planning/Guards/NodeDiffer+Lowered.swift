import MeshCore

/// Guards for the configuration of a single node that was lowered after the plan was approved, because only then its
/// composition was known. What they refuse is left out, with everything that depends on it; the rest goes on.
extension NodeDiffer {
    /// Leaves out what guards refuse, unless it is allowed.
    mutating func leaveOutRefused(
        of node: Node,
        among surroundings: inout GuardedSurroundings,
        _ difference: inout NodeDifference
    ) {
        leaveOutUnknownGroups(of: node, &difference)
        leaveOutOverflow(of: node, &difference)
        leaveOutSilence(of: node, &difference)
        leaveOutCarrierLosses(of: node, among: surroundings, &difference)
        leaveOutReplayDemand(of: node, among: &surroundings, &difference)
        difference.models.removeAll(where: \.isEmpty)
        surroundings.expect(difference, of: node.uuid)
    }

    // MARK: Groups

    private mutating func leaveOutUnknownGroups(of node: Node, _ difference: inout NodeDifference) {
        guard !difference.models.isEmpty else { return }
        let known = Set(network.groups.map(\.address))
        let isMissing = { (address: SubscriptionAddress) -> Bool in
            switch address {
            case .group(let group): GroupAddress.assignable.contains(group.rawValue) && !known.contains(address)
            case .virtual: !known.contains(address)
            case .unknownLabel: false
            }
        }
        for index in difference.models.indices {
            let path = self.path(of: difference.models[index], in: difference)
            if let lists = difference.models[index].subscriptions {
                for group in lists.target.subtracting(lists.existing) where isMissing(group) {
                    guard refuse(group, path + ".subscription", difference) else { continue }
                    difference.models[index].subscriptions?.target.removeAll { $0 == group }
                }
                if let left = difference.models[index].subscriptions, left.target == left.existing {
                    difference.models[index].subscriptions = nil
                }
            }
            guard let publication = difference.models[index].publication, let group = publication.after?.address.group,
                publication.before?.address.group != group, isMissing(group)
            else { continue }
            if refuse(group, path + ".publication", difference) { difference.models[index].publication = nil }
        }
    }

    private mutating func refuse(_ group: SubscriptionAddress, _ resource: String, _ difference: NodeDifference) -> Bool
    {
        guards.report(
            GuardFinding(
                .groupInUse,
                "node `\(difference.name)` would use group `\(names.group(group))`, which is no longer in the network",
                nodes: [difference.name],
                resources: [resource]
            ),
            hint: "Put the group back into the definition"
        )
        return leavesOut(.groupInUse)
    }

    // MARK: Lists

    private mutating func leaveOutOverflow(of node: Node, _ difference: inout NodeDifference) {
        guard !difference.rooms.isEmpty else { return }
        let netKeys = node.netKeys.count + difference.addedNetKeys.count - difference.deletedNetKeys.count
        if !difference.addedNetKeys.isEmpty, refuse(.netKeys, of: netKeys, difference, "node.\(difference.name)") {
            let refused = difference.addedNetKeys
            difference.addedNetKeys = []
            difference.addedAppKeys.removeAll { key in boundNetKeys[key].map(refused.contains) ?? true }
            difference.states.removeAll { $0.after.kind.subnet.map(refused.contains) ?? false }
            difference.bridges.removeAll { bridge in
                guard let pair = bridge.after?.subnets else { return false }
                return refused.contains(pair.first) || refused.contains(pair.second)
            }
            leaveOutUnknownKeys(of: node, &difference)
        }
        let appKeys = node.appKeys.count + difference.addedAppKeys.count - difference.deletedAppKeys.count
        if !difference.addedAppKeys.isEmpty, refuse(.appKeys, of: appKeys, difference, "node.\(difference.name)") {
            difference.addedAppKeys = []
            leaveOutUnknownKeys(of: node, &difference)
        }
        for index in difference.models.indices {
            let model = difference.models[index]
            let address = model.address
            let path = self.path(of: model, in: difference)
            let bindings = ListCapacity.List.bindings(element: address.element, model: address.model)
            let count =
                node.count(of: bindings) + model.boundKeys.count - model.unboundKeys.count - model.lostBindings.count
            if !model.boundKeys.isEmpty, refuse(bindings, of: count, difference, path) {
                difference.models[index].leaveOut(model.boundKeys)
            }
            let subscriptions = ListCapacity.List.subscriptions(element: address.element, model: address.model)
            guard let lists = model.subscriptions, !lists.target.subtracting(lists.existing).isEmpty,
                refuse(subscriptions, of: lists.target.count, difference, path)
            else { continue }
            let kept = lists.target.filter(lists.existing.contains)
            difference.models[index].subscriptions = kept == lists.existing ? nil : (lists.existing, kept)
            difference.models[index].keepsUnknownSubscriptions = true
        }
    }

    /// The lists of a node that would get more entries than its product has room for.
    func fullLists(
        of node: Node,
        _ difference: NodeDifference
    ) -> [(list: ListCapacity.List, count: Int, room: Int)] {
        var counts: [(list: ListCapacity.List, count: Int)] = [
            (.netKeys, node.netKeys.count + difference.addedNetKeys.count),
            (.appKeys, node.appKeys.count + difference.addedAppKeys.count),
        ]
        for model in difference.models {
            let address = model.address
            let bindings = ListCapacity.List.bindings(element: address.element, model: address.model)
            counts.append((bindings, node.count(of: bindings) + model.boundKeys.count))
            let subscriptions = ListCapacity.List.subscriptions(element: address.element, model: address.model)
            counts.append((subscriptions, model.subscriptions?.target.count ?? 0))
        }
        return counts.compactMap { list, count in
            guard let room = difference.rooms[list], count > room else { return nil }
            return (list, count, room)
        }
    }

    /// Reports a list that would be too long.
    ///
    /// - Returns: whether to leave out what makes it too long.
    private mutating func refuse(
        _ list: ListCapacity.List,
        of count: Int,
        _ difference: NodeDifference,
        _ resource: String
    ) -> Bool {
        guard let room = difference.rooms[list], count > room else { return false }
        guards.report(
            GuardFinding(
                .fullList,
                list.objection(of: difference.name, to: count, room: room, names),
                nodes: [difference.name],
                resources: [resource]
            ),
            hint: ListCapacity.List.hint
        )
        return leavesOut(.fullList)
    }

    /// Leaves out what needs AppKeys that the node will not have.
    private func leaveOutUnknownKeys(of node: Node, _ difference: inout NodeDifference) {
        for index in difference.models.indices {
            let added = difference.addedAppKeys
            let missing = difference.models[index].boundKeys.filter { !node.knows($0) && !added.contains($0) }
            difference.models[index].leaveOut(missing)
        }
    }

    // MARK: TTL

    private mutating func leaveOutSilence(of node: Node, _ difference: inout NodeDifference) {
        let ttl = difference.defaultTTL?.after ?? node.defaultTTL
        let isProxy = difference.proxy?.after ?? (node.features.proxy == nil || node.features.proxy == .enabled)
        guard let ttl, ttl < node.leastTTL, !isProxy, difference.defaultTTL != nil || difference.proxy != nil else {
            return
        }
        let isTTL = difference.defaultTTL != nil
        guards.report(
            GuardFinding(
                .unreachableTTL,
                ttl < 2
                    ? PlanReview.objection(toTTL: ttl, of: "`\(difference.name)`", isOne: true)
                    : PlanReview.objection(
                        toTTL: ttl,
                        of: "`\(difference.name)`",
                        isOne: true,
                        ["it is \(node.leastTTL) hops away"]
                    ),
                nodes: [difference.name],
                resources: ["node.\(difference.name).\(isTTL ? "ttl" : "proxy")"]
            ),
            hint: "Give it a `ttl` of \(node.leastTTL) or more"
        )
        guard leavesOut(.unreachableTTL) else { return }
        if isTTL { difference.defaultTTL = nil } else { difference.proxy = nil }
    }

    func path(of model: ModelDifference, in difference: NodeDifference) -> String {
        "node.\(difference.name).\(model.address.path(names))"
    }
}

extension ModelDifference {
    /// Leaves bindings out, and a publication that would use one of them.
    fileprivate mutating func leaveOut(_ keys: [AppKeyIndex]) {
        boundKeys.removeAll(where: keys.contains)
        if let key = publication?.after?.appKeyIndex, keys.contains(key) { publication = nil }
        if let key = awaited?.after.key, keys.contains(key) { awaited = nil }
    }
}
