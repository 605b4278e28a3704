import DefinitionModel
package import MeshCore

/// Compares nodes with the desired state, one node per call.
struct NodeDiffer {
    let network: MeshNetwork
    var diagnostics: CountedDiagnostics
    /// What guards have found.
    var guards = GuardReports()
    /// Whether to leave out what guards refuse. It is set when nobody can be asked; then it leaves out, too, what may
    /// never be allowed.
    let leavesOutRefused: Bool
    /// The guards that the plan may pass all the same.
    let allowed: Set<PlanGuard>

    /// Names of NetKeys and AppKeys, for diagnostics.
    let names: ResourceNames
    /// The subnet of each AppKey, planned ones included.
    let boundNetKeys: [AppKeyIndex: NetKeyIndex]
    /// The subnets in a key refresh, with their phases.
    let refreshing: [NetKeyIndex: KeyRefreshPhase]
    /// What leaves the network, and so leaves the definition's nodes, too.
    let leaving: LeavingResources
    /// Whether to remove what earlier definitions asked for and this one does not. A partial desired state says nothing
    /// about what it leaves out.
    let removesDropped: Bool
    /// The models that share one subscription list, by product.
    let sharedLists: [Node.Product: SharedLists]
    /// How many entries each list has room for, by product.
    let rooms: [Node.Product: [ListCapacity.List: Int]]
    /// What nodes already have, and what is managed from now on.
    var claims: [NodeClaim] = []
    /// The nodes that get a key of such a subnet while its new key is distributed.
    var refreshingNodes: [NetKeyIndex: Set<DeviceUUID>] = [:]

    init(
        network: MeshNetwork,
        applicationKeys: [DesiredApplicationKey] = [],
        names: ResourceNames,
        leaving: LeavingResources = LeavingResources(),
        removesDropped: Bool = false,
        leavingOutRefusedBut allowed: Set<PlanGuard>? = nil,
        diagnostics: CountedDiagnostics
    ) {
        leavesOutRefused = allowed != nil
        self.allowed = allowed ?? []
        self.network = network
        self.leaving = leaving
        self.removesDropped = removesDropped
        self.diagnostics = diagnostics
        self.names = names
        var bound = Dictionary(network.appKeys.map { ($0.index, $0.boundNetKey) }) { first, _ in first }
        for key in applicationKeys { bound[key.index] = key.boundNetKey }
        boundNetKeys = bound
        sharedLists = network.sharedListsByProduct
        rooms = network.rooms
        refreshing = Dictionary(
            network.netKeys.filter { $0.phase != .normal }.map { ($0.index, $0.phase) }
        ) { first, _ in first }
    }

    /// The difference of a node; nil if there is none.
    mutating func difference(of desired: DesiredNode) -> NodeDifference? {
        let node = desired.baseline(in: network)
        var desired = desired
        var difference = NodeDifference(origin: desired.origin, name: desired.name.value)
        let management = NodeDifference.Management(
            name: desired.name.value,
            isProtected: desired.isProtected,
            removalPolicy: desired.removalPolicy
        )
        if !node.isManaged || management != NodeDifference.Management(node) { difference.management = management }
        checkRanges(of: desired, node: node)
        checkBoundStates(of: desired)
        checkAsDescribed(desired)
        if node.isCompositionKnown {
            preflight(&desired, node: node)
        } else {
            difference.readsComposition = true
            waitForComposition(&desired, node: node, &difference)
        }
        compare(desired, node: node, &difference)
        if !node.isCompositionKnown { deferRemovals(desired, &difference) }
        if let order = desired.order { check(order, in: desired) }
        guard !difference.isEmpty else { return nil }
        if difference.needsMessages, desired.order == nil { checkReachable(desired, node: node) }
        return difference
    }

    /// Whether to leave out what a guard refuses.
    func leavesOut(_ planGuard: PlanGuard) -> Bool {
        leavesOutRefused && !(planGuard.isAllowable && allowed.contains(planGuard))
    }

    /// Compares keys, models and states.
    mutating func compare(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        compareKeys(desired, node: node, &difference)
        if !leaving.isEmpty { compareLeavingKeys(desired, node: node, &difference) }
        compareModels(desired, node: node, &difference)
        compareHeldStates(desired, node: node, &difference)
        compareStates(desired, node: node, &difference)
        compareFoundation(desired, node: node, &difference)
    }

    mutating func checkReachable(_ desired: DesiredNode, node: Node) {
        let problem: (message: String, hint: String)
        if node.deviceKey == nil {
            problem = ("has no device key in the database", "Import a database that holds the device key of the node")
        } else if node.transportNetKey == nil {
            problem = ("has no NetKey in the database", "Import a database that lists the NetKeys of the node")
        } else {
            return
        }
        diagnostics.report(
            Diagnostic(
                .error,
                "node `\(desired.name.value)` \(problem.message), so nothing can be sent to it",
                at: desired.name.location,
                length: desired.name.value.count,
                resource: "node." + desired.name.value,
                hint: problem.hint
            )
        )
    }
}

extension Node {
    /// The NetKey that secures Configuration messages to the node: the primary one if the node has it, else the one
    /// with the lowest index. A plan deletes it only if the user allows that.
    package var transportNetKey: NetKeyIndex? { netKeys.min { $0.index < $1.index }?.index }
}
