/// What an agent knows of its networks, as metrics.
enum AgentMetrics {
    /// The text for a collector.
    ///
    /// - Parameters:
    ///   - networks: the names of the networks there are.
    ///   - now: in seconds since 1970.
    static func text(_ state: AgentState, _ networks: [String], at now: Int64) -> String {
        func samples(_ value: (AgentState.Network) -> Double?) -> [MetricsText.Sample] {
            networks.compactMap { name in
                guard let known = state.networks[name], let value = value(known) else { return nil }
                return (["network": name], value)
            }
        }
        func gauge(_ name: String, _ help: String, _ value: (AgentState.Network) -> Double?) {
            text.add("meshplan_agent_\(name)", .gauge, help, samples(value))
        }
        var text = MetricsText()
        gauge("plan_exit_code", "The exit code of the last plan, 2 if there are changes.") {
            $0.plannedAt == nil ? nil : Double($0.status)
        }
        gauge("plan_changes", "Changes of the last plan.") { $0.plannedAt == nil ? nil : Double($0.changes) }
        gauge("plan_timestamp_seconds", "When the last plan was made.") { $0.plannedAt.map { Double($0) } }
        gauge("plan_waits", "Whether a plan waits for approval.") { $0.toldWaiting != nil ? 1 : 0 }
        gauge("apply_failures", "How often in a row the approved plan could not be applied.") {
            Double($0.applyFailures)
        }
        gauge("drifted_nodes", "Nodes that report other values than those recorded.") { Double($0.drift.count) }
        gauge("tests_failed", "Whether the last tests failed.") { $0.testsFail ? 1 : 0 }
        text.add(
            "meshplan_agent_airtime_seconds_total",
            .counter,
            "Airtime spent on reading nodes back.",
            samples { Double($0.spent / 1_000) / 1_000 }
        )
        text.add(
            "meshplan_agent_events_total",
            .counter,
            "Events so far.",
            Double(max(state.nextNumber - 1, 0))
        )
        text.add("meshplan_agent_timestamp_seconds", .gauge, "When this file was written.", Double(now))
        return text.text
    }
}
