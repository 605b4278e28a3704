import DefinitionModel
import Execution
import MeshCore
import Planning

/// Reports how nodes are read back, as text or JSON, whichever the command should write.
final class RefreshReporter {
    private let context: Context
    private let network: MeshNetwork
    private let terminal: RunTerminal
    /// Whether the read-back is part of another command, which has its own result.
    private let isTalk: Bool
    private let names: [DeviceUUID: String]
    private let observed: [DeviceUUID: Timestamp]
    private var nodeCount = 0
    private var foreseen = 0
    private var progress = RunProgress(of: "node")
    private var pendingCount = 0
    private var singlyAskedCount = 0
    /// The nodes that deviate from the specification in known ways.
    private var quirks: [KnownQuirk: Set<DeviceUUID>] = [:]
    private var tally = RefreshTally()
    private var links: LinkTalk

    /// The most nodes as recorded that are listed; more are only counted.
    private static let detailLimit = 20

    init(_ context: Context, network: MeshNetwork, isTalk: Bool = false) {
        self.context = context
        self.network = network
        self.isTalk = isTalk
        terminal = RunTerminal(context)
        links = LinkTalk(network)
        context.json?.learn(network)
        var observed: [DeviceUUID: Timestamp] = [:]
        for node in network.nodes { observed[node.uuid] = node.observedAt }
        self.observed = observed
        names = Dictionary(firstOf: network.nodes.map { ($0.uuid, $0.name.printable) })
    }

    /// Announces how much will be read.
    func begin(_ nodes: [Node], _ estimator: PlanEstimator, _ options: ExecutionOptions) {
        nodeCount = nodes.count
        tally.begin(nodes.map(\.uuid))
        let requests = nodes.map {
            NodeReadBack.foreseenRequests(
                for: $0,
                appKeys: network.appKeys,
                pages: options.pages,
                isInSequences: options.readsInSequences
            )
        }
        foreseen = requests.reduce(0) { $0 + $1.count }
        guard context.json == nil else { return }
        let costs = zip(nodes, requests).flatMap { node, requests in
            requests.map { (node: node.uuid, cost: $0.cost(on: node)) }
        }
        let pdus = costs.reduce(0) { $0 + $1.cost.pdus }
        let isOpen = nodes.contains { !$0.isCompositionKnown }
        say(
            "Reading \(count(nodes.count, "node")) back with \(isOpen ? "at least " : "")\(count(foreseen, "message")) "
                + "(\(count(pdus, "PDU"))) if nothing has changed."
        )
        let estimate = estimator.estimate(costs)
        progress = RunProgress(of: "node", estimate: { estimate.total.median })
        if let time = estimate.text { say(time) }
    }

    func handle(_ event: ExecutionEvent) {
        tally.count(event)
        context.observation.count(event)
        if let lines = context.json { return RefreshJSON(lines: lines, network: network).handle(event, tally) }
        switch event {
        case .runStarted(_, let inDoubt) where inDoubt > 0:
            say("\(count(inDoubt, "request")) of an earlier run may or may not have arrived: reading back first.")
        case .seekingProxy, .connecting, .linkUp, .linkDown, .interrupted: links.line(event).map { say($0) }
        case .nodeReadBack(let node, let outcome): show(outcome, of: node)
        case .stepFailed(let step, let failure):
            guard let node = tally.node(of: step) else { break }
            let diagnostic = Diagnostic(
                .error,
                failure.headline,
                resource: "node." + name(node),
                hint: failure.advice.worded
            )
            terminal.say(text: DiagnosticView(style: context.errorStyle).render([diagnostic]))
        case .nodePending(let node, _):
            pendingCount += 1
            result("\(name(node)): does not answer; its record is \(age(of: node))")
        case .nodeUnreachable(let node, let reason): say("\(name(node)) cannot be asked: \(reason.printable).")
        case .doubtResolved(let node, let action, let tookEffect):
            let effect = tookEffect ? "has taken effect" : "has not taken effect"
            result("\(name(node)): \(action.text) of an earlier run \(effect)")
        case .doubtAbandoned(let node, let action, let end):
            result(end.text(name(node), action))
        case .reprovisionSettled(let node, let procedure, let tookEffect):
            result(ReprovisionText.settled(name(node), procedure, tookEffect))
        case .quirkMet(let node, let quirk): quirks[quirk, default: []].insert(node)
        case .progress(let decided, let total):
            progress.steps = (decided, total)
            showStatus()
        case .figures(let figures):
            progress.take(figures)
            showStatus()
            if !context.errorStyle.isTerminal, let line = progress.line(at: context.milliseconds(), name) { say(line) }
        case .runFinished: terminal.show(status: nil)
        default: break
        }
    }

