import DefinitionModel
import MeshCore
import SystemLayer

/// Does what an ``AgentMachine`` says: looks, has commands run as processes of their own, writes reports.
final class AgentLoop {
    /// What an agent needs beside its settings.
    struct Options {
        /// The folder of the definitions, or its `fleet.yaml`, as the user named it.
        var path: String
        /// What `--select` says.
        var selection: [String] = []
        /// The agent's own folder.
        var place: AgentPlace
        var isOnce = false
        /// How many commands run at a time.
        var workers = 4
        /// The folder for plans in Markdown; nil for none.
        var reports: String?
        /// The file for metrics; nil for none.
        var metrics: String?
        /// The file with approvals; nil for the one in the agent's own folder.
        var approvals: String?
        var via: [String] = []
        var devices: [String] = []
    }

    private let context: Context
    private let options: Options
    private let view: AgentView
    private var folder: AgentFolder
    private var machine: AgentMachine
    private var saved: AgentState
    private var fleet = Fleet(networks: [], folder: "")
    /// What other commands than plans came to, unless all is well.
    private var results: [String: FleetResult] = [:]
    private var problem: Failure?
    private var hasWarned = false
    /// Why what the agent knows could not be stored at last; nil if it is.
    private var unstored: String?
    /// What of the definitions has no effect, and was told.
    private var toldIgnored: [String] = []

    /// An agent that continues where the last one ended.
    ///
    /// - Throws: ``Failure`` if the state in its folder cannot be used.
    init(_ context: Context, _ options: Options, _ settings: AgentSettings) throws {
        self.context = context
        self.options = options
        view = AgentView(context)
        folder = AgentFolder(context, path: options.path, selection: options.selection, place: options.place)
        saved = try AgentState.read(options.place.path(AgentPlace.stateName), as: AgentPlace.stateName)
        machine = AgentMachine(settings, saved)
    }

    /// Runs until a signal arrives; with ``Options/isOnce`` only until nothing is left to do at present.
    ///
    /// - Returns: ``ExitStatus/interrupted`` after a signal, otherwise the gravest of all networks.
    /// - Throws: ``Failure`` or ``FileError`` if the state cannot be stored.
    func callAsFunction() throws -> ExitStatus {
        while context.interrupts.count() == 0 {
            let now = context.now().rawValue
            let step = machine.next(at: now, ahead: Int64(context.secondsAhead(context.now())))
            if case .wait(let until) = step {
                try finish()
                if options.isOnce { return ending }
                context.pause(.seconds(min(until - now, 3_600)))
                continue
            }
            if step.needsMemory, try !isStored() {
                context.pause(.seconds(10))
                continue
            }
            try perform(step)
            try finish()
        }
        return .interrupted
    }

    private var ending: ExitStatus {
        if let problem { return problem.status }
        // A plan of an earlier round stands as long as nothing has changed.
        let plans = fleet.networks.map { network in
            FleetResult.ended(ExitStatus(rawValue: machine.state.networks[network.name]?.status ?? 0) ?? .failure)
        }
        FleetView(context, fleet, isJSON: context.json != nil, false).showTotals(plans, "plan")
        return FleetDispatcher.status(of: plans + results.values)
    }

    private func perform(_ step: AgentMachine.Step) throws {
        switch step {
        case .look: look()
        case .plan(let names): plan(names)
        case .apply(let name, let digest): apply(name, digest)
        case .sample(let name): try sample(name)
        case .test(let names): test(names)
        case .wait: break
        }
    }

    /// Shows and stores what came of a step.
    private func finish() throws {
        for event in machine.takeEvents() { view.show(event) }
        guard machine.state != saved, try isStored() else { return }
        AgentReports(context, options.reports, machine.state, fleet).writeList()
        writeMetrics()
    }

    /// Stores what the agent knows. An agent that stays says once that it cannot, and tries again: until then it sends
    /// nothing, since it would not remember that.
    ///
    /// - Throws: why not, if one round is all there is.
    private func isStored() throws -> Bool {
        do {
            try store()
            unstored = nil
            return true
        } catch  where !options.isOnce {
            let failure = Failure(explaining: error)
            guard failure.message != unstored else { return false }
            unstored = failure.message
            FailureView(context).warn(
                "the agent cannot store what it knows: \(failure.message)",
                hint: "Nothing is applied, read back or tested until it can. It tries again."
            )
            return false
        }
    }

