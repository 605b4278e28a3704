package import Catalogue
package import DefinitionModel
package import Execution
package import MeshCore
import Planning
package import Simulator
package import Store

/// Why a definition cannot be rehearsed.
package enum RehearsalError: Error {
    case diagnostics([Diagnostic])
    /// Not everything was applied; what went wrong, as clauses without a full stop.
    case incomplete([String])
    case store(StoreError)
}

/// A building in a computer that has just been commissioned as its definition says.
package final class Rehearsal {
    package let definition: Definition
    package let models: KnownModels
    package private(set) var network: MeshNetwork
    let selectors: NodeSelectorIndex
    private let database: MeshDatabase
    private let lease: WriteLease
    private let context: ExecutionContext
    /// What all nodes hold after commissioning.
    private var state = SimulatorState()

    /// How often a plan is made before it is given up: after the first one, compositions are known.
    private static let mostPlans = 4

    /// Provisions and configures all devices. Each message of the plan is handed to its node, because what the radio
    /// would add takes most of the time and changes nothing of the outcome. Where a device does not answer as it
    /// should, everything is done over a radio that loses nothing.
    ///
    /// - Parameters:
    ///   - definition: what is wanted. How devices authenticate, where keys come from, and what may be removed at once
    ///     does not matter here.
    ///   - devices: a device for each node.
    ///   - database: a new database for this purpose, whose lock is held.
    ///   - isOverRadio: whether every message goes over the radio all the same.
    /// - Throws: ``RehearsalError`` if the definition cannot be applied completely.
    package init(
        _ definition: Definition,
        devices: [DeviceDescription],
        models: KnownModels,
        database: MeshDatabase,
        lease: WriteLease,
        context: ExecutionContext,
        isOverRadio: Bool = false
    ) throws(RehearsalError) {
        self.definition = definition
        self.models = models
        self.database = database
        self.lease = lease
        self.context = context
        selectors = NodeSelectorIndex(definition.nodes)
        do throws(StoreError) { network = try database.snapshot().network } catch { throw .store(error) }
        let definition = definition.rehearsed
        var isDone = false
        if !isOverRadio {
            isDone = try commission(devices) { (world) throws(RehearsalError) in
                try self.handOver(definition, to: world)
            }
        }
        if !isDone {
            _ = try commission(devices) { (world) throws(RehearsalError) in
                try self.apply(definition, over: world)
            }
        }
        // Each test draws its own places.
        state.places = [:]
        state.hops = nil
        state.root = nil
    }

    /// Has devices commissioned in a world of their own.
    ///
    /// - Parameter work: returns whether it was done; if not, what nodes hold is forgotten.
    private func commission(
        _ devices: [DeviceDescription],
        _ work: (SimulatedWorld) throws(RehearsalError) -> Bool
    ) throws(RehearsalError) -> Bool {
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
        guard try work(world) else { return false }
        for record in records { state.apply(record) }
        return true
    }

    /// Carries the plans out without the radio.
    ///
    /// - Returns: false if a device did not answer as it should. Then nothing was stored.
    private func handOver(_ definition: Definition, to world: SimulatedWorld) throws(RehearsalError) -> Bool {
        // What devices do otherwise shows on the radio.
        guard world.areAllOrdinary else { return false }
        let before = try snapshot()
        var network = before.network
        for round in 0..<Self.mostPlans {
            let plan = try plan(definition, before, network, round: round)
            guard !plan.isEmpty else {
                do throws(StoreError) {
                    try database.commit(DirectExecution.changes(to: network), with: lease)
                } catch { throw .store(error) }
                self.network = try snapshot().network
                return true
            }
            var run = DirectExecution(plan, of: network, on: HandedNodes(world), context: context)
            guard run.carryOut(plan) else { return false }
            network = run.network
        }
        return false
    }

    /// Carries the plans out over the radio.
    ///
    /// - Returns: true.
    private func apply(_ definition: Definition, over world: SimulatedWorld) throws(RehearsalError) -> Bool {
        for round in 0..<Self.mostPlans {
            let snapshot = try snapshot()
            network = snapshot.network
            let plan = try plan(definition, snapshot, snapshot.network, round: round)
            if plan.isEmpty { break }
            let recap = executor(of: world).apply(plan)
            guard recap.isComplete else { throw .incomplete(recap.obstacles(in: plan)) }
        }
        return true
    }

    private func snapshot() throws(RehearsalError) -> Snapshot {
        do throws(StoreError) { return try database.snapshot(with: lease) } catch { throw .store(error) }
    }

    /// The plan for a network as it is known now.
    private func plan(
        _ definition: Definition,
        _ base: Snapshot,
        _ network: MeshNetwork,
        round: Int
    ) throws(RehearsalError) -> Plan {
        let result = Planner.plan(
            definition: definition,
            network: network,
            base: (base.lineage, base.serial),
            identifier: Octets16(high: base.serial, low: UInt64(round)),
            options: PlannerOptions(allowed: Set(PlanGuard.allCases))
        )
        guard let plan = result.plan else {
            throw .diagnostics(result.diagnostics.filter { $0.severity == .error })
        }
        return plan
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

/// The devices and nodes of a world, reached without its radio.
private final class HandedNodes: DirectNodes {
    private let world: SimulatedWorld

    init(_ world: SimulatedWorld) { self.world = world }

    func elementCount(ofDevice uuid: DeviceUUID) -> Int? { world.elementCount(ofDevice: uuid) }

    func provision(_ uuid: DeviceUUID, with data: ProvisioningData, deviceKey: KeyMaterial) -> Bool {
        world.provision(uuid, with: data, deviceKey: deviceKey)
    }

    func answer(to request: DirectRequest) -> [UInt8]? {
        world.answer(
            of: request.node,
            to: request.payload,
            from: request.source,
            for: request.destination,
            under: request.security,
            through: request.subnet
        )
    }
}

extension Definition {
    /// The definition without what does not matter in a simulation: how devices show who they are, where keys come
    /// from, and how much may be removed at once.
    fileprivate var rehearsed: Definition {
        var definition = self
        definition.provisioning = nil
        definition.removals = nil
        for index in definition.defaults.indices { definition.defaults[index].provisioning = nil }
        for index in definition.profiles.indices { definition.profiles[index].provisioning = nil }
        for index in definition.nodes.indices {
            definition.nodes[index].provisioning = nil
            // A device was made up for each place.
            definition.nodes[index].awaitsDevice = false
        }
        for index in definition.subnets.indices { definition.subnets[index].key = nil }
        for index in definition.applicationKeys.indices { definition.applicationKeys[index].key = nil }
        return definition
    }
}

extension Recap {
    /// What was in the way of a complete run, as clauses for people.
    fileprivate func obstacles(in plan: Plan) -> [String] {
        var clauses = problems.map { "\($0.name): \($0.diagnostic.message)" }
        clauses += pending.map { "\($0.name) did not answer" }
        if !failed.isEmpty { clauses.append("\(failed.count) of \(total) steps failed") }
        if clauses.isEmpty {
            clauses.append("\(total - applied) of \(total) steps were not carried out: \(ending.reason)")
        }
        return clauses
    }
}

extension Rehearsal {
    /// The runs of a test: one for each of its variations and each seed. Nodes on which the test itself acts are not
    /// left without power.
    ///
    /// - Parameters:
    ///   - seed: the first seed.
    ///   - count: how many seeds.
    package func runs(of test: TestDefinition, seed: UInt64, count: Int) -> [TestVariant] {
        let seeds = (0..<UInt64(count)).map { seed &+ $0 }
        if let bindings = test.bindings(selectors, definition.nodes) {
            return bindings.flatMap { binding in
                seeds.map { TestVariant(test: test, without: nil, binding: binding, seed: $0) }
            }
        }
        let left: [NodeDefinition?]
        // Who is pressed needs power.
        let hands = Set(test.steps.compactMap { $0.action?.node?.value })
        switch test.variation {
        case nil, .tag, .node: left = [nil]
        case .withoutRelay: left = relays
        case .without(let selector): left = selectors.matches(selector).map { definition.nodes[$0] }
        }
        return left.filter { $0.map { !hands.contains($0.name.value) } ?? true }.flatMap { node in
            seeds.map { TestVariant(test: test, without: node, binding: nil, seed: $0) }
        }
    }

    /// Plays a run. A run that fails is played once more, by the same chances, to follow its messages; one that lacks a
    /// node also with that node, to see what it was needed for.
    package func play(_ run: TestVariant, _ settings: WorldSettings) -> TestOutcome {
        var player = TestPlayer(self, run, settings, follows: false)
        let outcome = player.play()
        guard !outcome.isPassed else { return outcome }
        var whole: [[HeardMessage]] = []
        if run.without != nil {
            var run = run
            run.without = nil
            var complete = TestPlayer(self, run, settings, follows: true)
            _ = complete.play()
            whole = complete.followed
        }
        var follower = TestPlayer(self, run, settings, follows: true, comparing: whole)
        let followed = follower.play()
        // Messages of our own have other sequence numbers the second time, and so other chances.
        return followed.isPassed ? outcome : followed
    }
}
