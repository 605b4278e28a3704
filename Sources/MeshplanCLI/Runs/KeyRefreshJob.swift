import DefinitionModel
import MeshCore
import Planning
import Store

/// A key refresh as the command line describes it: with names that mean something only together with a database.
struct KeyRefreshJob: PlanSource {
    var context: Context
    var network: String
    /// The subnet, by name or NetKey index.
    var subnet: String
    /// The nodes to exclude, by name, address or UUID.
    var excluded: [String]

    func nodeNames(in network: MeshNetwork) -> [String: DeviceUUID] {
        Dictionary(firstOf: network.nodes.map { ($0.name, $0.uuid) })
    }

    func checkNames(in network: MeshNetwork, options: PlannerOptions) throws { _ = try request(in: network) }

    func plan(_ snapshot: Snapshot, options: PlannerOptions) throws -> PlannedJob {
        var generator = context.randomNumbers
        let result = KeyRefreshPlanner.plan(
            try request(in: snapshot.network),
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

    /// The request with the names looked up in a network.
    ///
    /// - Throws: ``Failure`` for a name that nothing, or more than one node, has.
    private func request(in network: MeshNetwork) throws(Failure) -> KeyRefreshRequest {
        let subnet = try subnet(in: network)
        var nodes: [DeviceUUID] = []
        for name in excluded {
            if let node = try node(name, in: network) { nodes.append(node) }
        }
        return KeyRefreshRequest(subnet: subnet, excluded: nodes)
    }

    /// Finds the subnet. A name comes before a number, since a subnet can be named like a number.
    private func subnet(in network: MeshNetwork) throws(Failure) -> NetKeyIndex {
        let named = network.netKeys.filter { $0.name == subnet }
        guard named.count < 2 else {
            throw Failure(
                .usage,
                "several subnets are called `\(subnet)`",
                hint: "Use its NetKey index: \(named.map(\.index.description).joined(separator: ", "))."
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

    /// Finds the node or device; nil for an excluded device that no longer exists.
    private func node(_ text: String, in network: MeshNetwork) throws(Failure) -> DeviceUUID? {
        let finder = NodeFinder(context: context, network: network, use: .changing)
        if let found = try finder.candidate(text, hasPending: true) { return found.uuid }
        let isGone = network.retiredNodes.contains { retired in
            retired.reason == .excluded
                && (retired.node.name == text || "\(retired.node.uuid)" == text.lowercased())
        }
        if isGone { return nil }
        let names = network.nodes.map(\.name) + network.pendingProvisionings.map(\.name)
        let nearest = Suggestion.nearest(to: text, among: names).map { "Did you mean `\($0.printable)`? " } ?? ""
        let pattern = text.contains("*") ? "Each is named for itself, without patterns. " : ""
        throw Failure(
            .usage,
            "there is no node `\(text.printable)` to exclude",
            hint: nearest + pattern + "meshplan show lists the nodes."
        )
    }
}
