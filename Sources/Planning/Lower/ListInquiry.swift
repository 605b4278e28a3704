import MeshCore

/// Finds out whether models share one subscription list, when one of them gets a group anyway: it reads the lists of
/// the others before and after.
///
/// A record may be old, so only a group that appears at that moment proves that the list is shared. An inquiry takes
/// two Gets for each other model, once per product. It is made only if it does not cost more than it may save.
struct ListInquiry {
    /// The model that gets the group first.
    var lead: ModelAddress
    /// The first group that it gets.
    var group: SubscriptionAddress
    /// The models that also get it, unless they turn out to have it by then.
    var others: [ModelAddress]

    /// How many Gets it takes.
    var cost: Int { 2 * others.count }

    /// The useful inquiries on a node, and how many messages are saved if lists turn out to be shared.
    static func possible(
        for difference: NodeDifference,
        on node: Node,
        sharing: SharedLists,
        relations: inout RelationCache
    ) -> (inquiries: [ListInquiry], saved: Int) {
        var inquiries: [ListInquiry] = []
        var saved = 0
        guard difference.models.count > 1, node.isCompositionKnown else { return ([], 0) }
        var changing: [UInt8: [ModelDifference]] = [:]
        for model in difference.models where model.subscriptions != nil {
            changing[model.address.element, default: []].append(model)
        }
        for (element, models) in changing.sorted(by: { $0.key < $1.key }) where models.count > 1 {
            for group in relations.groups(onElement: Int(element), of: node) where group.count > 1 {
                // A product that keeps two of these lists separate usually keeps all of them separate.
                guard !sharing.separates(any: group, onElement: element) else { continue }
                let related = models.filter { group.contains($0.address.model) }
                guard let (inquiry, count) = possible(among: related, sharing) else { continue }
                inquiries.append(inquiry)
                saved += count
            }
        }
        return (inquiries, saved)
    }

    private static func possible(
        among models: [ModelDifference],
        _ sharing: SharedLists
    ) -> (ListInquiry, saved: Int)? {
        for (index, lead) in models.enumerated() {
            guard case .add(let group)? = lead.subscriptionOperations.first, case .group = group else { continue }
            let others = models[(index + 1)...].filter { other in
                guard let lists = other.subscriptions, lists.target.contains(group), !lists.existing.contains(group)
                else { return false }
                let (one, two) = (lead.address.model, other.address.model)
                return sharing.isShared(one, two, onElement: lead.address.element) == nil
            }
            guard !others.isEmpty else { continue }
            // What the others get and the first one does not takes its messages in any case.
            let saved = others.reduce(0) { count, other in
                count
                    + other.subscriptionOperations.count { operation in
                        lead.subscriptionOperations.contains(operation)
                    }
            }
            return (ListInquiry(lead: lead.address, group: group, others: others.map(\.address)), saved)
        }
        return nil
    }
}

/// Caches which models extend which on elements, because thousands of nodes have the same elements.
struct RelationCache {
    private var groups: [[ModelIdentifier]: [[ModelIdentifier]]] = [:]

    /// The groups of models that extend each other on an element; see ``Node/extensionGroups(onElement:)``.
    mutating func groups(onElement index: Int, of node: Node) -> [[ModelIdentifier]] {
        guard node.elements.indices.contains(index), node.compositionPages?[1] == nil else {
            return node.extensionGroups(onElement: index)
        }
        let models = node.elements[index].models.map(\.identifier)
        if let known = groups[models] { return known }
        let found = node.extensionGroups(onElement: index)
        groups[models] = found
        return found
    }
}

extension ModelDifference {
    /// The messages for its subscription list.
    var subscriptionOperations: [SubscriptionLowering.Operation] {
        guard let lists = subscriptions else { return [] }
        return SubscriptionLowering.operations(
            from: lists.existing,
            to: lists.target,
            keepsUnknown: keepsUnknownSubscriptions,
            room: room
        )
    }
}

extension NodeDifference {
    /// Adds inquiries about shared lists on this node, if they may pay off for so many nodes like it.
    mutating func addInquiries(on node: Node, sharing: SharedLists, peers: Int) {
        guard peers > 0, node.product != nil else { return }
        var relations = RelationCache()
        let (inquiries, saved) = ListInquiry.possible(for: self, on: node, sharing: sharing, relations: &relations)
        if inquiries.reduce(0, { $0 + $1.cost }) <= saved * peers { self.inquiries = inquiries }
    }
}

extension [NodeDifference] {
    /// Adds inquiries about shared lists on one node of each product, if they may pay off within the plan.
    ///
    /// - Returns: how many nodes are asked, and how many messages are superfluous if all lists turn out to be shared.
    mutating func addListInquiries(
        in network: MeshNetwork,
        sharing: [Node.Product: SharedLists]
    ) -> (asked: Int, saved: Int) {
        var first: [Node.Product: (place: Int, inquiries: [ListInquiry])] = [:]
        var order: [Node.Product] = []
        var saved: [Node.Product: Int] = [:]
        var relations = RelationCache()
        for index in indices where self[index].models.count > 1 {
            let node = self[index].baseline(in: network)
            guard let product = node.product else { continue }
            let (inquiries, count) = ListInquiry.possible(
                for: self[index],
                on: node,
                sharing: sharing[product] ?? .unknown,
                relations: &relations
            )
            guard !inquiries.isEmpty else { continue }
            if first[product] == nil {
                first[product] = (index, inquiries)
                order.append(product)
            }
            saved[product, default: 0] += count
        }
        var result = (asked: 0, saved: 0)
        for product in order {
            guard let (place, inquiries) = first[product], let count = saved[product],
                inquiries.reduce(0, { $0 + $1.cost }) <= count
            else { continue }
            self[place].inquiries = inquiries
            result.asked += 1
            result.saved += count
        }
        return result
    }
}
