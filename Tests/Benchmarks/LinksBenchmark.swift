import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store

/// `meshplan-bench links [NODES] [SEEDS]`: configures the nodes of a flooded office, each with a job of 17 messages (44
/// network PDUs). It compares one message at a time over one link, as common configurators work, with the executor over
/// 1, 4 and 8 links.
///
/// The times are simulated, so they do not depend on this machine. Every node is in reach of the connecting radio,
/// which does not happen in real buildings.
enum LinksBenchmark {
    private struct Way {
        let name: String
        let connections: Int
        let window: Int?
    }

    private static let ways = [
        Way(name: "one message at a time", connections: 1, window: 1),
        Way(name: "1 link", connections: 1, window: nil),
        Way(name: "4 links", connections: 4, window: nil),
        Way(name: "8 links", connections: 8, window: nil),
    ]

    static func run(_ arguments: [String]) throws {
        var arguments = BenchmarkArguments("links [NODES] [SEEDS]", arguments)
        let count = try arguments.number(or: 100, in: 1...2_000)
        let seeds = UInt64(try arguments.number(or: 2, in: 1...1_000))
        try arguments.end()
        print("\(count) nodes, 17 messages each, office, medians of \(seeds) seeds")
        var sequential: Double?
        for way in ways {
            var runs: [Outcome] = []
            for seed in 1...seeds { runs.append(try apply(count, way, seed: seed)) }
            runs.sort { $0.seconds < $1.seconds }
            let median = runs[runs.count / 2]
            sequential = sequential ?? median.seconds
            let ratio = (sequential ?? median.seconds) / median.seconds
            print(
                "\(way.name.padding(toLength: 22, withPad: " ", startingAt: 0)) \(text(median.seconds)) s, "
                    + "\(text(ratio)) times as fast; estimated \(text(median.estimate)) s; \(median.directLinks) direct links, "
                    + "\(median.messages) messages, \(median.retries) retries, \(median.advertised) PDUs advertised"
            )
        }
    }

    private struct Outcome {
        var seconds: Double
        var estimate: Double
        var directLinks: Int
        var messages: Int
        var retries: Int
        var advertised: Int
    }

    private static func apply(_ count: Int, _ way: Way, seed: UInt64) throws -> Outcome {
        let folder = try FileManager.default.url(
            for: .itemReplacementDirectory,
            in: .userDomainMask,
            appropriateFor: FileManager.default.temporaryDirectory,
            create: true
        ).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let office = try LinksOffice(nodeCount: count)
        var generator = SeededGenerator(seed: seed)
        let database = try MeshDatabase.create(
            at: folder + "/office.meshdb",
            network: office.network,
            key: DatabaseSecret.random(using: &generator),
            now: Timestamp(rawValue: 0),
            using: generator
        )
        let snapshot = try database.snapshot()
        let plan = office.plan(base: (snapshot.lineage, snapshot.serial))
        var settings = WorldSettings.office
        settings.maximumLinks = 8
        // One radio serves a link for about 3.75 ms at a time, so many links lengthen the interval of each.
        settings.connectionInterval = max(settings.connectionInterval, .microseconds(3_750) * way.connections)
        let world = SimulatedWorld(network: office.network, settings: settings, seed: seed)
        let lease = try database.lockForBenchmark("apply")
        defer { lease.release() }
        var options = ExecutionOptions()
        options.maximumConnections = way.connections
        if let window = way.window {
            options.maximumWindow = window
            options.initialWindow = window
        }
        let context = ExecutionContext.benchmark(
            key: { KeyMaterial.random(using: &generator) }
        )
        let executor = Executor(
            database: database,
            lease: lease,
            bearer: SimulatedBearer(world),
            options: options,
            context: context
        )
        let estimator = PlanEstimator(
            profile: .office,
            connections: way.connections,
            window: options.maximumWindow
        ).relaying(in: snapshot.network)
        let recap = executor.apply(plan)
        guard recap.isComplete else { throw BenchmarkFailure("the run did not do everything: \(recap.ending)") }
        let found = world.violations + world.mismatches(against: try database.snapshot().network)
        guard found.isEmpty else { throw BenchmarkFailure(found[0]) }
        return Outcome(
            seconds: Double(recap.duration.microseconds) / 1e6,
            estimate: estimator.estimate(plan).total.median,
            directLinks: recap.directLinks,
            messages: recap.messagesSent,
            retries: recap.retries,
            advertised: world.statistics.advertised
        )
    }

