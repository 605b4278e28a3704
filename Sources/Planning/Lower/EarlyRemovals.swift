import MeshCore

/// The keys and bindings of a node that must be removed before others are added, because a list has no room for both.
/// Everything else is added before anything is removed, so that nothing is missing in between.
///
/// Removing a key early ends the publications that use it. Publications that move to another key differ anyway, so they
/// are set again.
struct EarlyRemovals {
    var netKeys: Set<NetKeyIndex> = []
    var appKeys: Set<AppKeyIndex> = []
    var bindings: [ModelAddress: [AppKeyIndex]] = [:]

    init() {}

    /// The necessary early removals, and no more.
    init(of difference: NodeDifference, on node: Node, boundNetKeys: [AppKeyIndex: NetKeyIndex]) {
        guard !difference.rooms.isEmpty else { return }
        if let room = difference.rooms[.netKeys] {
            let count = node.netKeys.count + difference.addedNetKeys.count - room
            // The key that secures the messages cannot be removed before there is another one.
            let candidates = difference.deletedNetKeys.filter { $0 != node.transportNetKey }
            if count > 0 { netKeys = Set(candidates.prefix(count)) }
        }
        let goes = { (key: AppKeyIndex) in boundNetKeys[key].map(difference.deletedNetKeys.contains) ?? true }
        let deletable = difference.deletedAppKeys.filter { !goes($0) }
        if let room = difference.rooms[.appKeys] {
            let freed = difference.deletedAppKeys.count { boundNetKeys[$0].map(netKeys.contains) ?? false }
            let count = node.appKeys.count - freed + difference.addedAppKeys.count - room
            // Keys from which publications move away come last.
            let moving = Set(difference.models.compactMap { $0.publication?.before?.appKeyIndex })
            let candidates = deletable.filter { !moving.contains($0) } + deletable.filter(moving.contains)
            if count > 0 { appKeys = Set(candidates.prefix(count)) }
        }
        for model in difference.models where !model.boundKeys.isEmpty {
            let list = ListCapacity.List.bindings(element: model.address.element, model: model.address.model)
            guard let room = difference.rooms[list] else { continue }
            let freed = model.lostBindings.count(where: appKeys.contains)
            var count = node.count(of: list) - freed + model.boundKeys.count - room
            guard count > 0 else { continue }
            let publishing = model.publication?.before?.appKeyIndex
            let keys = model.unboundKeys.filter { $0 != publishing } + model.unboundKeys.filter { $0 == publishing }
            let unbound = keys.prefix(count)
            if !unbound.isEmpty { bindings[model.address] = Array(unbound) }
            count -= unbound.count
            let lost = model.lostBindings.filter { deletable.contains($0) && !appKeys.contains($0) }
            appKeys.formUnion(lost.prefix(max(count, 0)))
        }
    }
}

extension MeshNetwork {
    /// How many entries each list has room for, by product, as far as known.
    var rooms: [Node.Product: [ListCapacity.List: Int]] {
        capacities.reduce(into: [:]) { rooms, capacity in
            rooms[capacity.product, default: [:]][capacity.list] = capacity.entries
        }
    }
}

extension NodeDiffer {
    /// Records how much room the lists of the node have.
    func findRooms(for node: Node, _ difference: inout NodeDifference) {
        guard !rooms.isEmpty, let product = node.product, let rooms = rooms[product] else { return }
        difference.rooms = rooms
        for index in difference.models.indices where difference.models[index].subscriptions != nil {
            let address = difference.models[index].address
            let sharers = sharedLists[product]?.models(sharingListOf: address) ?? [address.model]
            difference.models[index].room =
                sharers.compactMap { rooms[.subscriptions(element: address.element, model: $0)] }.min()
        }
    }
}
