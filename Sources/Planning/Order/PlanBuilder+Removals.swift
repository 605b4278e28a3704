import MeshCore

/// Removes subnets, application keys and groups from the network. First all nodes release them; only then the database
/// is edited.
extension PlanBuilder {
    /// Something that leaves the network once the nodes have released it.
    struct Removal {
        var resource: NetworkResource
        /// The index of its change.
        var change: Int
    }

    /// A NetKey that a node loses after all other nodes are done.
    struct LateLoss: Hashable {
        var node: DeviceUUID
        var netKey: NetKeyIndex
    }

    /// Adds the changes for what leaves the network. The edits come last of all; see ``finishRemovals()``.
    ///
    /// - Parameter keepers: what must stay, because nodes that the plan does not reach keep it.
    mutating func addRemovals(
        of leaving: LeavingResources,
        from network: MeshNetwork,
        keepers: [NetworkResource: Int]
    ) {
        self.leaving = leaving
        for key in network.appKeys where leaving.netKeys.contains(key.boundNetKey) {
            appKeysOfLeaving[key.boundNetKey, default: []].append(key.index)
        }
        for resource in leaving.ordered where keepers[resource] == nil {
            let change: Change
            switch resource {
            case .group(let address):
                let group = network.groups.first { $0.address == address }
                change = Change(
                    address: "group." + names.group(address),
                    kind: .group,
                    action: .delete,
                    before: group.map(text)
                )
            case .appKey(let index):
                change = Change(
                    address: "application_key." + names.appKey(index),
                    kind: .applicationKey,
                    action: .delete,
                    before: "index \(index)"
                )
            case .netKey(let index):
                change = Change(
                    address: "subnet." + names.netKey(index),
                    kind: .subnet,
                    action: .delete,
                    before: "index \(index)"
                )
            }
            removals.append(Removal(resource: resource, change: add(change)))
        }
    }

    /// Records which of the node's steps since `first` release what leaves the network.
    mutating func noteRemovals(
        of difference: NodeDifference,
        on node: Node,
        since first: Int,
        _ boundNetKeys: [AppKeyIndex: NetKeyIndex]
    ) {
        guard !leaving.isEmpty else { return }
        let models = Dictionary(difference.models.map { ($0.address, $0) }) { first, _ in first }
        // Publications that end without a message end with one of these.
        let implied = difference.models.compactMap { model -> SubscriptionAddress? in
            guard let publication = model.publication, publication.isImplied else { return nil }
            return publication.before?.address.group
        }.filter(leaving.groups.contains)
        for position in first..<steps.count {
            guard case .configure(_, let action) = steps[position].work else { continue }
            switch action {
            case .deleteSubscription(_, let group): note(position, [group])
            case .overwriteSubscriptions(let model, _), .deleteAllSubscriptions(let model):
                guard let lists = models[model]?.subscriptions else { continue }
                note(position, lists.existing.subtracting(lists.target))
            case .setPublication(let model, _):
                if let group = models[model]?.publication?.before?.address.group { note(position, [group]) }
            case .set(let state):
                if let group = node.state(state.kind)?.heartbeatGroup { note(position, [group]) }
            case .unbind: note(position, implied)
            case .deleteAppKey(let key, boundTo: _):
                note(position, implied)
                if leaving.appKeys.contains(key) { removalSteps[.appKey(key), default: []].append(position) }
            case .deleteNetKey(let index):
                note(position, implied)
                if leaving.netKeys.contains(index) { removalSteps[.netKey(index), default: []].append(position) }
                for key in difference.deletedAppKeys where boundNetKeys[key] == index && leaving.appKeys.contains(key) {
                    removalSteps[.appKey(key), default: []].append(position)
                }
            default: break
            }
        }
        guard difference.losesSubnetsLate(node) else { return }
        for index in difference.deletedNetKeys {
            var losses: [NetworkResource] = [.netKey(index)]
            losses += difference.deletedAppKeys.filter { boundNetKeys[$0] == index }.map { .appKey($0) }
            lateLosses[LateLoss(node: node.uuid, netKey: index)] =
                losses.filter(leaving.holds) + implied.map { .group($0) }
        }
    }

    /// Records the late steps by which carriers release what leaves the network. Call it when all steps have their
    /// final indexes.
    mutating func noteLateLosses() {
        guard !lateLosses.isEmpty else { return }
        for (position, step) in steps.enumerated() {
            guard case .configure(let node, .deleteNetKey(let index)) = step.work,
                let losses = lateLosses[LateLoss(node: node, netKey: index)]
            else { continue }
            for loss in losses { removalSteps[loss, default: []].append(position) }
        }
        lateLosses = [:]
    }

    private mutating func note(_ step: Int, _ groups: [SubscriptionAddress]) {
        for group in groups where leaving.groups.contains(group) {
            removalSteps[.group(group), default: []].append(step)
        }
    }

    /// Records that a node loses all its keys, by a late step or because its device is provisioned again.
    mutating func noteLossOfAllKeys(of node: Node) {
        for key in node.netKeys where leaving.netKeys.contains(key.index) {
            nodesLosingAll[.netKey(key.index), default: []].append(node.uuid)
        }
        for key in node.appKeys where leaving.appKeys.contains(key.index) {
            nodesLosingAll[.appKey(key.index), default: []].append(node.uuid)
        }
    }

    /// Adds the edits that remove resources from the network, after everything else.
    mutating func finishRemovals() {
        guard !removals.isEmpty else { return }
        var resets: [DeviceUUID: Int] = [:]
        for (position, step) in steps.enumerated() {
            if case .configure(let uuid, .resetNode) = step.work { resets[uuid] = position }
        }
        var edits: [NetworkResource: Int] = [:]
        for removal in removals {
            var dependencies = removalSteps[removal.resource] ?? []
            for uuid in nodesLosingAll[removal.resource] ?? [] {
                if let step = resets[uuid] ?? provisioningSteps[uuid] { dependencies.append(step) }
            }
            if case .netKey(let index) = removal.resource {
                dependencies += appKeysOfLeaving[index]?.compactMap { edits[.appKey($0)] } ?? []
            }
            edits[removal.resource] = add(.edit(.remove(removal.resource)), change: removal.change, after: dependencies)
        }
    }
}

extension PublishAddress {
    /// The group; nil for a single element.
    var group: SubscriptionAddress? {
        switch self {
        case .unicast: nil
        case .group(let group): .group(group)
        case .virtual(let label): .virtual(label)
        case .unknownLabel(let virtual): .unknownLabel(virtual)
        }
    }
}
