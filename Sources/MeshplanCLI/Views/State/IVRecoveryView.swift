import Execution
import MeshCore
import Store
import SystemLayer

/// Reports what was heard about the IV index of a network, and the consequences.
struct IVRecoveryView {
    private let context: Context
    private let before: MeshNetwork

    /// - Parameter before: the network as recorded in the database.
    init(context: Context, network before: MeshNetwork) {
        self.context = context
        self.before = before
    }

    /// Summarizes everything that was heard.
    func summarize(_ report: BeaconReport) {
        guard let lines = context.json else {
            for statement in report.statements {
                let proxies = count(statement.proxies, "proxy", plural: "proxies")
                context.output.line("\(subnet(statement)): IV index \(statement.ivIndex.text) (\(proxies))")
            }
            return
        }
        for statement in report.statements {
            lines.write([
                "type": "beacon", "subnet": .integer(Int(statement.netKeyIndex.rawValue)),
                "iv_index": .integer(Int(statement.ivIndex.value)),
                "update_in_progress": .bool(statement.ivIndex.isUpdateInProgress),
                "proxies": .integer(statement.proxies), "verdict": statement.verdict.code.json,
            ])
        }
    }

    private func subnet(_ statement: BeaconReport.Statement) -> String {
        let key = before.netKeys.first { $0.index == statement.netKeyIndex }
        return "subnet \(key?.name.printable ?? statement.netKeyIndex.description)"
    }

    /// Reports that there is nothing to do.
    func unchanged(_ proposal: IVIndexProposal, named name: String) {
        if let lines = context.json {
            return lines.write([
                "type": "iv_recovery", "outcome": "unchanged", "iv_index": .integer(Int(before.ivIndex.value)),
            ])
        }
        if case .soon = proposal {
            context.output.line(
                "meshplan follows this step of the IV update at the earliest 96 hours after the last one; until then, "
                    + "communication works. Nothing to do."
            )
        } else {
            context.output.line("The database of network \(name.printable) has the same IV index: nothing to do.")
        }
    }

    /// The warning before approval.
    func warning(_ ivIndex: IVIndex, _ refusal: IVIndexMonitor.Refusal) -> String {
        let reason =
            if case .recoveredLately = refusal, let last = before.ivIndexRecoveredAt {
                "The IV index was recovered at \(last.text), and one recovery in 192 hours is allowed"
            } else {
                "It is \(ivIndex.value - before.ivIndex.value) ahead; \(IVIndexMonitor.recoveryLimit) take a network 48 weeks"
            }
        return "\(reason). Nothing is sent under a lower one ever again."
    }

    /// Reports that the new IV index is in force.
    func recovered(_ ivIndex: IVIndex) {
        let restarts = ivIndex.transmitValue > before.ivIndex.transmitValue
        if let lines = context.json {
            return lines.write([
                "type": "iv_recovery", "outcome": "recovered", "before": .integer(Int(before.ivIndex.value)),
                "iv_index": .integer(Int(ivIndex.value)), "update_in_progress": .bool(ivIndex.isUpdateInProgress),
                "sequence_numbers_restart": .bool(restarts),
            ])
        }
        context.output.line(
            "The database is at IV index \(ivIndex.text) now; it was at \(before.ivIndex.text)."
                + (restarts ? " Sequence numbers restart at 0." : " Sequence numbers continue.")
        )
    }

    func failure(_ proposal: IVIndexProposal, _ report: BeaconReport) -> Failure {
        switch proposal {
        case .behind(let heard):
            Failure(
                .refused,
                "the network is at IV index \(heard.value), behind the \(before.ivIndex.value) of the database; an IV index "
                    + "never goes back",
                hint: "Either these nodes are behind, as after a restore or a long time without power, and catch up by "
                    + "themselves once they hear the others; or the database is from an earlier life of this network. "
                    + "Nodes that alone share an IV index must be provisioned again."
            )
        case .secondaryOnly(let heard):
            Failure(
                .failure,
                "only proxies of secondary subnets were heard, at IV index \(heard.value), and they do not raise it",
                hint: "Move closer to a proxy of the primary subnet."
            )
        default:
            Failure(
                .failure,
                report.foreignBeacons > 0
                    ? "no beacon was authenticated by a NetKey of the network, though \(report.foreignBeacons) came"
                    : "no proxy of the network was heard",
                hint: "Move closer to a node whose GATT proxy is on, or listen longer with --listen 2m."
            )
        }
    }
}

extension IVIndexMonitor.Verdict {
    /// The reason, for machines.
    var code: String {
        switch self {
        case .unchanged: "known"
        case .changed: "followed"
        case .ignored(.older): "behind"
        case .ignored(.tooFarAhead): "too_far_ahead"
        case .ignored(.secondarySubnet): "secondary_subnet"
        case .ignored(.tooSoon): "too_soon"
        case .ignored(.recoveredLately): "recovered_lately"
        }
    }
}
