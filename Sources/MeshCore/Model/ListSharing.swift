/// Whether two models on one element share one Subscription List on the nodes of a product, as one of those nodes has
/// shown.
///
/// Models that extend one another should share it (Mesh Protocol 4.2.4). But stacks differ, and so do products, if the
/// application has to declare which models extend which. Therefore it is learned: a group is added to one model's list.
/// If it appears in the other model's list, they share the list; if not, they do not.
package struct ListSharing: Hashable, Sendable {
    package let product: Node.Product
    package let element: UInt8
    /// The lower of the two models.
    package let first: ModelIdentifier
    /// The higher of the two models.
    package let second: ModelIdentifier
    /// Whether a change of one model's list also changes the other's.
    package var isShared: Bool

    /// An observation of two models, in any order.
    package init(
        product: Node.Product,
        element: UInt8,
        _ one: ModelIdentifier,
        _ other: ModelIdentifier,
        isShared: Bool
    ) {
        self.product = product
        self.element = element
        first = min(one, other)
        second = max(one, other)
        self.isShared = isShared
    }

    /// Whether it is about the same two models of the same product.
    package func concerns(_ other: ListSharing) -> Bool {
        product == other.product && element == other.element && first == other.first && second == other.second
    }
}

/// Which models of one product's nodes share one Subscription List, as far as it is known.
package struct SharedLists: Hashable, Sendable {
    private let known: [ListSharing]

    package static let unknown = SharedLists([])

    package init(_ known: [ListSharing]) {
        self.known = known
    }

    package var isUnknown: Bool { known.isEmpty }

    /// The models known to share the list of a model, itself included, sorted.
    package func models(sharingListOf address: ModelAddress) -> [ModelIdentifier] {
        var models = [address.model]
        guard !known.isEmpty else { return models }
        var next = 0
        while next < models.count {
            let model = models[next]
            next += 1
            for sharing in known where sharing.isShared && sharing.element == address.element {
                let other: ModelIdentifier
                if sharing.first == model {
                    other = sharing.second
                } else if sharing.second == model {
                    other = sharing.first
                } else {
                    continue
                }
                if !models.contains(other) { models.append(other) }
            }
        }
        return models.sorted()
    }

    /// Whether two models of one element share their list; nil if unknown.
    package func isShared(_ one: ModelIdentifier, _ other: ModelIdentifier, onElement element: UInt8) -> Bool? {
        guard !known.isEmpty else { return nil }
        let sharers = models(sharingListOf: ModelAddress(element: element, model: one))
        if sharers.contains(other) { return true }
        let others = models(sharingListOf: ModelAddress(element: element, model: other))
        let isSeparate = known.contains { sharing in
            !sharing.isShared && sharing.element == element
                && (sharers.contains(sharing.first) && others.contains(sharing.second)
                    || sharers.contains(sharing.second) && others.contains(sharing.first))
        }
        return isSeparate ? false : nil
    }

    /// Whether two of those models are known to have separate lists.
    package func separates(any models: [ModelIdentifier], onElement element: UInt8) -> Bool {
        known.contains { sharing in
            !sharing.isShared && sharing.element == element && models.contains(sharing.first)
                && models.contains(sharing.second)
        }
    }

    /// The groups of two or more models that share one list, with their elements, sorted.
    package var groups: [(element: UInt8, models: [ModelIdentifier])] {
        var groups: [(element: UInt8, models: [ModelIdentifier])] = []
        for sharing in known where sharing.isShared {
            let address = ModelAddress(element: sharing.element, model: sharing.first)
            let models = models(sharingListOf: address)
            if !groups.contains(where: { $0.element == sharing.element && $0.models == models }) {
                groups.append((sharing.element, models))
            }
        }
        return groups.sorted { ($0.element, $0.models[0]) < ($1.element, $1.models[0]) }
    }
}

extension MeshNetwork {
    /// What is known about models of a node that share one Subscription List.
    package func sharedLists(of node: Node) -> SharedLists {
        guard !listSharings.isEmpty, let product = node.product else { return .unknown }
        return SharedLists(listSharings.filter { $0.product == product })
    }

    /// The same for all products about which something is known.
    package var sharedListsByProduct: [Node.Product: SharedLists] {
        Dictionary(grouping: listSharings, by: \.product).mapValues { SharedLists($0) }
    }

    /// Remembers what a node has shown. Knowledge that two lists are separate is never replaced: treating shared lists
    /// as separate only sends too much, but treating separate lists as shared leaves something out.
    ///
    /// - Returns: whether the knowledge changed.
    package mutating func learn(_ sharing: ListSharing) -> Bool {
        guard let index = listSharings.firstIndex(where: { $0.concerns(sharing) }) else {
            listSharings.append(sharing)
            return true
        }
        guard listSharings[index].isShared, !sharing.isShared else { return false }
        listSharings[index].isShared = false
        return true
    }
}

extension Node {
    /// Takes over the Subscription Lists that a later record of the same node reports, where sharing explains the
    /// change. An address that appeared in a model's list is no news if the list of a related model contains it, too,
    /// and that one is as recorded.
    package mutating func takeSharedSubscriptions(from observed: Node, sharing: SharedLists) {
        for (index, element) in elements.enumerated() where observed.elements.indices.contains(index) {
            guard element.models != observed.elements[index].models, let number = UInt8(exactly: index) else {
                continue
            }
            let recorded = subscriptions(onElement: index)
            let told = observed.subscriptions(onElement: index)
            for group in observed.extensionGroups(onElement: index) where group.count > 1 {
                for (place, identifier) in group.enumerated() {
                    guard let old = recorded[identifier], let new = told[identifier], old != new else { continue }
                    let isExplained = group.enumerated().contains { otherPlace, other in
                        guard otherPlace != place, told[other] == new else { return false }
                        switch sharing.isShared(identifier, other, onElement: number) {
                        case false?: return false
                        // Of two models with one list, the later one repeats what the first one says.
                        case true?: return recorded[other] == new || otherPlace < place
                        case nil: return recorded[other] == new && old.isSubset(of: new)
                        }
                    }
                    guard isExplained,
                        let model = elements[index].models.firstIndex(where: { $0.identifier == identifier })
                    else { continue }
                    elements[index].models[model].subscriptions =
                        observed.elements[index].models.first { $0.identifier == identifier }?.subscriptions ?? []
                }
            }
        }
    }

    /// Models that are known to share their list, although this node reports different lists for them.
    package func contradictions(of sharing: SharedLists) -> [(element: UInt8, ModelIdentifier, ModelIdentifier)] {
        var found: [(element: UInt8, ModelIdentifier, ModelIdentifier)] = []
        for group in sharing.groups where elements.indices.contains(Int(group.element)) {
            let lists = subscriptions(onElement: Int(group.element))
            for (index, one) in group.models.enumerated() {
                for other in group.models[(index + 1)...] {
                    guard let list = lists[one], let otherList = lists[other], list != otherList else { continue }
                    found.append((group.element, one, other))
                }
            }
        }
        return found
    }

    private func subscriptions(onElement index: Int) -> [ModelIdentifier: Set<SubscriptionAddress>] {
        Dictionary(elements[index].models.map { ($0.identifier, Set($0.subscriptions)) }) { first, _ in first }
    }
}