    private static func text(_ value: Double) -> String {
        String(format: "%.1f", value)
    }
}

/// Nodes of which every fourth relays, all with their GATT proxy on. Each has the same job: an AppKey, five bindings,
/// five subscriptions, two publications and four states.
struct LinksOffice {
    let network: MeshNetwork
    private let steps: [Step]
    private let changes: [Change]

    private static let models: [UInt16] = [0x1000, 0x1002, 0x1300, 0x1100, 0x1001]

    /// - Parameters:
    ///   - relayEvery: every how manieth node relays; nil for none.
    ///   - transmit: what each job sets as network transmit at its end. A proxy with more repetitions than before
    ///     carries the jobs of others more slowly.
    init(
        nodeCount: Int,
        relayEvery: Int? = 4,
        transmit: TransmitParameters = TransmitParameters(octet: 0x0B)
    ) throws {
        guard let key = AppKeyIndex(rawValue: 0), let group = GroupAddress(rawValue: 0xC000)
        else { throw BenchmarkFailure("no addresses") }
        var generator = SeededGenerator(seed: 7)
        var nodes = [try MadeUpProvisioner.node(using: &generator)]
        var steps: [Step] = []
        var changes: [Change] = []
        for index in 0..<nodeCount {
            guard let address = UnicastAddress(rawValue: UInt16(0x10 + 2 * index)) else {
                throw BenchmarkFailure("no addresses for so many nodes")
            }
            let models = [Model(identifier: .configurationServer), Model(identifier: .healthServer)]
            var node = Node(
                uuid: DeviceUUID(rawValue: Octets16(high: 0xB0, low: UInt64(index))),
                name: "luminaire-\(index)",
                unicastAddress: address,
                deviceKey: .random(using: &generator),
                elements: [Element(models: models + Self.models.map { Model(identifier: .sig($0)) })],
                netKeys: [NodeKey(index: .primary)]
            )
            node.product = Node.Product(company: 0x0059, product: 1, version: 1, replayListSize: 32)
            node.features = Node.Features(
                relay: relayEvery.map { index % $0 == 0 } == true ? .enabled : .disabled,
                proxy: .enabled,
                friend: .disabled,
                lowPower: .notSupported
            )
            node.defaultTTL = 7
            node.secureNetworkBeacon = true
            node.networkTransmit = TransmitParameters(octet: 0x0A)
            node.relayRetransmit = TransmitParameters(octet: 0x0A)
            nodes.append(node)
            changes.append(Change(address: "node.\(node.name)", kind: .node, action: .update, node: node.uuid))
            var actions = [ConfigurationAction.addAppKey(key, boundTo: .primary)]
            let places = Self.models.map { ModelAddress(element: 0, model: .sig($0)) }
            actions += places.map { .bind($0, key) }
            actions += places.map { .addSubscription($0, .group(group)) }
            actions += places.suffix(2).map { place in
                .setPublication(place, Publication(address: .group(group), appKeyIndex: key, ttl: 5))
            }
            actions += [
                .setDefaultTTL(5), .setSecureNetworkBeacon(false), .setFriend(true),
                .setNetworkTransmit(transmit),
            ]
            for (place, action) in actions.enumerated() {
                steps.append(
                    Step(
                        change: index,
                        work: .configure(node.uuid, action),
                        dependencies: place > 0 ? [steps.count - 1] : []
                    )
                )
            }
        }
        self.steps = steps
        self.changes = changes
        network = MeshNetwork(
            uuid: Octets16(high: 1, low: 2),
            name: "office",
            ivIndex: IVIndex(value: 5),
            netKeys: [NetKey(index: .primary, name: "primary", key: .random(using: &generator))],
            appKeys: [
                AppKey(index: key, name: "lighting", boundNetKey: .primary, key: .random(using: &generator))
            ],
            groups: [Group(name: "all", address: .group(group))],
            provisioners: [MadeUpProvisioner.provisioner],
            ownProvisioner: MadeUpProvisioner.uuid,
            nodes: nodes
        )
    }

    /// The plan with all jobs.
    func plan(base: (lineage: Octets16, serial: UInt64)) -> Plan {
        Plan(
            identifier: Octets16(high: 0, low: 1),
            lineage: base.lineage,
            serial: base.serial,
            network: network.name,
            changes: changes,
            steps: steps
        )
    }
}
