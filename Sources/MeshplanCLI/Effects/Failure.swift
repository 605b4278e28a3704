internal import MeshCore

/// Why a command ends without having done its work: one clear message, how to go on, and the exit status.
struct Failure: Error {
    /// What the process ends with.
    var status: ExitStatus
    /// What went wrong, without a full stop. Never holds key material.
    var message: String
    /// How to go on, one or more sentences.
    var hint: String?

    /// A failure with that text.
    init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
    }
}

/// The definition is not valid; its diagnostics say why.
///
/// It describes itself in a few words: the parser of command lines describes every error that it is asked about, and the
/// texts can be large.
struct InvalidDefinition: Error, CustomStringConvertible {
    /// All that was found.
    var diagnostics: [Diagnostic]
    /// The texts that they point into.
    var files: SourceFiles
    /// What the process ends with: a refusal where a guard has said no.
    var status = ExitStatus.invalidInput

    var description: String { count(diagnostics.count, "diagnostic") }
}
