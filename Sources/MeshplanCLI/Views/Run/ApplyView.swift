import DefinitionModel
import Execution
import MeshCore
import Planning

/// Reports a run to a person: a line for each completed node, failures at once, the recap last.
///
/// Results go to standard output, comments to standard error. On a terminal, one line of those shows the progress and
/// is rewritten.
final class ApplyView {
    private let title: RunTitle
    private let terminal: RunTerminal
    private let isFull: Bool
    /// The plan that is carried out, with what was added during the run.
    private var plan: Plan?
    private let style: Style
    private let repeated: RepeatedCommand
    private let errorStyle: Style
    private let names: [DeviceUUID: String]
    private var links: LinkTalk
    private var lanes: [DeviceUUID: Lane] = [:]
    private var progress: RunProgress
    private let milliseconds: () -> Int64
    /// The current activity with the device that was heard last.
    private var activity: (node: DeviceUUID, text: String)?
    /// The node that carries each device's session.
    private var carriers: [DeviceUUID: DeviceUUID] = [:]
    /// Devices that were not heard: whether an earlier attempt may have made them nodes, and who listened for them.
    private var notHeard: [DeviceUUID: (mayBeNode: Bool, listener: DeviceListener)] = [:]
    /// Nodes that were reset and then looked for: whether they were seen as devices.
    private var seenResets: [DeviceUUID: Bool] = [:]
    /// The nodes that deviate from the specification in known ways.
    private var quirks: [KnownQuirk: Set<DeviceUUID>] = [:]

    /// The outcomes of the steps of one node.
    private struct Lane {
        var succeeded = 0
        var unchanged = 0
        var failed = 0
        var blocked = 0
        var retries = 0
    }

    /// A view of the run of a plan; nil while only requests in doubt are read back.
    ///
    /// - Parameters:
    ///   - title: the name of the run.
    ///   - network: the source of names for nodes that the plan does not name.
    ///   - estimate: the seconds that the run will take; nil if nobody knows.
    init(
        _ title: RunTitle,
        _ plan: Plan?,
        network: MeshNetwork,
        context: Context,
        terminal: RunTerminal,
        isFull: Bool,
        estimate: @escaping () -> Double? = { nil }
    ) {
        self.title = title
        self.plan = plan
        self.terminal = terminal
        self.isFull = isFull
        milliseconds = context.milliseconds
        progress = RunProgress(estimate: estimate)
        for case .provision in plan?.steps.lazy.map(\.work) ?? [] { progress.devices.total += 1 }
        style = context.style
        repeated = RepeatedCommand(context)
        errorStyle = context.errorStyle
        links = LinkTalk(network)
        var names: [DeviceUUID: String] = [:]
        for node in network.nodes { names[node.uuid] = node.name.printable }
        for node in plan?.nodes ?? [] { names[node.uuid] = node.name.printable }
        self.names = names
    }