    /// Removes the progress line.
    func close() { terminal.show(status: nil) }

    /// Reports the end of a run, whether or not it succeeded.
    func finish(_ recap: Recap, status: ExitStatus) {
        if singlyAskedCount > 0, context.json == nil {
            say(
                "\(count(singlyAskedCount, "node")) with the Opcodes Aggregator Server rejected combined requests, and "
                    + "\(singlyAskedCount == 1 ? "was" : "were") asked one by one."
            )
        }
        if context.json == nil { for line in QuirkText.lines(quirks, name: name) { say(line) } }
        if let failure = Failure(ending: recap.ending) { FailureView(context).show(failure) }
        terminal.show(status: nil)
        if let lines = context.json {
            return RefreshJSON(lines: lines, network: network).finish(recap, tally, status: status)
        }
        terminal.result(
            text: RefreshRecap(recap: recap, tally: tally, style: context.style, repeated: RepeatedCommand(context))
                .render()
        )
    }

    private func show(_ outcome: ReadBackOutcome, of node: DeviceUUID) {
        if outcome.isCompositionNew {
            say(
                "\(name(node)) differs from its record: its composition has changed, perhaps by a firmware update. "
                    + "meshplan plan shows whether it still has what the definition needs."
            )
        }
        if !outcome.refused.isEmpty {
            let messages = Set(outcome.refused.map(\.text)).sorted().joined(separator: ", ")
            let requests = count(outcome.refused.count, "request")
            say("\(name(node)) refuses \(requests) (\(messages)); that stays as recorded.")
        }
        if outcome.isAskedSingly { singlyAskedCount += 1 }
        defer { showUnread(outcome.unread, of: node) }
        var part = outcome.isComplete ? "" : ", as far as it was read"
        if outcome.isComplete, !outcome.unread.isEmpty { part = ", as far as it can be read" }
        let moved = outcome.moved.map { $0.path(in: network).printable }
        let byModel = moved.isEmpty ? "" : "; moved by its model: \(moved.joined(separator: ", "))"
        if outcome.drifted.isEmpty {
            if nodeCount > Self.detailLimit, outcome.returned.isEmpty, part.isEmpty, moved.isEmpty { return }
            let returned = outcome.returned.isEmpty ? "" : " again (\(count(outcome.returned.count, "value")))"
            return result("\(name(node)): as recorded\(returned)\(part)\(byModel)")
        }
        let paths = outcome.drifted.map { $0.path(in: network).printable }
        let list = paths.prefix(3).joined(separator: ", ") + (paths.count > 3 ? ", …" : "")
        result("\(name(node)): \(count(paths.count, "value")) not as recorded\(part): \(list)\(byModel)")
    }

    /// Lists each Get whose answer was odd or missing, with the octets.
    private func showUnread(_ values: [UnreadValue], of node: DeviceUUID) {
        for value in values {
            let subject = value.reading.subjectText.map { " of \($0)" } ?? ""
            result("\(name(node)): \(value.reading.text)\(subject): \(value.reason.printable); it stays as recorded")
        }
    }

    private func age(of node: DeviceUUID) -> String {
        observed[node].map { "from \($0.text)" } ?? "as imported"
    }

    private func showStatus() {
        progress.pending = pendingCount
        guard context.errorStyle.isTerminal, let line = progress.status(context.errorStyle, name) else { return }
        terminal.show(status: line)
    }

    private func name(_ node: DeviceUUID) -> String { names[node] ?? node.description }

    private func result(_ line: String) { isTalk ? say(line) : terminal.result(text: line + "\n") }

    private func say(_ line: String) { terminal.say(text: line + "\n") }
}

/// Counts the results of reading nodes back.
struct RefreshTally: Hashable {
    /// The number of nodes that answered everything they were asked for.
    var complete = 0
    /// How many of those match the record in everything that can be read.
    var asRecorded = 0
    /// The number of nodes that differ from the record, and of their differences.
    var drifted = 0
    var driftedValues = 0
    /// The number of nodes with an invalid answer to some Get.
    var odd = 0
    private var steps: [DeviceUUID] = []

    mutating func count(_ event: ExecutionEvent) {
        guard case .nodeReadBack(_, let outcome) = event else { return }
        if outcome.isComplete { complete += 1 }
        if outcome.isComplete, outcome.drifted.isEmpty { asRecorded += 1 }
        if !outcome.unread.isEmpty { odd += 1 }
        if !outcome.drifted.isEmpty { drifted += 1 }
        driftedValues += outcome.drifted.count
    }

    /// Sets the node of each step.
    mutating func begin(_ nodes: [DeviceUUID]) { steps = nodes }

    func node(of step: Int) -> DeviceUUID? { steps.indices.contains(step) ? steps[step] : nil }
}
