import MeshCore
import Store
import SystemLayer

/// Shows the history of a database.
struct HistoryView {
    var history: History
    /// The most entries to show.
    var limit: Int

    private var shown: ArraySlice<HistoryEntry> { history.entries.prefix(limit) }

    /// The entries as a table, newest first.
    func render(_ style: Style) -> String {
        guard !history.entries.isEmpty else {
            return "No changes yet: the database was created \(history.created.text) and is at serial "
                + "\(history.serial).\n"
        }
        var table = Table(["SERIAL", "WHEN", "WHO", "OPERATION", "RESULT", "DEFINITION"])
        for entry in shown {
            table.rows.append([
                entry.serials, entry.began.text, "\(entry.user)@\(entry.host)".printable, entry.operation.printable,
                entry.result, entry.definition?.short ?? "-",
            ])
        }
        var text = table.render(style)
        let rest = history.entries.count - shown.count
        if rest > 0 {
            text += "and \(rest) more; -n \(history.entries.count) shows all\n"
        } else if !history.isCut {
            text += "The database was created \(history.created.text).\n"
        }
        if let oldest = history.serials.first, shown.contains(where: { !$0.isRestorable }) {
            text += "States before serial \(oldest) are no longer kept.\n"
        }
        return text
    }

    /// The entries as lines of JSON, newest first.
    func write(to lines: JSONLines) {
        for entry in shown {
            lines.write([
                "type": "history_entry", "entry": .integer(Int(clamping: entry.number)),
                "serial_before": .integer(Int(clamping: entry.serialBefore)),
                "serial_after": .integer(Int(clamping: entry.serialAfter)), "began": entry.began.text.json,
                "user": entry.user.json, "host": entry.host.json, "operation": entry.operation.json,
                "definition": entry.definition?.description.json, "restorable": .bool(entry.isRestorable),
                "runs": .array(entry.runs.map { run(of: entry, $0) }),
            ])
        }
        lines.write([
            "type": "summary", "serial": .integer(Int(clamping: history.serial)),
            "made": history.created.text.json, "entries": .integer(history.entries.count),
            "complete": .bool(!history.isCut && shown.count == history.entries.count),
        ])
    }

    private func run(of entry: HistoryEntry, _ run: Run) -> JSONValue {
        .object([
            "run": .integer(Int(clamping: run.identifier.rawValue)), "plan": run.plan.hexadecimal.json,
            "digest": entry.plans.last { $0.run == run.identifier }?.digest?.json, "started": run.started.text.json,
            "ended": run.ended?.text.json, "outcome": (run.outcome?.text ?? "unfinished").json,
            "succeeded": .integer(Int(run.counts.succeeded)), "failed": .integer(Int(run.counts.failed)),
            "unknown": .integer(Int(run.counts.unknown)), "skipped": .integer(Int(run.counts.skipped)),
            "messages": run.timing.map { .integer(Int($0.messages)) },
        ])
    }
}

extension HistoryEntry {
    /// The serials before and after.
    var serials: String {
        serialBefore == serialAfter ? "\(serialAfter)" : "\(serialBefore) -> \(serialAfter)"
    }

    /// The result, in few words.
    var result: String {
        guard let last = runs.last else { return plans.isEmpty ? "recorded" : "forgotten" }
        var sums = Run.Counts()
        for run in runs {
            sums.succeeded &+= run.counts.succeeded
            sums.failed &+= run.counts.failed
        }
        sums.unknown = last.counts.unknown
        var parts = sums.succeeded > 0 ? ["\(count(Int(sums.succeeded), "step")) done"] : []
        parts += [(sums.failed, "failed"), (sums.unknown, "in doubt")].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return ([last.outcome?.words ?? "unfinished"] + parts).joined(separator: ", ")
    }
}

extension RunOutcome {
    /// The words for people, which are those of recaps.
    fileprivate var words: String {
        switch self {
        case .completed: "completed"
        case .partial: "partial"
        case .interrupted: "interrupted"
        case .failed: "stopped"
        }
    }

    /// The word for machines.
    fileprivate var text: String {
        switch self {
        case .completed: "completed"
        case .partial: "partial"
        case .interrupted: "interrupted"
        case .failed: "failed"
        }
    }
}
