import Definitions
import Foundation
import MeshCore
import Planning
import Store

/// `meshplan-bench adoption [NODES]`: the CPU time to write a large building as a definition, from its network's record
/// to the text. Beside it stands the bare floor of planning the same building: the libyaml events of its full
/// definition and the SQLite rows of its database.
///
/// The best of five rounds counts, because other work on the machine can only add time. A run with twice the nodes
/// shows how the time grows.
enum AdoptionBenchmark {
    private static let rounds = 5

    static func run(_ arguments: [String]) throws {
        var arguments = BenchmarkArguments("adoption [NODES]", arguments)
        // The run with twice as many nodes needs addresses for all of them, too.
        let count = try arguments.number(or: 10_000, in: 1...16_000)
        try arguments.end()
        let single = try measure(count)
        print("bare libyaml and SQLite  \(text(single.floor)) s CPU")
        print("adoption                 \(text(single.adoption)) s CPU, \(single.octets / 1000) kB of YAML written")
        print("ratio                    \(text(single.adoption / single.floor))")
        let double = try measure(2 * count)
        print("ratio of \(2 * count) to \(count) nodes  \(text(double.adoption / single.adoption))")
    }

    private static func measure(_ count: Int) throws -> (floor: Double, adoption: Double, octets: Int) {
        let building = BuildingGenerator(nodeCount: count, changedEvery: 100)
        guard let network = building.network() else { throw BenchmarkFailure("that many nodes have no addresses") }
        let definition = Array(building.definition().utf8)
        let folder = try FileManager.default.url(
            for: .itemReplacementDirectory,
            in: .userDomainMask,
            appropriateFor: FileManager.default.temporaryDirectory,
            create: true
        ).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var generator = SystemRandomNumberGenerator()
        _ = try MeshDatabase.create(
            at: folder + "/building.meshdb",
            network: network,
            key: try KeyFile.create(at: folder + "/key", using: &generator),
            now: Timestamp(rawValue: 0),
            using: generator
        )
        var best = (floor: Double.infinity, adoption: Double.infinity)
        var octets = 0
        for _ in 0..<rounds {
            let floor = ProcessUsage.measure {
                BareFloor.countEvents(of: definition) + BareFloor.readRows(ofDatabaseAt: folder + "/building.meshdb")
            }
            best.floor = min(best.floor, floor.seconds)
            let adoption = ProcessUsage.measure {
                DefinitionWriter.text(of: Adoption.make(of: network, named: "building").definition).utf8.count
            }
            best.adoption = min(best.adoption, adoption.seconds)
            octets = adoption.result
        }
        return (best.floor, best.adoption, octets)
    }

    private static func text(_ value: Double) -> String { String(format: "%.3f", value) }
}
