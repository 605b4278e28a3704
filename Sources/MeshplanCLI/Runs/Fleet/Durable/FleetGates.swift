import Store
import SystemLayer

/// Asks the gates about the networks of a wave.
struct FleetGates {
    var run: FleetDispatcher
    var store: FleetRunStore
    var request: FleetRunRecord.Request
    var commands: FleetJobCommands
    var view: FleetView

    /// The jobs of a wave that do not pass, with how their commands ended.
    ///
    /// - Parameter decision: the job of the end of the wave.
    /// - Returns: nil if a signal has arrived.
    /// - Throws: ``StoreError`` if the run's store cannot be used any more.
    func failed(_ decision: FleetJob, of id: String) throws -> [FleetJob]? {
        var passing = try store.jobs(of: id).filter {
            $0.wave == decision.wave && !$0.isGate && $0.state == .done
        }
        var failed: [FleetJob] = []
        for gate in FleetGate.allCases where request.gates.contains(gate.rawValue) && !passing.isEmpty {
            guard !isInterrupted else { return nil }
            view.showGate(gate)
            let indexes = passing.compactMap { job in
                run.fleet.networks.firstIndex { $0.name == job.network }
            }
            let stage = gate.stage(commands.routes)
            let results = run.run(stage, indexes)
            guard !isInterrupted else { return nil }
            var left: [FleetJob] = []
            for job in passing {
                var job = job
                let result = run.fleet.networks.firstIndex { $0.name == job.network }.flatMap { results[$0] }
                guard result?.status != .success else {
                    left.append(job)
                    continue
                }
                job.status = (result?.status ?? .stale).rawValue
                let words = result?.text(stage.command.rawValue) ?? "not in the fleet of \(run.context.process.host)"
                job.notes.summary =
                    "did not pass the gate \(gate.rawValue)" + (words.isEmpty ? "" : ": " + words.oneLine)
                failed.append(job)
            }
            passing = left
        }
        return failed
    }

    private var isInterrupted: Bool { run.context.interrupts.count() > 0 }
}

extension String {
    /// The text in one line of at most 400 characters.
    var oneLine: String {
        String(split(whereSeparator: \.isNewline).joined(separator: " ").prefix(400))
    }
}
