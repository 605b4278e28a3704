/// The part of the machine that watches networks: reading back within a budget of airtime, drift, and tests.
extension AgentMachine {
    // MARK: Reading back

    /// The nodes to read back now; they are paid for at once. None if the budget is used up, or all are fresh.
    mutating func choose(from nodes: [AgentNode], of name: String, at now: Int64) -> [AgentNode] {
        guard let sampling = settings.sampling, var known = state.networks[name] else { return [] }
        let elapsed = known.allowance == nil ? 0 : now - known.accruedAt
        let allowance = (known.allowance ?? sampling.start) + sampling.accrued(within: elapsed)
        known.allowance = min(allowance, max(sampling.most(for: nodes), sampling.start))
        known.accruedAt = now
        known.sampledAt = now
        let uuids = Set(nodes.map(\.uuid))
        known.asked = known.asked.filter { uuids.contains($0.key) }
        let chosen = sampling.chosen(from: nodes, asked: known.asked, allowance: known.allowance ?? 0, at: now)
        for node in chosen { known.asked[node.uuid] = now }
        state.networks[name] = known
        spend(chosen.reduce(0) { $0 + $1.airtime }, of: name)
        tellBudget(sampling, nodes, name, at: now)
        return chosen
    }

    private mutating func spend(_ airtime: Int64, of name: String) {
        guard var known = state.networks[name] else { return }
        known.allowance = (known.allowance ?? 0) - airtime
        known.spent += airtime
        state.networks[name] = known
    }

    private mutating func tellBudget(_ sampling: AgentSampling, _ nodes: [AgentNode], _ name: String, at now: Int64) {
        let needed = sampling.needed(for: nodes)
        let isTooSmall = needed > sampling.budget
        defer { state.networks[name]?.toldBudget = isTooSmall }
        guard isTooSmall, state.networks[name]?.toldBudget != true else { return }
        raise(
            .budgetTooSmall,
            name,
            "reading all \(count(nodes.count, "node")) back within \(AgeArgument.text(seconds: sampling.within)) takes "
                + "\(Self.percent(needed)) of the air, more than the budget of \(Self.percent(sampling.budget))",
            at: now
        )
    }

    /// Reports that nodes were read back.
    ///
    /// - Parameters:
    ///   - sent: how many messages that took, with repeated ones.
    ///   - chosen: the nodes; what they took beyond what was foreseen is paid for, too.
    mutating func sampled(_ name: String, _ chosen: [AgentNode], sent: Int, _ outcome: Outcome, at now: Int64) {
        let foreseen = max(chosen.reduce(0) { $0 + $1.messages }, 1)
        let airtime = chosen.reduce(0) { $0 + $1.airtime }
        let more = Int64(min(max(sent - foreseen, 0), 1_000_000))
        spend((airtime / Int64(foreseen)).multipliedReportingOverflow(by: more).partialValue, of: name)
        // What was read may change the plan.
        lookAt = nil
        guard ![.success, .partial, .drift].contains(outcome.status) else {
            state.networks[name]?.toldReading = nil
            return
        }
        guard state.networks[name]?.toldReading != outcome.summary else { return }
        state.networks[name]?.toldReading = outcome.summary
        raise(.failed, name, "cannot be read back: \(outcome.summary)", at: now)
    }

    /// Reports how many values have drifted on which nodes.
    mutating func drifted(_ values: [String: Int], of name: String, at now: Int64) {
        let told = state.networks[name]?.drift ?? [:]
        state.networks[name]?.drift = values
        let new = values.filter { told[$0.key] != $0.value }
        guard !new.isEmpty else { return }
        let sum = new.values.reduce(0, +)
        raise(.driftFound, name, "\(count(sum, "value")) of \(count(new.count, "node")) drifted", at: now)
    }

    // MARK: Tests

    mutating func tested(_ name: String, _ outcome: Outcome, at now: Int64) {
        let fails = outcome.status != .success
        state.networks[name]?.testsFail = fails
        guard fails else {
            state.networks[name]?.toldTests = nil
            return
        }
        let tested = present.first { $0.name == name }?.fingerprint ?? ""
        guard state.networks[name]?.toldTests != tested else { return }
        state.networks[name]?.toldTests = tested
        raise(.testsFailed, name, "tests failed: \(outcome.summary)", at: now)
    }

    // MARK: Texts

    /// Millionths as percent: `0.5 %`.
    static func percent(_ millionths: Int64) -> String {
        let thousandths = (millionths + 9) / 10
        var decimals = String(thousandths % 1_000 + 1_000).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return "\(thousandths / 1_000)\(decimals.isEmpty ? "" : "." + decimals) %"
    }
}
