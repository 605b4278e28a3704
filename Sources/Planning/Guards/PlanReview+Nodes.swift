import MeshCore

extension PlanReview {
    func reportNodes(_ broken: Set<GuardedNetwork.Violation>, to reports: inout GuardReports) {
        var silent: Set<DeviceUUID> = []
        var overloaded: Set<DeviceUUID> = []
        var overfull: [DeviceUUID: [ListCapacity.List]] = [:]
        for violation in broken {
            switch violation {
            case .unreachableTTL(let node): silent.insert(node)
            case .replayList(let node): overloaded.insert(node)
            case .fullList(let node, let list): overfull[node, default: []].append(list)
            default: break
            }
        }
        reportTTL(inOrder(silent), to: &reports)
        reportReplayLists(inOrder(overloaded), to: &reports)
        for node in inOrder(Set(overfull.keys)) {
            for list in (overfull[node] ?? []).sorted() { report(list, of: node, to: &reports) }
        }
    }

    private func inOrder(_ nodes: Set<DeviceUUID>) -> [DeviceUUID] {
        guard !nodes.isEmpty else { return [] }
        return after.network.nodes.lazy.map(\.uuid).filter(nodes.contains)
    }

    private func reportTTL(_ nodes: [DeviceUUID], to reports: inout GuardReports) {
        guard !nodes.isEmpty else { return }
        let names = nodes.map { name(of: $0) }
        let states = nodes.compactMap { uuid in places[uuid].map { after.network.nodes[$0] } }
        let ttl = states.first?.defaultTTL ?? 0
        let far = states.filter { ($0.defaultTTL ?? 0) >= 2 }
        let distances = far.prefix(4).map { "`\(name(of: $0.uuid))` is \($0.hops ?? 0) hops away" }
        let least = states.map(\.leastTTL).max() ?? 2
        reports.report(
            GuardFinding(
                .unreachableTTL,
                far.isEmpty
                    ? Self.objection(toTTL: ttl, of: list(names), isOne: nodes.count == 1)
                    : Self.objection(toTTL: ttl, of: list(names), isOne: nodes.count == 1, distances),
                nodes: names,
                resources: nodes.flatMap { resources(of: $0, [.defaultTTL, .proxy]) }
            ),
            hint: "Give \(nodes.count == 1 ? "it" : "them") a `ttl` of \(least) or more"
        )
    }

    /// What is wrong with a Default TTL, as a sentence without a full stop.
    static func objection(toTTL ttl: UInt8, of names: String, isOne: Bool) -> String {
        "\(names) would answer with TTL \(ttl), which proxies do not forward to their links, so nobody could "
            + "configure \(isOne ? "it" : "them") any more"
    }

    /// What is wrong with a Default TTL that is too small for known distances, as a sentence without a full stop.
    static func objection(toTTL ttl: UInt8, of names: String, isOne: Bool, _ distances: [String]) -> String {
        "\(names) would answer with TTL \(ttl), which does not reach a proxy: \(distances.joined(separator: ", ")), as "
            + "last counted. Nobody could configure \(isOne ? "it" : "them") any more"
    }

    private func reportReplayLists(_ nodes: [DeviceUUID], to reports: inout GuardReports) {
        guard let first = nodes.first, let index = places[first] else { return }
        let names = nodes.map { name(of: $0) }
        let known = after.network.nodes[index].replayListSize
        let promise = known == nil ? after.minima[first] : nil
        let others = nodes.count - 1
        reports.report(
            GuardFinding(
                .replayList,
                Self.objection(toReplayListOf: names[0], size: known ?? promise?.replayList ?? 0)
                    + (promise.map { ", as far as \($0.names) promises" } ?? "")
                    + (others == 0 ? "" : others == 1 ? " (and one more node)" : " (and \(others) more nodes)"),
                nodes: names,
                resources: nodes.flatMap { resources(of: $0, [.subscription]) }
            ),
            hint: Self.replayHint
        )
    }

    /// What is wrong with the number of sources, as a sentence without a full stop.
    static func objection(toReplayListOf name: String, size: Int) -> String {
        "`\(name)` would have to hear more than the \(size) sources that its replay protection list holds"
    }

    static let replayHint: Advice =
        "Let fewer elements publish to its groups, or take it out of some; it drops messages of further sources"

    private func report(_ list: ListCapacity.List, of uuid: DeviceUUID, to reports: inout GuardReports) {
        guard let index = places[uuid] else { return }
        let node = after.network.nodes[index]
        let known = after.network.capacities.first { $0.list == list && $0.product == node.product }?.entries
        let promise = known == nil ? after.minima[uuid] : nil
        let room = known ?? promise?.room(in: list) ?? 0
        let name = name(of: uuid)
        reports.report(
            GuardFinding(
                .fullList,
                list.objection(of: name, to: node.count(of: list), room: room, promisedBy: promise?.names, names),
                nodes: [name],
                resources: resources(of: uuid, [list.kind])
            ),
            hint: ListCapacity.List.hint
        )
    }
}

extension ListCapacity.List {
    /// The kind of changes that make the list longer.
    var kind: Change.Kind {
        switch self {
        case .netKeys: .nodeSubnet
        case .appKeys: .nodeApplicationKey
        case .bindings: .binding
        case .subscriptions: .subscription
        }
    }

    /// What is wrong with the number of entries, as a sentence without a full stop.
    ///
    /// - Parameter profiles: the profiles that promise the room; nil if the node's product has shown it.
    func objection(
        of name: String,
        to count: Int,
        room: Int,
        promisedBy profiles: String? = nil,
        _ names: ResourceNames
    ) -> String {
        let entries: String
        switch self {
        case .netKeys: entries = "NetKeys"
        case .appKeys: entries = "AppKeys"
        case .bindings(let element, let model): entries = "bindings of `\(names.model(model))` on element \(element)"
        case .subscriptions(let element, let model):
            entries = "subscriptions of `\(names.model(model))` on element \(element)"
        }
        let limit = profiles.map { "\($0) promises room for \(room)" } ?? "its product has refused more than \(room)"
        return "node `\(name)` would need room for \(count) \(entries), and \(limit)"
    }

    static let hint: Advice = "Ask for fewer, or leave the node out with \(command: .exclude())"
}
