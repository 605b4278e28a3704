internal import MeshCore

extension PlanReview {
    /// Below so many managed nodes a share of them says nothing.
    static let smallestNetwork = 10

    /// Plans that take something away from an unusual share of the managed nodes: mostly a file that was left out, or a
    /// selector that has lost its tag.
    func reportMassRemoval(to reports: inout GuardReports) {
        let losers = plan.nodes.filter { node in
            node.isLeaving || plan.changes[node.changes].contains(where: \.takesAway)
        }
        guard !losers.isEmpty else { return }
        let managed = Set(before.others.lazy.filter(\.isManaged).map(\.uuid))
        guard managed.count >= Self.smallestNetwork else { return }
        let losing = losers.filter { managed.contains($0.uuid) }
        let leaving = losing.count(where: \.isLeaving)
        guard losing.count * 100 > managed.count * removalLimit else { return }
        let share = losing.count * 100 / managed.count
        reports.report(
            GuardFinding(
                .massRemoval,
                "\(losing.count) of \(managed.count) managed nodes (\(share) %) would "
                    + (leaving == losing.count
                        ? "leave" : leaving == 0 ? "lose something" : "leave (\(leaving)) or lose something")
                    + ", more than \(removalLimit) %",
                nodes: losing.map(\.name)
            ),
            hint: "See whether a file or a tag is missing, or set `limits: { removals: PERCENT% }` in the definition"
        )
    }
}

extension NodeSummary {
    /// Whether it is no node of ours afterwards.
    fileprivate var isLeaving: Bool { action == .forget || action == .reset || action == .exclude }
}

extension Change {
    /// Whether a node loses an entry of one of its lists, or a publication, by it.
    fileprivate var takesAway: Bool {
        guard action == .delete else { return false }
        switch kind {
        case .nodeSubnet, .nodeApplicationKey, .binding, .subscription, .publication: return true
        default: return false
        }
    }
}
