import Bearers
import Definitions
import Execution
import MeshCore
import Planning
import Simulator
import Store

/// One read-back of nodes: for `refresh`, or before a plan.
struct RefreshSession {
    var context: Context
    var route: MeshRoute
    /// How the run is carried out.
    var options: ExecutionOptions
    var database: MeshDatabase
    var lease: WriteLease
    var name: String
    var estimator: PlanEstimator

    /// Whether a node can be asked for its configuration at all. Provisioners and former nodes cannot.
    static func isReadable(_ node: Node, in network: MeshNetwork) -> Bool {
        node.deviceKey != nil && !node.isExcluded && node.unprovisionedSeenAt == nil
            && !network.provisioners.contains { $0.uuid == node.uuid }
    }

    /// The nodes whose last read-back is longer than `seconds` ago, or that never had one. A read-back in the future
    /// counts, too: a clock was wrong, and nobody knows how long ago it was.
    func stale(_ nodes: [Node], seconds: Int64) -> [Node] {
        let now = context.now()
        return nodes.filter { node in
            guard let readBackAt = node.readBackAt, readBackAt <= now else { return true }
            return readBackAt.seconds(to: now) > seconds
        }
    }

    /// Reads nodes back, and shows the outcome as the result of a command.
    func run(_ nodes: [Node], of snapshot: Snapshot) throws -> ExitStatus {
        try options.checkProxy(in: snapshot.network)
        guard !nodes.isEmpty else {
            let recap = Recap()
            let reporter = RefreshReporter(context, network: snapshot.network)
            reporter.finish(recap, status: .success)
            return .success
        }
        let (recap, reporter, simulation) = try read(nodes, of: snapshot, isTalk: false)
        let status = ExitStatus(recap)
        reporter.finish(recap, status: status)
        let report = simulation?.report(context) ?? .success
        return report == .success ? status : report
    }

    /// Reads nodes back before something else uses the values.
    ///
    /// - Throws: ``Failure`` if it was interrupted, or stopped by anything other than nodes that do not answer.
    func runBefore(_ nodes: [Node], of snapshot: Snapshot) throws -> Recap {
        guard !nodes.isEmpty else { return Recap() }
        let (recap, reporter, _) = try read(nodes, of: snapshot, isTalk: true)
        reporter.close()
        if recap.ending == .interrupted {
            throw Failure(.interrupted, "interrupted; what was read back is kept, and nothing was planned")
        }
        if let failure = Failure(ending: recap.ending) { throw failure }
        return recap
    }

    private func read(
        _ nodes: [Node],
        of snapshot: Snapshot,
        isTalk: Bool
    ) throws -> (Recap, RefreshReporter, Simulation?) {
        let reporter = RefreshReporter(context, network: snapshot.network, isTalk: isTalk)
        let access = try route.open(
            in: context,
            network: snapshot.network,
            heard: snapshot.replay,
            named: name,
            // Simulated nodes answer for the states of models that the definition describes.
            vendorModels: DefinitionFiles(context: context).readingOfWorkingFolder(tells: false)?.vendorModels ?? []
        )
        reporter.begin(nodes, estimator.fitting(snapshot), options)
        var options = options
        route.nameCommands(in: &options.link, of: name, context)
        let executor = Executor(
            database: database,
            lease: lease,
            bearer: access.bearer,
            options: options,
            context: context.execution { reporter.handle($0) }
        )
        return (executor.readBack(nodes.map(\.uuid)), reporter, access.simulation)
    }
}
