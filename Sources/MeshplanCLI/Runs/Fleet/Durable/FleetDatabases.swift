import ArgumentParser
import MeshCore
import Store
import SystemLayer

/// Reads what a run has to know of the databases of its networks.
struct FleetDatabases {
    var run: FleetDispatcher

    /// The context of a command in the folder of a network. It asks nobody.
    func context(of network: FleetNetwork) -> Context {
        var own = run.context
        own.environment = run.environment(of: network)
        own.workingDirectory = network.folder
        own.session = StoreSession()
        own.json = nil
        own.terminal.isInputTerminal = false
        own.storeAccess = run.context.storeAccessElsewhere(of: network)
        return own
    }

    /// Opens the database of a network.
    ///
    /// - Throws: what opening it throws.
    func open(_ network: FleetNetwork) throws -> MeshDatabase {
        try Workspace(context: context(of: network)).open(network.name)
    }

    /// The present serial of a network; nil if its database cannot be read here.
    func serial(of network: FleetNetwork) -> UInt64? { try? open(network).version().serial }

    /// What the history of a job's network has of its plan and of rests of it, newest first; nothing if its database
    /// cannot be read here.
    func entries(of job: FleetJob, in network: FleetNetwork) -> [HistoryEntry] { since(job, in: network).own }

    /// The same, unless something else has changed the network since the job was begun. Reading back changes nothing.
    func undisturbedEntries(of job: FleetJob, in network: FleetNetwork) -> [HistoryEntry] {
        let (own, others) = since(job, in: network)
        let isDisturbed = others.contains { $0.serialAfter > $0.serialBefore && $0.operation != "refresh" }
        return isDisturbed ? [] : own
    }

    /// The entries since a job was begun, newest first: its own, and those of others.
    private func since(_ job: FleetJob, in network: FleetNetwork) -> (own: [HistoryEntry], others: [HistoryEntry]) {
        guard let serial = job.notes.serialBefore, let history = try? open(network).history() else { return ([], []) }
        let digests = Set(job.notes.begun + [job.notes.digest].compactMap(\.self))
        func isOwn(_ entry: HistoryEntry) -> Bool {
            entry.plans.contains { plan in plan.digest.map { digests.contains($0) } ?? false }
        }
        let entries = history.entries.filter { $0.serialBefore >= serial }
        return (entries.filter { isOwn($0) }, entries.filter { !isOwn($0) })
    }

    func isDefinition(of entry: HistoryEntry, thatOf network: FleetNetwork) -> Bool {
        guard let digest = entry.definition else { return false }
        do {
            let options = try VariableOptions.parse(run.extra.variables.commandLine)
            let context = try options.applied(to: context(of: network))
            let text = try PlanningJob(context: context).prepare(network.definition, network: network.name).text
            return try text?.digest() == digest
        } catch {
            return false
        }
    }
}
