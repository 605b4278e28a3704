import DefinitionModel
import MeshCore

/// In what the network differs from what is desired: the second stage of a plan.
struct Differences {
    /// The nodes of the definition that differ, in its order.
    private(set) var nodes: [NodeDifference] = []
    /// What the database has and the definition does not mention.
    private(set) var outside = NodesOutside()
    /// The places without a device, and what waits for them.
    private(set) var places = WaitingPlaces()
    /// What is desired, limited to what these differences need.
    private(set) var desired: DesiredState
    /// How the plan is limited and what that leaves out, nil if it is not.
    private(set) var scope: PlanScope?
    /// What is wrong, or worth knowing.
    private(set) var diagnostics: CountedDiagnostics
    var guards: GuardReports
    /// What nodes have already and is managed from now on.
    let claims: [NodeClaim]
    /// The subnet of each application key, planned ones included.
    let boundNetKeys: [AppKeyIndex: NetKeyIndex]
    /// What to know of subnets in a key refresh.
    let keyRefreshNotes: [String]

    private let network: MeshNetwork
    private let sharedLists: [Node.Product: SharedLists]

    init(between resolution: Resolution, and network: MeshNetwork) {
        desired = resolution.desired
        scope = resolution.scope
        var differ = NodeDiffer(
            network: network,
            applicationKeys: desired.applicationKeys,
            names: resolution.names,
            leaving: desired.leaving,
            removesDropped: true,
            diagnostics: resolution.diagnostics
        )
        for found in desired.findings { differ.guards.report(found) }
        // It only counts: what is wrong with nodes that are left out is not said.
        var counting = differ
        var nodesLeftOut = 0
        for node in desired.nodes {
            guard !resolution.places.contains(node.uuid(in: network)) else {
                let isSelected = resolution.selected?.contains(node.uuid(in: network)) ?? true
                if isSelected {
                    places.names.append(node.name.value)
                    differ.checkAsDescribed(node)
                }
                continue
            }
            if let selected = resolution.selected, !selected.contains(node.uuid(in: network)) {
                if counting.difference(of: node) != nil { nodesLeftOut += 1 }
            } else if let difference = differ.difference(of: node) {
                nodes.append(difference)
            }
        }
        outside = differ.nodesOutside(
            resolution.definition,
            selected: resolution.selected,
            substituted: desired.substituted,
            places: resolution.places,
            purpose: resolution.purpose,
            resets: resolution.resets
        )
        if scope != nil || !resolution.places.isEmpty {
            (outside.unawaitable, places.publications) = nodes.removeUnawaitable(of: resolution.places)
        }
        if scope != nil {
            scope?.nodesLeftOut += nodesLeftOut + outside.leftOut
            scope?.changesLeftOut += desired.limitToNeeds(of: nodes)
        }
        diagnostics = differ.diagnostics
        guards = differ.guards
        claims = differ.claims
        boundNetKeys = differ.boundNetKeys
        keyRefreshNotes = differ.keyRefreshNotes
        sharedLists = differ.sharedLists
        self.network = network
    }

    /// Adds the questions whether models share a subscription list, where the answer would save messages.
    ///
    /// - Returns: How many products are asked, and how many messages that may save.
    mutating func addListInquiries() -> (asked: Int, saved: Int) {
        nodes.addListInquiries(in: network, sharing: sharedLists)
    }

    /// What is wrong or worth knowing, with what guards refuse, as it is to be shown.
    func allDiagnostics(allowed: Set<PlanGuard>) -> [Diagnostic] {
        var all = diagnostics
        for refusal in guards.diagnostics(allowed: allowed) { all.report(refusal) }
        return all.finished()
    }
}
