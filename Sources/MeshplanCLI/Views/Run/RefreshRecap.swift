import Execution
import MeshCore

/// The recap at the end of every refresh.
struct RefreshRecap {
    var recap: Recap
    var tally: RefreshTally
    var style: Style
    var repeated: RepeatedCommand

    func render() -> String {
        if recap.total == 0, recap.ending == .completed {
            return "No node is to be read back.\n"
        }
        var text = "\n"
        if !recap.pending.isEmpty {
            text += style(.update, "Pending, because they do not answer:") + "\n"
            for node in recap.pending.prefix(RecapView.limit) { text += "  \(node.name.printable)\n" }
            if recap.pending.count > RecapView.limit {
                text += "  and \(recap.pending.count - RecapView.limit) more\n"
            }
        }
        if recap.unread > 0 {
            text += style(.warning, "Not read:")
            text +=
                " \(count(recap.unread, "value")) of \(count(tally.odd, "node")), whose answers are odd or never came. They "
            text += "stay as recorded, and are no drift.\n"
        }
        text += ending + "\n" + figures + "\n"
        for line in advice { text += "Next: \(line)\n" }
        return text
    }

    /// The summary line of a refresh, without figures that are zero.
    var figures: String {
        let values = count(tally.driftedValues, "value")
        var answers = [tally.asRecorded > 0 ? "\(tally.asRecorded) as recorded" : nil].compactMap(\.self)
        if tally.drifted > 0 { answers.append("\(tally.drifted) otherwise (\(values))") }
        let detail = answers.isEmpty ? "" : ": \(answers.joined(separator: ", "))"
        let notStarted = recap.notStarted - recap.pending.count
        let parts = [
            tally.complete > 0 || tally.drifted > 0 ? "read back \(count(tally.complete, "node"))\(detail)" : nil,
            recap.pending.isEmpty ? nil : "pending \(count(recap.pending.count, "node"))",
            recap.failed.isEmpty ? nil : "failed \(recap.failed.count)",
            notStarted > 0 ? "not started \(notStarted)" : nil,
        ].compactMap(\.self)
        return RecapView.sentence(parts, otherwise: "Nothing was read back") + RecapView.effort(of: recap)
    }

    private var ending: String {
        switch recap.ending {
        case .completed:
            return recap.isComplete
                ? style(.good, "Reading back is complete.") : style(.warning, "Reading back is not complete.")
        case .interrupted: return style(.warning, "Interrupted.")
        case .refused, .storeFailed, .linkFailed, .sendingFailed: return style(.error, "Stopped.")
        }
    }

    private var advice: [String] {
        var lines: [String] = []
        if tally.drifted > 0 {
            lines.append("meshplan drift shows the differences, meshplan plan what apply would do")
        }
        let more = repeated.has("--older-than") ? [] : ["--older-than", "1h"]
        let command = repeated.text(more, usual: "meshplan refresh")
        switch recap.ending {
        case .completed where recap.pending.isEmpty: break
        case .completed, .interrupted: lines.append("\(command) (asks only those again that were not read back)")
        case .storeFailed, .linkFailed, .sendingFailed: lines.append("\(command) (continues with what is left)")
        case .refused: break
        }
        return lines
    }
}
