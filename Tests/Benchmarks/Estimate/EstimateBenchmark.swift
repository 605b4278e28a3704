import Foundation
import MeshCore
import Planning

/// `meshplan-bench estimate [SEEDS] [FIRST SEED] [CASES]`: compares how long plans were estimated to take with how long
/// they took in the simulator.
///
/// The times are simulated, so they do not depend on this machine and are the same in each run. Each case runs with
/// several seeds, which change the losses and the places of the nodes. Half of all runs should take less than the
/// median, and 19 of 20 less than the 95th percentile.
enum EstimateBenchmark {
    static func run(_ arguments: [String]) throws {
        var arguments = BenchmarkArguments("estimate [SEEDS] [FIRST SEED] [CASES]", arguments)
        let seeds = try arguments.number(or: 3, in: 1...100)
        let first = try arguments.number(or: 1, in: 1...1_000_000)
        let only = arguments.word()
        try arguments.end()
        let sets = [("Recorded cases", recorded, first), ("Held out: other sizes and seeds", heldOut, first + 1_000)]
        for (title, cases, seed) in sets {
            let chosen = cases.filter { item in only.map { "\(item.radio.name) \(item.name)".contains($0) } ?? true }
            try compare(chosen, title, seeds: (0..<seeds).map { UInt64(seed + $0) })
        }
    }

    /// Runs cases in parallel, and prints the table of their results.
    private static func compare(_ cases: [EstimateCase], _ title: String, seeds: [UInt64]) throws {
        var hotels: [Int: ConfiguredHotel] = [:]
        for size in Set(cases.map(\.devices)).sorted() { hotels[size] = try ConfiguredHotel(size) }
        let work = cases.flatMap { item in seeds.map { (item, $0) } }
        let results = Results(count: work.count)
        let sizes = hotels
        DispatchQueue.concurrentPerform(iterations: work.count) { index in
            let (item, seed) = work[index]
            guard let hotel = sizes[item.devices] else { return }
            results.set(index, Result { try item.run(hotel, seed: seed) })
        }
        var table = EstimateTable(title)
        for (place, item) in cases.enumerated() {
            let outcomes = try seeds.indices.map { try results.get(place * seeds.count + $0) }
            table.add(item, outcomes)
        }
        table.finish()
    }

    /// The cases of the table in the manual.
    static let recorded: [EstimateCase] = RadioProfile.named.flatMap { radio in
        let works: [(Int, EstimateCase.Work, Int)] = [
            (5, .commission, 4), (24, .commission, 4), (60, .commission, 4), (24, .commission, 1),
            (120, .commission, 4),
            (5, .change, 4), (24, .change, 4), (120, .change, 4), (60, .regroup, 4), (60, .regroup, 1),
            (60, .regroup, 8),
            (12, .readBack, 4), (60, .readBack, 4), (40, .removal, 4), (24, .keyRefresh, 4),
            (24, .silent(2), 4), (60, .silent(9), 4), (24, .neverHeard(3), 4), (120, .neverHeard(9), 4),
        ]
        return works.map { EstimateCase(radio: radio, devices: $0.0, work: $0.1, links: $0.2) }
    }

    /// Cases that were never used to tune the estimator.
    static let heldOut: [EstimateCase] = RadioProfile.named.flatMap { radio in
        let works: [(Int, EstimateCase.Work, Int)] = [
            (9, .commission, 4), (33, .commission, 6), (80, .change, 4), (17, .regroup, 2), (33, .readBack, 3),
            (80, .neverHeard(5), 4),
        ]
        return works.map { EstimateCase(radio: radio, devices: $0.0, work: $0.1, links: $0.2) }
    }

    /// The result of each run. Several threads fill it in, each at its own index.
    private final class Results: @unchecked Sendable {
        private let lock = NSLock()
        private var outcomes: [Result<EstimateSite.Outcome, any Error>?]

        init(count: Int) { outcomes = Array(repeating: nil, count: count) }

        func set(_ place: Int, _ outcome: Result<EstimateSite.Outcome, any Error>) {
            lock.withLock { outcomes[place] = outcome }
        }

        func get(_ place: Int) throws -> EstimateSite.Outcome {
            guard let outcome = lock.withLock({ outcomes[place] }) else { throw BenchmarkFailure("a run is missing") }
            return try outcome.get()
        }
    }
}
