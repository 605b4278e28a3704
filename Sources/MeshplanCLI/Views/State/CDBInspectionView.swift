import MeshCore
import Store
import SystemLayer

/// What `import --lint` reports about a configuration database.
struct CDBInspectionView {
    let inspection: CDBInspection
    /// What an import changes in the network and adds to it, apart from the repairs; nil if the file cannot be
    /// imported.
    var joining: Joining?
    /// The file, as the user named it.
    let file: String
    let isStrict: Bool

    /// How meshplan takes its place among the provisioners of a network.
    struct Joining {
        /// What had to be taken from other provisioners.
        var concessions: [CDBDocument.Repair]
        var additions: [CDBDocument.Remark]

        /// Takes what `joined`, the network with our provisioner, reports about it.
        init(_ document: CDBDocument, _ joined: MeshNetwork) {
            concessions = document.concessions(in: joined)
            additions = document.additions(in: joined)
        }
    }

    /// The changes of the file's contents.
    var repairs: [CDBDocument.Repair] { inspection.repairs + (isOurs ? [] : joining?.concessions ?? []) }

    /// Whether meshplan wrote the file. What another database of ours gives up is no fault of its export.
    private var isOurs: Bool { inspection.dialect == .meshplan }

    /// How many changes there are. Not all of very many are listed.
    var repairCount: Int { repairs.count + inspection.furtherRepairs }

    private var remarks: [(pointer: String, text: String)] {
        let conceded = isOurs ? joining?.concessions ?? [] : []
        return (inspection.document?.remarks ?? []).map { ($0.pointer, $0.text) }
            + conceded.map { ($0.pointer, $0.reason) }
    }

    var status: ExitStatus {
        if !inspection.refusals.isEmpty || inspection.document == nil { return .invalidInput }
        if repairs.isEmpty { return .success }
        return isStrict ? .invalidInput : .repaired
    }

    /// The line about a place of the document.
    static func line(_ pointer: String, _ reason: String) -> String {
        "\(pointer.isEmpty ? "the document" : pointer.printable): \(reason.printable)"
    }

    /// What to do about a value with two readings.
    static func answer(_ question: CDBRefusal.Question) -> String {
        switch question {
        case .intervalUnit: "say which with --interval-steps yes or --interval-steps no"
        }
    }

    /// Writes the list.
    ///
    /// - Returns: the exit status for the findings.
    func show(in context: Context) -> ExitStatus {
        if let lines = context.json {
            write(lines)
            return status
        }
        let dialect = inspection.dialect
        context.output.line("\(file.printable): \(dialect.title) (\(dialect.rawValue))")
        for mark in inspection.marks { context.output.line("  \(Self.line(mark.pointer, mark.text))") }
        if !repairs.isEmpty {
            context.output.line("\(count(repairCount, "repair")):")
            for repair in repairs { context.output.line("  \(Self.line(repair.pointer, repair.reason))") }
            if inspection.furtherRepairs > 0 { context.output.line("  and \(inspection.furtherRepairs) more") }
        }
        if !remarks.isEmpty {
            context.output.line("\(count(remarks.count, "warning")):")
            for remark in remarks { context.output.line("  \(Self.line(remark.pointer, remark.text))") }
        }
        if let additions = joining?.additions, !additions.isEmpty {
            context.output.line("An import adds:")
            for addition in additions { context.output.line("  \(Self.line(addition.pointer, addition.text))") }
        }
        if !inspection.refusals.isEmpty {
            context.output.line("\(inspection.refusals.count + inspection.furtherRefusals) refused:")
            for refusal in inspection.refusals {
                context.output.line("  \(Self.line(refusal.pointer, refusal.reason))")
            }
            if inspection.furtherRefusals > 0 { context.output.line("  and \(inspection.furtherRefusals) more") }
        }
        for advice in Set(inspection.refusals.compactMap { $0.question.map(Self.answer) ?? $0.advice }).sorted() {
            context.output.line(advice.prefix(1).uppercased() + advice.dropFirst() + ".")
        }
        context.output.line(verdict)
        return status
    }

    /// Writes the repairs to the error output.
    func listRepairs(in context: Context) {
        for repair in repairs { context.errorOutput.line(Self.line(repair.pointer, repair.reason)) }
        if inspection.furtherRepairs > 0 { context.errorOutput.line("and \(inspection.furtherRepairs) more") }
    }

    private var verdict: String {
        switch status {
        case .success: "It can be imported as it is."
        case .repaired: "It can be imported with these repairs."
        default:
            inspection.refusals.isEmpty
                ? "It can be imported without --strict only."
                : "It cannot be imported before these places are corrected."
        }
    }

    private func write(_ lines: JSONLines) {
        lines.write([
            "type": "dialect", "file": file.json, "dialect": inspection.dialect.rawValue.json,
            "title": inspection.dialect.title.json,
            "marks": .array(
                inspection.marks.map { .object(["pointer": $0.pointer.json, "text": $0.text.json]) }
            ),
        ])
        for repair in repairs {
            lines.write(["type": "repair", "pointer": repair.pointer.json, "reason": repair.reason.json])
        }
        for remark in remarks {
            lines.write(["type": "warning", "pointer": remark.pointer.json, "reason": remark.text.json])
        }
        for addition in joining?.additions ?? [] {
            lines.write(["type": "addition", "pointer": addition.pointer.json, "reason": addition.text.json])
        }
        for refusal in inspection.refusals {
            lines.write(["type": "refusal", "pointer": refusal.pointer.json, "reason": refusal.reason.json])
        }
        lines.write([
            "type": "summary", "importable": .bool(status == .success || status == .repaired),
            "repairs": .integer(repairCount), "warnings": .integer(remarks.count),
            "refusals": .integer(inspection.refusals.count + inspection.furtherRefusals),
        ])
    }
}
