import MeshCore

/// How many models of which nodes subscribe or publish to a group, or are bound to an application key.
struct RelationCounts {
    /// What models have relations to.
    enum Party: Hashable {
        /// A group that they subscribe or publish to.
        case group(SubscriptionAddress)
        /// An application key that they are bound to.
        case appKey(AppKeyIndex)
    }

    private struct Count {
        var relations = 0
        var nodes = 0
        /// The last of those nodes, while counting.
        var last: DeviceUUID?
    }

    private var counts: [Party: Count] = [:]
    /// The parties to count separately; nil for all.
    private let told: Set<Party>?

    /// All relations, including those to parties that are not counted separately.
    private(set) var total = 0

    /// No relations yet.
    ///
    /// - Parameter parties: the parties to count separately; nil for all.
    init(of parties: Set<Party>? = nil) {
        told = parties
    }

    /// The parties with relations: groups by address, then keys by index.
    var parties: [Party] {
        var groups: [SubscriptionAddress] = []
        var keys: [AppKeyIndex] = []
        for (party, count) in counts where count.relations > 0 {
            switch party {
            case .group(let group): groups.append(group)
            case .appKey(let key): keys.append(key)
            }
        }
        return groups.sorted().map { .group($0) } + keys.sorted().map { .appKey($0) }
    }

    func relations(of party: Party) -> Int { counts[party]?.relations ?? 0 }

    func nodes(of party: Party) -> Int { counts[party]?.nodes ?? 0 }

    mutating func add(_ node: Node) {
        Self.forEachParty(of: node) { party in
            total += 1
            guard told?.contains(party) ?? true else { return }
            var count = counts[party] ?? Count()
            count.relations += 1
            if count.last != node.uuid { count.nodes += 1 }
            count.last = node.uuid
            counts[party] = count
        }
    }

    /// Subtracts the relations of a node, as far as they are counted.
    mutating func subtract(_ node: Node) {
        Self.forEachParty(of: node) { party in
            guard let count = counts[party]?.relations, count > 0 else { return }
            counts[party]?.relations = count - 1
            total -= 1
        }
    }

    /// Adds other counts, those of one node.
    mutating func add(_ other: RelationCounts) {
        for (party, count) in other.counts where count.relations > 0 {
            counts[party, default: Count()].relations += count.relations
            counts[party]?.nodes += 1
            total += count.relations
        }
    }

    private static func forEachParty(of node: Node, _ body: (Party) -> Void) {
        // By index, because a loop would copy each model.
        for element in node.elements.indices {
            for model in node.elements[element].models.indices {
                for key in node.elements[element].models[model].bindings { body(.appKey(key)) }
                for group in node.elements[element].models[model].subscriptions { body(.group(group)) }
                if let group = node.elements[element].models[model].publication?.address.group { body(.group(group)) }
            }
        }
    }
}
