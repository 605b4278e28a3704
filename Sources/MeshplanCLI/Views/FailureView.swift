import DefinitionModel
import MeshCore

/// Explains errors on standard error.
struct FailureView {
    var context: Context

    init(_ context: Context) {
        self.context = context
    }

    /// Shows an error. If results are JSON, the error becomes a diagnostic among them, too.
    ///
    /// - Returns: the exit status for the error.
    @discardableResult
    func show(_ error: any Error) -> ExitStatus {
        if let invalid = error as? InvalidDefinition {
            show(invalid.diagnostics, files: invalid.files)
            return invalid.status
        }
        let failure = Failure(explaining: error)
        show([Diagnostic(.error, failure.message, hint: failure.hint)])
        return failure.status
    }

    /// Shows a problem although the command has done its work.
    func warn(_ message: String, hint: String?) {
        show([Diagnostic(.warning, message, hint: hint)])
    }

    func show(_ diagnostics: [Diagnostic], files: SourceFiles = SourceFiles()) {
        context.report?.note(diagnostics, files)
        if let lines = context.json {
            lines.write(diagnostics, files: files)
        } else {
            context.errorOutput.write(DiagnosticView(files: files, style: context.errorStyle).render(diagnostics))
        }
    }
}
