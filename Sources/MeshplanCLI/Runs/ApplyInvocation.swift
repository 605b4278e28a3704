import Bearers
import Execution
import MeshCore
import Planning
import Simulator
import Store

/// What one `apply` was asked for. ``Apply`` decides what happens when, and ``ApplyWork`` does it.
struct ApplyInvocation {
    var context: Context
    var route: MeshRoute
    /// How the run is carried out.
    var options: ExecutionOptions
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
    var operation = "apply"
    /// How long the changes wait for confirmation; nil if they need none.
    var confirmWithin: Duration?

    private var applyOptions: ApplyOptions {
        var applying = ApplyOptions()
        applying.listens = listening.longest > .zero
        applying.isApproved = isApproved
        applying.expectedDigest = expected?.digits
        applying.patience = patience
        applying.confirmWithin = confirmWithin
        return applying
    }

    /// Finds what the run of a plan uses.
    func dependencies(_ database: MeshDatabase) -> PlanDependencies {
        PlanDependencies(context: context, database: database, secrets: secrets, way: route.dependency)
    }

    /// Carries out exactly the plan in a file.
    func savedPlan(at path: String) throws -> ExitStatus {
        let (network, sealed) = try SavedPlan.read(path, in: context)
        let database = try Workspace(context: context).open(network)
        let (plan, definition, returnGoal) = try SavedPlan.openWithDefinition(
            sealed,
            of: network,
            path: path,
            database: database
        )
        try dependencies(database).check(plan, in: path)
        var source = SavedPlanSource(context: context, network: network, path: path, plan: plan, text: definition)
        source.returnGoal = returnGoal
        var apply = Apply<ApplyWork<SavedPlanSource>>(applyOptions, saved: plan)
        return try status(of: apply.perform(with: ApplyWork(self, source, database)), network)
    }

    /// Plans, asks for approval and carries out the plan.
    func definition(_ paths: [String], network: String?) throws -> ExitStatus {
        try carryOut(try PlanningJob(context: context).prepare(paths, network: network))
    }

    /// Plans, asks for approval and carries out the plan.
    func carryOut<Source: PlanSource>(_ planning: Source) throws -> ExitStatus {
        let database = try Workspace(context: context).open(planning.network)
        var apply = Apply<ApplyWork<Source>>(applyOptions)
        return try status(of: apply.perform(with: ApplyWork(self, planning, database)), planning.network)
    }

    /// Takes back the changes that wait for confirmation.
    ///
    /// - Throws: ``Failure`` if none wait.
    func goBackUnconfirmed(_ network: String) throws -> ExitStatus {
        let database = try Workspace(context: context).open(network)
        guard let pending = try database.pendingConfirmation() else {
            // Whoever was cut short repeats the command.
            guard let note = try database.confirmationNote(), note.decision == .takenBack else {
                throw Self.nothingToTakeBack
            }
            if let lines = context.json {
                lines.write(["type": "taken_back", "began": note.began.text.json, "already": true])
            } else {
                context.output.line("The changes from \(note.began.text) were taken back already; no others wait.")
            }
            return .success
        }
        return try status(of: takeBack(pending, of: network, in: database), network)
    }

    /// Takes back the changes of a note.
    func takeBack(
        _ pending: PendingConfirmation,
        of network: String,
        in database: MeshDatabase
    ) throws -> ApplyEnd<ExitStatus, PlannedJob> {
        var run = self
        run.operation = "rollback"
        run.confirmWithin = nil
        run.isApproved = true
        run.expected = nil
        // The state existed before. Guards that would refuse it today must not prevent its return.
        run.planner = PlannerOptions(allowed: Set(PlanGuard.allCases))
        var job = try RestoreJob(context, network: network, serial: pending.serial, in: database)
        job.returnGoal = .unconfirmed(since: pending.entry)
        var applying = run.applyOptions
        applying.takesBack = pending
        var apply = Apply<ApplyWork<RestoreJob>>(applying)
        return try apply.perform(with: ApplyWork(run, job, database))
    }

    /// The exit status for an end.
    ///
    /// - Throws: what ends the command with a message: ``Failure``, or ``InvalidDefinition`` if guards refuse the plan.
    func status(of end: ApplyEnd<ExitStatus, PlannedJob>, _ network: String) throws -> ExitStatus {
        switch end {
        case .finished(let status), .wentBack(let status): return status
        case .takenBackElsewhere:
            throw Failure(
                .notApproved,
                "somebody else has taken the changes back while they waited for confirmation",
                hint: "See: meshplan state history"
            )
        case .confirmationLost:
            throw Failure(
                .stale,
                "the database was replaced while the changes waited for confirmation: it does not know them, so they are "
                    + "not confirmed, and it cannot take them back",
                hint:
                    "The nodes still have the changes. Put the former database back and go back with: meshplan rollback "
                    + "--unconfirmed --via BEARER"
            )
        case .interrupted:
            throw summarized(Failure(.interrupted, "interrupted; nothing was done"), .interrupted)
        case .stopped(let ending):
            let failure = Failure(ending: ending) ?? Failure(.failure, "the database cannot be written")
            throw summarized(failure, ending)
        case .refused(.unconfirmed(let pending)): throw Confirmation.refusal(pending)
        case .refused(.nothingToTakeBack): throw Self.nothingToTakeBack
        case .refused(.otherDigest(let digest)): throw DigestArgument.refusal(of: digest, expected: expected)
        case .refused(.guarded(let planned)): throw planned.refusal
        case .refused(.begunBefore):
            throw Failure(
                .refused,
                "an earlier apply began this plan, so it cannot be undone completely",
                hint: "Apply it without --confirm-within; meshplan state restore goes back to before it."
            )
        }
    }

    /// A failure before anything was sent, after the last line of JSON.
    private func summarized(_ failure: Failure, _ ending: Recap.Ending) -> Failure {
        if let lines = context.json {
            var recap = Recap()
            recap.ending = ending
            ApplyJSON(lines: lines, plan: nil).finish(recap, status: failure.status)
        }
        return failure
    }

    private static let nothingToTakeBack = Failure(
        .failure,
        "no changes are waiting for confirmation",
        hint: "It was confirmed, or taken back already: meshplan state history"
    )
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
