internal import MeshCore
internal import Planning
internal import Store

/// A key refresh as the command line orders it: names, which mean something only beside a database.
struct KeyRefreshJob: PlanSource {
    /// The effects.
    var context: Context
    /// The name of the network.
    var network: String
    /// The subnet, by name or NetKey index.
    var subnet: String
    /// Nodes that are left out, by name, address or UUID.
    var excluded: [String]

    func nodeNames(in network: MeshNetwork) -> [String: DeviceUUID] {
        Dictionary(network.nodes.map { ($0.name, $0.uuid) }, uniquingKeysWith: { first, _ in first })
    }

    func plan(_ snapshot: Snapshot, options: PlannerOptions) throws -> PlannedJob {
        var generator = context.randomNumbers
        let request = KeyRefreshRequest(
            subnet: try subnet(in: snapshot.network),
            excluded: try excluded.compactMap { try node($0, in: snapshot.network) }
        )
        let result = KeyRefreshPlanner.plan(
            request,
            of: snapshot.network,
            named: network,
            base: (snapshot.lineage, snapshot.serial),
            identifier: Octets16(high: generator.next(), low: generator.next()),
            options: options
        )
        guard let plan = result.plan else {
            throw InvalidDefinition(diagnostics: result.diagnostics, files: SourceFiles())
        }
        return PlannedJob(plan: plan, refusals: result.diagnostics, files: SourceFiles())
    }

    func show(_ plan: Plan, unresolved: Int, estimator: PlanEstimator, isFull: Bool) {
        show(plan, unresolved: unresolved, estimator: estimator, isFull: isFull, in: context)
    }

    /// A name counts before a number, for a subnet can be called one.
    private func subnet(in network: MeshNetwork) throws(Failure) -> NetKeyIndex {
        let named = network.netKeys.filter { $0.name == subnet }
        guard named.count < 2 else {
            throw Failure(
                .usage,
                "several subnets are called `\(subnet)`",
                hint: "Say which by its NetKey index: \(named.map(\.index.description).joined(separator: ", "))."
            )
        }
        if let key = named.first { return key.index }
        if let number = UInt16(subnet), let key = network.netKeys.first(where: { $0.index.rawValue == number }) {
            return key.index
        }
        throw Failure(
            .usage,
            "there is no subnet `\(subnet)`",
            hint: "There are: \(network.netKeys.map(\.name).joined(separator: ", "))."
        )
    }

    /// The node or device that is meant; nil for one that was excluded as a device and is gone.
    private func node(_ text: String, in network: MeshNetwork) throws(Failure) -> DeviceUUID? {
        let known =
            network.nodes.map { (name: $0.name, uuid: $0.uuid, address: $0.unicastAddress) }
            + network.pendingProvisionings.map { (name: $0.name, uuid: $0.uuid, address: $0.address) }
        let candidates = [
            known.filter { $0.name == text }, known.filter { "\($0.uuid)" == text.lowercased() },
            known.filter { "\($0.address)".lowercased() == text.lowercased() },
        ]
        guard let found = candidates.first(where: { !$0.isEmpty }) else {
            let isGone = network.retiredNodes.contains { retired in
                retired.reason == .excluded
                    && (retired.node.name == text || "\(retired.node.uuid)" == text.lowercased())
            }
            if isGone { return nil }
            throw Failure(.usage, "there is no node `\(text)` to be left out", hint: "meshplan show lists the nodes.")
        }
        guard found.count == 1, let only = found.first else {
            throw Failure(
                .usage,
                "several nodes are called `\(text)`",
                hint: "Say which by its address: \(found.map { "\($0.address)" }.joined(separator: ", "))."
            )
        }
        return only.uuid
    }
}
