import DefinitionModel
import Execution
import MeshCore
import Rehearsal
import SystemLayer

/// One `test --via`: plays the tests of a definition on a mesh that exists.
struct MeshTestingSession {
    let context: Context
    /// Which tests, and where the report goes.
    let selection: TestSelection
    /// Whether tests may act on many nodes without a question.
    let isApproved: Bool

    /// Plays the tests that need nothing of the simulator.
    ///
    /// - Throws: ``InvalidDefinition`` if the definition has errors; ``Failure`` if it has no such tests, or if nobody
    ///   approves; what ``OperatingContext`` throws.
    func test(_ paths: [String], network: String?, over route: () throws -> MeshRoute) throws -> ExitStatus {
        let prepared = try PlanningJob(context: context).prepare(paths, network: network)
        let definition = prepared.definition
        let chosen = try selection.tests(of: definition)
        let operating = try OperatingContext(
            "test",
            in: context,
            over: try route(),
            definition: paths,
            network: prepared.network
        )
        // Nobody can press a switch of nodes that this process simulates.
        let isAttended = isAttended && operating.conversation.route.simulation == nil
        let index = NodeSelectorIndex(definition.nodes)
        var transaction = UInt8(truncatingIfNeeded: context.randomBits())
        var tests: [(test: TestDefinition, obstacle: TestObstacle?, runs: [MeshTest])] = []
        for test in chosen {
            let runs = Self.runs(of: test, index, definition.nodes)
            var obstacle = runs.compactMap { $0.obstacle(isAttended: isAttended) }.first
            // Other variations than those of variables leave nodes without power.
            if let variation = test.variation, variation.binding == nil { obstacle = .power }
            let prepared = runs.map {
                MeshTest($0, definition, operating.models, in: operating.network, transaction: &transaction)
            }
            tests.append((test, obstacle, prepared))
        }
        let played = tests.filter { $0.obstacle == nil }.flatMap { $0.runs }
        try approve(played)
        let view = TestView(context: context, files: prepared.files)
        view.begin(prepared.network, chosen.count, over: operating.conversation.route.via)
        var results: [TestResult] = []
        func take(_ result: TestResult) {
            results.append(result)
            view.show(result)
        }
        guard !played.isEmpty else {
            for test in tests { take(TestResult(test: test.test, skipped: test.obstacle?.description)) }
            return try finish(results, view, prepared)
        }
        let needs: Set<OwnModel> = played.map(\.needs).reduce([]) { $0.union($1) }
        let wishes = played.compactMap(\.wish)
        let (_, status) = try operating.operate(with: needs) { session in
            if var wish = wishes.first {
                wish.addresses = Set(wishes.flatMap(\.addresses)).sorted { $0.rawValue < $1.rawValue }
                session.listen(wish)
            }
            for (test, obstacle, runs) in tests {
                guard session.ending == nil else { return }
                take(obstacle.map { TestResult(test: test, skipped: $0.description) } ?? play(runs, of: test, session))
            }
        }
        guard status == .success else {
            view.end(results, isWhole: false)
            return status
        }
        return try finish(results, view, prepared)
    }

    private func finish(
        _ results: [TestResult],
        _ view: TestView,
        _ prepared: PlanningJob.Prepared
    ) throws -> ExitStatus {
        view.end(results)
        try selection.report(results, prepared)
        if results.contains(where: \.isFailed) { return .failure }
        return results.contains { $0.skipped != nil } ? .partial : .success
    }

    private func play(_ runs: [MeshTest], of test: TestDefinition, _ session: OperatingSession) -> TestResult {
        let start = session.now
        var result = TestResult(test: test)
        for run in runs {
            guard let outcome = run.play(in: session, asking: { ask($0, in: session) }) else {
                result.skipped = session.ending == nil ? "nobody did what was asked" : "the mesh is out of reach"
                break
            }
            result.outcomes.append(outcome)
        }
        result.elapsed = start.duration(to: session.now)
        return result
    }

    /// The runs of a test, of which none lacks a node.
    private static func runs(
        of test: TestDefinition,
        _ index: NodeSelectorIndex,
        _ nodes: [NodeDefinition]
    ) -> [TestVariant] {
        guard let bindings = test.bindings(index, nodes) else { return [TestVariant(test: test)] }
        return bindings.map { TestVariant(test: test, binding: $0) }
    }

    // MARK: People

    /// Whether somebody sees questions and can answer them.
    private var isAttended: Bool { context.terminal.isInputTerminal && context.terminal.isErrorTerminal }

    /// Asks somebody to do something.
    ///
    /// - Returns: false if nobody does.
    private func ask(_ deed: String, in session: OperatingSession) -> Bool {
        let question = "Please \(deed.printable), and then press Return here (s and Return to skip the test):"
        context.errorOutput.question("\(context.errorStyle(.bold, question)) ")
        context.lineInput.discard()
        // The link to the mesh goes on meanwhile.
        while session.ending == nil {
            switch context.lineInput.poll() {
            case .line(let line): return line.trimmed.lowercased() != "s"
            case .end: return false
            case .nothing: session.pause(for: Self.look)
            }
        }
        return false
    }

    /// How often it is looked whether somebody has answered.
    private static let look = Duration.milliseconds(50)

    /// Asks before commands of tests act on a large part of the network.
    private func approve(_ runs: [MeshTest]) throws(Failure) {
        let commands = Set(runs.flatMap(\.commandsToApprove)).sorted()
        guard !isApproved, let first = commands.first else { return }
        try Prompt(context: context).confirm(
            "Play tests that act on a large part of the network?",
            explanation:
                "`set: \(first.printable)` does\(commands.count > 1 ? ", and \(commands.count - 1) more" : "")."
        )
    }
}
