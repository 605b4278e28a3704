import SystemLayer

/// Does one thing for all networks of a fleet, and tells a line for each, in the order of the fleet.
struct FleetDispatcher {
    var context: Context
    var fleet: Fleet
    /// How many commands run at a time.
    var workers: Int
    var showsDetails: Bool
    /// What every command line gets in addition.
    var extra = FleetExtra()

    /// A stage: the command, and the arguments for each network.
    struct Stage {
        var command: FleetVerb
        /// Whether it takes the place of the definition as an argument.
        var takesDefinition = true
        /// The words of the command where a network needs others.
        var words: ((FleetNetwork) -> [ChildWord])?
        /// Whether its summary tells whether there are changes, since its exit status does not.
        var countsChanges = false
        /// What it takes of what every command line gets in addition.
        var extra: (FleetExtra) -> [ChildWord] = { $0.words }
        /// How it reaches a network; no way for a command that sends nothing.
        var via: (FleetNetwork) -> [String] = { _ in [] }
        /// Its arguments for a network beyond those.
        var arguments: (FleetNetwork) -> [ChildWord] = { _ in [] }
    }

    /// Runs a stage for some of the networks.
    ///
    /// - Parameters:
    ///   - indexes: which networks, by their place in the fleet.
    ///   - mayStart: asked before each; false starts no more.
    /// - Returns: the results of those that were started, by place.
    func run(
        _ stage: Stage,
        _ indexes: [Int],
        while mayStart: ([Int: FleetResult]) -> Bool = { _ in true }
    ) -> [Int: FleetResult] {
        var results: [Int: FleetResult] = [:]
        var waiting = indexes[...]
        var shown = indexes[...]
        let view = FleetView(context, fleet, isJSON: context.json != nil, showsDetails)
        context.fleetWorkers.run(
            workers,
            context,
            {
                guard let index = waiting.first, context.interrupts.count() == 0, mayStart(results) else { return nil }
                waiting.removeFirst()
                results[index] = FleetResult()
                return (index, call(stage, fleet.networks[index]))
            },
            { index, answer in
                take(answer, of: stage, fleet.networks[index], into: &results[index, default: FleetResult()])
                while let next = shown.first, let done = results[next], done.hasEnded {
                    view.show(done, of: fleet.networks[next], stage.command.rawValue)
                    // Details can be long, and are not needed any more.
                    results[next]?.details = []
                    shown.removeFirst()
                }
            }
        )
        return results
    }

    /// The form of what the commands print; nil if it is not shown.
    private var details: FleetCall.Details? { showsDetails ? context.json == nil ? .text : .json : nil }

    /// Notes what a command does, and passes it on if the details are shown.
    func take(_ answer: FleetAnswer, of stage: Stage, _ network: FleetNetwork, into result: inout FleetResult) {
        switch answer {
        case .line(let line) where details == .text: result.keep(line)
        case .line(let line):
            guard details != nil, let value = try? JSONParser.parse(Array(line.utf8)) else { return }
            FleetView(context, fleet, isJSON: true, true).show(value, of: network)
        case .ended(var ended):
            ended.details = result.details
            if stage.countsChanges, ended.status == .success, (ended.summary?.changes ?? 0) > 0 {
                ended.status = .changes
            } else if ended.status == .changes, stage.command != .plan {
                // Only a plan ends so.
                ended.status = .failure
            }
            result = ended
        }
    }

    func call(_ stage: Stage, _ network: FleetNetwork) -> FleetCall {
        var words = stage.words?(network) ?? [.command(stage.command)]
        if stage.takesDefinition { words += network.definition.map { .path($0) } }
        words.append(.option("--network", network.name))
        words += stage.via(network).map { .option("--via", $0) }
        words += stage.arguments(network)
        if context.storeAccess.acceptsOlder { words.append(.flag("--accept-older")) }
        if details != .text { words.append(.flag("--json")) }
        words += stage.extra(extra)
        let isPlan = stage.command == .plan && stage.words == nil
        return FleetCall(
            folder: network.folder,
            arguments: words.commandLine,
            environment: environment(of: network),
            details: details,
            // What reads nodes back sends and stores.
            isShared: isPlan && !extra.readsBack
        )
    }

    /// Secrets of addresses belong into the environment, not into command lines, which everybody can see.
    func environment(of network: FleetNetwork) -> [String: String] {
        var environment = context.environmentElsewhere
        let access = context.storeAccess
        environment["MESHPLAN_STATE"] = network.state ?? access.state ?? environment["MESHPLAN_STATE"]
        if let file = network.keyFile ?? access.keyFile.map(context.absolute) {
            environment["MESHPLAN_KEY_FILE"] = file
        }
        if let file = access.passphraseFile { environment["MESHPLAN_PASSPHRASE_FILE"] = context.absolute(file) }
        if let command = access.keyCommand { environment["MESHPLAN_KEY_COMMAND"] = command }
        for (name, value) in network.variables { environment[DefinitionFiles.variablePrefix + name] = value }
        return environment
    }

    /// One exit status for many, which means the same as that of one command: if all are equal, that one; otherwise the
    /// gravest.
    static func status(of results: some Collection<FleetResult>) -> ExitStatus {
        let order: [ExitStatus] = [
            .usage, .invalidInput, .failure, .refused, .locked, .stale, .notApproved, .partial, .drift, .changes,
        ]
        let found = Set(results.map(\.status))
        return order.first { found.contains($0) } ?? found.first { $0 != .success } ?? .success
    }
}
