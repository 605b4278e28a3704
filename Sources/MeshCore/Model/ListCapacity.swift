/// How many entries a list has room for on the nodes of a product. It is learned when a node refuses an entry with
/// Insufficient Resources (Mesh Protocol 4.3.5); no composition tells it.
package struct ListCapacity: Hashable, Sendable {
    /// A list of a node.
    package enum List: Hashable, Comparable, Sendable {
        case netKeys
        case appKeys
        /// The AppKeys that are bound to a model.
        case bindings(element: UInt8, model: ModelIdentifier)
        /// The groups and virtual addresses that a model subscribes to.
        case subscriptions(element: UInt8, model: ModelIdentifier)
    }

    package var product: Node.Product
    package var list: List
    package var entries: Int

    package init(product: Node.Product, list: List, entries: Int) {
        self.product = product
        self.list = list
        self.entries = entries
    }
}

extension Node {
    /// The number of entries in a list, as far as it is known.
    package func count(of list: ListCapacity.List) -> Int {
        switch list {
        case .netKeys: netKeys.count
        case .appKeys: appKeys.count
        case .bindings(let element, let model): self.model(element, model)?.bindings.count ?? 0
        case .subscriptions(let element, let model): self.model(element, model)?.subscriptions.count ?? 0
        }
    }

    private func model(_ element: UInt8, _ identifier: ModelIdentifier) -> Model? {
        guard Int(element) < elements.count else { return nil }
        return elements[Int(element)].models.first { $0.identifier == identifier }
    }
}
