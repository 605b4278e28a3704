import MeshCore
import Planning
import Store

/// The network as a run knows it, and what of it is not yet durable.
struct NetworkRecord {
    /// The network without its nodes.
    private(set) var header: MeshNetwork
    private(set) var nodes: [Node]
    private var places: [DeviceUUID: Int] = [:]
    private var dirtyNodes: Set<Int> = []
    private var isHeaderDirty = false

    /// The network of a snapshot.
    init(_ network: MeshNetwork) {
        header = network
        header.nodes = []
        nodes = network.nodes
        for (place, node) in nodes.enumerated() { places[node.uuid] = place }
    }

    /// A node, nil if there is none.
    func node(_ uuid: DeviceUUID) -> Node? {
        places[uuid].map { nodes[$0] }
    }

    /// Changes a node.
    mutating func update(_ uuid: DeviceUUID, _ change: (inout Node) -> Void) {
        guard let place = places[uuid] else { return }
        change(&nodes[place])
        dirtyNodes.insert(place)
    }

    /// Makes a database edit.
    ///
    /// - Returns: whether anything is different now.
    mutating func apply(
        _ edit: DatabaseEdit,
        key: (KeySource) throws(ExecutionContext.KeyError) -> KeyMaterial
    ) throws(ExecutionContext.KeyError) -> Bool {
        let before = header
        guard let uuid = edit.node else {
            try header.apply(edit, makeKey: key)
            guard header != before else { return false }
            isHeaderDirty = true
            return true
        }
        guard let place = places[uuid] else { return false }
        header.nodes = [nodes[place]]
        defer { header.nodes = [] }
        try header.apply(edit, makeKey: key)
        guard let after = header.nodes.first, after != nodes[place] else { return false }
        nodes[place] = after
        dirtyNodes.insert(place)
        return true
    }

    /// Records another IV index and when it began; exclusions that hold no more are gone with it.
    mutating func record(_ ivIndex: IVIndex, at now: Timestamp) {
        header.record(ivIndex, at: now)
        isHeaderDirty = true
    }

    /// Records a key refresh phase that the network told in a beacon; the return to normal revokes the old keys.
    mutating func record(_ phase: KeyRefreshPhase, of index: NetKeyIndex) {
        guard let place = header.netKeys.firstIndex(where: { $0.index == index }) else { return }
        isHeaderDirty = true
        header.netKeys[place].phase = phase
        guard phase == .normal else { return }
        header.netKeys[place].oldKey = nil
        let bound = header.appKeys.indices.filter { header.appKeys[$0].boundNetKey == index }
        for place in bound { header.appKeys[place].oldKey = nil }
        let boundIndexes = Set(bound.map { header.appKeys[$0].index })
        for place in nodes.indices {
            for key in nodes[place].netKeys.indices
            where nodes[place].netKeys[key].index == index && nodes[place].netKeys[key].isUpdated {
                nodes[place].netKeys[key].isUpdated = false
                dirtyNodes.insert(place)
            }
            for key in nodes[place].appKeys.indices
            where boundIndexes.contains(nodes[place].appKeys[key].index) && nodes[place].appKeys[key].isUpdated {
                nodes[place].appKeys[key].isUpdated = false
                dirtyNodes.insert(place)
            }
        }
    }

    /// Moves what is not durable into the changes of a commit.
    mutating func takeChanges(into changes: inout StoreChanges) {
        changes.nodes = dirtyNodes.sorted().map { nodes[$0] }
        dirtyNodes = []
        if isHeaderDirty {
            changes.network = header
            isHeaderDirty = false
        }
    }

    /// The subnets in which a node takes messages, sorted, without the one that the action deletes if there is another:
    /// a node does not remove the key that secures the request (Mesh Protocol 4.4.1.2, NetKey List).
    func subnets(of node: Node, for action: ConfigurationAction) -> [NetKeyIndex] {
        var accepted: [NetKeyIndex] = []
        for key in node.netKeys {
            guard let netKey = header.netKeys.first(where: { $0.index == key.index }) else { continue }
            // From the second phase on messages are sent with the new key, which the node may not have.
            if netKey.phase != .usingNewKeys || key.isUpdated { accepted.append(key.index) }
        }
        guard case .deleteNetKey(let deleted) = action, accepted.contains(where: { $0 != deleted }) else {
            return accepted
        }
        return accepted.filter { $0 != deleted }
    }

    /// Whether the record already has an action's effect.
    func hasEffect(_ action: ConfigurationAction, on node: Node) -> Bool {
        switch action {
        case .readComposition(let page): return page == 0 && node.isCompositionKnown
        case .bind(let model, _), .unbind(let model, _), .addSubscription(let model, _),
            .deleteSubscription(let model, _), .overwriteSubscriptions(let model, _),
            .deleteAllSubscriptions(let model), .setPublication(let model, _):
            // Nothing is known of a model that is not recorded, and so nothing can be skipped.
            let element = Int(model.element)
            guard node.elements.indices.contains(element),
                node.elements[element].models.contains(where: { $0.identifier == model.model })
            else { return false }
        case .resetNode:
            // A node that is reset has no record any more.
            return false
        default: break
        }
        var after = node
        after.apply(action, appKeys: header.appKeys)
        return after == node
    }
}

extension Node {
    /// What an answer says that confirms an action.
    mutating func record(_ action: ConfigurationAction, in network: MeshNetwork, at now: Timestamp) {
        apply(action, appKeys: network.appKeys)
        observedAt = now
        // A node that gets a key when the network already uses the new one gets the new one.
        if case .addNetKey(let index) = action,
            network.netKeys.contains(where: { $0.index == index && $0.phase == .usingNewKeys }),
            let place = netKeys.firstIndex(where: { $0.index == index })
        {
            netKeys[place].isUpdated = true
        }
    }

    /// Records that the node lacks the feature that an action is about.
    mutating func recordMissingFeature(of action: ConfigurationAction, at now: Timestamp) {
        switch action {
        case .setRelay: features.relay = .notSupported
        case .setProxy: features.proxy = .notSupported
        case .setFriend: features.friend = .notSupported
        default: return
        }
        observedAt = now
    }
}
