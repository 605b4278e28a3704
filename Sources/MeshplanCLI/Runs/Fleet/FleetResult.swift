import DefinitionModel
import SystemLayer

/// What became of a command for one network.
struct FleetResult: Hashable {
    /// The exit status.
    var status = ExitStatus.failure
    /// The last summary.
    var summary: CommandSummary?
    /// The same, with all that the command has printed of it.
    var printed: JSONValue?
    /// The errors.
    var problems: [CommandReport.Problem] = []
    /// The lines to show with `--details`.
    var details: [String] = []
    var hasEnded = false
    /// Whether the process that has carried it out takes no other.
    var isLast = false

    /// How many lines of one command are kept.
    private static let mostDetails = 20_000

    /// Keeps a line to show.
    mutating func keep(_ line: String) {
        if details.count < Self.mostDetails {
            details.append(line)
        } else if details.count == Self.mostDetails {
            details.append("…")
        }
    }

    /// Takes the end.
    mutating func end(_ status: ExitStatus, _ reason: String? = nil) {
        self.status = status
        hasEnded = true
        if let reason { problems.append(.init(message: reason)) }
    }

    /// A command that has ended.
    static func ended(_ status: ExitStatus, _ reason: String? = nil) -> FleetResult {
        var result = FleetResult()
        result.end(status, reason)
        return result
    }

    /// What became of the command, in a few words: what went wrong, or else what it did.
    func text(_ command: String) -> String { problems.first?.message ?? summary?.text(command) ?? "" }
}

/// What a command tells the process that has asked for it, beside what it prints.
final class CommandReport {
    /// An error.
    struct Problem: Hashable, Codable {
        /// The message, behind where it is in a file.
        var message: String
        /// How to continue.
        var hint: String?
    }

    /// The last summary, as it is printed with `--json`.
    var summary: JSONValue?
    /// The first errors.
    private(set) var problems: [Problem] = []

    /// How many problems are kept.
    private static let mostProblems = 3

    /// Keeps the errors among diagnostics.
    func note(_ diagnostics: [Diagnostic], _ files: SourceFiles) {
        for diagnostic in files.instances.folded(diagnostics).arranged() where diagnostic.severity == .error {
            let start = diagnostic.location.map { "\(files.path(of: $0)):\($0.line):\($0.column): " }
            note((start ?? "") + diagnostic.message, hint: diagnostic.hint?.worded)
        }
    }

    /// Keeps an error.
    func note(_ message: String, hint: String? = nil) {
        if problems.count < Self.mostProblems { problems.append(Problem(message: message, hint: hint)) }
    }
}
