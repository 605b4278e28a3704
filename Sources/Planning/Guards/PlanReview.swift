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
        for place in plan.steps.indices { outcome.apply(plan.steps[place].work) }
        let scope = Self.scope(of: plan.steps)
        before = GuardedNetwork(network, scope: scope, minima: minima)
        after = GuardedNetwork(outcome.network, scope: scope, minima: minima)
        places = outcome.places
        summaries = Dictionary(
            plan.nodes.indices.lazy.map { (plan.nodes[$0].uuid, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The nodes to check one by one: those that change; nil (all) if a change also concerns others.
    private static func scope(of steps: [Step]) -> Set<DeviceUUID>? {
        var changing: Set<DeviceUUID> = []
        // The steps of a node mostly follow one another.
        var last: DeviceUUID?
        for place in steps.indices {
            switch steps[place].work {
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

    /// Reports everything that the plan would break.
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
        if let place = summaries[uuid] { return plan.nodes[place].name }
        guard let place = places[uuid] else { return uuid.description }
        return after.network.nodes[place].name
    }

    /// The addresses of a node's changes of those kinds.
    func resources(of uuid: DeviceUUID, _ kinds: Set<Change.Kind>) -> [String] {
        guard let place = summaries[uuid] else { return [] }
        return plan.changes[plan.nodes[place].changes].filter { kinds.contains($0.kind) }.map(\.address)
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