    /// Reports one event of the run.
    ///
    /// - Parameter tally: the steps so far, with this event.
    func handle(_ event: ExecutionEvent, _ tally: StepTally) {
        progress.steps = (tally.decided, tally.total)
        switch event {
        case .runStarted(_, let inDoubt):
            if inDoubt > 0 {
                say(
                    "\(count(inDoubt, "request")) of an earlier run may or may not have arrived: reading back first."
                )
            }
        case .seekingProxy, .connecting, .linkUp, .linkDown, .interrupted: links.line(event).map { say($0) }
        case .nodeStarted: break
        case .stepSent: break
        case .stepRetried(let step, _):
            edit(step) { $0.retries += 1 }
            showStatus()
        case .stepUnknown, .removalFoundNothing: break
        case .stepAnsweredOddly(let step, let answer): showOdd(answer, of: step)
        case .quirkMet(let node, let quirk): quirks[quirk, default: []].insert(node)
        case .stepSucceeded(let step, _): edit(step) { $0.succeeded += 1 }
        case .stepSkipped(let step): edit(step) { $0.unchanged += 1 }
        case .stepBlocked(let step, _): edit(step) { $0.blocked += 1 }
        case .stepFailed(let step, let failure):
            edit(step) { $0.failed += 1 }
            show(failure, of: step)
        case .nodeFinished(let node): finish(node)
        case .nodePending(let node, let steps): showPending(node, steps)
        case .nodeUnreachable(let node, let reason): say("\(name(node)) cannot be asked: \(reason.printable).")
        case .provisioningStage(let node, let progress):
            switch progress {
            case .connecting, .connectingThrough: carriers[node] = progress.carrier
            default: break
            }
            activity = progress.text(name).map { (node, $0) }
            showActivity()
            showStatus()
        case .provisioned(let node, let address, let elementCount, let authentication):
            progress.devices.done += 1
            endActivity(of: node)
            links.learn(name(node), at: address)
            showProvisioned(node, address, elementCount, authentication)
        case .provisioningRetried(let node, let problem, let delay):
            endActivity(of: node)
            say("\(name(node)): \("\(problem)".printable); trying again in \(DurationText.text(delay)).")
        case .offersLess(let node, let witness): say("\(name(node)) \(witness.text)")
        case .valueGivenAway: break
        case .deviceNotHeard(let node, let mayBeNode, let listener):
            endActivity(of: node)
            notHeard[node] = (mayBeNode, listener)
        case .planGrown(let changes, let steps): grow(changes, steps)
        case .problem(_, let diagnostic):
            terminal.say(text: DiagnosticView(style: errorStyle).render([diagnostic]))
        case .doubtResolved(let node, let action, let tookEffect):
            let effect = tookEffect ? "has taken effect" : "has not taken effect"
            result("\(name(node)): \(action.text) of an earlier run \(effect)")
        case .changeWaits: break
        case .doubtAbandoned(let node, let action, let end):
            result(end.text(name(node), action))
        case .resetSeen(_, .stillNode), .resetSeen(_, .notLookedFor): break
        case .resetSeen(let node, .unprovisioned): seenResets[node] = true
        case .resetSeen(let node, .notSeen): seenResets[node] = false
        case .reprovisionSettled(let node, let procedure, let tookEffect):
            result(ReprovisionText.settled(name(node), procedure, tookEffect))
        case .nodeReadBack: break
        case .progress: showStatus()
        case .figures(let figures):
            progress.take(figures)
            showStatus()
            if !errorStyle.isTerminal, let line = progress.line(at: milliseconds(), name) { say(line) }
        case .runFinished: terminal.show(status: nil)
        }
    }

    /// Reports the end of a run, whether or not it succeeded.
    ///
    /// - Parameter tally: all steps of the run.
    func finish(_ recap: Recap, _ tally: StepTally) {
        terminal.show(status: nil)
        for line in QuirkText.lines(quirks, name: name) { say(line) }
        terminal.result(
            text: RecapView(recap, title, plan: plan, tally: tally, style: style, repeated: repeated).render()
        )
    }

    private func finish(_ node: DeviceUUID) {
        let lane = lanes[node] ?? Lane()
        var parts: [String] = []
        if lane.failed > 0 { parts.append(style(.delete, "\(lane.failed) failed")) }
        if lane.blocked > 0 { parts.append("\(lane.blocked) not tried") }
        if lane.unchanged > 0 { parts.append("\(lane.unchanged) unchanged") }
        if lane.retries > 0 { parts.append(count(lane.retries, "retry", plural: "retries")) }
        let done = lane.failed + lane.blocked == 0 ? "done" : "\(lane.succeeded) done"
        let steps = lane.failed + lane.blocked == 0 && lane.succeeded > 0 ? [count(lane.succeeded, "step")] : []
        if let isSeen = seenResets.removeValue(forKey: node) {
            parts.append(isSeen ? "seen without a network" : "not seen since")
        }
        let detail = (steps + parts).joined(separator: ", ")
        result("\(name(node)): \(done)\(detail.isEmpty ? "" : " (\(detail))")")
    }

    private func show(_ failure: StepFailure, of step: Int) {
        if case .provisioning = failure, let node = plan?.node(of: step) { endActivity(of: node) }
        let address = plan?.change(of: step)?.address
        let diagnostic = Diagnostic(.error, failure.headline, resource: address, hint: failure.advice.worded)
        terminal.say(text: DiagnosticView(style: errorStyle).render([diagnostic]))
    }

