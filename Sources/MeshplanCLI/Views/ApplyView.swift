internal import Execution
internal import MeshCore
internal import Planning

/// Tells a person how a run goes: a line for each node that is done, failures at once, the recap last.
///
/// Results go to standard output, talk to standard error; on a terminal one line of it is rewritten with the progress.
final class ApplyView {
    private let context: Context
    private let plan: Plan?
    private let style: Style
    private let errorStyle: Style
    private let names: [DeviceUUID: String]
    private var lanes: [DeviceUUID: Lane] = [:]
    private var progress = (decided: 0, total: 0)
    private var retries = 0
    private var pending = 0
    private var hasStatusLine = false

    /// What became of the steps of one node.
    private struct Lane {
        var succeeded = 0
        var unchanged = 0
        var failed = 0
        var blocked = 0
        var retries = 0
    }

    /// A view of the run of a plan; nil while only in-doubt requests are read back.
    ///
    /// - Parameter network: names nodes that the plan does not.
    init(_ plan: Plan?, network: MeshNetwork, context: Context) {
        self.plan = plan
        self.context = context
        style = context.style
        errorStyle = context.errorStyle
        var names: [DeviceUUID: String] = [:]
        for node in network.nodes { names[node.uuid] = node.name.printable }
        for node in plan?.nodes ?? [] { names[node.uuid] = node.name.printable }
        self.names = names
    }

    /// Takes in one event of the run.
    func handle(_ event: ExecutionEvent) {
        switch event {
        case .runStarted(_, let inDoubt):
            if inDoubt > 0 {
                say(
                    "\(count(inDoubt, "request")) of an earlier run may have arrived or not: reading back first."
                )
            }
        case .linkUp(let proxy):
            say("Connected" + (proxy.map { " through the proxy at \($0)" } ?? "") + ".")
        case .linkDown(let reason, let delay):
            let next = delay.map { "trying again in \(Self.text($0))" } ?? "giving up"
            say("The proxy link is down (\(reason.printable)); \(next).")
        case .nodeStarted: break
        case .stepSent: break
        case .stepRetried(let step, _):
            retries += 1
            edit(step) { $0.retries += 1 }
            showStatus()
        case .stepUnknown: break
        case .stepSucceeded(let step, _): edit(step) { $0.succeeded += 1 }
        case .stepSkipped(let step): edit(step) { $0.unchanged += 1 }
        case .stepBlocked(let step, _): edit(step) { $0.blocked += 1 }
        case .stepFailed(let step, let failure):
            edit(step) { $0.failed += 1 }
            show(failure, of: step)
        case .nodeFinished(let node): finish(node)
        case .nodePending(let node, let steps):
            pending += 1
            result(
                "\(name(node)): does not answer; \(steps == 0 ? "it" : count(steps, "step")) will be tried again by the next apply"
            )
        case .nodeUnreachable(let node, let reason): say("\(name(node)) cannot be asked: \(reason.printable).")
        case .doubtResolved(let node, let action, let tookEffect):
            let effect = tookEffect ? "has taken effect" : "has not taken effect"
            result("\(name(node)): \(action.text) of an earlier run \(effect)")
        case .provisioningStage: break
        case .provisioned(let node, let address, let elementCount, isAuthenticated: _):
            result("\(name(node)): is a node at \(address) with \(count(Int(elementCount), "element"))")
        case .provisioningRetried(let node, let problem, in: let delay):
            say("\(name(node)): \(problem.description.printable); trying again in \(Self.text(delay)).")
        case .deviceNotHeard(let node, let mayBeNode):
            say("\(name(node)) was not heard" + (mayBeNode ? ", and does not answer as a node either." : "."))
        case .planGrown: break
        case .problem(_, let diagnostic):
            clearStatus()
            context.errorOutput.write(DiagnosticView(style: errorStyle).render([diagnostic]))
        case .progress(let decided, let total):
            progress = (decided, total)
            showStatus()
        case .interrupted(let immediately):
            say(
                immediately
                    ? "Interrupted again: stopping at once."
                    : "Interrupted: waiting for the answers to what was sent. Once more stops at once."
            )
        case .runFinished: clearStatus()
        }
    }

    /// The end of every run, however it came about.
    func finish(_ recap: Recap) {
        clearStatus()
        context.output.write(RecapView(recap, plan: plan, style: style).render())
    }

    private func finish(_ node: DeviceUUID) {
        let lane = lanes[node] ?? Lane()
        var parts: [String] = []
        if lane.failed > 0 { parts.append(style(.delete, "\(lane.failed) failed")) }
        if lane.blocked > 0 { parts.append("\(lane.blocked) not tried") }
        if lane.unchanged > 0 { parts.append("\(lane.unchanged) unchanged") }
        if lane.retries > 0 { parts.append(count(lane.retries, "retry", plural: "retries")) }
        let done = lane.failed + lane.blocked == 0 ? "done" : "\(lane.succeeded) done"
        let steps = lane.failed + lane.blocked == 0 ? [count(lane.succeeded, "step")] : []
        let detail = (steps + parts).joined(separator: ", ")
        result("\(name(node)): \(done)\(detail.isEmpty ? "" : " (\(detail))")")
    }

    private func show(_ failure: StepFailure, of step: Int) {
        clearStatus()
        let address = plan?.change(of: step)?.address
        let diagnostic = Diagnostic(.error, failure.headline, resource: address, hint: failure.advice)
        context.errorOutput.write(DiagnosticView(style: errorStyle).render([diagnostic]))
    }

    private func edit(_ step: Int, _ change: (inout Lane) -> Void) {
        guard let node = plan?.node(of: step) else { return }
        change(&lanes[node, default: Lane()])
    }

    private func name(_ node: DeviceUUID) -> String { names[node] ?? node.description }

    private func result(_ line: String) {
        clearStatus()
        context.output.line(line)
        showStatus()
    }

    private func say(_ line: String) {
        clearStatus()
        context.errorOutput.line(line)
        showStatus()
    }

    /// Rewrites the last line of the terminal.
    private func showStatus() {
        guard errorStyle.isTerminal, progress.total > 0 else { return }
        var parts = ["\(progress.decided) of \(count(progress.total, "step"))"]
        if retries > 0 { parts.append(count(retries, "retry", plural: "retries")) }
        if pending > 0 { parts.append("\(count(pending, "node")) pending") }
        let bars = 20
        let filled = progress.decided * bars / progress.total
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: bars - filled)
        let line = "[\(bar)] " + parts.joined(separator: ", ")
        context.errorOutput.write("\r\u{1B}[K" + String(line.prefix(errorStyle.width - 1)))
        hasStatusLine = true
    }

    private func clearStatus() {
        guard hasStatusLine else { return }
        context.errorOutput.write("\r\u{1B}[K")
        hasStatusLine = false
    }

    private static func text(_ duration: Duration) -> String {
        DurationText.text(milliseconds: Int(clamping: duration.microseconds / 1_000))
    }
}

extension StepFailure {
    /// What happened, without a full stop: the head of a diagnostic.
    var headline: String {
        let text = description
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

extension Plan {
    /// The change that a step belongs to.
    func change(of step: Int) -> Change? {
        guard steps.indices.contains(step), changes.indices.contains(steps[step].change) else {
            return nil
        }
        return changes[steps[step].change]
    }

    /// The node that a step sends to.
    func node(of step: Int) -> DeviceUUID? {
        guard steps.indices.contains(step), case .configure(let node, _) = steps[step].work else { return nil }
        return node
    }
}
