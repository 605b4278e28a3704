import MeshCore
import Store
import SystemLayer

/// Makes a run, and works on it.
struct FleetRunStart {
    var run: FleetDispatcher
    var request: FleetRunRecord.Request
    /// How many networks may fail; nil for any number.
    var mostFailures: Int?
    private var jobs: [FleetJob] = []
    private var waves = 0

    init(run: FleetDispatcher, request: FleetRunRecord.Request, mostFailures: Int?) {
        self.run = run
        self.request = request
        self.mostFailures = mostFailures
    }

    /// Adds a wave of networks, with what is known of their jobs.
    mutating func addWave(_ networks: [(name: String, notes: FleetJob.Notes)]) {
        waves += 1
        for (name, notes) in networks {
            var job = FleetJob(number: jobs.count + 1, wave: waves, network: name)
            job.notes = notes
            jobs.append(job)
        }
        jobs.append(FleetJob(number: jobs.count + 1, wave: waves, network: ""))
    }

    /// Adds a network that could not be planned, with the reason, and what is known of its job.
    mutating func leaveOut(_ network: String, _ result: FleetResult?, _ notes: FleetJob.Notes = FleetJob.Notes()) {
        var job = FleetJob(number: jobs.count + 1, wave: max(waves, 1), network: network)
        job.notes = notes
        job.state = .skipped
        job.status = (result?.status ?? .failure).rawValue
        job.notes.summary = result?.text("plan") ?? ""
        jobs.append(job)
    }

    /// Stores the run and works on it.
    ///
    /// - Returns: the exit status of the whole run.
    /// - Throws: ``Failure`` if another run is about to change the same networks, and what ``FleetWork`` throws.
    func callAsFunction() throws -> ExitStatus {
        let place = FleetRunPlace(run.context, run.fleet)
        let store = try place.store()
        let id = String(Hexadecimal.encode((0..<4).map { _ in UInt8(truncatingIfNeeded: run.context.randomBits()) }))
        for old in try place.checkFree() { _ = try store.stop(old.id, because: "the run \(id) has taken its place") }
        let record = FleetRunRecord(id: id, waves: waves, mostFailures: mostFailures, request: request)
        try store.add(record, jobs)
        let view = FleetRunView(run.context)
        view.announce(record, jobs)
        return try FleetWork(run, store, record)()
    }
}
