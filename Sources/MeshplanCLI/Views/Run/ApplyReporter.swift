import Execution
import MeshCore
import Planning

/// Reports on a run as text or JSON, whichever the command should write.
final class ApplyReporter {
    private let context: Context
    private let network: MeshNetwork
    private let isFull: Bool
    private let operation: String
    private var view: ApplyView
    let terminal: RunTerminal
    /// The plan that is carried out, with what was added during the run.
    private var plan: Plan?
    private var tally = StepTally()

    /// A reporter of a run without a plan yet.
    ///
    /// - Parameters:
    ///   - isFull: whether to show details of what is added to the plan during the run.
    ///   - operation: the name of the operation in the history.
    init(_ context: Context, network: MeshNetwork, isFull: Bool, operation: String = "apply") {
        self.context = context
        self.network = network
        self.isFull = isFull
        self.operation = operation
        terminal = RunTerminal(context)
        context.json?.learn(network)
        view = ApplyView(
            RunTitle(nil, operation),
            nil,
            network: network,
            context: context,
            terminal: terminal,
            isFull: isFull
        )
    }

    /// Begins to report on the run of a plan.
    ///
    /// - Parameter estimate: the seconds that it will take; nil if nobody knows. It is asked for at most once.
    func begin(_ plan: Plan, estimate: @escaping () -> Double? = { nil }) {
        self.plan = plan
        tally = StepTally(plan)
        context.json?.learn(plan)
        view = ApplyView(
            RunTitle(plan, operation),
            plan,
            network: network,
            context: context,
            terminal: terminal,
            isFull: isFull,
            estimate: estimate
        )
    }

    func handle(_ event: ExecutionEvent) {
        if case .planGrown(let changes, let steps) = event {
            plan?.changes += changes
            plan?.steps += steps
        }
        tally.count(event)
        context.observation.count(event)
        if let lines = context.json {
            ApplyJSON(lines: lines, plan: plan, tally: tally).handle(event)
        } else {
            view.handle(event, tally)
        }
    }

    /// Reports the end of the run, whether or not it succeeded.
    func finish(_ recap: Recap, status: ExitStatus) {
        if let failure = Failure(ending: recap.ending) { FailureView(context).show(failure) }
        if let lines = context.json {
            ApplyJSON(lines: lines, plan: plan, tally: tally).finish(recap, status: status)
        } else {
            view.finish(recap, tally)
        }
    }
}
