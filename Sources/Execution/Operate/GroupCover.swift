package import MeshCore

/// The groups and single messages by which a selection of elements is set: as few messages as a simple rule finds, and
/// none that reaches anybody outside of the selection. A pure function of sets.
///
/// A message to a group is sent a few times, because nobody acknowledges it; a message to one element is sent once,
/// because the element does. So a group is worth its copies only if it reaches more elements than it has copies, and
/// two lamps of a room of ten get a message each. Which groups cover a set with the fewest messages is a set cover,
/// which nobody solves exactly in reasonable time: the group that reaches the most of what is left is taken first, and
/// what others made needless is given back at the end.
package struct GroupCover: Hashable, Sendable {
    /// A group that may be used: all who listen to it are selected.
    package struct Candidate: Hashable, Sendable {
        package let group: SubscriptionAddress
        package let key: AppKey
        /// The positions in the selection that it reaches under the key.
        package let positions: Set<Int>

        package init(_ group: SubscriptionAddress, under key: AppKey, reaching positions: Set<Int>) {
            self.group = group
            self.key = key
            self.positions = positions
        }
    }

    /// The groups, in the order in which they were chosen.
    package private(set) var groups: [Candidate]
    /// The positions that no chosen group reaches, sorted.
    package private(set) var rest: [Int]

    /// Covers the positions `0..<count`.
    ///
    /// - Parameters:
    ///   - candidates: groups that reach nobody outside of the positions.
    ///   - copies: how often a message to a group is sent, at least 1; one to an element counts as 1.
    ///   - required: these are used whatever they cost, because somebody named their group.
    package init(
        _ count: Int,
        with candidates: [Candidate],
        copies: Int,
        using required: [Candidate] = []
    ) {
        var left = Set(0..<count)
        rest = []
        groups = required.filter { !$0.positions.isEmpty }
        for candidate in groups { left.subtract(candidate.positions) }
        let named = groups.count
        choose(among: candidates.sorted(by: Self.comesBefore), max(copies, 0), &left)
        giveBack(after: named, copies, &left)
        rest = left.sorted()
    }

    /// Among groups that reach equally many of what is left: fewer who are reached twice; else the order of keys and
    /// addresses, so that the result does not depend on the order of the candidates.
    private static func comesBefore(_ one: Candidate, _ other: Candidate) -> Bool {
        if one.positions.count != other.positions.count { return one.positions.count < other.positions.count }
        if one.key.index != other.key.index { return one.key.index < other.key.index }
        return one.group < other.group
    }

    /// Takes the group that reaches the most of what is left, the first of several, as long as one is worth its copies.
    ///
    /// A large network has thousands of groups, so what each of them gains is counted down, not counted anew.
    private mutating func choose(among candidates: [Candidate], _ copies: Int, _ left: inout Set<Int>) {
        var gains = candidates.map { $0.positions.intersection(left).count }
        var reaching: [Int: [Int]] = [:]
        for (index, candidate) in candidates.enumerated() {
            for position in candidate.positions { reaching[position, default: []].append(index) }
        }
        while let most = gains.max(), most > copies, let best = gains.firstIndex(of: most) {
            groups.append(candidates[best])
            for position in candidates[best].positions where left.remove(position) != nil {
                for index in reaching[position] ?? [] { gains[index] -= 1 }
            }
        }
    }

    /// Gives back groups of which later ones have left too little, the last chosen first.
    private mutating func giveBack(after named: Int, _ copies: Int, _ left: inout Set<Int>) {
        var counts: [Int: Int] = [:]
        for position in groups.lazy.flatMap(\.positions) { counts[position, default: 0] += 1 }
        for index in groups.indices.dropFirst(named).reversed() {
            let alone = groups[index].positions.filter { counts[$0] == 1 }
            guard alone.count <= copies else { continue }
            left.formUnion(alone)
            for position in groups.remove(at: index).positions { counts[position, default: 0] -= 1 }
        }
    }
}

extension GroupCover {
    /// Covers the places of a change with the network's groups.
    ///
    /// - Parameters:
    ///   - places: the elements with the model that sets the state.
    ///   - group: the group that somebody named; it is used whatever it costs.
    ///   - models: the models that take the message to a group.
    ///   - copies: how often a message to a group is sent, at least 1.
    init(
        _ places: [StatePlace],
        named group: SubscriptionAddress?,
        models: Set<ModelIdentifier>,
        copies: Int,
        in network: MeshNetwork
    ) {
        var positions: [ElementPlace: Int] = [:]
        for (position, place) in places.enumerated() {
            positions[ElementPlace(node: place.node, element: place.element)] = position
        }
        var candidates: [Candidate] = []
        var required: [Candidate] = []
        for listening in Self.listeners(of: models, in: network) {
            // Without its label, nothing can be sent to a virtual address.
            if case .unknownLabel = listening.group { continue }
            let reached = listening.members.compactMap { positions[$0] }
            let isNamed = listening.group == group
            // Whoever is outside of the selection would act on it, too.
            guard isNamed || reached.count == listening.members.count else { continue }
            let found = Self.candidates(listening.group, reaching: reached, of: places, in: network)
            if isNamed { required += found } else { candidates += found }
        }
        self.init(places.count, with: candidates, copies: copies, using: required)
    }

    private struct ElementPlace: Hashable {
        let node: Int
        let element: Int
    }

    private struct Listeners {
        let group: SubscriptionAddress
        var members: Set<ElementPlace> = []
    }

    /// Who listens to each group of the network with one of the models, in the order of the network's groups. Nodes
    /// that cannot be asked at present listen, too.
    private static func listeners(of models: Set<ModelIdentifier>, in network: MeshNetwork) -> [Listeners] {
        var listeners = network.groups.map { Listeners(group: $0.address) }
        let order = Dictionary(firstOf: listeners.enumerated().map { ($0.element.group, $0.offset) })
        for (index, node) in network.nodes.enumerated() {
            for element in node.elements.indices {
                for group in TargetResolver.groups(of: models, node, element) {
                    guard let position = order[group] else { continue }
                    listeners[position].members.insert(ElementPlace(node: index, element: element))
                }
            }
        }
        return listeners
    }

    /// The group under each key that a model which it reaches is bound to. A model that is bound to several counts for
    /// each of them.
    private static func candidates(
        _ group: SubscriptionAddress,
        reaching positions: [Int],
        of places: [StatePlace],
        in network: MeshNetwork
    ) -> [Candidate] {
        var reached: [AppKeyIndex: Set<Int>] = [:]
        for position in positions {
            let place = places[position]
            let node = network.nodes[place.node]
            guard let model = node.elements[place.element].place(of: place.model) else { continue }
            for binding in node.elements[place.element].models[model].bindings {
                reached[binding, default: []].insert(position)
            }
        }
        return network.appKeys.compactMap { key in
            let usable = (reached[key.index] ?? []).filter { network.nodes[places[$0].node].knows(key.boundNetKey) }
            return usable.isEmpty ? nil : Candidate(group, under: key, reaching: usable)
        }
    }
}
