import ArgumentParser
import DefinitionModel
import Execution
import MeshCore
import Planning
import Store

/// The nodes to read back before planning.
enum PlanRefresh: String, CaseIterable, ExpressibleByArgument {
    /// None, so that planning needs no radio.
    case none
    /// Nodes for which something is planned.
    case touched
    /// Nodes that were not read back for a long time.
    case stale
    /// All nodes that the definition manages.
    case all
}

/// The options for reading nodes back before planning.
struct PlanRefreshOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Which nodes to read back first: none, touched (those with changes), stale (see --older-than) or all.",
            valueName: "which"
        )
    )
    var refresh = PlanRefresh.none

    @Option(
        help: ArgumentHelp(
            "The age from which a node counts as stale, such as 12h or 7d.",
            valueName: "age",
            visibility: .hidden
        )
    )
    var olderThan = AgeArgument(seconds: 7 * 86_400)

    @Option(
        help: ArgumentHelp(
            BearerChoice.help,
            valueName: "bearer"
        )
    )
    var via: [String] = []

    /// Checks the options against those of the way.
    func check(_ way: RouteOptions) throws(ValidationError) {
        if refresh != .none { try way.devices.check(for: via) }
        try way.simulator.check(for: via)
        if refresh != .none, via.isEmpty { throw ValidationError("--refresh needs --via: how to reach the mesh.") }
        if !via.isEmpty { _ = try BearerChoice.all(way.adapter.routes(via)) }
        try way.adapter.check(for: via)
    }

    /// The contents of the database, after nodes were read back as the options say.
    ///
    /// - Parameters:
    ///   - execution: how nodes are read.
    ///   - options: the limits of the plan; nodes outside of them are not read back.
    func snapshot(
        of database: MeshDatabase,
        _ planning: PlanningJob.Prepared,
        _ estimator: PlanEstimator,
        _ way: RouteOptions,
        _ execution: RunOptions,
        _ options: PlannerOptions,
        in context: Context
    ) throws -> Snapshot {
        guard refresh != .none, !via.isEmpty else { return try database.snapshot() }
        let known = try database.snapshot().network
        try planning.checkNames(in: known, options: options)
        try execution.options.checkProxy(in: known, names: planning.nodeNames(in: known))
        let lease = try Workspace(context: context).lock(database, for: "plan --refresh")
        defer { lease.release() }
        let run = RefreshSession(
            context: context,
            route: try way.route(),
            options: execution.options,
            database: database,
            lease: lease,
            name: planning.network,
            estimator: estimator
        )
        let snapshot = try database.snapshot(with: lease)
        let declared = Set(planning.definition.nodes.map(\.uuid.value))
        let selected = Planner.selected(planning.definition, in: snapshot.network, options: options)
        var nodes = snapshot.network.nodes.filter { node in
            declared.contains(node.uuid) && selected?.contains(node.uuid) ?? true
                && RefreshSession.isReadable(node, in: snapshot.network)
        }
        switch refresh {
        case .none: return snapshot
        case .all: break
        case .stale: nodes = run.stale(nodes, seconds: olderThan.seconds)
        case .touched:
            // This plan only shows which nodes it touches. Diagnostics come from the final plan.
            let plan = Planner.plan(
                definition: planning.definition,
                network: snapshot.network,
                base: (snapshot.lineage, snapshot.serial),
                identifier: Octets16(high: 0, low: 0),
                options: options
            ).plan
            let touched = Set((plan?.nodes ?? []).map(\.uuid))
            nodes.removeAll { !touched.contains($0.uuid) }
        }
        guard !nodes.isEmpty else { return snapshot }
        _ = try run.runBefore(nodes, of: snapshot)
        return try database.snapshot()
    }
}
