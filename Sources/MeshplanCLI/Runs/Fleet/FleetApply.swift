import SystemLayer

/// Applies to a fleet: plans all networks, asks once, and applies exactly those plans, wave by wave.
struct FleetApply {
    var run: FleetRun
    /// The waves.
    var waves: FleetWaves
    /// What is asked of the networks of a wave before the next one begins.
    var gates: [FleetGate] = []
    /// How many networks may fail or stay partial before no further one is begun; nil for any number.
    var mostFailures: Int?
    /// Whether nobody is asked.
    var isApproved: Bool
    /// What apply gets in addition to what plan gets.
    var applyArguments: [String]
    /// How a network is reached.
    var via: (FleetNetwork) -> [String]
    /// The plans that were saved; nil to make them.
    var saved: SavedFleet?

    /// Plans, asks and applies.
    ///
    /// - Returns: the exit status of all.
    /// - Throws: ``Failure`` if nobody approves.
    func callAsFunction() throws -> ExitStatus {
        let context = run.context
        let networks = run.fleet.networks
        if saved != nil {
            guard !networks.isEmpty || context.json != nil else {
                context.output.line("There is nothing to apply.")
                return .success
            }
            return apply(Array(networks.indices), [:], [])
        }
        let view = FleetView(context, run.fleet, isJSON: context.json != nil, run.showsDetails)
        let planned = run.run(
            .init(command: "plan", extra: PlanWords.chosen, arguments: { _ in ["--detailed-exitcode"] }),
            Array(networks.indices)
        )
        // Without the summary of a plan nobody knows its digest.
        let changing = networks.indices.filter { planned[$0]?.status == .changes && planned[$0]?.digest != nil }
        let failed = networks.indices.compactMap { index in
            changing.contains(index) || planned[index]?.status == .success ? nil : planned[index]
        }
        view.showTotals(Array(planned.values), "plan")
        guard context.interrupts.count() == 0 else { return .interrupted }
        guard !changing.isEmpty else { return FleetRun.status(of: failed) }
        var digests: [String: String] = [:]
        for index in changing { digests[networks[index].name] = planned[index]?.digest }
        if !isApproved {
            try Prompt(context: context).confirm(
                "Apply these plans to \(count(changing.count, "network"))?",
                explanation: failed.isEmpty
                    ? "Nothing else is changed."
                    : "\(count(failed.count, "network")) that cannot be planned \(failed.count == 1 ? "is" : "are") left out."
            )
        }
        return apply(changing, digests, failed)
    }

    private func apply(_ changing: [Int], _ digests: [String: String], _ failed: [FleetResult]) -> ExitStatus {
        let view = FleetView(run.context, run.fleet, isJSON: run.context.json != nil, run.showsDetails)
        let stage =
            saved?.stage(via, applyArguments)
            ?? FleetRun.Stage(
                command: "apply",
                via: via,
                arguments: { network in ["--expect-digest", digests[network.name] ?? "none"] + applyArguments }
            )
        func failures(_ results: some Collection<FleetResult>) -> Int {
            results.filter { $0.hasEnded && $0.status != .success }.count
        }
        var results: [Int: FleetResult] = [:]
        var hasApplied = false
        let waves = waves.divided(changing) { run.fleet.networks[$0].tags }
        for (number, wave) in waves.enumerated() {
            if waves.count > 1 { view.showWave(number + 1, of: waves.count, wave.count) }
            let before = failures(results.values)
            let done = run.run(stage, wave) { present in
                mostFailures.map { before + failures(present.values) <= $0 } ?? true
            }
            results.merge(done) { $1 }
            hasApplied = hasApplied || done.values.contains { [.success, .partial].contains($0.status) }
            for gate in gates where run.context.interrupts.count() == 0 {
                let applied = wave.filter { results[$0]?.status == .success }
                guard !applied.isEmpty else { break }
                view.showGate(gate)
                // Who does not pass counts like who failed.
                results.merge(run.run(gate.stage(via), applied).filter { $0.value.status != .success }) { $1 }
            }
            let bad = failures(results.values)
            let isOver = mostFailures.map { bad > $0 } ?? false
            guard !isOver, run.context.interrupts.count() == 0 else {
                view.showStop(changing.filter { results[$0] == nil }, bad, mostFailures)
                break
            }
        }
        view.showTotals(Array(results.values), "apply")
        if run.context.interrupts.count() > 0 { return .interrupted }
        let all = Array(results.values) + failed
        let status = FleetRun.status(of: all)
        let isWhole = status == .success && results.count == changing.count
        return isWhole ? .success : hasApplied ? .partial : status
    }
}

/// The words of an apply that choose what is planned, so that the plan before it needs them, too.
enum PlanWords {
    private static let valueOptions: Set<String> = ["--var", "--var-file"]
    private static let options = valueOptions.union([
        "--node", "--group", "--subnet", "--tag", "--exclude", "--allow",
    ])
    private static let flags: Set<String> = ["--destroy"]

    /// Those of some words, with their values.
    static func chosen(of words: [String]) -> [String] { taken(from: words, options, flags) }

    /// Those of them that give values to variables, which every command takes that reads a definition.
    static func variables(of words: [String]) -> [String] { taken(from: words, valueOptions, []) }

    private static func taken(from words: [String], _ options: Set<String>, _ flags: Set<String>) -> [String] {
        var chosen: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if flags.contains(word) || word.firstIndex(of: "=").map({ options.contains(String(word[..<$0])) }) == true {
                chosen.append(word)
            } else if options.contains(word) {
                chosen += [word] + [rest.popFirst()].compactMap(\.self)
            }
        }
        return chosen
    }
}

/// What the networks of a wave must pass before the next one begins.
enum FleetGate: String, CaseIterable {
    /// Their nodes are read back, and nothing has drifted.
    case drift
    /// The tests of their definitions hold in the simulator.
    case tests

    /// The command that tells.
    func stage(_ via: @escaping (FleetNetwork) -> [String]) -> FleetRun.Stage {
        switch self {
        case .drift: FleetRun.Stage(command: "refresh", extra: { _ in [] }, via: via)
        case .tests: FleetRun.Stage(command: "test", extra: PlanWords.variables)
        }
    }
}
