internal import Execution
internal import MeshCore
internal import Planning

/// Tells of a run in the form that the command is to write.
final class ApplyReporter {
    private let context: Context
    private let network: MeshNetwork
    private let isFull: Bool
    private var view: ApplyView
    /// What the run writes to.
    let terminal: RunTerminal
    /// What is carried out, with what it grows by.
    private var plan: Plan?

    /// A reporter of a run that has no plan yet.
    ///
    /// - Parameter isFull: whether what the plan grows by is shown in detail.
    init(_ context: Context, network: MeshNetwork, isFull: Bool) {
        self.context = context
        self.network = network
        self.isFull = isFull
        terminal = RunTerminal(context)
        view = ApplyView(nil, network: network, context: context, terminal: terminal, isFull: isFull)
    }

    /// The run of a plan begins.
    func begin(_ plan: Plan) {
        self.plan = plan
        view = ApplyView(plan, network: network, context: context, terminal: terminal, isFull: isFull)
    }

    /// Takes in one event of the run.
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

    /// The end of the run, however it came about.
    func finish(_ recap: Recap, status: ExitStatus) {
        if let failure = Failure(ending: recap.ending) { FailureView(context).show(failure) }
        if let lines = context.json {
            ApplyJSON(lines: lines, plan: plan).finish(recap, status: status)
        } else {
            view.finish(recap)
        }
    }
}
