internal import MeshCore

/// Explains errors on standard error.
struct FailureView {
    /// Where to write.
    var context: Context

    /// A view in a context.
    init(_ context: Context) {
        self.context = context
    }

    /// Shows any error.
    ///
    /// - Returns: the exit status that stands for it.
    @discardableResult
    func show(_ error: any Error) -> ExitStatus {
        if let invalid = error as? InvalidDefinition {
            let view = DiagnosticView(files: invalid.files, style: context.errorStyle)
            context.errorOutput.write(view.render(invalid.diagnostics))
            return .invalidInput
        }
        let failure = Failure(explaining: error)
        let diagnostic = Diagnostic(.error, failure.message, hint: failure.hint)
        context.errorOutput.write(DiagnosticView(style: context.errorStyle).render([diagnostic]))
        return failure.status
    }
}

extension Failure {
    /// The one place where errors of all modules get their message and exit status.
    init(explaining error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as FileError: self.init(error.isMissing ? .failure : .failure, error.message)
        case let error as BearerError: self.init(.failure, error.message, hint: error.hint)
        default: self.init(.failure, "\(error)")
        }
    }
}
