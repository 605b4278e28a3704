import Execution
import MeshCore
import Store
import SystemLayer

/// Reports the consequences of an IV index that a person states.
struct IVStatementView {
    private let context: Context
    private let statement: IVIndexStatement
    private let name: String

    /// - Parameter name: the network's name here.
    init(context: Context, _ statement: IVIndexStatement, named name: String) {
        self.context = context
        self.statement = statement
        self.name = name
    }

    private var before: IVIndex { statement.before.ivIndex }

    /// Reports that there is nothing to do.
    func unchanged() {
        if context.json != nil { return write("unchanged") }
        context.output.line("The database of network \(name.printable) has the same IV index: nothing to do.")
    }

    /// Why it cannot be accepted; nil if it can.
    var refusal: Failure? {
        guard let refusal = statement.refusal else { return nil }
        let never = "an IV index never goes back"
        return switch refusal {
        case .behind:
            Failure(
                .refused,
                "the database of network \(name.printable) is at IV index \(before.text), and \(never)",
                hint: "Check that the number and the database belong to this network."
            )
        case .sent(let source, let reached):
            Failure(
                .refused,
                "messages were sent from \(source) under IV index \(reached), and \(never)",
                hint: "A lower one would reuse sequence numbers that nodes and attackers may remember."
            )
        }
    }

    /// The warning before approval.
    var warning: String {
        let supposed = statement.isCorrection ? "So far it is only assumed to be at \(before.text). " : ""
        return supposed
            + "Everything is sent under the one that you set, and devices that are provisioned get it. If it is "
            + "wrong, nodes do not understand meshplan, and such devices have to be reset; once something was sent, there "
            + "is no way back to a lower one."
    }

    /// Reports that the stated IV index is in force.
    func stated() {
        if context.json != nil { return write("stated") }
        context.output.line(
            "The database of network \(name.printable) is at IV index \(statement.ivIndex.text) now, as you set it; it was "
                + "\(statement.isCorrection ? "only assumed to be " : "")at \(before.text). The first beacon or answer of a "
                + "proxy confirms it."
        )
    }

    private func write(_ outcome: String) {
        context.json?
            .write([
                "type": "iv_statement", "outcome": outcome.json, "before": .integer(Int(before.value)),
                "iv_index": .integer(Int(statement.ivIndex.value)),
                "update_in_progress": .bool(statement.ivIndex.isUpdateInProgress),
                "was_supposed": .bool(statement.isCorrection),
            ])
    }
}
