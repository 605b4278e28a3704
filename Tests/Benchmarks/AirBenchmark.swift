import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store

/// `meshplan-bench air [SEEDS] [FIRST SEED] [CASE]`: how long jobs of 17 messages (22 network PDUs each way) take over
/// one link, beside the time for which the busiest advertisers must be on air.
///
/// The times are simulated, so they do not depend on this machine. The limit is what no client can beat: a proxy sends
/// each PDU to another node once, and where nodes relay, it sends their answers once, too. The limit knows nothing of
/// losses. A run counts from its first link.
enum AirBenchmark {
    /// Nodes, their radio, and the time over the limit that a run may take.
    struct Case {
        let name: String
        let nodes: Int
        /// Every how manieth node relays; nil for none.
        var relayEvery: Int?
        let settings: WorldSettings
        let goal: Double
        /// How many times as fast as one message at a time; nil if that does not matter.
        var minimumGain: Double?
    }

    static let cases: [Case] = {
        var (ideal, office) = (WorldSettings.ideal, WorldSettings.office)
        (ideal.topology, office.topology) = (.hops(1), .hops(1))
        var lossy = office
        lossy.copyLoss = 0.30
        return [
            Case(name: "ideal, 25 nodes, one hop", nodes: 25, settings: ideal, goal: 1.08),
            Case(name: "office, 25 nodes, one hop", nodes: 25, settings: office, goal: 1.15),
            Case(name: "30 % lost, 25 nodes, one hop", nodes: 25, settings: lossy, goal: 1.25),
            Case(
                name: "office, 100 nodes, one hop, flooded",
                nodes: 100,
                relayEvery: 4,
                settings: office,
                goal: 1.15,
                minimumGain: 0.97
            ),
            Case(
                name: "office, 100 nodes, flooded",
                nodes: 100,
                relayEvery: 4,
                settings: .office,
                goal: 1.15,
                minimumGain: 0.97
            ),
        ]
    }()

    static func run(_ arguments: [String]) throws {
        var arguments = BenchmarkArguments("air [SEEDS] [FIRST SEED] [CASE]", arguments)
        let count = try arguments.number(or: 3, in: 1...1_000)
        let first = try arguments.number(or: 1, in: 1...1_000_000)
        let only = arguments.word()
        try arguments.end()
        for item in cases where only.map(item.name.contains) ?? true {
            print("\(item.name): limit \(text(item.limit)) s, goal \(text(item.goal))")
            for seed in first..<first + count {
                let run = try apply(item, window: nil, seed: UInt64(seed))
                let sequential = try apply(item, window: 1, seed: UInt64(seed))
                let ratio = run.seconds / item.limit
                let gain = sequential.seconds / run.seconds
                let isGood = ratio <= item.goal && item.minimumGain.map { gain >= $0 } ?? true
                print(
                    "  seed \(seed): \(text(run.seconds)) s = \(text(ratio)) of the limit, \(run.retries) retries; "
                        + "one message at a time \(text(sequential.seconds / item.limit)), "
                        + "\(sequential.retries) retries; \(run.dropped) PDUs dropped\(isGood ? "" : ", missed")"
                )
            }
        }
    }

    /// What a run took.
    struct Outcome {
        let seconds: Double
        let retries: Int
        let dropped: Int
    }

    private static func apply(_ item: Case, window: Int?, seed: UInt64) throws -> Outcome {
        let folder = try FileManager.default.url(
            for: .itemReplacementDirectory,
            in: .userDomainMask,
            appropriateFor: FileManager.default.temporaryDirectory,
            create: true
        ).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let office = try item.office
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
        let world = SimulatedWorld(network: office.network, settings: item.settings, seed: seed)
        let lease = try database.lockForBenchmark("apply")
        defer { lease.release() }
        var options = ExecutionOptions()
        options.maximumConnections = 1
        if let window { (options.maximumWindow, options.initialWindow) = (window, window) }
        let bearer = SimulatedBearer(world)
        var linkedAt: Instant?
        var context = ExecutionContext.benchmark(key: { KeyMaterial.random(using: &generator) })
        context.emit = { event in
            if case .linkUp = event { linkedAt = linkedAt ?? bearer.now }
        }
        let executor = Executor(database: database, lease: lease, bearer: bearer, options: options, context: context)
        let recap = executor.apply(plan)
        guard recap.isComplete, let linkedAt else {
            throw BenchmarkFailure("the run did not do everything: \(recap.ending)")
        }
        let found = world.violations + world.mismatches(against: try database.snapshot().network)
        guard found.isEmpty else { throw BenchmarkFailure(found[0]) }
        return Outcome(
            seconds: Double(linkedAt.duration(to: bearer.now).microseconds) / 1e6,
            retries: recap.retries,
            dropped: world.statistics.dropped
        )
    }

    private static func text(_ value: Double) -> String { String(format: "%.2f", value) }
}

extension AirBenchmark.Case {
    fileprivate static let transmit = TransmitParameters(octet: 0x0A)

    /// The nodes and their jobs.
    fileprivate var office: LinksOffice {
        get throws { try LinksOffice(nodeCount: nodes, relayEvery: relayEvery, transmit: Self.transmit) }
    }

    /// The seconds for which the proxy, which is one of the nodes, advertises.
    fileprivate var limit: Double {
        // The proxy's own job needs nothing of the radio.
        let pdus = Double(22 * (nodes - 1) * (relayEvery == nil ? 1 : 2))
        let delay = settings.advertisingDelay
        let mean = Double((delay.lowerBound + delay.upperBound).microseconds) / 2e6
        let interval = Double(Self.transmit.intervalMilliseconds) / 1e3 + mean
        return pdus * (Double(Self.transmit.count) * interval + 0.0038) / Double(settings.advertisingSets)
    }
}
