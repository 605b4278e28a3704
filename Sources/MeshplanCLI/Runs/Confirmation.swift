import DefinitionModel
import Execution
import MeshCore
import Planning
import Store
import SystemLayer

/// Changes that are taken back unless somebody confirms them.
///
/// The database records durably that they wait, before the first change. So however this process ends, they cannot stay
/// unnoticed.
struct Confirmation {
    var context: Context
    var network: String

    /// Refuses to continue while earlier changes wait for confirmation.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/refused`` if any do.
    func check(_ database: MeshDatabase) throws {
        if let pending = try database.pendingConfirmation() { throw Self.refusal(pending) }
    }

    /// The refusal because of earlier changes.
    static func refusal(_ pending: PendingConfirmation) -> Failure {
        let when = pending.deadline.map { "until \($0.text)" } ?? "but their apply did not end"
        return Failure(
            .refused,
            "changes by \(pending.user) on \(pending.host) from \(pending.began.text) wait for confirmation, \(when)",
            hint: "Keep them with: meshplan confirm, or go back to serial \(pending.serial) with: meshplan rollback "
                + "--unconfirmed --via BEARER"
        )
    }

    /// Refuses a plan that cannot be taken back.
    ///
    /// - Throws: ``Failure`` or ``InvalidDefinition`` with ``ExitStatus/refused`` if there is no way back.
    func check(_ plan: Plan, in snapshot: Snapshot) throws {
        if let finding = plan.findings.first(where: { $0.isAllowed && $0.planGuard.cutsOff }) {
            throw Failure(
                .refused,
                "there is no way back from this plan: \(finding.message)",
                hint: "Leave out --allow \(finding.planGuard.rawValue), or apply it without --confirm-within."
            )
        }
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

    /// Tells people about changes that need confirmation.
    func tell(_ news: ConfirmationNews) {
        switch news {
        case .awaited(let pending, let deadline):
            tell(
                "confirmation_awaited",
                "\nWaiting until \(deadline.text) for meshplan confirm. Otherwise, or at Ctrl-C, the network returns "
                    + "to serial \(pending.serial).",
                deadline
            )
            context.interrupts.arm()
        case .confirmed: tell("confirmed", "Confirmed.")
        case .leftOpen:
            context.errorOutput.line(
                "The changes so far wait for confirmation: keep them with meshplan confirm, or go back with meshplan "
                    + "rollback --unconfirmed --via BEARER."
            )
        }
    }

    /// Tells people that the changes are taken back now.
    func tellOfReturn(_ pending: PendingConfirmation, isInterrupted: Bool) {
        tell("not_confirmed", isInterrupted ? "Not confirmed: going back." : "Not confirmed in time: going back.")
    }

    /// Tells people whether all changes were taken back.
    func tellOfReturn(_ pending: PendingConfirmation, _ status: ExitStatus) {
        if status == .success {
            tell("went_back", "Went back to serial \(pending.serial).")
        } else {
            tell(
                "not_all_went_back",
                "Some changes could not be undone, so the network is not back at serial \(pending.serial); continue with: "
                    + "meshplan rollback --unconfirmed --via BEARER"
            )
        }
    }

    private func tell(_ type: String, _ text: String, _ deadline: Timestamp? = nil) {
        if let lines = context.json {
            lines.event(["type": type.json, "deadline": deadline?.text.json])
        } else {
            context.errorOutput.line(text)
        }
    }
}
