import MeshCore
import Planning

extension MeshNetwork {
    /// Remembers that a node refused an action for lack of room: its product has room for the present entries and no
    /// more.
    ///
    /// - Returns: whether there was something to remember.
    mutating func learnCapacity(from action: ConfigurationAction, refusedBy node: Node) -> Bool {
        guard let product = node.product, let list = action.grownList else { return false }
        capacities.removeAll { $0.product == product && $0.list == list }
        capacities.append(ListCapacity(product: product, list: list, entries: node.count(of: list)))
        return true
    }

    /// Corrects the remembered capacity when a node has accepted more entries.
    ///
    /// - Returns: whether this changed anything.
    mutating func correctCapacity(after action: ConfigurationAction, on node: Node) -> Bool {
        guard !capacities.isEmpty, let list = action.grownList,
            let index = capacities.firstIndex(where: { $0.list == list && $0.product == node.product }),
            capacities[index].entries < node.count(of: list)
        else { return false }
        capacities[index].entries = node.count(of: list)
        return true
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
