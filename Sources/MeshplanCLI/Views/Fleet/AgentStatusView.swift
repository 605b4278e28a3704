import MeshCore
import SystemLayer

/// Shows what an agent has stored.
struct AgentStatusView {
    private let context: Context

    init(_ context: Context) { self.context = context }

    /// Shows the state of some networks, and what concerns all.
    func show(_ state: AgentState, _ names: [String]) {
        let now = context.now()
        let next = state.settings?.nextTests(
            after: state.testedDay,
            at: now.rawValue,
            ahead: Int64(context.secondsAhead(now))
        )
        if let lines = context.json {
            for name in names { lines.write(Self.members(of: name, state.networks[name] ?? .init())) }
            return lines.write([
                "type": "agent_status", "networks": .integer(names.count),
                "applies": state.settings.map { .bool($0.applies) },
                "airtime_percent": state.settings?.sampling.map { (Double($0.budget) / 1e4).json },
                "next_tests": next.map { Timestamp(rawValue: $0).text.json }, "problem": state.toldProblem?.json,
                "events": .integer(max(state.nextNumber - 1, 0)),
            ])
        }
        var table = Table(["Network", "Planned", "Plan", "Read back", "Drifted"], rightAligned: [4])
        table.rows = names.map { name in
            let known = state.networks[name] ?? .init()
            return [
                name.printable, Self.text(known.plannedAt), Self.plan(known), Self.text(known.sampledAt),
                known.drift.isEmpty ? "–" : count(known.drift.count, "node"),
            ]
        }
        context.output.write(table.render(context.style))
        showDetails(state, names)
        showAll(state, next)
    }

    private func showDetails(_ state: AgentState, _ names: [String]) {
        let waiting = names.filter { Self.waits(state.networks[$0] ?? .init()) }
        if !waiting.isEmpty {
            context.output.line("\nWaiting for approval:")
            for name in waiting {
                context.output.line("  \(name.printable) \((state.networks[name]?.digest ?? "").printable)")
            }
        }
        var problems: [(name: String?, text: String)] = state.toldProblem.map { [(nil, $0)] } ?? []
        for name in names {
            guard let known = state.networks[name] else { continue }
            if let text = known.toldProblem { problems.append((name, text)) }
            if let text = known.toldReading { problems.append((name, "cannot be read back: \(text)")) }
            if known.testsFail { problems.append((name, "tests failed")) }
            if known.toldBudget { problems.append((name, "the airtime does not suffice to read all nodes in time")) }
        }
        if !problems.isEmpty { context.output.line() }
        for (name, text) in problems {
            let line = (name.map { "\($0.printable): " } ?? "") + text.printable
            for line in wrap(name == nil ? line.asSentence : line, width: 80) { context.output.line(line) }
        }
    }

    private func showAll(_ state: AgentState, _ next: Int64?) {
        guard let settings = state.settings else { return }
        var parts = [settings.applies ? "Approved plans are applied." : "Nothing is applied."]
        parts.append(
            settings.sampling.map { "Reading back takes \(AgentMachine.percent($0.budget)) of the air at most." }
                ?? "Nodes are not read back."
        )
        parts.append(next.map { "The next tests begin at \(Timestamp(rawValue: $0).text)." } ?? "No tests are played.")
        context.output.line()
        for line in wrap(parts.joined(separator: " "), width: 80) { context.output.line(line) }
    }

    // MARK: A network

    private static func waits(_ network: AgentState.Network) -> Bool {
        network.digest != nil && network.toldWaiting == network.digest
    }

    private static func text(_ time: Int64?) -> String { time.map { Timestamp(rawValue: $0).text } ?? "–" }

    private static func plan(_ network: AgentState.Network) -> String {
        guard network.plannedAt != nil else { return "–" }
        guard let status = ExitStatus(rawValue: network.status) else { return "failed" }
        return status == .changes ? count(network.changes, "change") : FleetView.word(status, "plan")
    }

    private static func members(of name: String, _ known: AgentState.Network) -> KeyValuePairs<String, JSONValue?> {
        let values = known.drift.values.reduce(0) { $0.addingReportingOverflow($1).partialValue }
        return [
            "type": "agent_network", "network": name.json,
            "planned": known.plannedAt.map { Timestamp(rawValue: $0).text.json },
            "exit_code": known.plannedAt.map { _ in .integer(known.status) },
            "changes": known.plannedAt.map { _ in .integer(known.changes) }, "digest": known.digest?.json,
            "waits_for_approval": .bool(waits(known)), "apply_failures": .integer(known.applyFailures),
            "problem": known.toldProblem?.json, "read_back": known.sampledAt.map { Timestamp(rawValue: $0).text.json },
            "drifted_nodes": .integer(known.drift.count), "drifted_values": .integer(values),
            "airtime_seconds": (Double(known.spent / 1_000) / 1_000).json,
            "tests_failed": .bool(known.testsFail),
        ]
    }
}
