import DefinitionModel
import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

/// A database in a folder of its own and the simulated network that it describes.
final class Site: KillableSite {
    var definition: Definition
    let world: SimulatedWorld
    let key: DatabaseSecret
    private(set) var folder: DatabaseFolder
    private(set) var database: MeshDatabase
    /// What the executor told in the last run.
    private(set) var events: [ExecutionEvent] = []
    /// The lease of the run that is going on or was the last.
    private(set) var lease: WriteLease?
    private var keyGenerator: SplitMix64
    var options = ExecutionOptions()
    var prompter = OutOfBandPrompter.unattended
    var interrupts: () -> Int = { 0 }
    /// Called with every event, while it is told.
    var onEvent: (ExecutionEvent) -> Void = { _ in }
    /// Puts something between the executor and the simulated bearer.
    var wrap: (any Bearer) -> any Bearer = { $0 }

    static let now = Timestamp(rawValue: 1_763_705_818)

    /// Any network; the definition is that of a house with so many lamps.
    convenience init(
        network: MeshNetwork,
        lamps: Int = 1,
        settings: WorldSettings = .ideal,
        seed: UInt64 = 1,
        world air: MeshNetwork? = nil
    ) throws {
        try self.init(lamps: lamps, settings: settings, seed: seed, world: air, database: network)
    }

    /// A house of lamps.
    ///
    /// - Parameters:
    ///   - air: the network on the air, where it differs from what the database says.
    ///   - stored: what the database knows, where that is not a house before anything is configured.
    ///   - definition: what is wanted, if not what the house does.
    ///   - location: where the database lies, if not in a file in the folder.
    init(
        lamps: Int,
        settings: WorldSettings = .ideal,
        seed: UInt64 = 1,
        world air: MeshNetwork? = nil,
        database stored: MeshNetwork? = nil,
        definition: Definition? = nil,
        at location: DatabaseLocation? = nil
    ) throws {
        folder = try DatabaseFolder()
        self.definition = try definition ?? House.definition(lamps: lamps)
        keyGenerator = SplitMix64(seed: seed)
        key = DatabaseSecret.random(using: &keyGenerator)
        let network = try stored ?? House.network(lamps: lamps)
        world = SimulatedWorld(network: air ?? network, settings: settings, seed: seed)
        database = try MeshDatabase.create(
            at: location ?? .file(folder.path),
            network: network,
            key: key,
            now: Site.now,
            using: SplitMix64(seed: seed + 1)
        )
    }

    var network: MeshNetwork {
        get throws { try database.snapshot().network }
    }

    func lamp(_ number: Int) throws -> Node {
        try required(network.nodes.first { $0.name == "lamp-\(number)" })
    }

    func plan() throws -> Plan {
        let snapshot = try database.snapshot()
        let result = Planner.plan(
            definition: definition,
            network: snapshot.network,
            base: (snapshot.lineage, snapshot.serial),
            identifier: Octets16(high: snapshot.serial, low: UInt64(world.now.microseconds))
        )
        guard let plan = result.plan else { throw UnusableDefinition(diagnostics: result.diagnostics) }
        return plan
    }

    /// A plan of actions on one node, each after the one before.
    func plan(of actions: [ConfigurationAction], on node: DeviceUUID) throws -> Plan {
        let snapshot = try database.snapshot()
        return Plan(
            identifier: Octets16(high: snapshot.serial, low: UInt64(world.now.microseconds)),
            lineage: snapshot.lineage,
            serial: snapshot.serial,
            network: snapshot.network.name,
            changes: [Change(address: "node", kind: .node, action: .update, node: node)],
            steps: actions.enumerated().map { position, action in
                Step(change: 0, work: .configure(node, action), dependencies: position > 0 ? [position - 1] : [])
            }
        )
    }

    /// One invocation of the executor, with a lease and an executor of its own.
    func execute<Result>(_ body: (Executor) throws -> Result) throws -> Result {
        events = []
        let lease = try database.lock(
            holder: LockHolder(user: "anna", host: "desk", process: 1, operation: "apply", since: Site.now)
        )
        self.lease = lease
        defer { lease.release() }
        let context = ExecutionContext(
            user: "anna",
            host: "desk",
            now: { Site.now },
            interrupts: { self.interrupts() },
            key: { (_) throws(ExecutionContext.KeyError) in KeyMaterial.random(using: &self.keyGenerator) },
            outOfBand: prompter,
            provisioningSecrets: { .random(using: &self.keyGenerator) },
            emit: { event in
                self.events.append(event)
                self.onEvent(event)
            }
        )
        let executor = Executor(
            database: database,
            lease: lease,
            bearer: wrap(SimulatedBearer(world)),
            options: options,
            context: context
        )
        let result = try body(executor)
        // What a run tells of the network is what it has stored.
        if let network = executor.network {
            let stored = try database.snapshot().network
            #expect(network.nodes == stored.nodes)
            #expect(network.drifts == stored.drifts)
            #expect(network.netKeys == stored.netKeys && network.appKeys == stored.appKeys)
        }
        return result
    }

    func apply(_ plan: Plan) throws -> Recap {
        try execute { $0.apply(plan) }
    }

    /// What `meshplan apply` does: clear doubts up, plan, apply.
    func resolveAndApply() throws -> Recap {
        try execute { executor in
            if !(try database.snapshot().unresolved.isEmpty) {
                let resolved = executor.resolveInDoubt()
                guard resolved.ending == .completed else { return resolved }
            }
            return executor.apply(try plan())
        }
    }

    /// Changes a node in the database behind everybody's back.
    func store(_ node: Node) throws {
        let lease = try database.lock(
            holder: LockHolder(user: "anna", host: "desk", process: 1, operation: "test", since: Site.now)
        )
        defer { lease.release() }
        var changes = StoreChanges()
        changes.nodes = [node]
        _ = try database.commit(changes, with: lease)
    }

    /// Goes on with other files, as after the process died when they were copied.
    func reopen(_ files: DatabaseFolder) throws {
        database = try MeshDatabase.open(at: files.path, key: key, using: SplitMix64(seed: 99))
        folder = files
    }

    /// Goes on with the database at another place, as another process does.
    func reopen(at location: DatabaseLocation) throws {
        database = try MeshDatabase.open(at: location, key: key, using: SplitMix64(seed: 98))
    }
}
