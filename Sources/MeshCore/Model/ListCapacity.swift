/// How many entries a list of a product's nodes has room for, learned from a node that refused one more with
/// Insufficient Resources (Mesh Protocol 4.3.5). No composition tells it.
package struct ListCapacity: Hashable, Sendable {
    /// A list of a node.
    package enum List: Hashable, Comparable, Sendable {
        /// The NetKeys.
        case netKeys
        /// The AppKeys.
        case appKeys
        /// The AppKeys that are bound to a model.
        case bindings(element: UInt8, model: ModelIdentifier)
        /// The groups that a model subscribes to, virtual ones included.
        case subscriptions(element: UInt8, model: ModelIdentifier)
    }

    /// The product.
    package var product: Node.Product
    /// The list.
    package var list: List
    /// How many entries there is room for.
    package var entries: Int

    package init(product: Node.Product, list: List, entries: Int) {
        self.product = product
        self.list = list
        self.entries = entries
    }
}

extension Node {
    /// How many entries a list has, as far as is known.
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
