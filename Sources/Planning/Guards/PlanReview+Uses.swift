internal import MeshCore

extension PlanReview {
    /// Keys and groups that leave the network although nodes that stay use them.
    func reportUses(_ broken: Set<GuardedNetwork.Violation>, to reports: inout GuardReports) {
        let hint = "Take it out of those nodes first, or leave it in the definition"
        var netKeys: [NetKeyIndex] = []
        var appKeys: [AppKeyIndex] = []
        var groups: [SubscriptionAddress] = []
        for violation in broken {
            switch violation {
            case .unknownNetKey(let key): netKeys.append(key)
            case .unknownAppKey(let key): appKeys.append(key)
            case .unknownGroup(let group): groups.append(group)
            default: break
            }
        }
        if !netKeys.isEmpty {
            let users = after.unknownNetKeys
            for key in netKeys.sorted() {
                let nodes = (users[key] ?? []).map { name(of: $0) }
                let subnet = names.netKey(key)
                reports.report(
                    GuardFinding(
                        .subnetInUse,
                        "subnet `\(subnet)` would go although \(list(nodes)) would still be in it",
                        nodes: nodes,
                        resources: network("subnet." + subnet, .subnet)
                    ),
                    hint: hint
                )
            }
        }
        if !appKeys.isEmpty {
            let users = after.unknownAppKeys
            for key in appKeys.sorted() {
                let nodes = (users[key] ?? []).map { name(of: $0) }
                let appKey = names.appKey(key)
                reports.report(
                    GuardFinding(
                        .applicationKeyInUse,
                        "application key `\(appKey)` would go although \(list(nodes)) would still have it",
                        nodes: nodes,
                        resources: network("application_key." + appKey, .applicationKey)
                    ),
                    hint: hint
                )
            }
        }
        if !groups.isEmpty {
            let users = after.unknownGroups
            for address in groups.sorted() {
                let nodes = (users[address] ?? []).map { name(of: $0) }
                let group = names.group(address)
                reports.report(
                    GuardFinding(
                        .groupInUse,
                        "group `\(group)` would go although \(list(nodes)) would still use it",
                        nodes: nodes,
                        resources: network("group." + group, .group)
                    ),
                    hint: hint
                )
            }
        }
    }

    /// The address of a change of the network itself, if there is one.
    private func network(_ address: String, _ kind: Change.Kind) -> [String] {
        plan.changes.contains { $0.kind == kind && $0.address == address } ? [address] : []
    }
}
