import ArgumentParser
import MeshCore
import Store
import SystemLayer

/// Reads what a run has to know of the databases of its networks.
struct FleetDatabases {
    var run: FleetRun

    /// The context of a command in the folder of a network. It asks nobody.
    func context(of network: FleetNetwork) -> Context {
        var own = run.context
        own.environment = run.environment(of: network)
        own.workingDirectory = network.folder
        own.session = StoreSession()
        own.json = nil
        own.terminal.isInputTerminal = false
        own.storeAccess.state = network.state ?? run.context.storeAccess.state
        own.storeAccess.keyFile = network.keyFile ?? run.context.storeAccess.keyFile.map(run.context.absolute)
        own.storeAccess.passphraseFile = run.context.storeAccess.passphraseFile.map(run.context.absolute)
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

    /// What the history of a network has of a plan, newest first; nothing if its database cannot be read here.
    ///
    /// - Parameter serial: the serial before the plan was begun.
    func entries(of digest: String?, in network: FleetNetwork, since serial: UInt64?) -> [HistoryEntry] {
        guard let digest, let serial, let history = try? open(network).history() else { return [] }
        return history.entries.filter { entry in
            entry.serialBefore >= serial && entry.plans.contains { $0.digest == digest }
        }
    }

    /// Whether the definition in the folder of a network is that of an entry of its history.
    func isDefinition(of entry: HistoryEntry, thatOf network: FleetNetwork) -> Bool {
        guard let digest = entry.definition else { return false }
        do {
            let options = try VariableOptions.parse(PlanWords.variables(of: run.extra))
            let context = try options.applied(to: context(of: network))
            let text = try PlanningJob(context: context).prepare(network.definition, network: network.name).text
            return try text?.digest() == digest
        } catch {
            return false
        }
    }
}
