import Foundation
import MeshCore
import Simulator

/// `meshplan-bench simulate [NODES…]`: how fast networks of several sizes run in the simulator once they are
/// configured.
///
/// Each network is a building whose first node of every room relays and is a proxy, with the losses of an office. The
/// traffic of neighbours does not count as interference. With it, nodes of a large network would lose more PDUs, and
/// less work would look like more speed. Every node publishes the state of its sensor to its room. The whole network
/// sends ten messages a second whatever its size, because the traffic at one place is what limits a mesh. Every node
/// hears every message, so the work grows with the number of nodes.
///
/// The ratio compares the time with one bare decryption for each PDU that a node hears. It can be below 1, because the
/// nodes of the simulator share decryptions.
enum SimulateBenchmark {
    /// Messages per second in the whole network.
    private static let messagesPerSecond = 10
    private static let nodesPerRoom = 10
    private static let warmUp = 10
    private static let duration = 60

    static func run(_ arguments: [String]) throws {
        var arguments = BenchmarkArguments("simulate [NODES…]", arguments)
        // The publish period has 63 steps of ten seconds at most.
        let range = 10...6_300
        var counts = [try arguments.number(or: 0, in: range)].filter { $0 > 0 }
        while !counts.isEmpty {
            let next = try arguments.number(or: 0, in: range)
            guard next > 0 else { break }
            counts.append(next)
        }
        if counts.isEmpty { counts = [100, 300, 1_000, 3_000] }
        let decryption = try bareDecryption()
        print("configured nodes for \(duration) simulated seconds, \(messagesPerSecond) messages a second in all")
        print("nodes   CPU s  times real time   PDUs heard   ns each  bare decryptions  ratio  peak MiB")
        var before: Outcome?
        for count in counts {
            let outcome = try simulate(count)
            let floor = Double(outcome.statistics.heard) * decryption
            print(
                String(
                    format: "%5d %7.3f %16.0f %12d %9.0f %17.3f %6.2f %9.0f",
                    count,
                    outcome.seconds,
                    Double(duration) / outcome.seconds,
                    outcome.statistics.heard,
                    1e9 * outcome.seconds / Double(outcome.statistics.heard),
                    floor,
                    outcome.seconds / floor,
                    ProcessUsage.peakMebibytes
                )
            )
            if let before {
                let growth = String(format: "%.2f", outcome.seconds / before.seconds)
                print("      from \(before.count) to \(count) nodes: \(growth) times the CPU")
            }
            before = outcome
        }
    }

    private struct Outcome {
        var count: Int
        var seconds: Double
        var statistics: WorldStatistics
    }

    private static func simulate(_ count: Int) throws -> Outcome {
        var settings = WorldSettings.office
        settings.neighboursInterfere = false
        let world = SimulatedWorld(network: try network(of: count), settings: settings, seed: 1)
        world.advance(to: Instant.zero.advanced(by: .seconds(warmUp)))
        let start = world.statistics
        let (_, seconds) = ProcessUsage.measure {
            world.advance(to: Instant.zero.advanced(by: .seconds(warmUp + duration)))
        }
        var statistics = world.statistics
        statistics.heard -= start.heard
        statistics.advertised -= start.advertised
        if let violation = world.violations.first { throw BenchmarkFailure(violation) }
        // A network in which messages do not get through would be fast for the wrong reason.
        let expected = count * messagesPerSecond * duration
        guard statistics.heard > expected * 9 / 10 else {
            throw BenchmarkFailure("\(count) nodes heard \(statistics.heard) PDUs instead of about \(expected)")
        }
        return Outcome(count: count, seconds: seconds, statistics: statistics)
    }

    /// A configured building with few relays, in which each node publishes its sensor's state.
    private static func network(of count: Int) throws -> MeshNetwork {
        let building = BuildingGenerator(nodeCount: count, changedEvery: 1)
        guard var network = building.network() else { throw BenchmarkFailure("that many nodes have no addresses") }
        let milliseconds = count * 1_000 / messagesPerSecond
        // A publish period is a number of tenths of a second, of seconds or of tens of seconds, so it is rounded down.
        let unit = milliseconds <= 6_300 ? 100 : milliseconds <= 63_000 ? 1_000 : 10_000
        guard let period = PublishPeriod(milliseconds: milliseconds / unit * unit) else {
            throw BenchmarkFailure("no publish period is \(milliseconds) ms")
        }
        var index = 0
        for node in network.nodes.indices where network.nodes[node].uuid != network.ownProvisioner {
            let isFirst = index % nodesPerRoom == 0
            index += 1
            network.nodes[node].features = Node.Features(
                relay: isFirst ? .enabled : .disabled,
                proxy: isFirst ? .enabled : .disabled,
                friend: .disabled,
                lowPower: .notSupported
            )
            for element in network.nodes[node].elements.indices {
                for model in network.nodes[node].elements[element].models.indices {
                    network.nodes[node].elements[element].models[model].publication?.period = period
                    network.nodes[node].elements[element].models[model].publication?.retransmit = .none
                }
            }
        }
        return network
    }

    /// The seconds of one bare CCM with the block that hides a header, from the fastest of a few short runs.
    private static func bareDecryption() throws -> Double {
        let keys = KeyDerivation.NetworkKeys(
            nid: 0x68,
            encryptionKey: KeyMaterial(Octets16(high: 1, low: 2)),
            privacyKey: KeyMaterial(Octets16(high: 3, low: 4))
        )
        guard let encryption = BareNetworkEncryption(keys) else {
            throw BenchmarkFailure("libcrypto lacks AES-128-CCM")
        }
        let transportPDU = (0..<16).map { UInt8($0) }
        var best = Double.infinity
        for _ in 0..<9 {
            let encrypting = ProcessUsage.measure {
                for sequence in 0..<UInt32(20_000) { _ = encryption.encryptInPlace(sequence, transportPDU) }
            }
            best = min(best, encrypting.seconds / 20_000)
        }
        return best
    }
}
