import Execution
import MeshCore
import Planning
import Store
import SystemLayer

extension PlannedJob: ApplyPlanned {}

/// Does what ``Apply`` asks for: with the database of a network, over a route to the mesh, in front of a person.
final class ApplyWork<Source: PlanSource>: ApplyEffects {
    typealias EffectError = any Error

    private let run: ApplyInvocation
    private let source: Source
    private let database: MeshDatabase
    private var lease: WriteLease?
    private var mesh: MeshConnection?
    /// Made from the first snapshot.
    private var reporter: ApplyReporter?
    /// Estimates the time, apart from what a snapshot says.
    private var estimator: PlanEstimator?
    private var context: Context { run.context }
    private var confirmation: Confirmation { Confirmation(context: context, network: source.network) }

    /// The work of a run.
    ///
    /// - Parameters:
    ///   - source: where its plans come from.
    ///   - database: the database of the network, which nobody has locked.
    init(_ run: ApplyInvocation, _ source: Source, _ database: MeshDatabase) {
        self.run = run
        self.source = source
        self.database = database
    }

    // MARK: The database

    func lock() throws {
        lease = try Workspace(context: context).lock(database, for: run.operation)
    }

    func release() {
        mesh = nil
        lease?.release()
        lease = nil
    }

    func unconfirmed() throws -> PendingConfirmation? { try database.pendingConfirmation() }

    func confirmationNote() throws -> PendingConfirmation? { try database.confirmationNote() }

    func snapshot() throws -> Snapshot { try database.snapshot(with: try held()) }

    func earlierRun(of plan: Plan) throws -> EarlierRun? {
        try database.run(plan: plan.identifier).map { $0.outcome == .completed ? .completed : .unfinished }
    }

    func declare() throws { try held().declare(source.text, goal: source.returnGoal) }

    func awaitConfirmation() throws { try database.awaitConfirmation(with: try held()) }

    func setDeadline(_ deadline: Timestamp) throws -> PendingConfirmation? {
        try database.setConfirmationDeadline(deadline, with: try held())
    }

    func record(_ claims: Claims) throws {
        try Executor.record(claims, on: try snapshot(), in: database, with: try held())
    }

    func settle(_ network: MeshNetwork, isComplete: Bool) throws {
        try source.settle(network, database, try held(), isComplete: isComplete)
        if isComplete { try database.reachGoal(with: try held()) }
    }

    /// The lease.
    private func held() throws(StoreError) -> WriteLease {
        guard let lease else { throw StoreError(.notLocked, "the lock of the database is not held") }
        return lease
    }

    // MARK: Plans

    func check(_ snapshot: Snapshot) throws {
        reporter = ApplyReporter(context, network: snapshot.network, isFull: run.isFull, operation: run.operation)
        try run.options.checkProxy(in: snapshot.network, names: source.namesOfProxies(in: snapshot.network))
        try source.checkNames(in: snapshot.network, options: run.planner)
    }

    func plan(_ snapshot: Snapshot) throws -> PlannedJob {
        // Whether nothing can be estimated is known before anything is shown.
        _ = try estimator(for: snapshot)
        var planned = try source.plan(snapshot, options: run.planner)
        planned.plan.dependencies = try run.dependencies(database).of(planned.plan)
        return planned
    }

    func show(_ planned: PlannedJob, _ snapshot: Snapshot) throws {
        var estimator = try estimator(for: snapshot)
        // The same executor does not ask nodes again that were silent in the read-back just now.
        estimator.inDoubt = []
        // Nor does it need to listen for proxies that it has just heard.
        estimator.listensForProxies = mesh == nil
        source.show(planned.plan, unresolved: snapshot.unresolved.count, estimator: estimator, isFull: run.isFull)
        try SequenceNotice(context, network: source.network).warn(of: snapshot, database)
        try ReturnNotice(context).warn(source, database)
        planned.remind(in: context)
    }

    func announce(_ plan: Plan, _ snapshot: Snapshot, earlier: EarlierRun?) throws {
        if earlier != .completed { try plan.checkClock(context.now(), in: snapshot.network) }
        // A finished plan is not announced to people; programs get their summary.
        if context.json == nil, earlier == .completed, let refusal = Failure(ending: .refused(.alreadyApplied)) {
            throw refusal
        }
        let estimator = try estimator(for: snapshot)
        source.show(plan, unresolved: snapshot.unresolved.count, estimator: estimator, isFull: run.isFull)
        try SequenceNotice(context, network: source.network).warn(of: snapshot, database)
    }

    /// The estimator for a plan that this run carries out.
    private func estimator(for snapshot: Snapshot) throws -> PlanEstimator {
        if let estimator { return estimator.fitting(snapshot) }
        let made = try run.radio.estimator(
            database,
            connections: run.options.expectedConnections,
            window: run.options.maximumWindow,
            simulation: run.route.simulation
        )
        estimator = made
        return made.fitting(snapshot)
    }

    func checkWayBack(_ plan: Plan, _ snapshot: Snapshot) throws { try confirmation.check(plan, in: snapshot) }

    /// Asks for approval. Destroying, which cannot be taken back, takes more than a yes.
    func approve(_ plan: Plan) throws {
        let summary = PlanSummary(plan)
        let explanation =
            summary.messages == 0
            ? "Only the mesh database will change; nothing will be sent."
            : "meshplan will \(summary.work) for the changes above."
        switch plan.purpose {
        case .converge:
            try Prompt(context: context).confirm("Do you want to perform these actions?", explanation: explanation)
        case .destroy:
            try Prompt(context: context).confirm(
                "Do you really want to destroy everything managed in network \(plan.network.printable)?",
                explanation: explanation + " There is no way back.",
                answer: plan.network
            )
        }
    }

