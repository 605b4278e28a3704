import DefinitionModel
import MeshCore
import Rehearsal
import SystemLayer

/// Which tests of a definition are played, and what is done with their results.
struct TestSelection {
    let context: Context
    /// The patterns of the names of tests to play; empty for all.
    let only: [String]
    /// The path of the report for other programs; nil for none.
    let junit: String?

    /// The tests to play.
    ///
    /// - Throws: ``Failure`` if there are none.
    func tests(of definition: Definition) throws -> [TestDefinition] {
        if let junit {
            try OutputTarget.check(junit, is: "a file with results", ending: ".xml", in: context) {
                $0.starts(with: "<?xml".utf8) || $0.starts(with: "<testsuite".utf8)
            }
        }
        guard !definition.tests.isEmpty else {
            throw Failure(
                .failure,
                "the definition of \(definition.network.value) has no tests",
                hint: "Write them under `tests:`; the manual's page on tests shows how."
            )
        }
        guard !only.isEmpty else { return definition.tests }
        let globs = only.map { Glob($0) }
        let chosen = definition.tests.filter { test in globs.contains { $0.matches(test.name.value) } }
        guard !chosen.isEmpty else {
            let names = definition.tests.map { "`\($0.name.value)`" }.joined(separator: ", ")
            throw Failure(.usage, "no test is called \(only.joined(separator: " or "))", hint: "There are \(names).")
        }
        return chosen
    }

    /// Writes the report, if one is wanted.
    ///
    /// - Throws: `FileError` if it cannot be written.
    func report(_ results: [TestResult], _ prepared: PlanningJob.Prepared) throws {
        guard let junit else { return }
        let report = JUnitReport(network: prepared.network, results: results, files: prepared.files)
        try AtomicFile.write(context.absolute(junit), as: junit, Array(report.text.utf8), mode: 0o644)
    }
}

/// What came of all runs of a test.
struct TestResult {
    let test: TestDefinition
    /// Each run, in order.
    var outcomes: [TestOutcome] = []
    /// Why it was not played, or not to its end, as a clause; nil if it was.
    var skipped: String?
    /// How long the runs took on this machine.
    var elapsed = Duration.zero

    /// Whether it held in all runs.
    var isPassed: Bool { skipped == nil && hasHeld }
    /// Whether it did not hold in some run.
    var isFailed: Bool { !hasHeld }
    private var hasHeld: Bool { outcomes.allSatisfy(\.isPassed) }
    /// In how many runs it held.
    var held: Int { outcomes.count(where: \.isPassed) }
    /// The first run in which it did not hold.
    var firstFailure: TestOutcome? { outcomes.first { !$0.isPassed } }
    /// How long the slowest expectation took to come true.
    var slowest: Duration? { outcomes.compactMap(\.slowest).max() }
}
