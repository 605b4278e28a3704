import MeshCore

/// What guards check: a plan, the network it was made from, and the network that it leads to, as far as known.
struct PlanReview {
    let plan: Plan
    let before: GuardedNetwork
    let after: GuardedNetwork
    let names: ResourceNames
    /// How many of the managed nodes may lose something, in percent.
    let removalLimit: Int
    /// The index of each node in ``after``.
    let places: [DeviceUUID: Int]
    /// The index of each node in the plan.
    private let summaries: [DeviceUUID: Int]

    init(
        _ plan: Plan,
        of network: MeshNetwork,
        names: ResourceNames,
        removalLimit: Int,
        minima: [DeviceUUID: NLCMinima] = [:]
    ) {
        self.plan = plan
        self.names = names
        self.removalLimit = removalLimit
        var outcome = PlanOutcome(network, upTo: network.nodes.count + plan.nodes.count)
        // By index, because a loop over the values would copy each step.
        for index in plan.steps.indices { outcome.apply(plan.steps[index].work) }
        let scope = Self.scope(of: plan.steps)
        before = GuardedNetwork(network, scope: scope, minima: minima)
        after = GuardedNetwork(outcome.network, scope: scope, minima: minima)
        places = outcome.places
        summaries = Dictionary(firstOf: plan.nodes.indices.lazy.map { (plan.nodes[$0].uuid, $0) })
    }

    /// The nodes to check one by one: those that change; nil (all) if a change also concerns others.
    private static func scope(of steps: [Step]) -> Set<DeviceUUID>? {
        var changing: Set<DeviceUUID> = []
        // The steps of a node mostly follow one another.
        var last: DeviceUUID?
        for index in steps.indices {
            switch steps[index].work {
            // Others use the keys and groups, and others hear what is published.
            case .edit, .configure(_, .setPublication): return nil
            case .configure(let node, _):
                if node != last { changing.insert(node) }
                last = node
            case .provision(let order): changing.insert(order.uuid)
            case .configureWhenKnown(let configuration): changing.insert(configuration.node)
            case .readBack: break
            }
        }
        return changing
    }

    func report(to reports: inout GuardReports) {
        guard !plan.steps.isEmpty else { return }
        reportMassRemoval(to: &reports)
        let broken = after.broken(since: before)
        guard !broken.isEmpty else { return }
        reportCarriers(broken, to: &reports)
        reportUses(broken, to: &reports)
        reportNodes(broken, to: &reports)
    }

    /// The node's name for people.
    func name(of uuid: DeviceUUID) -> String {
        if let index = summaries[uuid] { return plan.nodes[index].name }
        guard let index = places[uuid] else { return uuid.description }
        return after.network.nodes[index].name
    }

    /// The addresses of a node's changes of those kinds.
    func resources(of uuid: DeviceUUID, _ kinds: Set<Change.Kind>) -> [String] {
        guard let index = summaries[uuid] else { return [] }
        return plan.changes[plan.nodes[index].changes].filter { kinds.contains($0.kind) }.map(\.address)
    }

    /// A few names as text, with how many more there are: “a, b and 3 more”.
    func list(_ names: [String]) -> String {
        guard names.count > 4 else {
            guard let last = names.last, names.count > 1 else { return names.first.map { "`\($0)`" } ?? "" }
            return names.dropLast().map { "`\($0)`" }.joined(separator: ", ") + " and `\(last)`"
        }
        return names.prefix(3).map { "`\($0)`" }.joined(separator: ", ") + " and \(names.count - 3) more"
    }
}

