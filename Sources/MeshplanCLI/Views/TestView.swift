import DefinitionModel
import MeshCore
import Rehearsal
import SystemLayer

/// Shows tests as they are played.
struct TestView {
    let context: Context
    let files: SourceFiles

    /// So many nodes are named where a test fails; the others are counted.
    private static let mostProblems = 5

    /// Says what is about to be played, and where compositions come from.
    func begin(_ network: String, _ tests: Int, _ devices: RehearsedDevices) {
        let sources = [
            (devices.described, "from files with devices"), (devices.recorded, "from the database"),
            (devices.assumed, "assumed from what the definition uses"),
        ].filter { !$0.0.isEmpty }
        if let lines = context.json {
            lines.write([
                "type": "tests", "network": network.json, "tests": .integer(tests),
                "described": .integer(devices.described.count), "recorded": .integer(devices.recorded.count),
                "assumed": .array(devices.assumed.map(\.json)),
            ])
            return
        }
        context.output.line(
            "Testing network \(network.printable) in the simulator: \(count(tests, "test"))"
        )
        let parts = sources.map { "\($0.0.count) \($0.1)" }.joined(separator: ", ")
        context.output.line("Compositions of \(count(devices.devices.count, "device")): \(parts)")
    }

    /// Says what is about to be played on a mesh that exists.
    ///
    /// - Parameter via: the ways to it.
    func begin(_ network: String, _ tests: Int, over via: [String]) {
        if let lines = context.json {
            lines.write([
                "type": "tests", "network": network.json, "tests": .integer(tests), "via": .array(via.map(\.json)),
            ])
            return
        }
        let way = via.joined(separator: ", ").printable
        context.output.line("Testing network \(network.printable) over \(way): \(count(tests, "test"))")
    }

    /// Shows a test that has been played, or was skipped.
    func show(_ result: TestResult) {
        if let lines = context.json { return write(result, to: lines) }
        let style = context.style
        if let skipped = result.skipped, !result.isFailed {
            let name = result.test.name.value
            context.output.line("  \(style(.warning, "skip"))  \("\(name): \(skipped)".printable)")
            return
        }
        let verdict = result.isPassed ? style(.good, "ok  ") : style(.error, "FAIL")
        var line = "  \(verdict)  \(result.test.name.value.printable)"
        let runs = result.outcomes.count
        if runs != 1 {
            line += result.isPassed ? " (\(count(runs, "run")))" : " (held in \(result.held) of \(runs) runs)"
        }
        if result.isPassed, let slowest = result.slowest, slowest > .zero { line += ", within \(Self.text(slowest))" }
        context.output.line(line)
        guard let outcome = result.firstFailure, let failure = outcome.failure else { return }
        context.output.line(
            "        \(place(of: failure.step)): step \(failure.number)\(circumstances(of: outcome, result))"
        )
        for problem in failure.problems.prefix(Self.mostProblems) {
            let node = problem.node.map { "\($0): " } ?? ""
            context.output.line("          \((node + problem.text).printable)")
            if let reason = problem.reason { context.output.line("            \(reason.printable)") }
        }
        let rest = failure.problems.count - Self.mostProblems
        if rest > 0 { context.output.line("          and \(rest) more") }
    }

    /// What was done in the step, and what was special about the run.
    private func circumstances(of outcome: TestOutcome, _ result: TestResult) -> String {
        var text = outcome.failure?.step.action.map { ", \($0.key)" + ($0.words.map { " \($0)" } ?? "") } ?? ""
        if let binding = outcome.run.binding { text += ", \(binding.name) \(binding.value)" }
        if let without = outcome.run.without { text += ", without \(without.name.value)" }
        // The seed tells runs apart only where there are several.
        let seeds = Set(result.outcomes.map(\.run.seed))
        if seeds.count > 1, let seed = outcome.run.seed { text += ", seed \(seed)" }
        return text.printable
    }

    private func place(of step: TestStep) -> String {
        "\(files.path(of: step.location).printable):\(step.location.line):\(step.location.column)"
    }

    /// Sums up.
    ///
    /// - Parameter isWhole: false if somebody interrupted, or the mesh went away, before all tests were played.
    func end(_ results: [TestResult], isWhole: Bool = true) {
        let passed = results.count(where: \.isPassed)
        let failed = results.count(where: \.isFailed)
        let skipped = results.count - passed - failed
        if let lines = context.json {
            lines.write(summary: [
                "type": "summary", "passed": .integer(passed), "failed": .integer(failed),
                "skipped": .integer(skipped), "interrupted": isWhole ? nil : true,
            ])
            return
        }
        guard isWhole else {
            let rest = skipped > 0 ? ", \(skipped) skipped" : ""
            let head = context.style(.warning, "Tests, not all played:")
            return context.output.line("\(head) \(passed) passed, \(failed) failed\(rest).")
        }
        let dress: Style.Dress = failed == 0 ? .good : .error
        let rest = skipped > 0 ? ", \(skipped) skipped" : ""
        context.output.line(context.style(dress, "Tests:") + " \(passed) passed, \(failed) failed\(rest).")
    }

    private func write(_ result: TestResult, to lines: JSONLines) {
        lines.event([
            "type": "test", "name": result.test.name.value.json, "passed": .bool(result.isPassed),
            "runs": .integer(result.outcomes.count), "held": .integer(result.held),
            "skipped": result.skipped?.json,
            "slowest_ms": result.slowest.map { .integer(Int(clamping: $0.microseconds / 1_000)) },
            "file": files.path(of: result.test.name.location).json,
            "line": .integer(Int(result.test.name.location.line)),
        ])
        for outcome in result.outcomes {
            guard let failure = outcome.failure else { continue }
            lines.event([
                "type": "test_failure", "name": result.test.name.value.json,
                "seed": outcome.run.seed.map { .integer($0) },
                "without": outcome.run.without?.name.value.json,
                "for_each": outcome.run.binding.map { .object([$0.name: $0.value.json]) },
                "step": .integer(failure.number),
                "file": files.path(of: failure.step.location).json,
                "line": .integer(Int(failure.step.location.line)),
                "column": .integer(Int(failure.step.location.column)),
                "problems": .array(
                    failure.problems.map { problem in
                        .object(["node": problem.node?.json, "text": problem.text.json, "reason": problem.reason?.json])
                    }
                ),
            ])
        }
    }

    /// A time of the simulation, in milliseconds or seconds.
    static func text(_ duration: Duration) -> String {
        DurationText.text(milliseconds: Int(clamping: duration.microseconds / 1_000))
    }
}
