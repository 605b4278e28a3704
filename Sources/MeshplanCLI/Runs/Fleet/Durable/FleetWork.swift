import MeshCore
import Store
import SystemLayer

/// A worker of a run: takes its jobs until none is left, together with others that do the same.
final class FleetWork {
    private let run: FleetRun
    private let store: FleetRunStore
    private let id: String
    private let request: FleetRunRecord.Request
    private let commands: FleetJobCommands
    private let databases: FleetDatabases
    private let worker: FleetWorkerRecord
    private let view: FleetView
    /// What is being done, by the number of the job.
    private var active: [Int: Active] = [:]
    /// Jobs whose plan was made again and that can now be carried out.
    private var checked: [Int] = []
    /// The numbers of jobs in the order in which they began, and the results to show in that order.
    private var unshown: [Int] = []
    private var ended: [Int: (result: FleetResult, network: FleetNetwork)] = [:]
    /// Why the store cannot be used any more.
    private var failure: (any Error)?
    private var taken = 0

    /// A job with its command.
    private struct Active {
        var job: FleetJob
        var network: FleetNetwork
        var stage: FleetRun.Stage
        var isPlanning: Bool
        var result = FleetResult()
    }

    /// A worker.
    ///
    /// - Parameter via: ways to every network that replace those of the run.
    /// - Throws: ``Failure`` if the run applies saved plans that this machine does not have.
    init(_ run: FleetRun, _ store: FleetRunStore, _ record: FleetRunRecord, via: [String] = []) throws {
        let saved = try SavedFleet.of(record.request, in: run.fleet, run.context)
        var run = run
        if let saved { run.fleet = saved.fleet }
        self.run = run
        self.store = store
        id = record.id
        request = record.request
        commands = FleetJobCommands(request: record.request, fleet: run.fleet, via: via, saved: saved)
        databases = FleetDatabases(run: run)
        let context = run.context
        let mark = Hexadecimal.encode((0..<2).map { _ in UInt8(truncatingIfNeeded: context.randomBits()) })
        worker = FleetWorkerRecord(
            id: "\(context.process.user)@\(context.process.host) \(context.process.number)-\(mark)".printable,
            since: context.now()
        )
        view = FleetView(context, run.fleet, isJSON: context.json != nil, run.showsDetails)
    }

    /// Works until the run has ended or a signal arrives, and shows what became of the whole run.
    ///
    /// - Returns: the exit status of the whole run.
    /// - Throws: ``StoreError`` if the run's store cannot be used any more. What runs then ends before.
    func callAsFunction() throws -> ExitStatus {
        let life = try store.join(id, worker)
        defer { withExtendedLifetime(life) {} }
        do {
            try work()
        } catch {
            try? store.leave(id, worker.id)
            throw error
        }
        try store.leave(id, worker.id)
        return try FleetRunView(run.context).conclude(view, store, id)
    }

    private var isInterrupted: Bool { run.context.interrupts.count() > 0 }

    private func work() throws {
        var (wave, isWaiting) = (0, false)
        while !isInterrupted {
            guard let record = try store.run(id), record.state == .open else { return }
            if record.waves > 1, record.wave != wave {
                let size = try store.jobs(of: id).filter {
                    $0.wave == record.wave && !$0.isGate && $0.state != .skipped
                }
                view.showWave(record.wave, of: record.waves, size.count)
            }
            wave = record.wave
            taken = 0
            run.context.fleetWorkers.run(run.workers, run.context, { next() }, { take($0, $1) })
            if let failure { throw failure }
            guard !isInterrupted else { return }
            if let decision = try store.claimDecision(id, by: worker.id) {
                try decide(decision)
                isWaiting = false
            } else if taken == 0 {
                if !isWaiting, run.context.json == nil {
                    run.context.errorOutput.line("Waiting for the other workers …")
                }
                isWaiting = true
                run.context.pause(.seconds(2))
            }
        }
    }

    // MARK: Jobs

