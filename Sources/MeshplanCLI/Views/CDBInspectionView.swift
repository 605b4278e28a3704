internal import Store

/// What `import --lint` tells of a configuration database.
struct CDBInspectionView {
    let inspection: CDBInspection
    /// The file as the user has named it.
    let file: String
    /// Whether repairs are refused.
    let isStrict: Bool

    /// What the process ends with.
    var status: ExitStatus {
        if !inspection.refusals.isEmpty || inspection.document == nil { return .invalidInput }
        if inspection.repairs.isEmpty { return .success }
        return isStrict ? .invalidInput : .repaired
    }

    /// A place of the document and what there is to say about it.
    static func line(_ pointer: String, _ reason: String) -> String {
        "\(pointer.isEmpty ? "the document" : pointer.printable): \(reason.printable)"
    }

    /// Writes the list and gives the status.
    func show(in context: Context) -> ExitStatus {
        if let lines = context.json {
            write(lines)
            return status
        }
        let dialect = inspection.dialect
        context.output.line("\(file.printable): \(dialect.title) (\(dialect.rawValue))")
        for mark in inspection.marks { context.output.line("  \(Self.line(mark.pointer, mark.text))") }
        if !inspection.repairs.isEmpty {
            context.output.line("\(count(inspection.repairs.count, "repair")):")
            for repair in inspection.repairs { context.output.line("  \(Self.line(repair.pointer, repair.reason))") }
        }
        if !inspection.refusals.isEmpty {
            context.output.line("\(inspection.refusals.count) refused:")
            for refusal in inspection.refusals {
                context.output.line("  \(Self.line(refusal.pointer, refusal.reason))")
            }
        }
        context.output.line(verdict)
        return status
    }

    /// Writes every repair to the error output.
    func listRepairs(in context: Context) {
        for repair in inspection.repairs { context.errorOutput.line(Self.line(repair.pointer, repair.reason)) }
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
        for repair in inspection.repairs {
            lines.write(["type": "repair", "pointer": repair.pointer.json, "reason": repair.reason.json])
        }
        for refusal in inspection.refusals {
            lines.write(["type": "refusal", "pointer": refusal.pointer.json, "reason": refusal.reason.json])
        }
        lines.write([
            "type": "summary", "importable": .bool(status == .success || status == .repaired),
            "repairs": .integer(inspection.repairs.count), "refusals": .integer(inspection.refusals.count),
        ])
    }
}