    private func showOdd(_ answer: OddAnswer, of step: Int) {
        guard let plan, let node = plan.node(of: step), case .configure(_, let action) = plan.steps[step].work else {
            return
        }
        say("\(name(node)): \(action.text): \(answer.description.printable); reading back what became of it.")
    }

    private func showPending(_ node: DeviceUUID, _ steps: Int) {
        progress.pending += 1
        let rest = "\(steps == 0 ? "it" : count(steps, "step")) will be tried again by the next \(title.noun)"
        guard let silence = notHeard.removeValue(forKey: node) else {
            return result("\(name(node)): does not answer; \(rest)")
        }
        let doubt = silence.mayBeNode ? ", and it does not answer as the node that it may have become" : ""
        result("\(name(node)): \("\(silence.listener)".printable)\(doubt); \(rest)")
    }

    private func showProvisioned(
        _ node: DeviceUUID,
        _ address: UnicastAddress,
        _ elementCount: UInt8,
        _ authentication: NodeAuthentication?
    ) {
        var elements = count(Int(elementCount), "element")
        if let expected = plan?.expectedElementCount(of: node, otherThan: elementCount) {
            elements += ", not \(expected) as expected"
        }
        let path = carriers.removeValue(forKey: node).map { " through \(name($0))" } ?? ""
        if let authentication {
            let doubt = authentication.doubt
            result("\(name(node)): provisioned at \(address) (\(elements))\(path)\(doubt)")
        } else {
            result("\(name(node)): is a node at \(address) (\(elements)) by an earlier attempt")
        }
    }

    private func grow(_ changes: [Change], _ steps: [Step]) {
        plan?.changes += changes
        plan?.steps += steps
        guard isFull else { return }
        for change in changes {
            let value = change.after.map { " \($0.printable)" } ?? ""
            result("  + \(change.address.printable)\(value)")
        }
    }

    private func endActivity(of node: DeviceUUID) {
        if activity?.node == node { activity = nil }
        showActivity()
    }

    private func showActivity() { progress.activity = activity.map { "\(name($0.node)): \($0.text)" } }

    private func edit(_ step: Int, _ change: (inout Lane) -> Void) {
        guard let plan, let node = plan.node(of: step), plan.steps[step].concernsNode else { return }
        change(&lanes[node, default: Lane()])
    }

    private func name(_ node: DeviceUUID) -> String { names[node] ?? node.description }

    private func result(_ line: String) { terminal.result(text: line + "\n") }

    private func say(_ line: String) { terminal.say(text: line + "\n") }

    /// Rewrites the status line at the bottom of the terminal.
    private func showStatus() {
        guard errorStyle.isTerminal, let line = progress.status(errorStyle, name) else { return }
        terminal.show(status: line)
    }
}

extension DoubtEnd {
    /// The sentence about a request in doubt that the node is no longer asked about.
    func text(_ node: String, _ action: ConfigurationAction?) -> String {
        "\(node): what became of \(action?.text ?? "a request") of an earlier run is unknown, because \(reason)"
    }

    /// The reason, as a clause after “since”.
    private var reason: String {
        switch self {
        case .wasReset: "the node was reset"
        case .isGone: "the database no longer has such a node"
        case .isExcluded: "the node is excluded"
        case .partIsMissing: "the node has no such model"
        case .isNotDeclared: "the definition no longer names it"
        case .answersOtherwise: "the node answers, but not to that"
        case .mayHaveSilenced: "it may be why the node does not answer; it is set again"
        }
    }
}

extension StepFailure {
    /// The head of the diagnostic, without a full stop.
    var headline: String {
        let text = description
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

extension Plan {
    func change(of step: Int) -> Change? {
        guard steps.indices.contains(step), changes.indices.contains(steps[step].change) else {
            return nil
        }
        return changes[steps[step].change]
    }

    /// The node that a step is about; nil for changes of the database only.
    func node(of step: Int) -> DeviceUUID? {
        guard steps.indices.contains(step) else { return nil }
        switch steps[step].work {
        case .configure(let node, _): return node
        case .provision(let order): return order.uuid
        case .configureWhenKnown(let deferred): return deferred.node
        case .readBack(let node): return node
        case .edit: return nil
        }
    }
}