    private func next() -> (number: Int, call: FleetCall)? {
        do {
            while let number = checked.popLast(), let ready = active[number] {
                guard isInterrupted else { return (number, run.call(ready.stage, ready.network)) }
                var job = ready.job
                job.state = .waiting
                try finish(job, ready.result, ready.network)
            }
            while failure == nil, !isInterrupted, let job = try store.claim(id, by: worker.id, holding: active.keys) {
                taken += 1
                if let call = try begin(job) { return (job.number, call) }
            }
        } catch {
            failure = error
        }
        return nil
    }

    /// Begins a job that was claimed.
    ///
    /// - Returns: its command; nil if there is none, or the claim is lost already.
    private func begin(_ job: FleetJob) throws -> FleetCall? {
        var job = job
        unshown.append(job.number)
        guard let network = run.fleet.networks.first(where: { $0.name == job.network }) else {
            var result = FleetResult()
            result.end(.stale, "the fleet in this folder has no network \(job.network)")
            let unknown = FleetNetwork(name: job.network, folder: run.fleet.folder, definition: [])
            try fail(job, result, unknown)
            return nil
        }
        if job.notes.serialBefore == nil { job.notes.serialBefore = databases.serial(of: network) }
        guard try store.note(job, of: id) else {
            unshown.removeAll { $0 == job.number }
            return nil
        }
        // An earlier attempt may have done a part, or all of it without having told.
        if job.attempts > 1, commands.saved != nil, let result = try settled(job, network) {
            if result.status == .success {
                try done(job, result, network)
            } else {
                try fail(job, result, network)
            }
            return nil
        }
        let isPlanning = job.attempts > 1 && commands.saved == nil
        let stage = isPlanning ? commands.planning([network.name: job]) : commands.carryingOut(job)
        active[job.number] = Active(job: job, network: network, stage: stage, isPlanning: isPlanning)
        return run.call(stage, network)
    }

    /// What became of a saved plan that an earlier attempt was to apply; nil if it was not begun.
    private func settled(_ job: FleetJob, _ network: FleetNetwork) throws -> FleetResult? {
        let begun = databases.entries(of: job.notes.digest, in: network, since: job.notes.serialBefore)
        guard let last = begun.first else { return nil }
        var result = FleetResult()
        if last.runs.last?.outcome == .completed {
            result.end(.success)
        } else {
            result.end(.stale, "the saved plan was begun and cut off, so its rest has to be planned anew")
        }
        return result
    }

    /// Records that an earlier attempt has done a job.
    private func done(_ job: FleetJob, _ result: FleetResult, _ network: FleetNetwork) throws {
        var (job, result) = (job, result)
        note(databases.entries(of: job.notes.digest, in: network, since: job.notes.serialBefore), in: &job)
        (job.state, job.status, job.notes.summary) = (.done, 0, "was carried out by an earlier attempt")
        result.summary = nil
        try finish(job, result, network)
    }

    private func take(_ number: Int, _ event: ProgramPool.Event) {
        // Taken out, so that its lines are not copied with each further one.
        guard var present = active.removeValue(forKey: number) else { return }
        run.take(event, of: present.stage, present.network, into: &present.result)
        active[number] = present
        guard present.result.hasEnded else { return }
        do {
            if present.isPlanning { try planned(present) } else { try carriedOut(present) }
        } catch {
            failure = error
        }
    }

    /// Goes on with a job that was planned again: with the approved plan, or with the rest of one that was begun.
    private func planned(_ present: Active) throws {
        var (job, result) = (present.job, present.result)
        let begun = databases.entries(of: job.notes.digest, in: present.network, since: job.notes.serialBefore)
        switch result.status {
        case .success where !begun.isEmpty: try done(job, result, present.network)
        case .changes where result.digest == job.notes.digest: try carryOut(job, present.network)
        case .changes where isRest(of: begun, in: present.network):
            note(begun, in: &job)
            job.notes.digest = result.digest
            guard try store.note(job, of: id) else { return lose(present) }
            try carryOut(job, present.network)
        case .success, .changes:
            result.end(.stale, "the plan is no longer the one that was approved")
            try fail(job, result, present.network)
        default: try carriedOut(present)
        }
    }