    private func store() throws {
        guard machine.state != saved else { return }
        try AtomicFile.write(options.place.path(AgentPlace.stateName), as: AgentPlace.stateName, machine.state.bytes)
        saved = machine.state
    }

    private func writeMetrics() {
        guard let path = options.metrics else { return }
        let text = AgentMetrics.text(machine.state, fleet.networks.map(\.name), at: context.now().rawValue)
        do throws(FileError) {
            try AtomicFile.write(context.absolute(path), as: path, Array(text.utf8), mode: 0o644)
        } catch {
            guard !hasWarned else { return }
            hasWarned = true
            let failure = Failure(explaining: error)
            FailureView(context).warn("cannot write the metrics: \(failure.message)", hint: "The agent goes on.")
        }
    }

    // MARK: Looking

    private func look() {
        let now = context.now().rawValue
        problem = nil
        do {
            nonisolated(unsafe) let run = self
            // A file system can hang in the kernel, where no signal ends it. Then somebody has to be told.
            let (found, fingerprints) = try Watchdog.watching(
                { try folder.look() },
                for: Self.patience,
                else: { run.tellSilence() }
            )
            fleet = found
            tellIgnored()
            let present = found.networks.map { network in
                let fingerprint = fingerprints[network.name] ?? ""
                // A plan that was made with a way holds for that one.
                let way = routes(network) + options.devices
                return AgentMachine.Present(
                    name: network.name,
                    fingerprint: way.isEmpty
                        ? fingerprint
                        : AgentFolder.digest(Array(([fingerprint] + way).joined(separator: "\0").utf8)),
                    isReachable: !options.via.isEmpty,
                    fingerprintOfAnyWay: fingerprint
                )
            }
            machine.looked(present, try approvals(), at: now)
        } catch {
            let failure =
                (error as? InvalidDefinition).map { invalid in
                    Failure(.invalidInput, invalid.diagnostics.first { $0.severity == .error }?.message ?? "\(invalid)")
                } ?? Failure(explaining: error)
            problem = failure
            // What a signal has stopped is no problem.
            guard context.interrupts.count() == 0 else { return }
            machine.couldNotLook(failure.message, at: now)
        }
    }

    /// How long the definitions may take to be read.
    private static let patience = Duration.seconds(60)

    /// Says that the definitions do not answer. It runs on a thread of its own while that of the agent waits for them,
    /// and so uses nothing else.
    private func tellSilence() {
        let seconds = Self.patience.components.seconds
        let problem = "the folder has not answered for \(seconds) seconds: its file system may hang"
        machine.couldNotLook(problem, at: context.now().rawValue)
        for event in machine.takeEvents() { view.show(event) }
        // Whoever starts the agent again gets another number for the next event.
        try? store()
    }

    private func approvals() throws -> AgentApprovals {
        let path = options.approvals.map(context.absolute) ?? options.place.path(AgentApprovals.fileName)
        guard Files.kind(path) != nil else { return AgentApprovals() }
        let name = options.approvals ?? AgentApprovals.fileName
        return AgentApprovals(try Files.read(path, as: name, inside: ["/"], limit: AgentApprovals.sizeLimit))
    }

    private func routes(_ network: FleetNetwork) -> [String] {
        options.via.map { $0.replacing("$(network)", with: network.name) }
    }

    /// Says what of the folder has no effect, once.
    private func tellIgnored() {
        guard folder.ignored != toldIgnored else { return }
        toldIgnored = folder.ignored
        guard !toldIgnored.isEmpty else { return }
        FailureView(context).warn(
            "no effect on the agent has: \(toldIgnored.map(\.printable).joined(separator: ", "))",
            hint: "Databases, keys, settings and ways to the mesh come from its command line and its own folder."
        )
    }

    // MARK: Commands

