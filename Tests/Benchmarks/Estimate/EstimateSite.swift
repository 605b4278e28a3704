import DefinitionModel
import Definitions
import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store

/// A simulated building with its mesh database. It estimates plans, and carries them out.
final class EstimateSite {
    /// The estimate of a run, and how long it took.
    struct Outcome: Sendable {
        /// The estimate.
        var said: PlanEstimate
        /// The simulated seconds of the run, from beginning to end.
        var taken: Double
        /// How the run ended.
        var recap: Recap
    }

    /// The simulated world, which can silence nodes.
    let world: SimulatedWorld
    /// How to carry runs out.
    var options = ExecutionOptions()
    private let radio: RadioProfile
    private let database: MeshDatabase
    private let folder: String
    private var generator: SeededGenerator
    private var plans: UInt64 = 0

    /// A building in the state that the network describes.
    ///
    /// - Parameters:
    ///   - radio: the simulated radio and that of the estimate.
    ///   - links: how many links are open at once, at least 1.
    ///   - forgotten: nodes of which the database knows only that they were provisioned.
    init(
        _ network: MeshNetwork,
        devices: [DeviceDescription],
        radio: EstimateCase.Radio,
        links: Int,
        seed: UInt64,
        forgetting forgotten: Set<DeviceUUID> = []
    ) throws {
        var settings = radio.settings
        settings.maximumLinks = links
        self.radio = radio.profile
        options.maximumConnections = links
        generator = SeededGenerator(seed: seed)
        world = SimulatedWorld(network: network, devices: devices, settings: settings, seed: seed)
        folder = try Self.temporaryFolder()
        var known = network
        for place in known.nodes.indices where forgotten.contains(known.nodes[place].uuid) {
            let node = known.nodes[place]
            known.nodes[place] = Node(
                uuid: node.uuid,
                name: node.name,
                unicastAddress: node.unicastAddress,
                deviceKey: node.deviceKey,
                elements: node.elements.map { _ in Element(models: []) },
                netKeys: Array(node.netKeys.prefix(1))
            )
            known.nodes[place].isManaged = true
        }
        database = try MeshDatabase.create(
            at: folder + "/site.meshdb",
            network: known,
            key: DatabaseSecret.random(using: &generator),
            now: Timestamp(rawValue: 0),
            using: generator
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The network as the database knows it.
    var network: MeshNetwork {
        get throws { try database.snapshot().network }
    }

    /// A network with only its provisioner.
    static func emptyNetwork() throws -> MeshNetwork {
        var generator = SeededGenerator(seed: 11)
        return MeshNetwork(
            uuid: Octets16(high: 0xC0, low: 2),
            name: "hotel",
            ivIndex: IVIndex(value: 0),
            netKeys: [NetKey(index: .primary, name: "house", key: .random(using: &generator))],
            provisioners: [MadeUpProvisioner.provisioner],
            ownProvisioner: MadeUpProvisioner.uuid,
            nodes: [try MadeUpProvisioner.node(using: &generator)]
        )
    }

    /// The plan from the network to a definition.
    func plan(_ definition: Definition) throws -> Plan {
        let snapshot = try database.snapshot()
        let result = Planner.plan(
            definition: definition,
            network: snapshot.network,
            base: (snapshot.lineage, snapshot.serial),
            identifier: nextIdentifier(),
            options: PlannerOptions(allowed: Set(PlanGuard.allCases))
        )
        return try Self.plan(of: result)
    }

    /// A key refresh of the primary subnet that includes all nodes.
    func keyRefreshPlan() throws -> Plan {
        let snapshot = try database.snapshot()
        let result = KeyRefreshPlanner.plan(
            KeyRefreshRequest(subnet: .primary),
            of: snapshot.network,
            named: "hotel",
            base: (snapshot.lineage, snapshot.serial),
            identifier: nextIdentifier()
        )
        return try Self.plan(of: result)
    }

    private static func plan(of result: PlanningResult) throws -> Plan {
        guard let plan = result.plan, result.refusals.isEmpty else {
            throw BenchmarkFailure("there is no plan: \(result.diagnostics.first?.message ?? "no reason")")
        }
        return plan
    }

    /// Estimates how long a plan takes, then carries it out.
    func run(_ plan: Plan) throws -> Outcome {
        let said = try estimator().estimate(plan)
        return Outcome(said: said, try execute { $0.apply(plan) })
    }

    /// Estimates how long reading all nodes back takes, then does it.
    func readBack() throws -> Outcome {
        let network = try network
        let nodes = network.nodes.filter { $0.uuid != network.ownProvisioner && $0.deviceKey != nil }
        let costs = nodes.flatMap { node in
            NodeReadBack.foreseenRequests(for: node, appKeys: network.appKeys, isInSequences: options.readsInSequences)
                .map { (node: node.uuid, cost: $0.cost(on: node)) }
        }
        let said = try estimator().estimate(costs)
        return Outcome(said: said, try execute { $0.readBack(nodes.map(\.uuid)) })
    }

    private func estimator() throws -> PlanEstimator {
        var estimator = PlanEstimator(
            profile: radio,
            connections: min(options.maximumConnections, world.settings.maximumLinks),
            window: options.maximumWindow
        ).relaying(in: try network)
        estimator.inDoubt = Set(try database.unresolvedIntents().map(\.node))
        return estimator
    }

    /// Runs `body` with an executor of its own.
    private func execute(_ body: (Executor) throws -> Recap) throws -> Recap {
        let lease = try database.lockForBenchmark("apply")
        defer { lease.release() }
        let context = ExecutionContext.benchmark(
            key: { KeyMaterial.random(using: &self.generator) },
            provisioningSecrets: { ProvisioningSecrets.random(using: &self.generator) }
        )
        return try body(
            Executor(
                database: database,
                lease: lease,
                bearer: SimulatedBearer(world),
                options: options,
                context: context
            )
        )
    }

    private func nextIdentifier() -> Octets16 {
        plans += 1
        return Octets16(high: 0xE5, low: plans)
    }

    /// A folder in memory if the system has one. Nothing here has to survive, and hundreds of thousands of commits
    /// would wait for a disk.
    private static func temporaryFolder() throws -> String {
        let memory = "/dev/shm"
        let parent =
            FileManager.default.isWritableFile(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
        let folder = parent + "/meshplan-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }
}

extension EstimateSite.Outcome {
    fileprivate init(said: PlanEstimate, _ recap: Recap) {
        self.init(said: said, taken: Double(recap.duration.microseconds) / 1e6, recap: recap)
    }
}