    /// Whether a plan can be the rest of one that was approved and begun: it leads to the same goal.
    private func isRest(of begun: [HistoryEntry], in network: FleetNetwork) -> Bool {
        guard let entry = begun.first else { return false }
        return request.takesBack != nil || databases.isDefinition(of: entry, thatOf: network)
    }

    private func carryOut(_ job: FleetJob, _ network: FleetNetwork) throws {
        active[job.number] = Active(
            job: job,
            network: network,
            stage: commands.carryingOut(job),
            isPlanning: false
        )
        checked.append(job.number)
    }

    private func carriedOut(_ present: Active) throws {
        var (job, result) = (present.job, present.result)
        switch result.status {
        case .success: job.state = .done
        case .interrupted, .hungUp, .terminated: job.state = .waiting
        default: job.state = .failed
        }
        let entries = databases.entries(of: job.notes.digest, in: present.network, since: job.notes.serialBefore)
        note(entries, in: &job)
        job.status = result.status.rawValue
        job.notes.summary = result.words(for: request.command).oneLine
        if !run.showsDetails { result.details = [] }
        try finish(job, result, present.network)
    }

    private func note(_ entries: [HistoryEntry], in job: inout FleetJob) {
        for entry in entries {
            if !job.notes.entries.contains(entry.number) { job.notes.entries.append(entry.number) }
            job.notes.serialAfter = max(job.notes.serialAfter ?? 0, entry.serialAfter)
        }
    }

    private func fail(_ job: FleetJob, _ result: FleetResult, _ network: FleetNetwork) throws {
        var job = job
        (job.state, job.status) = (.failed, result.status.rawValue)
        job.notes.summary = result.words(for: request.command).oneLine
        try finish(job, result, network)
    }

    private func finish(_ job: FleetJob, _ result: FleetResult, _ network: FleetNetwork) throws {
        active[job.number] = nil
        var result = result
        if try !store.finish(job, of: id) {
            // Whoever has taken it over tells the end.
            result.problems = [("the claim was lost to another worker, so this result is not recorded", nil)]
        }
        ended[job.number] = (result, network)
        while let number = unshown.first, let done = ended[number] {
            view.show(done.result, of: done.network, request.command)
            unshown.removeFirst()
            ended[number] = nil
        }
    }

    private func lose(_ present: Active) {
        active[present.job.number] = nil
        unshown.removeAll { $0 == present.job.number }
    }

    // MARK: The end of a wave

    /// Asks the gates about the networks of a wave, and lets the next one begin.
    private func decide(_ decision: FleetJob) throws {
        var passing = try store.jobs(of: id).filter {
            $0.wave == decision.wave && !$0.isGate && $0.state == .done
        }
        var failed: [FleetJob] = []
        for gate in FleetGate.allCases where request.gates.contains(gate.rawValue) && !passing.isEmpty {
            guard !isInterrupted else { return }
            view.showGate(gate)
            let indexes = passing.compactMap { job in
                run.fleet.networks.firstIndex { $0.name == job.network }
            }
            let results = run.run(gate.stage(commands.routes), indexes)
            guard !isInterrupted else { return }
            var left: [FleetJob] = []
            for job in passing {
                var job = job
                let result = run.fleet.networks.firstIndex { $0.name == job.network }.flatMap { results[$0] }
                guard result?.status != .success else {
                    left.append(job)
                    continue
                }
                job.status = (result?.status ?? .stale).rawValue
                let words = result?.words(for: gate.command) ?? "not in the fleet of \(run.context.process.host)"
                job.notes.summary =
                    "did not pass the gate \(gate.rawValue)" + (words.isEmpty ? "" : ": " + words.oneLine)
                failed.append(job)
            }
            passing = left
        }
        _ = try store.decide(decision, of: id, failed: failed)
    }
}

extension FleetGate {
    /// The command that tells.
    fileprivate var command: String { self == .drift ? "refresh" : "test" }
}

extension String {
    /// The text in one line of at most 400 characters.
    fileprivate var oneLine: String {
        String(split(whereSeparator: \.isNewline).joined(separator: " ").prefix(400))
    }
}
