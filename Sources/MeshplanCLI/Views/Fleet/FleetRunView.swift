import DefinitionModel
import MeshCore
import Store
import SystemLayer

/// Shows runs of fleets.
struct FleetRunView {
    private let context: Context

    init(_ context: Context) {
        self.context = context
    }

    func announce(_ run: FleetRunRecord, _ jobs: [FleetJob]) {
        let size = jobs.filter { !$0.isGate && $0.state != .skipped }.count
        if context.json != nil {
            write(run, jobs, [])
        } else {
            context.output.line("Run \(run.id): \(count(size, "network")) in \(count(run.waves, "wave")).")
        }
    }

    /// Shows what became of a whole run, or of a part of its networks.
    ///
    /// - Parameter chosen: the names of the networks; nil for all.
    /// - Returns: the exit status.
    func conclude(
        _ view: FleetView,
        _ store: FleetRunStore,
        _ id: String,
        _ chosen: Set<String>? = nil
    ) throws -> ExitStatus {
        guard let run = try store.run(id) else { throw Failure(.failure, "the run \(id) is no longer stored") }
        let jobs = try store.jobs(of: id)
        let networks = jobs.filter { !$0.isGate && chosen?.contains($0.network) ?? true }
        let begun = networks.filter { [.done, .failed].contains($0.state) }
        let left = networks.filter { $0.state == .waiting }
        let others = networks.filter { $0.state == .running }
        if run.state != .done {
            view.showStop(run.state == .open ? "interrupted" : reason(of: run, jobs), left: left.count)
        }
        view.showTotals(begun.map { FleetResult(of: $0) }, run.request.command)
        if context.json != nil {
            write(run, jobs, try store.workers(of: id))
        } else if run.state != .done && (chosen == nil || !left.isEmpty)
            || networks.contains(where: { [.failed, .skipped].contains($0.state) })
        {
            let retries = networks.contains { [.failed, .skipped].contains($0.state) }
            let plans = run.request.plans
            var ways = "Go on with: meshplan fleet continue \(id)" + (retries && plans == nil ? " --retry" : "")
            // What has failed of saved plans cannot be tried again.
            if retries, let plans, [.done, .failed].contains(run.state) {
                ways = "Make new plans with: meshplan fleet plan --out \(plans.path.printable.shellWord)"
            }
            if run.request.takesBack == nil, networks.contains(where: { !$0.notes.entries.isEmpty }) {
                ways += "\nTake it back with: meshplan fleet rollback \(id)"
            }
            context.output.line(ways)
        }
        guard context.interrupts.count() == 0 else { return .interrupted }
        let results = (begun + networks.filter { $0.state == .skipped }).map { FleetResult(of: $0) }
        let status = FleetDispatcher.status(of: results)
        if status == .success, left.isEmpty, others.isEmpty { return .success }
        let hasApplied = begun.contains {
            [0, ExitStatus.partial.rawValue].contains($0.status) || !$0.notes.entries.isEmpty
        }
        return hasApplied || status == .success ? .partial : status
    }

    /// Why a run goes no further.
    func reason(of run: FleetRunRecord, _ jobs: [FleetJob]) -> String {
        let failed = jobs.filter { $0.state == .failed }.count
        switch run.state {
        case .failed: return "\(count(failed, "network")) failed, stayed partial or did not pass"
        case .stopped: return run.reason.printable
        case .open, .done: return ""
        }
    }

    // MARK: One run

    /// Shows a run with its waves and workers.
    ///
    /// - Parameter showsJobs: whether to show each network, too.
    func show(_ run: FleetRunRecord, _ store: FleetRunStore, showsJobs: Bool) throws {
        let (jobs, workers) = (try store.jobs(of: run.id), try store.workers(of: run.id))
        guard context.json == nil else {
            write(run, jobs, workers)
            if showsJobs { for job in jobs where !job.isGate { write(job, of: run) } }
            return
        }
        let request = run.request
        var head = "Run \(run.id): \(request.command)"
        if let other = request.takesBack { head += " of the run \(other.printable)" }
        head += ", \(state(of: run, workers.count)), by \(request.user.printable)@\(request.host.printable) at "
        lines(head + request.began.text)
        if [.failed, .stopped].contains(run.state) { lines("Stopped: \(reason(of: run, jobs)).") }
        var table = Table(["Wave", "Networks", "Waiting", "Running", "Done", "Failed", "Left out"])
        table.rightAligned = [0, 1, 2, 3, 4, 5, 6]
        for (wave, numbers) in Self.waves(of: jobs) {
            let all = numbers.values.reduce(0, +)
            let cells = [.waiting, .running, .done, .failed, .skipped].map { String(numbers[$0, default: 0]) }
            table.rows.append([String(wave), String(all)] + cells)
        }
        context.output.write(table.render(context.style, indent: "  "))
        for worker in workers { lines("  \(worker.id.printable) works on it since \(worker.since.text)") }
        guard showsJobs else { return }
        var list = Table(["Network", "Wave", "State", "Attempts", "Result"], rightAligned: [1, 3])
        for job in jobs where !job.isGate {
            list.rows.append([
                job.network.printable, String(job.wave), Self.word(job.state), String(job.attempts),
                job.notes.summary.printable.shortened(to: 50),
            ])
        }
        context.output.line()
        context.output.write(list.render(context.style))
    }