    /// Runs a command for some networks.
    ///
    /// - Returns: the results of those that have ended by themselves.
    private func run(
        _ stage: FleetDispatcher.Stage,
        _ names: [String]
    ) -> [(network: FleetNetwork, result: FleetResult)] {
        var quiet = context
        quiet.output = Output { _ in nil }
        quiet.json = nil
        let run = FleetDispatcher(context: quiet, fleet: fleet, workers: options.workers, showsDetails: false)
        let places = fleet.networks.indices.filter { names.contains(fleet.networks[$0].name) }
        return run.run(stage, places).sorted { $0.key < $1.key }
            .filter { $1.hasEnded && ![.interrupted, .hungUp, .terminated].contains($1.status) }
            .map { (fleet.networks[$0.key], $0.value) }
    }

    private func outcome(_ result: FleetResult, _ command: String) -> AgentMachine.Outcome {
        let summary = result.text(command).replacing(folder.folder + "/", with: "")
        return AgentMachine.Outcome(
            status: result.status,
            digest: result.summary?.digest,
            changes: result.summary?.changes ?? 0,
            summary: summary.isEmpty ? FleetView.word(result.status, command) : summary
        )
    }

    private var devices: [ChildWord] { options.devices.map { .option("--devices", context.absolute($0)) } }

    private func plan(_ names: [String]) {
        let reports = AgentReports(context, options.reports, machine.state, fleet)
        let devices = devices
        let stage = FleetDispatcher.Stage(
            command: .plan,
            // So that the digest that somebody approves holds for this way only.
            via: routes,
            arguments: { network in [.flag("--detailed-exitcode")] + devices + reports.arguments(network.name) }
        )
        for (network, result) in run(stage, names) {
            let outcome = outcome(result, "plan")
            reports.complete(network.name, outcome)
            machine.planned(network.name, outcome, at: context.now().rawValue)
        }
    }

    private func apply(_ name: String, _ digest: String) {
        let devices = devices
        let stage = FleetDispatcher.Stage(
            command: .apply,
            via: routes,
            arguments: { _ in [.option("--expect-digest", digest)] + devices }
        )
        for (network, result) in run(stage, [name]) {
            // A stale plan is made anew, and that one says how the network is: an apply that was killed after its last
            // change leaves nothing to do.
            results[name + "/apply"] = [.success, .stale].contains(result.status) ? nil : result
            machine.applied(network.name, outcome(result, "apply"), at: context.now().rawValue)
        }
    }

    private func test(_ names: [String]) {
        for (network, result) in run(.init(command: .test), names) {
            results[network.name + "/test"] = result.status == .success ? nil : result
            machine.tested(network.name, outcome(result, "test"), at: context.now().rawValue)
        }
    }

    private func sample(_ name: String) throws {
        guard let network = fleet.networks.first(where: { $0.name == name }) else { return }
        let now = context.now().rawValue
        let survey: AgentSurvey
        do {
            survey = try AgentSurvey(folder.elsewhere(network), name)
        } catch {
            _ = machine.choose(from: [], of: name, at: now)
            let failure = Failure(explaining: error)
            let result = FleetResult.ended(failure.status, failure.message)
            machine.sampled(name, [], sent: 0, outcome(result, "refresh"), at: now)
            return
        }
        let chosen = machine.choose(from: survey.nodes, of: name, at: now)
        guard !chosen.isEmpty else { return }
        // What is spent is known before it is spent.
        guard try isStored() else { return }
        let stage = FleetDispatcher.Stage(
            command: .refresh,
            via: routes,
            arguments: { _ in chosen.map { .option("--node", $0.uuid) } }
        )
        for (network, result) in run(stage, [name]) {
            let (sent, outcome) = (result.summary?.sent ?? 0, outcome(result, "refresh"))
            machine.sampled(name, chosen, sent: sent, outcome, at: context.now().rawValue)
            view.show(reading: chosen.count, of: network.name, result)
            if let after = try? AgentSurvey(folder.elsewhere(network), name) {
                machine.drifted(after.drift, of: name, at: context.now().rawValue)
            }
            results[name + "/refresh"] = result.status == .success ? nil : result
        }
    }
}
