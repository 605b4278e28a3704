import DefinitionModel
import MeshCore

/// Collects diagnostics up to a limit for each severity and counts the rest. So a file full of mistakes needs neither
/// much memory nor many screens.
struct DiagnosticCollector {
    private struct Key: Hashable {
        var message: String
        var location: SourceLocation?
    }

    private let limit: Int
    private var diagnostics: [Diagnostic] = []
    private var said: Set<Key> = []
    /// In how many instances each mistake was found.
    private var mistakes: [SourceInstances.Mistake: Int] = [:]
    /// The instances that locations may lie in. The same mistake in several of them is one diagnostic.
    var instances = SourceInstances()
    private var kept = [0, 0, 0]
    private var dropped = [0, 0, 0]
    /// How often something was reported, kept or not.
    private(set) var reports = 0

    /// A collector that keeps `limit` diagnostics of each severity.
    init(limit: Int) {
        self.limit = limit
    }

    var hasErrors: Bool { kept[Diagnostic.Severity.error.rawValue] > 0 }

    /// How many errors there were, shown or not.
    var errorCount: Int {
        kept[Diagnostic.Severity.error.rawValue] + dropped[Diagnostic.Severity.error.rawValue]
    }

    /// Whether a further diagnostic of that severity would be kept, not only counted.
    func wants(_ severity: Diagnostic.Severity) -> Bool { kept[severity.rawValue] < limit }

    /// Counts a diagnostic that is not kept.
    mutating func drop(_ severity: Diagnostic.Severity) {
        reports += 1
        dropped[severity.rawValue] += 1
    }

    /// Adds a diagnostic, unless the same was reported for the same place. If there are too many, it is not even made.
    mutating func report(_ severity: Diagnostic.Severity, _ make: () -> Diagnostic) {
        guard wants(severity) else { return drop(severity) }
        reports += 1
        let diagnostic = make()
        if let mistake = instances.mistake(diagnostic) {
            guard said.insert(Key(message: diagnostic.message, location: diagnostic.location)).inserted else { return }
            mistakes[mistake, default: 0] += 1
            guard mistakes[mistake] == 1 else { return }
            kept[severity.rawValue] += 1
            diagnostics.append(diagnostic)
            return
        }
        guard said.insert(Key(message: diagnostic.message, location: diagnostic.location)).inserted else { return }
        kept[severity.rawValue] += 1
        diagnostics.append(diagnostic)
    }

    /// All diagnostics in display order, followed by the number of further ones.
    func finished() -> [Diagnostic] {
        let shown = diagnostics.map { diagnostic in
            instances.shown(diagnostic, others: instances.mistake(diagnostic).map { (mistakes[$0] ?? 1) - 1 } ?? 0)
        }
        var finished = shown.arranged()
        let kinds: [(Diagnostic.Severity, String)] = [(.error, "errors"), (.warning, "warnings"), (.note, "notes")]
        for (severity, plural) in kinds where dropped[severity.rawValue] > 0 {
            finished.append(
                Diagnostic(severity, "\(dropped[severity.rawValue]) more \(plural) are not shown")
            )
        }
        return finished
    }
}
