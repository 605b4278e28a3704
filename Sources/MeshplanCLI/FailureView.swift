internal import MeshCore
internal import Store

/// Explains errors on standard error.
struct FailureView {
    /// Where to write.
    var context: Context

    /// A view in a context.
    init(_ context: Context) {
        self.context = context
    }

    /// Shows any error; where results are JSON, as a diagnostic among them, too.
    ///
    /// - Returns: the exit status that stands for it.
    @discardableResult
    func show(_ error: any Error) -> ExitStatus {
        if let invalid = error as? InvalidDefinition {
            show(invalid.diagnostics, files: invalid.files)
            return invalid.status
        }
        let failure = Failure(explaining: error)
        show([Diagnostic(.error, failure.message, hint: failure.hint)], files: SourceFiles())
        return failure.status
    }

    private func show(_ diagnostics: [Diagnostic], files: SourceFiles) {
        if let lines = context.json {
            lines.write(diagnostics, files: files)
        } else {
            context.errorOutput.write(DiagnosticView(files: files, style: context.errorStyle).render(diagnostics))
        }
    }
}

extension Failure {
    /// The one place where errors of all modules get their message and exit status.
    init(explaining error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as FileError: self.init(.failure, error.message)
        case let error as BearerError: self.init(.failure, error.message, hint: error.hint)
        case let error as StoreError:
            let path = error.path.map { Self.short($0) + ": " } ?? ""
            self.init(Self.status(of: error.code), path + error.message, hint: error.hint)
        default: self.init(.failure, "\(error)")
        }
    }

    /// What the process ends with for trouble with the database, the key file or an import.
    private static func status(of code: StoreError.Code) -> ExitStatus {
        switch code {
        case .locked: .locked
        case .stale: .stale
        case .invalidDocument: .invalidInput
        case .missing, .exists, .notADatabase, .wrongKey, .invalidKeyFile, .insecurePermissions, .damaged,
            .newerFormat, .readOnly, .permissionDenied, .diskFull, .inputOutput, .notLocked, .unknownRun,
            .noFreeAddresses, .cryptography:
            .failure
        }
    }

    /// A path below `.meshplan` as the user knows it.
    private static func short(_ path: String) -> String {
        guard let range = path.firstRange(of: "/.meshplan/") else { return path }
        return String(path[path.index(after: range.lowerBound)...])
    }
}