    /// Says why the networks of a run have failed.
    func showFailures(_ run: FleetRunRecord, _ jobs: [FleetJob]) {
        guard context.json == nil else { return write(run, jobs, []) }
        let end = [.failed, .stopped].contains(run.state) ? "stopped: \(reason(of: run, jobs))" : "ended"
        lines("Run \(run.id) \(end).")
        for job in jobs where job.state == .failed {
            for line in wrap("\(job.network.printable): \(job.notes.summary.printable)", width: 78) {
                context.output.line("  " + line)
            }
        }
    }

    private func lines(_ text: String) {
        for line in wrap(text, width: 80) { context.output.line(line) }
    }

    private func state(of run: FleetRunRecord, _ workers: Int) -> String {
        switch run.state {
        case .open: workers > 0 ? "wave \(run.wave) of \(run.waves)" : "open, but nobody works on it"
        case .stopped, .failed: "stopped in wave \(run.wave) of \(run.waves)"
        case .done: "done"
        }
    }

    private static func waves(of jobs: [FleetJob]) -> [(wave: Int, numbers: [FleetJob.State: Int])] {
        let waves = Dictionary(grouping: jobs.filter { !$0.isGate }, by: \.wave)
        return waves.sorted { $0.key < $1.key }.map { wave, jobs in
            (wave, Dictionary(grouping: jobs, by: \.state).mapValues(\.count))
        }
    }

    static func word(_ state: FleetJob.State) -> String {
        switch state {
        case .waiting: "waiting"
        case .running: "running"
        case .done: "done"
        case .failed: "failed"
        case .skipped: "left out"
        }
    }

    // MARK: All runs

    /// Lists runs, newest first.
    func list(_ runs: [FleetRunRecord], _ counts: [String: [FleetJob.State: Int]]) {
        guard context.json == nil else {
            for run in runs { context.json?.write(members(of: run, counts[run.id] ?? [:])) }
            return
        }
        var table = Table(["Run", "When", "Who", "Command", "State", "Networks"])
        table.rightAligned = [5]
        for run in runs {
            let state =
                switch run.state {
                case .open: "open"
                case .stopped: "stopped"
                case .failed: "failed"
                case .done: "done"
                }
            let numbers = counts[run.id] ?? [:]
            table.rows.append([
                run.id, run.request.began.text, "\(run.request.user)@\(run.request.host)".printable,
                run.request.command, state, "\(numbers[.done, default: 0])/\(numbers.values.reduce(0, +))",
            ])
        }
        context.output.write(table.render(context.style))
    }

    // MARK: JSON

    private func members(of run: FleetRunRecord, _ numbers: [FleetJob.State: Int]) -> [JSONMember] {
        var members = [
            JSONMember("type", "fleet_run"), JSONMember("run", run.id.json),
            JSONMember("command", run.request.command.json), JSONMember("state", "\(run.state)".json),
            JSONMember("wave", .integer(run.wave)), JSONMember("waves", .integer(run.waves)),
            JSONMember("began", run.request.began.text.json), JSONMember("user", run.request.user.json),
            JSONMember("host", run.request.host.json), JSONMember("arguments", .array(run.request.words.map(\.json))),
        ]
        for state in FleetJob.State.allCases {
            members.append(JSONMember("\(state)", .integer(numbers[state, default: 0])))
        }
        if let most = run.mostFailures { members.append(JSONMember("max_failures", .integer(most))) }
        if !run.request.gates.isEmpty { members.append(JSONMember("gates", .array(run.request.gates.map(\.json)))) }
        if !run.reason.isEmpty { members.append(JSONMember("reason", run.reason.json)) }
        if let other = run.request.takesBack { members.append(JSONMember("takes_back", other.json)) }
        return members
    }

    private func write(_ run: FleetRunRecord, _ jobs: [FleetJob], _ workers: [FleetWorkerRecord]) {
        let all = Dictionary(grouping: jobs.filter { !$0.isGate }, by: \.state).mapValues(\.count)
        let waves = Self.waves(of: jobs).map { wave, numbers in
            JSONValue.object(
                [JSONMember("wave", .integer(wave))]
                    + FleetJob.State.allCases.map { JSONMember("\($0)", .integer(numbers[$0, default: 0])) }
            )
        }
        context.json?.write(members(of: run, all) + [JSONMember("by_wave", .array(waves))])
        for worker in workers {
            context.json?.write([
                "type": "fleet_worker", "run": run.id.json, "worker": worker.id.json, "since": worker.since.text.json,
            ])
        }
    }

    private func write(_ job: FleetJob, of run: FleetRunRecord) {
        context.json?.write([
            "type": "fleet_job", "run": run.id.json, "network": job.network.json, "wave": .integer(job.wave),
            "state": "\(job.state)".json, "attempts": .integer(job.attempts),
            "worker": job.worker.isEmpty ? nil : job.worker.json, "exit_code": job.status.map { .integer($0) },
            "digest": job.notes.digest?.json, "target": job.notes.target.map { .integer($0) },
            "serial_before": job.notes.serialBefore.map { .integer($0) },
            "serial_after": job.notes.serialAfter.map { .integer($0) },
            "summary": job.notes.summary.isEmpty ? nil : job.notes.summary.json,
        ])
    }
}

extension String {
    /// The beginning of a text that is longer.
    fileprivate func shortened(to length: Int) -> String { count > length ? prefix(length - 1) + "…" : self }
}

extension JSONLines {
    fileprivate func write(_ members: [JSONMember]) { output.line(JSONValue.object(members).line) }
}

extension FleetResult {
    fileprivate init(of job: FleetJob) {
        self = .ended(job.status.flatMap { ExitStatus(rawValue: $0) } ?? .failure)
    }
}
