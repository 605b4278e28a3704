import MeshCore
import Planning
import SystemLayer

/// Shows what speaks for and against the profiles of Networked Lighting Control of a node.
struct NLCView {
    var name: String
    var examination: NLCExamination
    var style: Style

    /// The table, with what it means below.
    func render() -> String {
        var text = style(.bold, "Networked Lighting Control profiles of \(name.printable)") + "\n"
        text += "  definition: \(declared)\n  composition page 2: \(claimed)\n"
        guard !examination.rows.isEmpty else { return text }
        var table = Table(["PROFILE", "CHECK", "RESULT", "FOUND", "HOW CERTAIN"])
        for row in examination.rows {
            table.rows.append([
                row.profile?.word ?? "-", row.subject.printable, row.outcome.rawValue, row.found.printable,
                row.source.rawValue,
            ])
        }
        let counts = [NLCExamination.Outcome.fits, .missing, .unknown].map { outcome in
            "\(examination.rows.count { $0.outcome == outcome }) \(outcome.rawValue)"
        }
        return text + "\n" + table.render(style, indent: "  ") + "\n" + counts.joined(separator: ", ")
            + ". This does not say that the node fulfils a profile: the profiles' texts were not consulted.\n"
    }

    private var declared: String {
        examination.declared.isEmpty ? "names none" : examination.declared.map(\.word).joined(separator: ", ")
    }

    private var claimed: String {
        guard let page = examination.page else { return "not read, or not there" }
        let records = page.records.map { record in
            (NLCProfile(rawValue: record.profile)?.word ?? "0x" + record.profile.hexadecimal)
                + " \(record.versionText)"
        }
        return records.isEmpty ? "names none" : records.joined(separator: ", ")
    }

    /// The same for programs: one object for each comparison.
    func write(to lines: JSONLines) {
        for row in examination.rows {
            lines.write([
                "type": "nlc", "node": name.json, "profile": row.profile?.word.json, "check": row.subject.json,
                "result": row.outcome.rawValue.json, "found": row.found.json, "certainty": row.source.rawValue.json,
            ])
        }
    }
}
