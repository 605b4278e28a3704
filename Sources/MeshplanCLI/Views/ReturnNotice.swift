import DefinitionModel
import MeshCore
import Store

/// Tells whoever plans something else that a return was cut short.
struct ReturnNotice {
    private let context: Context

    init(_ context: Context) {
        self.context = context
    }

    /// Warns if the last command went back and was cut short, and a plan leads elsewhere.
    ///
    /// - Throws: what reading the history throws.
    func warn(_ source: some PlanSource, _ database: MeshDatabase) throws {
        guard source.returnGoal == nil, let declared = try source.text?.digest(),
            let unfinished = try database.unfinishedReturn(), let words = unfinished.words,
            unfinished.goal != .definition || unfinished.definition != declared
        else { return }
        let diagnostic = Diagnostic(
            .warning,
            "\(words) is unfinished",
            hint: """
                Go on with it: meshplan rollback --via BEARER. An apply gives it up, and leads to the definition in this \
                folder instead.
                """
        )
        if let lines = context.json {
            lines.write([diagnostic], files: SourceFiles())
        } else {
            context.errorOutput.write(DiagnosticView(style: context.errorStyle).render([diagnostic]))
        }
    }
}

extension HistoryEntry {
    /// What the command goes back to, in words; nil if it does not go back.
    var words: String? {
        let what: String
        switch goal {
        case .definition: what = "the rollback to definition \(definition?.short ?? "?")"
        case .state(let serial): what = "the return to serial \(serial)"
        case .unconfirmed, nil: return nil
        }
        return "\(what) by \(user.printable)@\(host.printable), begun \(began.text),"
    }
}
