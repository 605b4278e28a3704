import Execution
import MeshCore
import Planning
import Store
import SystemLayer

/// A read-back of nodes as lines of JSON: events as they happen, and the summary last.
struct RefreshJSON {
    var lines: JSONLines
    /// The source of names for what differs from the record.
    var network: MeshNetwork

    /// Writes the line of an event; some events have none.
    ///
    /// - Parameter tally: knows the node of each step.
    func handle(_ event: ExecutionEvent, _ tally: RefreshTally) {
        switch event {
        case .runStarted(let nodes, let inDoubt):
            lines.event(["type": "refresh_start", "nodes": .integer(nodes), "in_doubt": .integer(inDoubt)])
        case .nodeReadBack(let node, let outcome):
            lines.event([
                "type": "node_read_back", "node_uuid": node.description.json,
                "complete": .bool(outcome.isComplete && outcome.unread.isEmpty), "answers": .integer(outcome.reports),
                "refused": outcome.refused.isEmpty ? nil : .array(outcome.refused.map(\.text.json)),
                "odd_answers": outcome.unread.isEmpty ? nil : .array(outcome.unread.map { Self.object($0) }),
                "asked_singly": outcome.isAskedSingly ? true : nil,
                "composition_changed": outcome.isCompositionNew ? true : nil,
                "drifted": .array(outcome.drifted.map { $0.path(in: network).json }),
                "moved": outcome.moved.isEmpty ? nil : .array(outcome.moved.map { $0.path(in: network).json }),
            ])
        case .stepFailed(let step, let failure):
            lines.event([
                "type": "refresh_failed", "node_uuid": tally.node(of: step)?.description.json,
                "reason": failure.description.json,
                "advice": failure.advice.worded.json,
            ])
        case .nodePending(let node, _):
            lines.event(["type": "refresh_node_pending", "node_uuid": node.description.json])
        case .linkUp, .linkDown, .nodeUnreachable, .doubtResolved, .doubtAbandoned, .quirkMet, .progress, .interrupted:
            ApplyJSON(lines: lines, plan: nil).handle(event)
        default: break
        }
    }

    /// A value that could not be read: the Get, its subject, the reason, and the octets of the answer.
    private static func object(_ value: UnreadValue) -> JSONValue {
        .object([
            "get": value.reading.text.json, "of": value.reading.subjectText?.json, "reason": value.reason.json,
            "octets": value.answer.map { Hexadecimal.encode($0.payload).json },
            "quirk": value.answer?.quirk?.rawValue.json,
        ])
    }

    func finish(_ recap: Recap, _ tally: RefreshTally, status: ExitStatus) {
        lines.event(summary: [
            "type": "summary",
            "exit_code": .integer(Int(status.rawValue)),
            "complete": .bool(recap.isComplete),
            "nodes": .integer(recap.total),
            "read_back": .integer(tally.complete),
            "as_recorded": .integer(tally.asRecorded),
            "drifted": .integer(tally.drifted),
            "drifted_values": .integer(tally.driftedValues),
            "odd_nodes": .integer(tally.odd),
            "odd_answers": .integer(recap.unread),
            "failed": .integer(recap.failed.count),
            "pending": .array(
                recap.pending.map {
                    .object(["node": $0.name.json, "node_uuid": $0.node.description.json])
                }
            ),
            "messages": .integer(recap.messagesSent),
            "retries": .integer(recap.retries),
            "duration_ms": .integer(Int(clamping: recap.duration.microseconds / 1_000)),
        ])
    }
}
