internal import MeshCore
internal import Planning

extension NetworkRecord {
    /// Remembers that a node refused an action for lack of room: its product has room for the present entries and no
    /// more.
    mutating func learnCapacity(from action: ConfigurationAction, refusedBy uuid: DeviceUUID) {
        guard let node = node(uuid), let product = node.product, let list = action.grownList else { return }
        set(ListCapacity(product: product, list: list, entries: node.count(of: list)))
    }

    /// Corrects the remembered capacity when a node has accepted more entries.
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
    /// The list of the node that the action adds an entry to, if any.
    ///
    /// Many nodes store the labels of virtual addresses separately, so lack of room for a label says nothing about the
    /// list.
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
