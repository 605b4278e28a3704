import DefinitionModel
import Definitions
import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store

/// `meshplan-bench apply [DEVICES]`: one apply provisions and configures all luminaires of a new building in the
/// simulator, with a database on disk.
///
/// The CPU time includes both sides, because the simulator runs in the same process and thread. The floor is the
/// cryptography that the protocol demands of provisioner, nodes and devices, done with bare libcrypto: two key
/// generations and agreements per device, one CCM and one block for each network PDU that anybody sends or hears, and
/// four CCM for each request and its answer. On a slow disk, an increase in commits per device shows too.
enum ApplyBenchmark {
    static func run(_ arguments: [String]) throws {
        var arguments = BenchmarkArguments("apply [DEVICES] [ROUNDS]", arguments)
        let count = try arguments.number(or: 300, in: 1...32_000)
        let rounds = try arguments.number(or: 3, in: 1...1_000)
        try arguments.end()
        let building = BuildingGenerator(nodeCount: count, changedEvery: 1, isNew: true)
        let definition = try definition(of: building)
        var best: Outcome?
        for _ in 0..<rounds {
            let outcome = try apply(definition, building)
            if best.map({ outcome.seconds < $0.seconds }) ?? true { best = outcome }
        }
        guard let best else { return }
        let operations = best.cryptography
        let floor = try floor(agreements: 2 * count, encryptions: operations)
        let bare = floor.agreements + floor.encryptions
        print(
            "\(count) devices provisioned and configured, best of \(rounds), simulated \(best.duration.components.seconds) s"
        )
        print(
            "apply       \(text(best.seconds)) s CPU, \(text(best.elapsed)) s elapsed, \(text(ProcessUsage.peakMebibytes, digits: 0)) MiB"
        )
        print("  devices   \(text(Double(count) / best.seconds, digits: 0)) /s of CPU")
        print(
            """
              messages  \(text(Double(best.statistics.requests) / best.seconds, digits: 0)) /s of CPU, \
            \(best.statistics.requests) in all; \(best.statistics.advertised) PDUs advertised, \
            \(best.statistics.heard) heard
            """
        )
        print("  commits   \(best.commits), \(text(Double(best.commits) / Double(count), digits: 1)) a device")
        print(
            """
            bare crypto \(text(bare)) s CPU: P-256 \(text(floor.agreements)) s, \(operations) CCM \
            \(text(floor.encryptions)) s; \(text(100 * bare / best.seconds, digits: 0)) % of apply
            """
        )
        print("ratio       \(text(best.seconds / bare, digits: 2))")
    }

    private struct Outcome {
        var seconds: Double
        var elapsed: Double
        var duration: Duration
        var commits: UInt64
        var statistics: WorldStatistics

        /// How many encryptions and decryptions all sides need.
        var cryptography: Int {
            statistics.advertised + statistics.heard + statistics.packetsFromClient + statistics.packetsToClient
                + 4 * statistics.requests
        }
    }

    private static func definition(of building: BuildingGenerator) throws -> Definition {
        let file = SourceFiles.File(path: "building.yaml", bytes: Array(building.definition().utf8))
        let (definitions, diagnostics) = DefinitionReader.read(files: SourceFiles(files: [file]))
        guard let definition = definitions.first else {
            throw BenchmarkFailure("\(diagnostics.first?.message ?? "no definition")")
        }
        return definition
    }

    private static func apply(_ definition: Definition, _ building: BuildingGenerator) throws -> Outcome {
        let folder = try FileManager.default.url(
            for: .itemReplacementDirectory,
            in: .userDomainMask,
            appropriateFor: FileManager.default.temporaryDirectory,
            create: true
        ).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        guard let network = building.network() else { throw BenchmarkFailure("that many nodes have no addresses") }
        var generator = SeededGenerator(seed: 1)
        let database = try MeshDatabase.create(
            at: folder + "/building.meshdb",
            network: network,
            key: DatabaseSecret.random(using: &generator),
            now: Timestamp(rawValue: 0),
            using: generator
        )
        let world = SimulatedWorld(network: network, devices: building.devices(), seed: 1)
        let snapshot = try database.snapshot()
        let planned = Planner.plan(
            definition: definition,
            network: snapshot.network,
            base: (snapshot.lineage, snapshot.serial),
            identifier: Octets16(high: 0, low: 1)
        )
        guard let plan = planned.plan else {
            throw BenchmarkFailure("\(planned.diagnostics.first?.message ?? "no plan")")
        }
        let lease = try database.lockForBenchmark("apply")
        defer { lease.release() }
        let revision = lease.revision
        let context = ExecutionContext.benchmark(
            key: { KeyMaterial.random(using: &generator) },
            provisioningSecrets: { ProvisioningSecrets.random(using: &generator) }
        )
        let executor = Executor(
            database: database,
            lease: lease,
            bearer: SimulatedBearer(world),
            context: context
        )
        let start = ContinuousClock.now
        let (recap, seconds) = ProcessUsage.measure { executor.apply(plan) }
        let elapsed = ContinuousClock.now - start
        guard recap.isComplete, recap.provisioned == building.nodeCount else {
            throw BenchmarkFailure("the run did not do everything: \(recap.ending)")
        }
        let found = world.violations + world.mismatches(against: try database.snapshot().network)
        guard found.isEmpty else { throw BenchmarkFailure(found[0]) }
        return Outcome(
            seconds: seconds,
            elapsed: Double(elapsed.microseconds) / 1e6,
            duration: recap.duration,
            commits: lease.revision - revision,
            statistics: world.statistics
        )
    }

    /// The seconds for so many operations, from the fastest of a few short runs.
    private static func floor(agreements: Int, encryptions: Int) throws -> (agreements: Double, encryptions: Double) {
        let keys = KeyDerivation.NetworkKeys(
            nid: 0x68,
            encryptionKey: KeyMaterial(Octets16(high: 1, low: 2)),
            privacyKey: KeyMaterial(Octets16(high: 3, low: 4))
        )
        guard let agreement = BareKeyAgreement(), let encryption = BareNetworkEncryption(keys) else {
            throw BenchmarkFailure("libcrypto lacks P-256 or AES-128-CCM")
        }
        let transportPDU = (0..<16).map { UInt8($0) }
        var best = (agreement: Double.infinity, encryption: Double.infinity)
        var checksum: UInt64 = 0
        for _ in 0..<9 {
            let agreeing = ProcessUsage.measure { for _ in 0..<100 { _ = agreement.agree() } }
            best.agreement = min(best.agreement, agreeing.seconds / 100)
            let encrypting = ProcessUsage.measure {
                for sequence in 0..<UInt32(20_000) {
                    checksum &+= UInt64(encryption.encryptInPlace(sequence, transportPDU))
                }
            }
            best.encryption = min(best.encryption, encrypting.seconds / 20_000)
        }
        return (best.agreement * Double(agreements), best.encryption * Double(encryptions))
    }

    private static func text(_ value: Double, digits: Int = 3) -> String {
        String(format: "%.\(digits)f", value)
    }
}
