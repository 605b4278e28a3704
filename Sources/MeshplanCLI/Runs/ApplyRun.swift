internal import Bearers
internal import Execution
internal import MeshCore
internal import Planning
internal import Simulator
internal import Store

/// One `apply`: plan, approval, run, recap.
struct ApplyRun {
    var context: Context
    /// The route to the mesh.
    var route: MeshRoute
    /// How the run is carried out.
    var options: ExecutionOptions
    /// The radio for the estimate of the time.
    var radio: RadioOptions
    /// The out-of-band data of devices.
    var secrets: SecretsReader
    /// How long to listen before planning.
    var listening: ResetListening
    /// Whether to show the details of every node.
    var isFull: Bool
    /// Whether the plan counts as approved, so that nobody is asked.
    var isApproved: Bool
    /// The digest of a plan that was approved elsewhere; no other plan is applied.
    var expected: DigestArgument?
    /// The guards to pass and the limits of the plan, if this run makes one.
    var planner: PlannerOptions
    /// For how long nodes that do not answer are asked again.
    var patience = Duration.zero
    /// The name of the operation in the history.
    var operation = "apply"
    /// How long the changes wait for confirmation; nil if they need none.
    var confirmWithin: Duration?
    /// Whether this run takes back unconfirmed changes, so that they are no reason to refuse it.
    var goesBack = false

    /// Carries out exactly the plan in a file.
    func savedPlan(at path: String) throws -> ExitStatus {
        let (network, sealed) = try SavedPlan.read(path, in: context)
        return try confirmed(network, try carryOut(sealed, of: network, path: path))
    }

    private func carryOut(_ sealed: [UInt8], of network: String, path: String) throws -> (ExitStatus, awaits: Bool) {
        let workspace = Workspace(context: context)
        let database = try workspace.open(network)
        let (plan, definition) = try SavedPlan.openWithDefinition(sealed, of: network, path: path, database: database)
        try expected?.check(plan)
        let lease = try workspace.lock(database, for: operation)
        try Confirmation(context: context, network: network).check(database)
        let snapshot = try database.snapshot()
        try options.checkProxy(in: snapshot.network)
        // A finished plan is not announced to people; programs get their summary.
        if context.json == nil, try database.run(plan: plan.identifier)?.outcome == .completed,
            let refusal = Failure(ending: .refused(.alreadyApplied))
        {
            throw refusal
        }
        announce(plan, from: path, try estimator(database).relaying(in: snapshot.network).estimate(plan))
        try SequenceNotice(context, network: network).warn(of: snapshot, database)
        let reporter = ApplyReporter(context, network: snapshot.network, isFull: isFull, operation: operation)
        // An outdated plan is refused as such, whether or not the bearer answers.
        if !plan.isEmpty, plan.serial == snapshot.serial {
            if confirmWithin != nil { try Confirmation(context: context, network: network).check(plan, in: snapshot) }
            try route.probe(in: context)
        }
        if confirmWithin != nil, plan.serial != snapshot.serial, try database.hasRun(plan: plan.identifier) {
            throw Failure(
                .refused,
                "the plan was begun before, so that it cannot be taken back from its beginning any more",
                hint: "Apply it without --confirm-within; meshplan state restore goes back to before it."
            )
        }
        try lease.declare(definition)
        let names = Dictionary(plan.nodes.map { ($0.name, $0.uuid) }, uniquingKeysWith: { first, _ in first })
        let mesh = try connect(database, lease, named: network, names: names, reporter)
        let isToBeConfirmed = confirmWithin != nil && !plan.isEmpty && plan.serial == snapshot.serial
        if isToBeConfirmed { try database.awaitConfirmation(with: lease) }
        let status = mesh.apply(plan, reporter, context)
        if isToBeConfirmed { try beginWaiting(database, lease) }
        return (status, isToBeConfirmed)
    }

    /// Sets the deadline for confirming the changes.
    private func beginWaiting(_ database: MeshDatabase, _ lease: WriteLease) throws(StoreError) {
        guard let confirmWithin else { return }
        let (end, overflow) = context.now().rawValue.addingReportingOverflow(confirmWithin.components.seconds)
        let deadline = Timestamp(rawValue: overflow ? .max : end)
        try database.setConfirmationDeadline(deadline, with: lease)
    }

