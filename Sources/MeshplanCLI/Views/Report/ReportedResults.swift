import Basics
import DefinitionModel
import MeshCore
import Rehearsal

/// What came of one test.
struct ReportedTest: Hashable {
    /// How it ended.
    enum Verdict: Hashable {
        case passed, failed, skipped
    }

    var name: String
    var verdict: Verdict
    /// What is worth knowing, line by line.
    var details: [String]
}

extension ReportedTest {
    /// What came of a test that was played just now.
    init(_ result: TestResult) {
        let runs = result.outcomes.count
        var details: [String] = []
        if runs > 1 { details.append(result.isPassed ? "\(runs) runs" : "held in \(result.held) of \(runs) runs") }
        if result.isPassed, let slowest = result.slowest, slowest > .zero {
            details.append("within \(TestView.text(slowest))")
        }
        if let failure = result.firstFailure?.failure {
            details.append("step \(failure.number)")
            details += failure.problems.prefix(5).map { problem in (problem.node.map { "\($0): " } ?? "") + problem.text
            }
            if failure.problems.count > 5 { details.append("and \(failure.problems.count - 5) more") }
        }
        if let skipped = result.skipped { details.append(skipped) }
        self.init(
            name: result.test.name.value,
            verdict: result.isFailed ? .failed : result.isPassed ? .passed : .skipped,
            details: details
        )
    }
}

extension ReportedTest {
    /// A `testcase` in the format of JUnit.
    init(testCase element: XMLElement) {
        let problem = element.children.first { $0.localName == "failure" || $0.localName == "error" }
        let skipped = element.children.first { $0.localName == "skipped" }
        let told = (problem ?? skipped).map { [$0["message"] ?? ""] + $0.text.split(separator: "\n").map(String.init) }
        self.init(
            name: element["name"] ?? "a test",
            verdict: problem != nil ? .failed : skipped != nil ? .skipped : .passed,
            details: Array((told ?? []).filter { !$0.isEmpty }.prefix(6))
        )
    }
}

/// What one Health Server told.
struct ReportedHealth: Hashable {
    var node: String
    var element: Int
    /// The faults that it has registered, in words.
    var faults: [String]
    /// Why they are not known; nil if they are.
    var reason: String?
    /// When it told them; nil if the file does not say.
    var time: Timestamp?
}
