import MeshCore
import SystemLayer

/// Shows what an agent does: a line for each event, with the time.
struct AgentView {
    private let context: Context

    init(_ context: Context) { self.context = context }

    func show(_ event: AgentEvent) {
        if let lines = context.json { return lines.event(event.members) }
        line((event.network.map { "\($0.printable): " } ?? "") + event.message.printable, at: event.time)
        guard let digest = event.digest, let network = event.network, event.kind != .applied, event.kind != .partial
        else {
            return
        }
        context.output.line("  \(network.printable) \(digest.printable)")
    }

    func show(reading nodes: Int, of network: String, _ result: FleetResult) {
        if let lines = context.json {
            return lines.event([
                "type": "agent_reading", "network": network.json, "nodes": .integer(nodes),
                "exit_code": .integer(result.status.rawValue),
                "read_back": result.summary?.readBack.map { .integer($0) },
                "drifted": result.summary?.drifted.map { .integer($0) },
            ])
        }
        let done = result.summary?.text("refresh") ?? FleetView.word(result.status, "refresh")
        line("\(network.printable): \(count(nodes, "node")) asked: \(done)", at: context.now().rawValue)
    }

    private func line(_ text: String, at time: Int64) {
        let start = Timestamp(rawValue: time).text + "  "
        for (number, line) in wrap(text, width: max(80 - start.count, 30)).enumerated() {
            context.output.line((number == 0 ? start : "    ") + line)
        }
    }
}
