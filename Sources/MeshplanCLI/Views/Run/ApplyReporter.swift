internal import Execution
internal import MeshCore
internal import Planning

/// Reports on a run as text or JSON, whichever the command should write.
final class ApplyReporter {
    private let context: Context
    private let network: MeshNetwork
    private let isFull: Bool
    private var view: ApplyView
    /// The terminal that the run writes to.
    let terminal: RunTerminal
    /// The plan that is carried out, with what was added during the run.
    private var plan: Plan?

    /// A reporter of a run without a plan yet.
    ///
    /// - Parameter isFull: whether to show details of what is added to the plan during the run.
    init(_ context: Context, network: MeshNetwork, isFull: Bool) {
        self.context = context
        self.network = network
        self.isFull = isFull
        terminal = RunTerminal(context)
        view = ApplyView(nil, network: network, context: context, terminal: terminal, isFull: isFull)
    }

    /// Begins to report on the run of a plan.
    func begin(_ plan: Plan) {
        self.plan = plan
        view = ApplyView(plan, network: network, context: context, terminal: terminal, isFull: isFull)
    }

    /// Reports one event of the run.
    func handle(_ event: ExecutionEvent) {
        if case .planGrown(let changes, let steps) = event {
            plan?.changes += changes
            plan?.steps += steps
        }
        if let lines = context.json {
            ApplyJSON(lines: lines, plan: plan).handle(event)
        } else {
            view.handle(event)
        }
    }

    /// Reports the end of the run, whether or not it succeeded.
    func finish(_ recap: Recap, status: ExitStatus) {
        if let failure = Failure(ending: recap.ending) { FailureView(context).show(failure) }
        if let lines = context.json {
            ApplyJSON(lines: lines, plan: plan).finish(recap, status: status)
        } else {
            view.finish(recap)
        }
    }
}
