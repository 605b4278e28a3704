import MeshCore

extension PlanReview {
    /// Below so many managed nodes, or users of a group or key, a share says nothing.
    static let smallestNetwork = 10

    /// Reports plans that remove an unusually large share. The usual cause is a file that was left out, or a selector
    /// that has lost its tag.
    ///
    /// Three shares are compared with the limit, each only if it concerns at least ``smallestNetwork`` nodes:
    /// - of the managed nodes: those that leave, or lose a key, a binding, a subscription or their publication;
    /// - of all bindings, subscriptions and publications of the managed nodes that stay: those that are removed;
    /// - of the subscriptions and publications to one group, or the bindings of one application key: those that are
    ///   removed. Groups, keys and nodes that leave the network themselves do not count.
    ///
    /// An explicit order to destroy everything is not checked.
    func reportMassRemoval(to reports: inout GuardReports) {
        guard plan.purpose != .destroy else { return }
        let managed = Set(before.others.lazy.filter(\.isManaged).map(\.uuid))
        if !reportLosers(among: managed, to: &reports) { reportRelations(among: managed, to: &reports) }
    }

    /// Reports an unusual share of nodes that leave or lose something.
    ///
    /// - Returns: whether there is one.
    private func reportLosers(among managed: Set<DeviceUUID>, to reports: inout GuardReports) -> Bool {
        let losers = plan.nodes.filter { node in
            managed.contains(node.uuid)
                && (node.isLeaving || plan.changes[node.changes].contains(where: \.takesAway))
        }
        let leaving = losers.count(where: \.isLeaving)
        guard !losers.isEmpty, managed.count >= Self.smallestNetwork, isTooMuch(losers.count, of: managed.count) else {
            return false
        }
        let share = losers.count * 100 / managed.count
        reports.report(
            GuardFinding(
                .massRemoval,
                "\(losers.count) of \(managed.count) managed nodes (\(share) %) would "
                    + (leaving == losers.count
                        ? "leave" : leaving == 0 ? "lose something" : "leave (\(leaving)) or lose something")
                    + ", more than \(removalLimit) %",
                nodes: losers.map(\.name)
            ),
            hint: Self.massRemovalHint
        )
        return true
    }

    /// Reports groups, application keys and networks that lose an unusual share of their uses.
    private func reportRelations(among managed: Set<DeviceUUID>, to reports: inout GuardReports) {
        let staying = plan.nodes.filter { node in
            managed.contains(node.uuid) && !node.isLeaving && node.action != .replace
                && plan.changes[node.changes].contains(where: \.endsRelation)
        }
        guard !staying.isEmpty, managed.count >= Self.smallestNetwork else { return }
        // A node that loses nothing has the same uses after the plan.
        var lost = RelationCounts()
        var losers: [RelationCounts.Party: [DeviceUUID]] = [:]
        let places = before.network.nodePlaces
        for summary in staying {
            guard let old = places[summary.uuid], let new = self.places[summary.uuid] else { continue }
            var own = RelationCounts()
            own.add(before.network.nodes[old])
            own.subtract(after.network.nodes[new])
            for party in own.parties { losers[party, default: []].append(summary.uuid) }
            lost.add(own)
        }
        let leaving = Set(plan.nodes.lazy.filter { $0.isLeaving || $0.action == .replace }.map(\.uuid))
        var total = RelationCounts(of: Set(lost.parties))
        for node in before.others where managed.contains(node.uuid) && !leaving.contains(node.uuid) { total.add(node) }
        let groups = Set(after.network.groups.lazy.map(\.address))
        let keys = Set(after.network.appKeys.lazy.map(\.index))
        let parties = lost.parties.filter { party in
            guard isTooMuch(lost.relations(of: party), of: total.relations(of: party)) else { return false }
            switch party {
            case .group(let group): guard groups.contains(group) else { return false }
            case .appKey(let key): guard keys.contains(key) else { return false }
            }
            return total.nodes(of: party) >= Self.smallestNetwork
        }
        let rest = parties.count - Self.partiesShown
        for (index, party) in parties.prefix(Self.partiesShown).enumerated() {
            let (count, all) = (lost.relations(of: party), total.relations(of: party))
            let (title, relations) = words(for: party)
            reports.report(
                GuardFinding(
                    .massRemoval,
                    "\(title) would lose \(count) of its \(all) \(relations) (\(count * 100 / all) %), more than "
                        + "\(removalLimit) %"
                        + (rest > 0 && index == Self.partiesShown - 1
                            ? ", and so would \(rest) more groups and keys" : ""),
                    nodes: (losers[party] ?? []).map { name(of: $0) }
                ),
                hint: Self.massRemovalHint
            )
        }
        guard parties.isEmpty, isTooMuch(lost.total, of: total.total) else { return }
        reports.report(
            GuardFinding(
                .massRemoval,
                "\(lost.total) of \(total.total) bindings, subscriptions and publications "
                    + "(\(lost.total * 100 / total.total) %) would be removed, more than \(removalLimit) %",
                nodes: staying.map(\.name)
            ),
            hint: Self.massRemovalHint
        )
    }

    private static let massRemovalHint: Advice =
        "Check whether a file or a tag is missing, or set `limits: { removals: PERCENT% }` in the definition"

    /// How many groups and keys a message names.
    private static let partiesShown = 3

    private func isTooMuch(_ count: Int, of all: Int) -> Bool { count * 100 > all * removalLimit }

    private func words(for party: RelationCounts.Party) -> (title: String, relations: String) {
        switch party {
        case .group(let group): ("group `\(names.group(group))`", "subscriptions and publications")
        case .appKey(let key): ("application key `\(names.appKey(key))`", "bindings")
        }
    }
}

extension NodeSummary {
    /// Whether the node is forgotten, reset or excluded.
    fileprivate var isLeaving: Bool { action == .forget || action == .reset || action == .exclude }
}

extension Change {
    /// Whether the change removes an entry of a node's list, or a publication.
    fileprivate var takesAway: Bool {
        guard action == .delete else { return false }
        switch kind {
        case .nodeSubnet, .nodeApplicationKey, .binding, .subscription, .publication: return true
        default: return false
        }
    }

    /// Whether the change may remove a binding, a subscription or the target group of a publication.
    fileprivate var endsRelation: Bool {
        switch kind {
        case .binding, .subscription: action == .delete
        case .publication: action != .create
        default: false
        }
    }
}
