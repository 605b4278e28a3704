import DefinitionModel
import MeshCore

/// Collects diagnostics. A diagnostic that thousands of nodes share through a profile or a rule appears once, with
/// their count. So does a note that many rules share.
struct CountedDiagnostics {
    private struct Cause: Hashable {
        var location: SourceLocation
        var name: String
    }

    private var diagnostics: [Diagnostic] = []
    private var places: [Cause: Int] = [:]
    private var repetitions: [Int: Int] = [:]
    private var skips: [ModelIdentifier: (place: Int, rules: Int)] = [:]

    private(set) var hasErrors = false

    mutating func report(_ diagnostic: Diagnostic) {
        if diagnostic.severity == .error { hasErrors = true }
        diagnostics.append(diagnostic)
    }

    /// Reports a problem of one node. Further nodes with the same cause at the same location are only counted.
    ///
    /// - Parameter cause: the kind of problem, and whatever distinguishes two of them at one location.
    mutating func report(_ cause: String, at location: SourceLocation, _ diagnostic: () -> Diagnostic) {
        let cause = Cause(location: location, name: cause)
        if let place = places[cause] {
            repetitions[place, default: 0] += 1
        } else {
            places[cause] = diagnostics.count
            report(diagnostic())
        }
    }

    /// Notes that a rule skips nodes without the model. Selecting by tags makes that normal, and a definition may have
    /// such a rule for each room. So further rules are only counted.
    mutating func noteSkips(of model: ModelIdentifier, _ diagnostic: () -> Diagnostic) {
        if let skip = skips[model] {
            skips[model] = (skip.place, skip.rules + 1)
        } else {
            skips[model] = (diagnostics.count, 0)
            report(diagnostic())
        }
    }

    /// All diagnostics, ready to be shown.
    func finished() -> [Diagnostic] {
        var counted = diagnostics
        for (place, count) in repetitions {
            counted[place].message += count == 1 ? " (and one more node)" : " (and \(count) more nodes)"
        }
        for (place, rules) in skips.values where rules > 0 {
            counted[place].message +=
                rules == 1 ? "; one more rule skips nodes without it" : "; \(rules) more rules skip nodes without it"
        }
        return counted.arranged()
    }
}
