import Basics
package import MeshCore
package import Planning

extension ControlGraph {
    /// What lies over the relations of a network.
    package struct Overlay: Sendable {
        package var actions: [DeviceUUID: NodeSummary.Action]
        package var drifted: Set<DeviceUUID>
        /// The nodes with requests in doubt.
        package var pending: Set<DeviceUUID>
        /// The nodes of which only records tell how they are configured.
        package var unread: Set<DeviceUUID> = []

        package init(
            actions: [DeviceUUID: NodeSummary.Action] = [:],
            drifted: Set<DeviceUUID> = [],
            pending: Set<DeviceUUID> = []
        ) {
            self.actions = actions
            self.drifted = drifted
            self.pending = pending
        }
    }

    /// How many boxes a picture has at most before more is folded.
    package static let legibleBoxes = 48

    /// The graph of a network.
    ///
    /// - Parameters:
    ///   - relations: who controls whom.
    ///   - network: the name of the network.
    ///   - overlay: what a plan does, and what is otherwise than declared.
    ///   - folding: how much to fold; nil for as little as leaves at most ``legibleBoxes`` boxes.
    package init(
        _ relations: NetworkRelations,
        network: String,
        overlay: Overlay = Overlay(),
        folding: Folding? = nil
    ) {
        let vertices = Vertices(relations, overlay)
        let foldings = folding.map { [$0] } ?? Folding.allCases
        self = vertices.graph(foldings[0], network: network)
        for folding in foldings.dropFirst() where boxes.count > Self.legibleBoxes {
            self = vertices.graph(folding, network: network)
        }
    }
}

/// The nodes and groups of a network as the vertices of one graph: nodes first.
private struct Vertices {
    let relations: NetworkRelations
    let marks: [NodeMark]
    /// The names of the groups: declared and recorded ones, then others that something is sent to.
    var groups: [String]
    /// What people call groups, by name.
    let groupTitles: [String: String]
    var arrows: [ColourRefinement.Arrow] = []
    /// The models and keys of labels.
    var labels: [Label] = []

    struct Label: Hashable {
        var model: String
        var key: String?
        var isPublication: Bool
    }

    init(_ relations: NetworkRelations, _ overlay: ControlGraph.Overlay) {
        self.relations = relations
        marks = relations.nodes.map { overlay.mark(of: $0) }
        groups = relations.groups.map(\.name)
        groupTitles = Dictionary(firstOf: relations.groups.compactMap { group in group.title.map { (group.name, $0) } })
        let nodes = Dictionary(firstOf: relations.nodes.enumerated().map { ($1.name, $0) })
        var groupPlaces = Dictionary(firstOf: groups.enumerated().map { ($1, $0) })
        var numbers: [Label: Int] = [:]
        func place(ofGroup name: String) -> Int {
            if let index = groupPlaces[name] { return relations.nodes.count + index }
            let index = groups.count
            groups.append(name)
            groupPlaces[name] = index
            return relations.nodes.count + index
        }
        func number(_ label: Label) -> Int {
            if let number = numbers[label] { return number }
            let number = labels.count
            labels.append(label)
            numbers[label] = number
            return number
        }
        for (vertex, node) in relations.nodes.enumerated() {
            for publication in node.publications {
                let label = number(Label(model: publication.model, key: publication.key, isPublication: true))
                switch publication.target {
                case .group(let name):
                    arrows.append(ColourRefinement.Arrow(from: vertex, to: place(ofGroup: name), label: label))
                case .node(let name):
                    // `hub-1/1` is an element of hub-1.
                    let owner = name.split(separator: "/", maxSplits: 1).first.map(String.init) ?? name
                    guard let target = nodes[owner] else { continue }
                    arrows.append(ColourRefinement.Arrow(from: vertex, to: target, label: label))
                }
            }
            for subscription in node.subscriptions {
                let label = number(Label(model: subscription.model, key: nil, isPublication: false))
                let group = place(ofGroup: subscription.group)
                arrows.append(ColourRefinement.Arrow(from: group, to: vertex, label: label))
            }
        }
    }

    /// What decides which nodes may share a box.
    private struct Sameness: Hashable {
        var tags: [String: String]
        var subnets: [String]
        var isRelay: Bool
        var isProxy: Bool
        var mark: NodeMark
        var use: NodeKind?
        /// What must not be shared at all.
        var own: Int?
    }

    func graph(_ folding: ControlGraph.Folding, network: String) -> ControlGraph {
        let nodeCount = relations.nodes.count
        var sames: [Sameness] = relations.nodes.enumerated().map { vertex, node in
            Sameness(
                tags: folding == .likePlaces ? node.tags.mapValues { _ in "" } : node.tags,
                subnets: node.subnets,
                isRelay: node.isRelay,
                isProxy: node.isProxy,
                mark: marks[vertex],
                use: node.kind,
                own: folding == .none ? vertex : nil
            )
        }
        sames += groups.indices.map { group in
            Sameness(
                tags: [:],
                subnets: [],
                isRelay: false,
                isProxy: false,
                mark: .settled,
                use: nil,
                own: folding == .likePlaces ? nil : nodeCount + group
            )
        }
        var numbers: [Sameness: Int] = [:]
        let colours = sames.map { same in
            let number = numbers[same] ?? numbers.count
            numbers[same] = number
            return number
        }
        return graph(of: ColourRefinement.refine(colours, arrows), folding, network: network)
    }