extension PlanReview {
    /// Reports subnets that lose the last node that carries messages of others.
    func reportCarriers(_ broken: Set<GuardedNetwork.Violation>, to reports: inout GuardReports) {
        reportFriends(broken, to: &reports)
        for key in subnets(in: broken, { if case .noProxy(let key) = $0 { key } else { nil } }) {
            let lost = losing(key, was: { $0.features.proxy == .enabled })
            let names = lost.map { name(of: $0) }
            let unknown = after.others.count { $0.knows(key) && $0.features.proxy == nil }
            let doubt =
                unknown == 0 ? "" : unknown == 1 ? "; 1 node may be a proxy" : "; \(count(unknown)) may be proxies"
            reports.report(
                GuardFinding(
                    .lastProxy,
                    "subnet `\(self.names.netKey(key))` would lose its last GATT proxy"
                        + (names.isEmpty ? "" : ", \(list(names))")
                        + ", and nobody could reach its other nodes any more"
                        + turnPrivate(lost) + doubt,
                    nodes: names,
                    resources: lost.flatMap { resources(of: $0, [.proxy, .node, .nodeSubnet]) }
                ),
                hint: "Keep `features: { proxy: on }` for a node of the subnet, or switch another on in a plan before"
            )
        }
        for key in subnets(in: broken, { if case .noRelay(let key) = $0 { key } else { nil } }) {
            let lost = losing(key, was: { $0.features.relay == .enabled })
            let names = lost.map { name(of: $0) }
            let left = after.others.first { $0.knows(key) && $0.features.relay == .enabled }.map { name(of: $0.uuid) }
            reports.report(
                GuardFinding(
                    .lastRelay,
                    "subnet `\(self.names.netKey(key))` would lose its last relay"
                        + (names.isEmpty ? "" : ", \(list(names))")
                        + (left.map { ", but for its only GATT proxy `\($0)`" } ?? "")
                        + ", and nodes out of range of every proxy cannot be reached",
                    nodes: names,
                    resources: lost.flatMap { resources(of: $0, [.relay, .node, .nodeSubnet]) }
                ),
                hint: "Keep `features: { relay: on }` for a node between the proxies and the others"
            )
        }
    }

    /// What to know of proxies that become private ones; empty if none does. The two states exclude each other (1.1,
    /// 4.2.45.1), so one message cannot follow the other over the link that the first one ends.
    private func turnPrivate(_ lost: [DeviceUUID]) -> String {
        let names = lost.filter { uuid in places[uuid].map { after.network.nodes[$0].isPrivateProxy } ?? false }
            .map { name(of: $0) }
        guard !names.isEmpty else { return "" }
        return "; the private GATT proxy of \(list(names)) can only be switched on when the open one is off, and then "
            + "no link is left that would carry this"
    }

    /// Reports subnets with low-power nodes that lose their last friend.
    private func reportFriends(_ broken: Set<GuardedNetwork.Violation>, to reports: inout GuardReports) {
        for key in subnets(in: broken, { if case .noFriend(let key) = $0 { key } else { nil } }) {
            let lost = losing(key, was: { $0.features.friend == .enabled })
            let names = lost.map { name(of: $0) }
            let sleepers = after.others.filter { $0.knows(key) && $0.isLowPower }.map { name(of: $0.uuid) }
            reports.report(
                GuardFinding(
                    .lastFriend,
                    "subnet `\(self.names.netKey(key))` would lose its last friend"
                        + (names.isEmpty ? "" : ", \(list(names))")
                        + ", and nobody would keep messages for \(list(sleepers)), which "
                        + (sleepers.count == 1 ? "sleeps" : "sleep"),
                    nodes: names,
                    resources: lost.flatMap { resources(of: $0, [.friend, .node, .nodeSubnet]) }
                ),
                hint: """
                    Keep `features: { friend: on }` for a node near \(sleepers.count == 1 ? "it" : "them"), or switch \
                    another on in a plan before
                    """
            )
        }
    }

    private func count(_ nodes: Int) -> String { nodes == 1 ? "1 node" : "\(nodes) nodes" }

    private func subnets(
        in broken: Set<GuardedNetwork.Violation>,
        _ subnet: (GuardedNetwork.Violation) -> NetKeyIndex?
    ) -> [NetKeyIndex] { broken.compactMap(subnet).sorted() }

    /// The nodes of a subnet that had a role before the plan and do not have it after the plan, or are not there any
    /// more; by address.
    private func losing(_ key: NetKeyIndex, was isCarrier: (Node) -> Bool) -> [DeviceUUID] {
        before.others.filter { node in
            guard node.knows(key), isCarrier(node) else { return false }
            guard let index = places[node.uuid] else { return true }
            let node = after.network.nodes[index]
            return !node.knows(key) || !isCarrier(node)
        }.map(\.uuid)
    }
}
