import MeshCore

extension PlanReview {
    /// Reports keys and groups that leave the network although nodes that stay use them. Each kind gives one finding,
    /// because there is usually one cause.
    func reportUses(_ broken: Set<GuardedNetwork.Violation>, to reports: inout GuardReports) {
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
            report(
                .subnetInUse,
                netKeys.sorted().map { Leaver("subnet", names.netKey($0), "subnet.", users[$0] ?? []) },
                "be in",
                .subnet,
                to: &reports
            )
        }
        if !appKeys.isEmpty {
            let users = after.unknownAppKeys
            report(
                .applicationKeyInUse,
                appKeys.sorted().map {
                    Leaver("application key", names.appKey($0), "application_key.", users[$0] ?? [])
                },
                "have",
                .applicationKey,
                to: &reports
            )
        }
        if !groups.isEmpty {
            let users = after.unknownGroups
            report(
                .groupInUse,
                groups.sorted().map { Leaver("group", names.group($0), "group.", users[$0] ?? []) },
                "use",
                .group,
                to: &reports
            )
        }
    }

    /// A resource that would leave, and the nodes that still use it.
    private struct Leaver {
        var noun: String
        var name: String
        /// The start of the address of its change.
        var prefix: String
        var users: [DeviceUUID]

        init(_ noun: String, _ name: String, _ prefix: String, _ users: [DeviceUUID]) {
            (self.noun, self.name, self.prefix, self.users) = (noun, name, prefix, users)
        }
    }

    private func report(
        _ planGuard: PlanGuard,
        _ leavers: [Leaver],
        _ verb: String,
        _ kind: Change.Kind,
        to reports: inout GuardReports
    ) {
        guard let first = leavers.first else { return }
        let all = Set(leavers.flatMap(\.users))
        let users = after.network.nodes.map(\.uuid).filter(all.contains)
        let nodes = users.map { name(of: $0) }
        let title = "\(first.noun)\(leavers.count == 1 ? "" : "s") \(list(leavers.map(\.name)))"
        reports.report(
            GuardFinding(
                planGuard,
                "\(title) would be removed although \(list(nodes)) would still \(verb) "
                    + "\(leavers.count == 1 ? "it" : "them")",
                nodes: nodes,
                resources: leavers.flatMap { network($0.prefix + $0.name, kind) }
            ),
            hint: hint(users: users, isOne: leavers.count == 1)
        )
    }

    /// How the nodes can release what leaves. Nodes that leave the definition in the same plan are forgotten with
    /// everything they have, unless the plan or an earlier one says that they are to be reset.
    private func hint(users: [DeviceUUID], isOne: Bool) -> Advice {
        let forgotten = Set(plan.nodes.lazy.filter { $0.action == .forget }.map(\.uuid))
        let it = isOne ? "it" : "them"
        guard let first = users.first(where: forgotten.contains) else {
            return "Take \(it) out of those nodes first, or leave \(it) in the definition"
        }
        let count = users.count(where: forgotten.contains)
        let who = count == 1 ? "`\(name(of: first))` is" : "\(count) of these nodes are"
        return """
            \(who) forgotten and would keep what \(count == 1 ? "it has" : "they have"). To have \
            \(count == 1 ? "it" : "them") reset instead: leave the lines in, or put them back, and plan the removal with \
            \(command: .removeTagged(count == 1 ? name(of: first) : nil, resets: true)); or leave \(it) in the \
            definition
            """
    }

    /// The address of a change of the network itself, if there is one.
    private func network(_ address: String, _ kind: Change.Kind) -> [String] {
        plan.changes.contains { $0.kind == kind && $0.address == address } ? [address] : []
    }
}