    private func graph(of colours: [Int], _ folding: ControlGraph.Folding, network: String) -> ControlGraph {
        var members: [[Int]] = Array(repeating: [], count: (colours.max() ?? -1) + 1)
        for (vertex, colour) in colours.enumerated() { members[colour].append(vertex) }
        let senders = Set(arrows.lazy.map(\.from))
        func column(_ colour: Int) -> Int {
            let first = members[colour][0]
            if first >= relations.nodes.count { return 1 }
            return senders.contains(first) ? 0 : 2
        }
        let order = members.indices.sorted { (column($0), members[$0][0]) < (column($1), members[$1][0]) }
        var places = Array(repeating: 0, count: members.count)
        for (index, colour) in order.enumerated() { places[colour] = index }
        let arrows = joined(colours.map { places[$0] })
        var boxes = order.map { box(members[$0]) }
        let subnets = Dictionary(firstOf: relations.applicationKeys.map { ($0.name, $0.subnet) })
        for arrow in arrows where boxes[arrow.to].kind == .group {
            for subnet in arrow.keys.compactMap({ subnets[$0] }) where !boxes[arrow.to].subnets.contains(subnet) {
                boxes[arrow.to].subnets.append(subnet)
            }
        }
        var graph = ControlGraph(
            network: network,
            boxes: boxes,
            arrows: arrows,
            subnets: relations.subnets,
            keys: relations.applicationKeys.map(\.name),
            folding: folding
        )
        graph.title = relations.title
        graph.subnetTitles = relations.subnetTitles
        for key in relations.applicationKeys { graph.keyTitles[key.name] = key.title }
        return graph
    }

    /// One arrow between each two boxes, with all that it stands for.
    private func joined(_ places: [Int]) -> [ControlGraph.Arrow] {
        struct Ends: Hashable, Comparable {
            var from: Int
            var to: Int
            static func < (left: Ends, right: Ends) -> Bool { (left.from, left.to) < (right.from, right.to) }
        }
        var found: [Ends: Set<Int>] = [:]
        for arrow in arrows {
            found[Ends(from: places[arrow.from], to: places[arrow.to]), default: []].insert(arrow.label)
        }
        return found.sorted { $0.key < $1.key }.map { ends, numbers in
            let labels = numbers.map { self.labels[$0] }
            return ControlGraph.Arrow(
                from: ends.from,
                to: ends.to,
                models: Set(labels.map(\.model)).sorted(),
                keys: Set(labels.compactMap(\.key)).sorted()
            )
        }
    }

    private func box(_ members: [Int]) -> ControlGraph.Box {
        let nodeCount = relations.nodes.count
        let named = members.map { vertex in
            vertex < nodeCount
                ? (name: relations.nodes[vertex].name, title: relations.nodes[vertex].title)
                : (name: groups[vertex - nodeCount], title: groupTitles[groups[vertex - nodeCount]])
        }
        let order = named.map { ($0, NaturalOrder($0.name)) }.sorted { $0.1 < $1.1 }.map(\.0)
        let sorted = order.map(\.name)
        let titles = order.map { $0.title ?? $0.name }
        guard members[0] < nodeCount else {
            return ControlGraph.Box(
                kind: .group,
                names: sorted,
                titles: titles,
                use: nil,
                tags: [:],
                subnets: [],
                isRelay: false,
                isProxy: false,
                mark: .settled
            )
        }
        let nodes = members.map { relations.nodes[$0] }
        var tags = nodes[0].tags
        for node in nodes.dropFirst() where !tags.isEmpty { tags = tags.filter { node.tags[$0.key] == $0.value } }
        return ControlGraph.Box(
            kind: .node,
            names: sorted,
            titles: titles,
            use: nodes[0].kind,
            tags: tags,
            subnets: nodes[0].subnets,
            isRelay: nodes[0].isRelay,
            isProxy: nodes[0].isProxy,
            mark: marks[members[0]]
        )
    }
}

extension ControlGraph.Overlay {
    /// What should be seen of a node at once: doubts first, then drift, then what a plan does.
    package func mark(of node: RelatedNode) -> NodeMark {
        if pending.contains(node.uuid) { return .pending }
        if drifted.contains(node.uuid) { return .drifted }
        switch actions[node.uuid] {
        case .provision, .manage: return .added
        case .update: return .changed
        case .replace, .substitute: return .replaced
        case .forget, .reset, .exclude: return .removed
        case nil: break
        }
        return switch node.standing {
        case .managed: unread.contains(node.uuid) ? .unread : .settled
        case .missing: .missing
        case .unmanaged: .unmanaged
        }
    }
}
