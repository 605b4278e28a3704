internal import MeshCore

/// Collects diagnostics; one that thousands of nodes share through a profile or a rule appears once and counts them.
struct DiagnosticCollector {
    private struct Cause: Hashable {
        var location: SourceLocation
        var name: String
    }

    private var diagnostics: [Diagnostic] = []
    private var places: [Cause: Int] = [:]
    private var repetitions: [Int: Int] = [:]

    /// Whether an error was reported.
    private(set) var hasErrors = false

    mutating func report(_ diagnostic: Diagnostic) {
        if diagnostic.severity == .error { hasErrors = true }
        diagnostics.append(diagnostic)
    }

    /// Reports what is wrong with one node; further nodes with the same cause at the same place are only counted.
    ///
    /// - Parameter cause: Names the kind of problem, and what tells two of them at one place apart.
    mutating func report(_ cause: String, at location: SourceLocation, _ diagnostic: () -> Diagnostic) {
        let cause = Cause(location: location, name: cause)
        if let place = places[cause] {
            repetitions[place, default: 0] += 1
        } else {
            places[cause] = diagnostics.count
            report(diagnostic())
        }
    }

    /// All of them as they are to be shown.
    func finished() -> [Diagnostic] {
        var counted = diagnostics
        for (place, count) in repetitions {
            counted[place].message += count == 1 ? " (and one more node)" : " (and \(count) more nodes)"
        }
        return counted.arranged()
    }
}
