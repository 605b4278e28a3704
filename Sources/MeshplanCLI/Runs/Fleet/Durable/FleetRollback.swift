import MeshCore
import Store
import SystemLayer

/// Takes back what a run has changed: brings each of its networks to what was in force before, in reverse order of
/// waves. It is a run itself.
struct FleetRollback {
    var run: FleetDispatcher
    var store: FleetRunStore
    /// The run that is taken back.
    var record: FleetRunRecord
    /// What the new run is asked for.
    var request: FleetRunRecord.Request
    var isApproved: Bool

    /// Plans, asks and carries out.
    ///
    /// - Returns: the exit status of all.
    /// - Throws: ``Failure`` if somebody still works on the run, or nobody approves.
    func callAsFunction() throws -> ExitStatus {
        let context = run.context
        let jobs = try stopped()
        FleetRunView(context).showFailures(record, jobs)
        let changed = jobs.filter { !$0.isGate && !$0.notes.entries.isEmpty }
        guard !changed.isEmpty else {
            if context.json == nil {
                context.output.line("It has changed nothing.")
            } else {
                FleetView(context, run.fleet, isJSON: true, false).showTotals([], "rollback")
            }
            return .success
        }
        let view = FleetView(context, run.fleet, isJSON: context.json != nil, run.showsDetails)
        var (goals, refused): ([String: FleetJob], [(name: String, result: FleetResult)]) = ([:], [])
        for job in changed {
            do {
                goals[job.network] = try goal(of: job)
            } catch {
                let failure = Failure(explaining: error)
                let result = FleetResult.ended(failure.status, failure.message)
                refused.append((job.network, result))
                let known = run.fleet.networks.first { $0.name == job.network }
                let unknown = FleetNetwork(name: job.network, folder: run.fleet.folder, definition: [])
                view.show(result, of: known ?? unknown, "plan")
            }
        }
        let commands = FleetJobCommands(request: request, fleet: run.fleet)
        let indexes = run.fleet.networks.indices.filter { goals[run.fleet.networks[$0].name] != nil }
        let planned = run.run(commands.planning(goals), Array(indexes))
        for index in indexes {
            guard let result = planned[index], ![.success, .changes].contains(result.status) else { continue }
            refused.append((run.fleet.networks[index].name, result))
        }
        view.showTotals(Array(planned.values) + refused.filter { goals[$0.name] == nil }.map(\.result), "plan")
        guard context.interrupts.count() == 0 else { return .interrupted }
        let changing = indexes.filter { planned[$0]?.status == .changes && planned[$0]?.summary?.digest != nil }
        guard !changing.isEmpty else { return FleetDispatcher.status(of: refused.map(\.result)) }
        if !isApproved {
            try Prompt(context: context).confirm(
                "Take back the changes of \(count(changing.count, "network"))?",
                explanation: refused.isEmpty
                    ? "Each returns to what was in force before the run \(record.id)."
                    : "\(count(refused.count, "network")) cannot return and \(refused.count == 1 ? "is" : "are") left out."
            )
        }
        var start = FleetRunStart(run: run, request: request, mostFailures: nil)
        let waves = Dictionary(grouping: changing) { goals[run.fleet.networks[$0].name]?.wave ?? 1 }
        for (_, wave) in waves.sorted(by: { $0.key > $1.key }) {
            start.addWave(
                wave.map { index in
                    let name = run.fleet.networks[index].name
                    var notes = goals[name]?.notes ?? FleetJob.Notes()
                    notes.digest = planned[index]?.summary?.digest
                    return (name, notes)
                }
            )
        }
        for (name, result) in refused { start.leaveOut(name, result, goals[name]?.notes ?? FleetJob.Notes()) }
        return try start()
    }

    /// The jobs of the run, which nobody goes on with.
    private func stopped() throws -> [FleetJob] {
        if let worker = try store.workers(of: record.id).first {
            throw Failure(
                .locked,
                "\(worker.id.printable) still works on the run \(record.id)",
                hint: "Stop it with: meshplan fleet stop \(record.id). Then wait until what runs has ended."
            )
        }
        if record.state == .open { _ = try store.stop(record.id, because: "it is being taken back") }
        return try store.jobs(of: record.id)
    }

    /// What a network returns to.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/refused`` if something else has changed it since, and what opening its
    ///   database throws.
    private func goal(of job: FleetJob) throws -> FleetJob {
        guard let network = run.fleet.networks.first(where: { $0.name == job.network }) else {
            throw Failure(.stale, "the fleet in this folder has no network \(job.network)")
        }
        guard let serial = job.notes.serialBefore else {
            throw Failure(.failure, "nobody knows at which serial the run began")
        }
        let database = try FleetDatabases(run: run).open(network)
        let history = try database.history()
        // Reading back tells what nodes have, and changes nothing.
        let other = history.entries.first { entry in
            entry.serialBefore >= serial && entry.serialAfter > entry.serialBefore && entry.operation != "refresh"
                && !job.notes.entries.contains(entry.number)
        }
        if let other {
            throw Failure(
                .refused,
                "something else has changed it since: \(other.operation.printable) by \(other.user.printable)@"
                    + "\(other.host.printable) at \(other.began.text)",
                hint: "Look at it with meshplan state history, and go back with meshplan state restore \(serial)."
            )
        }
        var goal = FleetJob(number: job.number, wave: job.wave, network: job.network)
        goal.notes.target = serial
        let digest = history.definitionEntry(at: serial)?.definition
        goal.notes.isRestoring = try digest.map { try database.definition($0) == nil } ?? true
        return goal
    }
}
