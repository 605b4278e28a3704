import DefinitionModel
import MeshCore

/// Why a command ends without doing its work: one clear message, how to continue, and the exit status.
struct Failure: Error {
    var status: ExitStatus
    /// The problem, without a full stop. Never contains key material.
    var message: String
    /// How to continue, in one or more sentences.
    var hint: String?

    init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
    }
}

/// The definition is not valid; its diagnostics say why.
///
/// Its description is short, because the parser of command lines asks every error for its description, and the texts
/// can be large.
struct InvalidDefinition: Error, CustomStringConvertible {
    var diagnostics: [Diagnostic]
    /// The files that they point into.
    var files: SourceFiles
    /// The exit status: ``ExitStatus/refused`` if a guard refuses.
    var status = ExitStatus.invalidInput

    var description: String { count(diagnostics.count, "diagnostic") }
}