    /// Waits for confirmation if needed.
    ///
    /// - Returns: the exit status once the changes are confirmed or taken back.
    private func confirmed(_ network: String, _ result: (status: ExitStatus, awaits: Bool)) throws -> ExitStatus {
        guard result.awaits else { return result.status }
        guard result.status != .interrupted else {
            context.errorOutput.line(
                "The changes so far wait to be confirmed: keep them with meshplan confirm, or go back with meshplan "
                    + "rollback --unconfirmed --via BEARER."
            )
            return result.status
        }
        return try Confirmation(context: context, network: network).wait(self, status: result.status)
    }

    /// Announces what will be carried out. Whoever saved the plan has seen it, so the figures are enough, unless all
    /// details are asked for.
    private func announce(_ plan: Plan, from path: String, _ estimate: PlanEstimate) {
        if let lines = context.json {
            let json = PlanJSON(plan: plan, estimate: estimate, digest: plan.digest)
            if isFull { json.write(to: lines) } else { json.writeSummary(to: lines) }
        } else if isFull {
            let view = PlanView(plan: plan, estimate: estimate, style: context.style, isFull: true)
            context.output.write(view.render())
            plan.showDigest(in: context)
            context.output.line()
        } else {
            let file = context.style(.bold, path.printable)
            let network = context.style(.bold, plan.network.printable)
            context.output.line("Applying \(file) to network \(network): \(PlanSummary(plan).figures).")
            context.output.line((estimate.text.map { $0 + "\n" } ?? ""))
        }
    }

    /// Plans, asks for approval and carries out the plan.
    func definition(_ paths: [String], network: String?) throws -> ExitStatus {
        try carryOut(try PlanningJob(context: context).prepare(paths, network: network))
    }

    /// Plans, asks for approval and carries out the plan.
    func carryOut(_ planning: some PlanSource) throws -> ExitStatus {
        try confirmed(planning.network, try carryOutNow(planning))
    }

    /// Plans, asks for approval and carries out the plan. On return, changes that need confirmation wait for it, and
    /// the lock is free.
    private func carryOutNow(_ planning: some PlanSource) throws -> (ExitStatus, awaits: Bool) {
        let workspace = Workspace(context: context)
        let database = try workspace.open(planning.network)
        let lease = try workspace.lock(database, for: operation)
        let confirmation = Confirmation(context: context, network: planning.network)
        if !goesBack { try confirmation.check(database) }
        var snapshot = try database.snapshot()
        let reporter = ApplyReporter(context, network: snapshot.network, isFull: isFull, operation: operation)
        let names = planning.nodeNames(in: snapshot.network)
        try options.checkProxy(in: snapshot.network, names: names)
        try planning.checkNames(in: snapshot.network, options: planner)
        func connected() throws -> MeshConnection {
            try connect(database, lease, named: planning.network, names: names, reporter)
        }
        var mesh: MeshConnection?
        // The recap of finding out what earlier runs had done.
        var resolved: Recap?
        if isToListen(snapshot.network) {
            let connection = try connected()
            try listen(connection.executor, snapshot.network)
            mesh = connection
            snapshot = try database.snapshot()
        }
        if !snapshot.unresolved.isEmpty || !snapshot.network.pendingProvisionings.isEmpty
            || !snapshot.network.pendingReprovisions.isEmpty
        {
            // Planning is possible only once it is known what earlier runs have done.
            let connection = try mesh ?? connected()
            let recap = connection.executor.resolveInDoubt(isOfInterest: planning.interest(in: snapshot.network))
            guard recap.ending == .completed else { return (connection.finish(recap, reporter, context), false) }
            resolved = recap
            mesh = connection
            snapshot = try database.snapshot()
        }
        var estimator = try estimator(database).relaying(in: snapshot.network)
        // The same executor does not ask nodes again that were silent in the read-back just now.
        estimator.inDoubt = []
        // Nor does it need to listen for proxies that it has just heard.
        estimator.listensForProxies = mesh == nil
        let planned = try planning.plan(snapshot, options: planner)
        let plan = planned.plan
        planning.show(plan, unresolved: snapshot.unresolved.count, estimator: estimator, isFull: isFull)
        try SequenceNotice(context, network: planning.network).warn(of: snapshot, database)
        try planned.checkGuards(in: context)
        try expected?.check(plan)
        guard !plan.isEmpty else {
            try lease.declare(planning.text)
            try planning.settle(database, lease, isComplete: snapshot.unresolved.isEmpty)
            if !snapshot.unresolved.isEmpty, let mesh, let resolved {
                return (mesh.finish(resolved, reporter, context), false)
            }
            guard snapshot.unresolved.isEmpty else { return (.partial, false) }
            // Settling has changed the database.
            snapshot = try database.snapshot()
            try Executor.record(plan.claims, on: snapshot, in: database, with: lease)
            return (try finishWithoutChanges(plan, mesh, resolved), false)
        }
        if confirmWithin != nil { try confirmation.check(plan, in: snapshot) }
        try route.probe(in: context)
        if !isApproved, expected == nil { try ask(plan) }
        let connection = try mesh ?? connected()
        reporter.begin(plan)
        try lease.declare(planning.text)
        if confirmWithin != nil { try database.awaitConfirmation(with: lease) }
        var recap = try asking(
            again: planning,
            after: connection.executor.apply(plan),
            of: connection,
            database,
            reporter
        )
        if let resolved { recap.include(readBack: resolved) }
        let status = connection.finish(recap, reporter, context)
        // If the database cannot be written any more, the recap has said so.
        if case .storeFailed = recap.ending { return (status, false) }
        try planning.settle(database, lease, isComplete: status == .success)
        if confirmWithin != nil { try beginWaiting(database, lease) }
        return (status, confirmWithin != nil)
    }

