internal import DefinitionModel
internal import Execution
internal import MeshCore
internal import Planning
internal import Store
internal import SystemLayer

/// Changes that are taken back unless somebody confirms them.
///
/// The database records durably that they wait, before the first change. So however this process ends, they cannot stay
/// unnoticed.
struct Confirmation {
    var context: Context
    /// The name of the network.
    var network: String

    /// Refuses to continue while earlier changes wait for confirmation.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/refused`` if any do.
    func check(_ database: MeshDatabase) throws {
        guard let pending = try database.pendingConfirmation() else { return }
        let when = pending.deadline.map { "until \($0.text)" } ?? "but their apply did not end"
        throw Failure(
            .refused,
            "the changes of \(pending.user) on \(pending.host) from \(pending.began.text) wait to be confirmed, \(when)",
            hint: "Keep them with: meshplan confirm, or go back to serial \(pending.serial) with: meshplan rollback "
                + "--unconfirmed --via BEARER"
        )
    }

    /// Refuses a plan that cannot be taken back.
    ///
    /// - Throws: ``Failure`` or ``InvalidDefinition`` with ``ExitStatus/refused`` if there is no way back.
    func check(_ plan: Plan, in snapshot: Snapshot) throws {
        let found: [Irreversible]
        do {
            found = try RestoreJob.irreversible(plan, in: snapshot, named: network, context)
        } catch let invalid as InvalidDefinition {
            throw Failure(
                .refused,
                "there is no way back from this plan: \(invalid.diagnostics.first?.message ?? "none can be planned")",
                hint: "Apply it without --confirm-within."
            )
        }
        guard !found.isEmpty else { return }
        var diagnostics = found.prefix(Self.limit).map { found in
            Diagnostic(.error, "there is no way back: \(found.reason.worded)", resource: found.resource)
        }
        if found.count > Self.limit {
            diagnostics.append(Diagnostic(.error, "there is no way back from \(found.count - Self.limit) parts more"))
        }
        diagnostics[diagnostics.count - 1].hint =
            "Apply it without --confirm-within, or the rest of it alone with --exclude"
        throw InvalidDefinition(diagnostics: diagnostics, files: SourceFiles(), status: .refused)
    }

    /// The most irreversible parts of a plan to name.
    private static let limit = 20

    /// Waits until the changes are confirmed, or takes them back.
    ///
    /// - Parameters:
    ///   - run: carries out taking them back.
    ///   - status: the exit status if they are confirmed.
    func wait(_ run: ApplyRun, status: ExitStatus) throws -> ExitStatus {
        let database = try Workspace(context: context).open(network)
        guard let first = try database.pendingConfirmation(), let deadline = first.deadline else { return status }
        tell(
            "confirmation_awaited",
            "\nWaiting until \(deadline.text) for: meshplan confirm. Without it, or with Ctrl-C, the network goes back to "
                + "serial \(first.serial).",
            deadline
        )
        context.interrupts.arm()
        let before = context.interrupts.count()
        while true {
            guard try database.pendingConfirmation() == first else {
                tell("confirmed", "Confirmed.", nil)
                return status
            }
            let left = deadline.rawValue - context.now().rawValue
            let isInterrupted = context.interrupts.count() != before
            if left <= 0 || isInterrupted {
                do {
                    return try goBack(
                        run,
                        isInterrupted: isInterrupted,
                        interrupts: context.interrupts.count(),
                        confirmed: status
                    )
                } catch let error as StoreError where error.code == .locked && !isInterrupted {
                    // The holder of the lock may be confirming.
                }
            }
            context.pause(.seconds(1))
        }
    }

    private func goBack(
        _ run: ApplyRun,
        isInterrupted: Bool,
        interrupts: Int,
        confirmed: ExitStatus
    ) throws -> ExitStatus {
        var context = context
        // The signal that ended waiting must not end taking back.
        let count = context.interrupts.count
        context.interrupts.count = { count() - interrupts }
        var run = run
        run.context = context
        // Somebody may have confirmed in the meantime.
        guard let pending = try Workspace(context: context).open(network).pendingConfirmation() else {
            tell("confirmed", "Confirmed.", nil)
            return confirmed
        }
        tell(
            "not_confirmed",
            isInterrupted ? "Not confirmed: going back." : "Not confirmed in time: going back.",
            nil
        )
        let status = try run.goBackUnconfirmed(network)
        tell(
            status == .success ? "went_back" : "not_all_went_back",
            status == .success
                ? "Went back to serial \(pending.serial)."
                : "Not all of it went back to serial \(pending.serial); go on with: meshplan rollback --unconfirmed --via "
                    + "BEARER",
            nil
        )
        return status == .success ? .notApproved : status
    }

    private func tell(_ type: String, _ text: String, _ deadline: Timestamp?) {
        if let lines = context.json {
            lines.write(["type": type.json, "deadline": deadline?.text.json])
        } else {
            context.errorOutput.line(text)
        }
    }
}

extension ApplyRun {
    /// Takes back the changes that wait for confirmation.
    ///
    /// - Throws: ``Failure`` if none wait.
    func goBackUnconfirmed(_ network: String) throws -> ExitStatus {
        var run = self
        run.operation = "rollback"
        run.confirmWithin = nil
        run.goesBack = true
        run.isApproved = true
        run.expected = nil
        // The state existed before. Guards that would refuse it today must not prevent its return.
        run.planner = PlannerOptions(allowed: Set(PlanGuard.allCases))
        let database = try Workspace(context: context).open(network)
        guard let pending = try database.pendingConfirmation() else {
            throw Failure(
                .failure,
                "no changes are waiting for confirmation",
                hint: "It was confirmed, or taken back already: meshplan state history"
            )
        }
        var job = try RestoreJob(context, network: network, serial: pending.serial, in: database)
        job.endsConfirmation = true
        return try run.carryOut(job)
    }
}
