import Catalogue
import DefinitionModel
package import Execution
import MeshCore

extension MeshTest {
    /// Plays the run on a real mesh: sends what it says, has people do the rest, and reads back what came of it. The
    /// session already listens to what ``wish`` says.
    ///
    /// Reading takes time, so a state counts if it is so at the first reading that began within its time, or at the one
    /// after that.
    ///
    /// - Parameters:
    ///   - session: talks to the mesh.
    ///   - ask: asks somebody to do something, in words after “to”; false if nobody did.
    /// - Returns: what came of it; nil if somebody did not do what was asked, or if the mesh is out of reach.
    package func play(in session: OperatingSession, asking ask: (String) -> Bool) -> TestOutcome? {
        var outcome = TestOutcome(run: run)
        if let flaw {
            outcome.failure = flaw
            return outcome
        }
        for (index, step) in steps.enumerated() {
            _ = session.takeHeartbeats()
            let before = Self.read(step.bystanders.map(\.request), in: session)
            var answers: [Int: StateSettingOutcome] = [:]
            if let command = step.command {
                do throws(OutsideCommand.Problem) { answers = try command.carryOut(in: session) } catch {
                    let problem = TestFailure.Problem(node: nil, text: error.text)
                    outcome.failure = TestFailure(number: index + 1, step: step.step, problems: [problem])
                    return outcome
                }
            } else if let deed = step.step.action?.deed {
                guard ask(deed) else { return nil }
            } else if case .wait(let milliseconds) = step.step.action {
                session.pause(for: .milliseconds(milliseconds))
            }
            var problems = check(step, answers, &outcome, in: session)
            problems += strays(of: step, before, in: session)
            problems += step.ear.problems(in: session)
            guard session.ending == nil else { return nil }
            guard problems.isEmpty else {
                outcome.failure = TestFailure(number: index + 1, step: step.step, problems: problems)
                return outcome
            }
        }
        return outcome
    }

    /// How long to wait between two readings.
    private static let pause = Duration.milliseconds(200)

    /// Reads expected states until they have come true, or their time is over.
    private func check(
        _ step: Step,
        _ answers: [Int: StateSettingOutcome],
        _ outcome: inout TestOutcome,
        in session: OperatingSession
    ) -> [TestFailure.Problem] {
        let begin = session.now
        var open = step.expected
        var problems: [TestFailure.Problem] = []
        while !open.isEmpty, session.ending == nil {
            let asked = begin.duration(to: session.now)
            let statuses = Self.read(open.map(\.request), in: session)
            var left: [Expected] = []
            var hasComeTrue = false
            for (expected, status) in zip(open, statuses) {
                let values = status.flatMap { try? expected.value.state.statusMessage.decode($0) }
                if expected.value.isTrue(values) {
                    hasComeTrue = true
                    continue
                }
                guard asked >= expected.within else {
                    left.append(expected)
                    continue
                }
                problems.append(
                    TestFailure.Problem(
                        node: expected.name,
                        text: expected.value.problem(values, after: expected.within),
                        reason: status == nil ? "it did not answer" : answers[expected.node].flatMap(\.reason)
                    )
                )
            }
            if hasComeTrue { outcome.slowest = max(outcome.slowest ?? .zero, begin.duration(to: session.now)) }
            open = left
            if !open.isEmpty { session.pause(for: Self.pause) }
        }
        return problems
    }

    /// The lamps that changed although they were to stay as they are.
    private func strays(
        of step: Step,
        _ before: [[UInt8]?],
        in session: OperatingSession
    ) -> [TestFailure.Problem] {
        guard !step.bystanders.isEmpty, session.ending == nil else { return [] }
        let after = Self.read(step.bystanders.map(\.request), in: session)
        return zip(step.bystanders, zip(before, after)).compactMap { bystander, statuses in
            let state = bystander.state
            let values = [statuses.0, statuses.1].map { $0.flatMap { try? state.statusMessage.decode($0) } }
            guard let was = values[0], let now = values[1] else {
                let text = "it did not answer, so nobody knows whether it stayed unchanged"
                return TestFailure.Problem(node: bystander.name, text: text)
            }
            guard state.value(in: was) != state.value(in: now) else { return nil }
            let (old, new) = (state.summary(of: was) ?? "not known", state.summary(of: now) ?? "not known")
            let text = "its \(state.name) changed from \(old) to \(new), but others were to stay unchanged"
            return TestFailure.Problem(node: bystander.name, text: text)
        }
    }

    /// The parameters of the answers; nil for those that did not come.
    private static func read(_ requests: [OperatingRequest], in session: OperatingSession) -> [[UInt8]?] {
        guard !requests.isEmpty else { return [] }
        return session.ask(requests).map { if case .answered(let parameters) = $0 { parameters } else { nil } }
    }
}

extension StateSettingOutcome {
    /// What a command came to at a node, as a clause; nil if it did what it was told.
    var reason: String? {
        switch self {
        case .asAsked, .repaired, .sent: nil
        case .differs: "the node answered the command with something else than it asked for"
        case .unknown: "the node did not answer the command"
        }
    }
}