    /// Ends a run with nothing to do. An unusable bearer is an error all the same: nobody could listen for nodes that
    /// were reset.
    private func finishWithoutChanges(_ plan: Plan, _ mesh: MeshConnection?, _ resolved: Recap?) throws -> ExitStatus {
        var failure: (any Error)?
        do { try route.probe(in: context) } catch { failure = error }
        if let lines = context.json {
            ApplyJSON(lines: lines, plan: plan).finish(
                resolved ?? Recap(),
                status: failure == nil ? .success : .failure
            )
        }
        if let failure { throw failure }
        return mesh?.simulation?.report(context) ?? .success
    }

    /// Asks for approval. Destroying, which cannot be taken back, takes more than a yes.
    private func ask(_ plan: Plan) throws(Failure) {
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
                "Do you really want to destroy what is managed of network \(plan.network.printable)?",
                explanation: explanation + " There is no way back.",
                answer: plan.network
            )
        }
    }

    /// The estimator for a plan that this run carries out.
    private func estimator(_ database: MeshDatabase) throws -> PlanEstimator {
        try radio.estimator(
            database,
            connections: options.expectedConnections,
            window: options.maximumWindow,
            simulation: route.simulation
        )
    }

    /// Whether to listen: only if the network has nodes that may have been reset.
    private func isToListen(_ network: MeshNetwork) -> Bool {
        listening.longest > .zero && network.nodes.contains { $0.isManaged && $0.uuid != network.ownProvisioner }
    }

    /// Finds out which nodes have been reset.
    private func listen(_ executor: Executor, _ network: MeshNetwork) throws(Failure) {
        if context.json == nil { context.errorOutput.line("Listening for nodes that were reset …") }
        let report = executor.listen(for: listening.longest, enough: listening.enough)
        switch report.ending {
        case .completed: break
        case .interrupted: throw Failure(.interrupted, "interrupted; nothing was done")
        case .linkFailed(let reason, _):
            return context.errorOutput.line(
                "Nodes that were reset meanwhile are not noticed, because nobody listens: \(reason.printable)."
            )
        default: throw Failure(ending: report.ending) ?? Failure(.failure, "the database cannot be written")
        }
        let names = Dictionary(network.nodes.map { ($0.uuid, $0.name) }, uniquingKeysWith: { first, _ in first })
        for uuid in report.foundUnprovisioned {
            let name = names[uuid] ?? uuid.description
            context.errorOutput.line("\(name.printable) is in no network any more: it was reset.")
        }
        for uuid in report.foundAlive {
            let name = names[uuid] ?? uuid.description
            context.errorOutput.line("\(name.printable) is a node again.")
        }
    }

    private func connect(
        _ database: MeshDatabase,
        _ lease: WriteLease,
        named network: String,
        names: [String: DeviceUUID],
        _ reporter: ApplyReporter
    ) throws -> MeshConnection {
        try MeshConnection(
            over: route,
            in: context,
            database,
            lease,
            named: network,
            names: names,
            secrets: secrets,
            options: options,
            reporter
        )
    }
}

extension ExecutionOptions {
    /// Refuses an unknown proxy before anybody is asked.
    ///
    /// - Parameter names: further names of nodes, such as a definition's.
    func checkProxy(in network: MeshNetwork, names: [String: DeviceUUID] = [:]) throws(Failure) {
        guard let proxy, proxy.resolved(in: network, names: names) == nil else { return }
        throw Failure(.usage, proxy.unknown, hint: proxy.hint.worded)
    }
}
