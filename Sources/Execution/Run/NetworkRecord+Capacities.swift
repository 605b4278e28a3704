internal import MeshCore
internal import Planning

extension NetworkRecord {
    /// Remembers that a node refused an action for want of room: its product has room for what it has and no more.
    mutating func learnCapacity(from action: ConfigurationAction, refusedBy uuid: DeviceUUID) {
        guard let node = node(uuid), let product = node.product, let list = action.grownList else { return }
        set(ListCapacity(product: product, list: list, entries: node.count(of: list)))
    }

    /// Corrects what was remembered when a node has taken more than that.
    mutating func checkCapacity(after action: ConfigurationAction, on uuid: DeviceUUID) {
        guard !header.capacities.isEmpty, let list = action.grownList, let node = node(uuid) else { return }
        let known = header.capacities.first { $0.list == list && $0.product == node.product }
        let count = node.count(of: list)
        guard var known, known.entries < count else { return }
        known.entries = count
        set(known)
    }
}

extension ConfigurationAction {
    /// The list of the node that gets one entry more by the action, if one does.
    ///
    /// Labels of virtual addresses have a store of their own on many nodes, so that nothing is said by the lack of room
    /// for one.
    var grownList: ListCapacity.List? {
        switch self {
        case .addNetKey: .netKeys
        case .addAppKey: .appKeys
        case .bind(let address, _): .bindings(element: address.element, model: address.model)
        case .addSubscription(let address, .group): .subscriptions(element: address.element, model: address.model)
        default: nil
        }
    }
}