    // MARK: The mesh

    func probe() throws { try run.route.probe(in: context) }

    func connect(_ snapshot: Snapshot) throws { _ = try connected(snapshot) }

    private func connected(_ snapshot: Snapshot) throws -> (mesh: MeshConnection, reporter: ApplyReporter) {
        let reporter = self.reporter ?? ApplyReporter(context, network: snapshot.network, isFull: run.isFull)
        if let mesh { return (mesh, reporter) }
        let made = try MeshConnection(
            over: run.route,
            in: context,
            database,
            try held(),
            snapshot,
            named: source.network,
            names: source.nodeNames(in: snapshot.network),
            vendorModels: source.vendorModels,
            secrets: run.secrets,
            options: run.options,
            reporter
        )
        mesh = made
        return (made, reporter)
    }

    func listen(_ snapshot: Snapshot) throws -> Recap.Ending {
        let executor = try connected(snapshot).mesh.executor
        if context.json == nil {
            context.errorOutput.line("Listening \(run.listening.text) for nodes that were reset …")
        }
        let report = executor.listen(for: run.listening.longest, enough: run.listening.enough)
        if case .linkFailed(let reason, _) = report.ending {
            context.errorOutput.line(
                "Nodes that were reset meanwhile cannot be detected, because no bearer can listen: \(reason.printable)."
            )
        }
        guard report.ending == .completed else { return report.ending }
        let names = Dictionary(firstOf: snapshot.network.nodes.map { ($0.uuid, $0.name) })
        for uuid in report.foundUnprovisioned {
            let name = names[uuid] ?? uuid.description
            context.errorOutput.line("\(name.printable) was reset and has left the network.")
        }
        for uuid in report.foundAlive {
            let name = names[uuid] ?? uuid.description
            context.errorOutput.line("\(name.printable) is a node again.")
        }
        return report.ending
    }

    func resolveDoubts(_ snapshot: Snapshot) throws -> ApplyRunResult {
        let executor = try connected(snapshot).mesh.executor
        let recap = executor.resolveInDoubt(matters: source.interest(in: snapshot.network))
        return ApplyRunResult(recap, end: executor.now, network: executor.network)
    }

    func run(_ plan: Plan, _ snapshot: Snapshot) throws -> ApplyRunResult {
        let (mesh, reporter) = try connected(snapshot)
        let estimator = try estimator(for: snapshot)
        reporter.begin(plan, estimate: { estimator.estimate(plan).total.median })
        let recap = mesh.executor.apply(plan)
        // A plan of a file is not settled: it has reached its goal when it is carried out.
        if source is SavedPlanSource, source.returnGoal != nil, recap.isComplete {
            try database.reachGoal(with: try held())
        }
        return ApplyRunResult(recap, end: mesh.executor.now, network: mesh.executor.network)
    }

    func wait(_ pause: Duration, for recap: Recap) -> Bool {
        guard let mesh else { return false }
        if let lines = context.json {
            lines.event([
                "type": "waiting", "pause_ms": .integer(Int(clamping: pause.microseconds / 1_000)),
                "pending": .array(recap.pending.map { $0.node.description.json }),
            ])
        } else {
            let names = recap.pending.prefix(5).map(\.name.printable).joined(separator: ", ")
            let others = recap.pending.count > 5 ? " and \(recap.pending.count - 5) more" : ""
            context.errorOutput.line("Waiting for \(names)\(others); asking again in \(pause.components.seconds) s.")
        }
        guard mesh.executor.pause(for: pause) else { return false }
        mesh.executor.forgetUnreachable()
        return true
    }

    // MARK: The end

    func finish(_ recap: Recap) -> (status: ExitStatus, isComplete: Bool) {
        guard let mesh, let reporter else { return (ExitStatus(recap), recap.isComplete) }
        let status = mesh.finish(recap, reporter, context)
        return (status, status == .success)
    }

    /// Ends a run with nothing to do. An unusable bearer is an error all the same: nobody could listen for nodes that
    /// were reset.
    func finishWithoutChanges(_ plan: Plan, resolved: Recap?) throws -> ExitStatus {
        var failure: (any Error)?
        do { try probe() } catch { failure = error }
        if let lines = context.json {
            ApplyJSON(lines: lines, plan: plan).finish(
                resolved ?? Recap(),
                status: failure == nil ? .success : .failure
            )
        }
        if let failure { throw failure }
        return mesh?.simulation?.report(context) ?? .success
    }

    // MARK: Confirmation

    var now: Timestamp { context.now() }

    var interrupts: Int { context.interrupts.count() }

    func tell(_ news: ConfirmationNews) { confirmation.tell(news) }

    func sleep() { context.pause(.seconds(1)) }

    func goBack(_ pending: PendingConfirmation, isInterrupted: Bool) throws -> GoingBack<ExitStatus> {
        var run = run
        // The signal that ended waiting must not end taking back.
        let (count, before) = (context.interrupts.count, interrupts)
        run.context.interrupts.count = { count() - before }
        confirmation.tellOfReturn(pending, isInterrupted: isInterrupted)
        do {
            let end = try run.takeBack(pending, of: source.network, in: database)
            if case .refused(.nothingToTakeBack) = end { return .decided }
            let status = try run.status(of: end, source.network)
            confirmation.tellOfReturn(pending, status)
            return .ended(status == .success ? .notApproved : status)
        } catch let error as StoreError where error.code == .locked && !isInterrupted {
            // The holder of the lock may be confirming.
            return .locked
        }
    }
}
