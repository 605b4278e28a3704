/// Who controls whom, as boxes and arrows: senders, the groups and nodes that they send to, and who listens. Nodes that
/// are alike share one box.
package struct ControlGraph: Hashable, Sendable {
    /// The name of the network.
    package var network: String
    /// The boxes: nodes that send, then groups, then the other nodes; each of them in the order of the definition.
    package var boxes: [Box]
    /// The arrows, by the boxes that they connect.
    package var arrows: [Arrow]
    /// The names of the subnets, which give boxes their colours.
    package var subnets: [String]
    /// The names of the application keys, which give arrows their colours.
    package var keys: [String]
    /// How much is folded.
    package var folding: Folding

    /// How much is folded.
    package enum Folding: Int, CaseIterable, Sendable {
        /// Nothing: a box for each node and each group.
        case none
        /// Nodes of equal tags that send to and hear the same groups share a box.
        case likeNodes
        /// Places that are built alike share their boxes, too: equal rooms become one.
        case likePlaces
    }

    /// A number of nodes or groups that are alike.
    package struct Box: Hashable, Sendable {
        /// What it stands for.
        package var kind: Kind
        /// The names of its members in the order of people, at least one.
        package var names: [String]
        /// The tags that all members have in common.
        package var tags: [String: String]
        /// The names of its subnets; of a group those of the keys that are used in it.
        package var subnets: [String]
        /// Whether its nodes relay messages.
        package var isRelay: Bool
        /// Whether its nodes are GATT proxies.
        package var isProxy: Bool
        /// How its nodes stand.
        package var mark: NodeMark
    }

    /// What a box stands for.
    package enum Kind: String, Sendable {
        /// Nodes.
        case node
        /// Groups.
        case group
    }

    /// What goes from one box to another one.
    package struct Arrow: Hashable, Sendable {
        /// The index of the box that it begins at.
        package var from: Int
        /// The index of the box that it ends at.
        package var to: Int
        /// The names of the models that send or listen, sorted.
        package var models: [String]
        /// The names of the application keys, sorted; empty where they are not known, and from groups to listeners.
        package var keys: [String]
    }
}

extension ControlGraph.Box {
    /// Its name, or the first and the last one of several: `lamp-1 … 4`.
    package var title: String {
        guard let first = names.first, let last = names.last, names.count > 1 else { return names.first ?? "" }
        let common = last.prefix(zip(first, last).prefix { $0 == $1 }.count)
        // What both begin with stands there once if only a number follows.
        let stem = common.lastIndex { !$0.isNumber }.map { common.index(after: $0) } ?? last.startIndex
        let end = last[stem...]
        let short = !end.isEmpty && end.allSatisfy(\.isNumber) ? String(end) : last
        return names.count == 2 ? "\(first), \(short)" : "\(first) … \(short)"
    }

    /// How many it stands for, if it is more than one, and the values of its tags in the order of the tags' names.
    package var detail: String {
        let noun = kind == .node ? "nodes" : "groups"
        let count = names.count > 1 ? ["\(names.count) \(noun)"] : []
        return (count + tags.sorted { $0.key < $1.key }.map(\.value)).joined(separator: ", ")
    }
}

/// What should be seen of a node at once.
package enum NodeMark: String, CaseIterable, Comparable, Sendable {
    /// As the definition says, as far as is known.
    case settled
    /// The definition does not mention it.
    case unmanaged
    /// It is no node of the network yet.
    case missing
    /// A plan makes a node of it, or manages it from now on.
    case added
    /// A plan changes it.
    case changed
    /// A plan replaces it.
    case replaced
    /// A plan forgets, resets or excludes it.
    case removed
    /// It reported something other than what was recorded.
    case drifted
    /// A message to it may or may not have arrived, or it did not answer.
    case pending

    package static func < (left: NodeMark, right: NodeMark) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// A sign like those of plans; empty for nodes that need none.
    package var sign: String {
        switch self {
        case .settled, .unmanaged, .missing: ""
        case .added: "+"
        case .changed: "~"
        case .replaced: "-/+"
        case .removed: "-"
        case .drifted: "≠"
        case .pending: "?"
        }
    }

    /// What it means, for legends.
    package var meaning: String {
        switch self {
        case .settled: "as declared"
        case .unmanaged: "not in the definition"
        case .missing: "not provisioned yet"
        case .added: "will be added"
        case .changed: "will be changed"
        case .replaced: "will be replaced"
        case .removed: "will be removed"
        case .drifted: "drifted"
        case .pending: "in doubt"
        }
    }
}
