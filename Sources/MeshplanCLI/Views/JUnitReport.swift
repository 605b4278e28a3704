import DefinitionModel
import MeshCore
import Rehearsal

/// The results of tests in the XML that JUnit writes, which build servers read.
struct JUnitReport {
    let network: String
    let results: [TestResult]
    let files: SourceFiles

    var text: String {
        let failed = results.count(where: \.isFailed)
        let skipped = results.count { $0.skipped != nil && !$0.isFailed }
        let time = results.map(\.elapsed).reduce(.zero, +)
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        text += "  <testsuite name=\"\(Self.escaped(network))\" tests=\"\(results.count)\" failures=\"\(failed)\""
        text += " errors=\"0\" skipped=\"\(skipped)\" time=\"\(Self.seconds(time))\">\n"
        for result in results { text += testCase(result) }
        return text + "  </testsuite>\n</testsuites>\n"
    }

    private func testCase(_ result: TestResult) -> String {
        let name = Self.escaped(result.test.name.value)
        let head =
            "    <testcase name=\"\(name)\" classname=\"\(Self.escaped(network))\" time=\"\(Self.seconds(result.elapsed))\""
        guard let failure = result.firstFailure?.failure else {
            guard let skipped = result.skipped else { return head + "/>\n" }
            return head + ">\n      <skipped message=\"\(Self.escaped(skipped))\"/>\n    </testcase>\n"
        }
        let location = "\(files.path(of: failure.step.location)):\(failure.step.location.line)"
        let problems = failure.problems.map { problem in
            (problem.node.map { "\($0): " } ?? "") + problem.text + (problem.reason.map { " (\($0))" } ?? "")
        }
        let message = "step \(failure.number) at \(location); held in \(result.held) of \(result.outcomes.count) runs"
        return head + ">\n      <failure message=\"\(Self.escaped(message))\">"
            + Self.escaped(problems.joined(separator: "\n")) + "</failure>\n    </testcase>\n"
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = max(duration.microseconds / 1_000, 0)
        let rest = String(milliseconds % 1_000)
        return "\(milliseconds / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }

    /// The text for XML 1.0, which cannot hold control characters at all.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            case let other where other.value < 0x20 || other.value == 0xFFFE || other.value == 0xFFFF:
                escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
