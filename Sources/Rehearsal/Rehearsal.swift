package import Catalogue
package import DefinitionModel
package import Execution
package import MeshCore
import Planning
import Simulator
package import Store

/// Why a definition cannot be rehearsed.
package enum RehearsalError: Error {
    /// The planner found errors.
    case diagnostics([Diagnostic])
    /// Not everything was applied; what went wrong, as clauses without a full stop.
    case incomplete([String])
    /// The database failed.
    case store(StoreError)
}

/// A building in a computer that has just been commissioned as its definition says.
package final class Rehearsal {
    /// The definition.
    package let definition: Definition
    /// The models that are known by name.
    package let models: KnownModels
    /// The network as it was configured.
    package private(set) var network: MeshNetwork
    /// Finds the nodes of selectors.
    let selectors: NodeSelectorIndex
    private let database: MeshDatabase
    private let lease: WriteLease
    private let context: ExecutionContext
    /// What all nodes hold after commissioning.
    private var state = SimulatorState()

    /// How often a plan is made before it is given up: after the first one, compositions are known.
    private static let mostPlans = 4

    /// Provisions and configures all devices, over a radio that loses nothing.
    ///
    /// - Parameters:
    ///   - definition: what is wanted. How devices authenticate, where keys come from, and what may be removed at once
    ///     does not matter here.
    ///   - devices: a device for each node.
    ///   - database: a new database for this purpose, whose lock is held.
    /// - Throws: ``RehearsalError`` if the definition cannot be applied completely.
    package init(
        _ definition: Definition,
        devices: [DeviceDescription],
        models: KnownModels,
        database: MeshDatabase,
        lease: WriteLease,
        context: ExecutionContext
    ) throws(RehearsalError) {
        self.definition = definition
        self.models = models
        self.database = database
        self.lease = lease
        self.context = context
        selectors = NodeSelectorIndex(definition.nodes)
        do throws(StoreError) { network = try database.snapshot().network } catch { throw .store(error) }
        var records: [StateRecord] = []
        let world = SimulatedWorld(
            network: network,
            devices: devices,
            seed: 1,
            vendorModels: models.vendorModels,
            recorder: { record in
                records.append(record)
                return true
            }
        )
        try commission(world, as: definition.rehearsed)
        for record in records { state.apply(record) }
        // Each test draws its own places.
        state.places = [:]
        state.hops = nil
        state.root = nil
    }

    private func commission(_ world: SimulatedWorld, as definition: Definition) throws(RehearsalError) {
        for round in 0..<Self.mostPlans {
            let snapshot: Snapshot
            do throws(StoreError) { snapshot = try database.snapshot(with: lease) } catch { throw .store(error) }
            network = snapshot.network
            let result = Planner.plan(
                definition: definition,
                network: snapshot.network,
                base: (snapshot.lineage, snapshot.serial),
                identifier: Octets16(high: snapshot.serial, low: UInt64(round)),
                options: PlannerOptions(allowed: Set(PlanGuard.allCases))
            )
            guard let plan = result.plan else {
                throw .diagnostics(result.diagnostics.filter { $0.severity == .error })
            }
            if plan.isEmpty { return }
            let recap = executor(of: world).apply(plan)
            guard recap.isComplete else { throw .incomplete(recap.obstacles(in: plan)) }
        }
    }

    /// An executor over the radio of a world.
    func executor(of world: SimulatedWorld) -> Executor {
        Executor(
            database: database,
            lease: lease,
            bearer: SimulatedBearer(world),
            options: ExecutionOptions(),
            context: context
        )
    }

    /// The building right after commissioning, all lamps off.
    ///
    /// - Parameters:
    ///   - settings: the radio.
    ///   - seed: decides the places of the nodes and what is lost.
    ///   - isOperated: whether our own node talks to the nodes. It remembers the last message of each of them, so in
    ///     the next building they go on with the numbers of their messages; others would look like replays.
    func world(_ settings: WorldSettings, seed: UInt64, isOperated: Bool) -> SimulatedWorld {
        SimulatedWorld(
            network: network,
            settings: settings,
            seed: seed,
            state: state,
            vendorModels: models.vendorModels,
            recorder: { [self] record in
                if isOperated, case .reservation = record { state.apply(record) }
                return true
            }
        )
    }

    /// The nodes that relay, in the order of the definition.
    var relays: [NodeDefinition] {
        let relaying = Set(network.nodes.filter { $0.features.relay == .enabled }.map(\.uuid))
        return definition.nodes.filter { relaying.contains($0.uuid.value) }
    }
}

extension Definition {
    /// The definition without what does not matter in a simulation: how devices show who they are, where keys come
    /// from, and how much may be removed at once.
    fileprivate var rehearsed: Definition {
        var definition = self
        definition.provisioning = nil
        definition.removals = nil
        for place in definition.defaults.indices { definition.defaults[place].provisioning = nil }
        for place in definition.profiles.indices { definition.profiles[place].provisioning = nil }
        for place in definition.nodes.indices {
            definition.nodes[place].provisioning = nil
            // A device was made up for each place.
            definition.nodes[place].awaitsDevice = false
        }
        for place in definition.subnets.indices { definition.subnets[place].key = nil }
        for place in definition.applicationKeys.indices { definition.applicationKeys[place].key = nil }
        return definition
    }
}

extension Recap {
    /// What was in the way of a complete run, as clauses for people.
    fileprivate func obstacles(in plan: Plan) -> [String] {
        var clauses = problems.map { "\($0.name): \($0.diagnostic.message)" }
        clauses += pending.map { "\($0.name) did not answer" }
        if !failed.isEmpty { clauses.append("\(failed.count) of \(total) steps failed") }
        if clauses.isEmpty { clauses.append("\(total - applied) of \(total) steps were not carried out: \(ending)") }
        return clauses
    }
}
