import SystemLayer

/// The figures of a command's last summary that somebody looks at who has asked for many. Each command has those of its
/// kind, by the names that it prints with `--json`.
struct CommandSummary: Hashable, Decodable {
    /// The digest of a plan; nil if there is nothing to apply.
    var digest: String?
    // A plan.
    private var provision, add, change, remove, forget, reset, exclude: Int?
    // A run.
    private var provisioned, applied, blocked, notStarted, inDoubt: Int?
    private var pending: [Pending]?
    // Reading back.
    private(set) var readBack, drifted: Int?
    private var oddNodes, retries: Int?
    // Tests.
    private var passed, skipped: Int?
    // Drift.
    private var values, nodes, neverReadBack: Int?
    // An examination.
    private var errors, warnings, notes: Int?
    // Several of them.
    private var failed, messages: Int?

    private struct Pending: Hashable, Decodable {
        var nodeUuid: String
    }

    private var planned: [(number: Int?, title: String)] {
        [
            (provision, "to provision"), (add, "to add"), (change, "to change"), (remove, "to remove"),
            (forget, "to forget"), (reset, "to reset"), (exclude, "to exclude"),
        ]
    }

    /// How many changes a plan has.
    var changes: Int { planned.reduce(0) { $0 + ($1.number ?? 0) } }

    /// How many messages were sent, with repeated ones.
    var sent: Int { (messages ?? 0) + (retries ?? 0) }

    /// The summary of a command in a few words; nil if it says nothing beyond the result.
    func text(_ command: String) -> String? {
        func text(_ parts: [(number: Int?, title: String)]) -> String? {
            let found = parts.compactMap { number, title in (number ?? 0) > 0 ? "\(number ?? 0) \(title)" : nil }
            return found.isEmpty ? nil : found.joined(separator: ", ")
        }
        let waiting = pending?.count ?? 0
        switch command {
        case "plan": return text(planned + [(messages, "to send")])
        case "apply", "rollback":
            return text([
                (provisioned, "provisioned"), (applied, "applied"), (failed, "failed"), (blocked, "blocked"),
                (notStarted, "not begun"), (inDoubt, "in doubt"),
                (waiting, waiting == 1 ? "node pending" : "nodes pending"),
            ])
        case "test": return text([(passed, "passed"), (failed, "failed"), (skipped, "skipped")])
        case "drift":
            let never = neverReadBack ?? 0
            let drift = (values ?? 0) > 0 ? "\(count(values ?? 0, "value")) of \(count(nodes ?? 0, "node"))" : nil
            return [drift, never > 0 ? "\(count(never, "node")) never read back" : nil].compactMap(\.self)
                .joined(separator: "; ")
        case "refresh":
            return text([
                (readBack, "read back"), (drifted, "drifted"), (oddNodes, "odd"), (failed, "failed"),
                (waiting, "pending"),
            ])
        case "doctor":
            let found = [(errors, "error"), (warnings, "warning"), (notes, "note")].compactMap { number, noun in
                number.flatMap { $0 > 0 ? count($0, noun) : nil }
            }
            return found.joined(separator: ", ")
        default: return nil
        }
    }
}
