import MeshCore
import Store
import SystemLayer

/// Goes on with a run where it was: after it was stopped, after a failure, or after all of its workers were gone.
struct FleetContinuation {
    var run: FleetDispatcher
    var store: FleetRunStore
    var record: FleetRunRecord
    /// Whether what has failed, or was left out, is planned and carried out again.
    var retries: Bool
    var isApproved: Bool

    /// Opens the run again and works on it.
    ///
    /// - Returns: the exit status of the whole run.
    /// - Throws: ``Failure`` if that needs another decision first.
    func callAsFunction() throws -> ExitStatus {
        let jobs = try store.jobs(of: record.id).filter { !$0.isGate }
        // What something else has changed since has no goal, and returns nowhere.
        let failed = jobs.filter {
            [.failed, .skipped].contains($0.state) && (record.request.takesBack == nil || $0.notes.target != nil)
        }
        let view = FleetRunView(run.context)
        if !retries {
            guard record.state != .failed else {
                throw Failure(
                    .refused,
                    "the run \(record.id) has stopped: \(view.reason(of: record, jobs))",
                    hint: "Plan what has failed again with: meshplan fleet continue \(record.id) --retry"
                )
            }
            if record.state == .done { return try conclude() }
            if record.state == .stopped { try store.reopen(record.id) }
            return try FleetWork(run, store, record)()
        }
        guard record.request.plans == nil else {
            throw Failure(
                .refused,
                "the run \(record.id) applies saved plans, and what failed of them has to be planned anew",
                hint: "Make new ones with meshplan fleet plan --out, and apply those."
            )
        }
        guard !failed.isEmpty || record.state != .done else { return try conclude() }
        try store.reopen(record.id, changing: try again(failed))
        return try FleetWork(run, store, record)()
    }

    private func conclude() throws -> ExitStatus {
        let view = FleetView(run.context, run.fleet, isJSON: run.context.json != nil, run.showsDetails)
        return try FleetRunView(run.context).conclude(view, store, record.id)
    }

    /// Plans jobs again and asks.
    ///
    /// - Returns: the jobs that wait again, and those that have nothing left to do.
    private func again(_ failed: [FleetJob]) throws -> [FleetJob] {
        guard !failed.isEmpty else { return [] }
        let context = run.context
        let commands = FleetJobCommands(request: record.request, fleet: run.fleet)
        let byName = Dictionary(firstOf: failed.map { ($0.network, $0) })
        let indexes = run.fleet.networks.indices.filter { byName[run.fleet.networks[$0].name] != nil }
        let planned = run.run(commands.planning(byName), Array(indexes))
        let view = FleetView(context, run.fleet, isJSON: context.json != nil, run.showsDetails)
        view.showTotals(Array(planned.values), "plan")
        guard context.interrupts.count() == 0 else { throw Failure(.interrupted, "interrupted; nothing was done") }
        var changed: [FleetJob] = []
        for index in indexes {
            guard var job = byName[run.fleet.networks[index].name], let result = planned[index] else { continue }
            if result.status == .success {
                (job.state, job.status, job.notes.summary) = (.done, 0, "nothing is left to do")
            } else if result.status == .changes, let digest = result.summary?.digest {
                (job.state, job.status, job.notes.digest, job.notes.summary) = (.waiting, nil, digest, "")
                job.notes.begun = []
            } else {
                continue
            }
            changed.append(job)
        }
        let waiting = changed.filter { $0.state == .waiting }.count
        if !isApproved, waiting > 0 {
            try Prompt(context: context).confirm(
                "Carry out these plans for \(count(waiting, "network"))?",
                explanation: "Then the run \(record.id) goes on."
            )
        }
        return changed
    }
}
