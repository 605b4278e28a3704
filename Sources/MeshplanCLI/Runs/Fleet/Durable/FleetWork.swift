import MeshCore
import Store
import SystemLayer

/// A worker of a run: takes its jobs until none is left, together with others that do the same.
final class FleetWork {
    private let run: FleetDispatcher
    private let store: FleetRunStore
    private let id: String
    private let request: FleetRunRecord.Request
    private let commands: FleetJobCommands
    private let databases: FleetDatabases
    private let worker: FleetWorkerRecord
    private let view: FleetView
    /// The networks that it takes; nil for all.
    private let choice: FleetChoice?
    /// What is being done, by the number of the job.
    private var active: [Int: Active] = [:]
    /// Active jobs whose next command can start.
    private var ready: [Int] = []
    /// Active jobs that wait until the command of an earlier attempt has ended.
    private var held: [Int] = []
    /// The networks for which that was told.
    private var toldHeld: Set<String> = []
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
        var stage: FleetDispatcher.Stage
        var isPlanning: Bool
        /// Whether it was planned once more, because an earlier attempt was still at work.
        var isRepeated = false
        var result = FleetResult()
    }

    /// A worker.
    ///
    /// - Parameters:
    ///   - via: ways to every network that replace those of the run.
    ///   - conditions: the tags of the networks that it takes; empty for all.
    /// - Throws: ``Failure`` if the run applies saved plans that this machine does not have, or no network has the
    ///   tags.
    init(
        _ run: FleetDispatcher,
        _ store: FleetRunStore,
        _ record: FleetRunRecord,
        via: [String] = [],
        selecting conditions: [String] = []
    ) throws {
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
        choice = try FleetChoice(conditions, of: record, in: store, run.fleet)
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
        return try FleetRunView(run.context).conclude(view, store, id, choice?.names)
    }

    private var isInterrupted: Bool { run.context.interrupts.count() > 0 }

    private func work() throws {
        var (wave, told) = (0, Set<String>())
        while !isInterrupted {
            guard let record = try store.run(id), record.state == .open || !active.isEmpty else { return }
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
            if !held.isEmpty {
                run.context.pause(.seconds(5))
                (ready, held) = (held, [])
            } else if let decision = try decision(wave) {
                try decide(decision)
                told = []
            } else if taken == 0 {
                if let choice, try choice.isDone(in: store) { return }
                let claims = try FleetClaims(of: record, in: store, but: worker.id)
                let workers = claims.workers.isEmpty && choice != nil ? [""] : claims.workers
                if !told.isSuperset(of: workers) { view.showWaiting(claims) }
                told = workers
                run.context.pause(.seconds(2))
            }
        }
    }

    /// The decision about a wave, if it is due and this worker takes it.
    private func decision(_ wave: Int) throws(StoreError) -> FleetJob? {
        if let choice, try !choice.mayDecide(wave, in: store) { return nil }
        return try store.claimDecision(id, by: worker.id)
    }

    // MARK: Jobs

    private func next() -> (number: Int, call: FleetCall)? {
        do {
            while let number = ready.popLast(), let next = active[number] {
                guard isInterrupted else { return (number, run.call(next.stage, next.network)) }
                var job = next.job
                job.state = .waiting
                try finish(job, next.result, next.network)
            }
            while failure == nil, !isInterrupted,
                let job = try store.claim(id, by: worker.id, holding: active.keys, among: choice?.numbers)
            {
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
            let result = FleetResult.ended(.stale, "the fleet in this folder has no network \(job.network)")
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
        let begun = databases.entries(of: job, in: network)
        guard let last = begun.first else { return nil }
        if last.runs.last?.outcome == .completed { return .ended(.success) }
        return .ended(.stale, "the saved plan was begun and cut off, so its rest has to be planned anew")
    }

    /// Records that an earlier attempt has done a job.
    private func done(_ job: FleetJob, _ result: FleetResult, _ network: FleetNetwork) throws {
        var (job, result) = (job, result)
        note(databases.entries(of: job, in: network), in: &job)
        (job.state, job.status, job.notes.summary) = (.done, 0, "was carried out by an earlier attempt")
        (result.summary, result.printed) = (nil, nil)
        try finish(job, result, network)
    }

    private func take(_ number: Int, _ answer: FleetAnswer) {
        // Taken out, so that its lines are not copied with each further one.
        guard var present = active.removeValue(forKey: number) else { return }
        run.take(answer, of: present.stage, present.network, into: &present.result)
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
        let begun = databases.entries(of: job, in: present.network)
        switch result.status {
        case .success where !begun.isEmpty: try done(job, result, present.network)
        case .changes where result.summary?.digest == job.notes.digest: carryOut(present, job)
        case .changes where isRest(of: job, in: present.network):
            note(begun, in: &job)
            if let digest = job.notes.digest { job.notes.begun.append(digest) }
            job.notes.digest = result.summary?.digest
            guard try store.note(job, of: id) else { return lose(present) }
            carryOut(present, job)
        case .success, .changes:
            result.end(.stale, "the plan is no longer the one that was approved")
            try fail(job, result, present.network)
        default: try carriedOut(present)
        }
    }

    /// Whether a plan can be the rest of one that was approved and begun: it leads to the same goal, and nobody else
    /// has changed anything since.
    private func isRest(of job: FleetJob, in network: FleetNetwork) -> Bool {
        guard let entry = databases.undisturbedEntries(of: job, in: network).first else { return false }
        return request.takesBack != nil || databases.isDefinition(of: entry, thatOf: network)
    }

    private func carryOut(_ present: Active, _ job: FleetJob) {
        active[job.number] = Active(
            job: job,
            network: present.network,
            stage: commands.carryingOut(job),
            isPlanning: false,
            isRepeated: present.isRepeated
        )
        ready.append(job.number)
    }

    /// Plans a job once more that an earlier attempt has changed after it was planned. The command of a worker that was
    /// killed goes on by itself.
    ///
    /// - Returns: whether that is the reason why it could not be carried out.
    private func planAgain(_ present: Active) -> Bool {
        let job = present.job
        guard !present.isPlanning, job.attempts > 1, commands.saved == nil,
            let last = databases.undisturbedEntries(of: job, in: present.network).first
        else { return false }
        var next = Active(
            job: job,
            network: present.network,
            stage: commands.planning([present.network.name: job]),
            isPlanning: true,
            isRepeated: present.isRepeated
        )
        switch present.result.status {
        case .stale where !present.isRepeated:
            next.isRepeated = true
            ready.append(job.number)
        // It still has the lock. Once that is free, its work is done.
        case .locked where last.runs.last?.ended == nil:
            if toldHeld.insert(job.network).inserted { view.showHeld(present.network) }
            held.append(job.number)
        default: return false
        }
        active[job.number] = next
        return true
    }

    private func carriedOut(_ present: Active) throws {
        if planAgain(present) { return }
        var (job, result) = (present.job, present.result)
        switch result.status {
        case .success: job.state = .done
        case .interrupted, .hungUp, .terminated: job.state = .waiting
        default: job.state = .failed
        }
        note(databases.entries(of: job, in: present.network), in: &job)
        job.status = result.status.rawValue
        job.notes.summary = result.text(request.command).oneLine
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
        job.notes.summary = result.text(request.command).oneLine
        try finish(job, result, network)
    }

    private func finish(_ job: FleetJob, _ result: FleetResult, _ network: FleetNetwork) throws {
        active[job.number] = nil
        var result = result
        if try !store.finish(job, of: id) {
            // Whoever has taken it over tells the end.
            result.problems = [.init(message: "the claim was lost to another worker, so this result is not recorded")]
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
        let gates = FleetGates(run: run, store: store, request: request, commands: commands, view: view)
        guard let failed = try gates.failed(decision, of: id) else { return }
        _ = try store.decide(decision, of: id, failed: failed)
    }
}
