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
        let buildings = Dictionary(
            uniqueKeysWithValues: try Set(cases.map(\.building)).map { ($0, try ConfiguredBuilding($0)) }
        )
        let work = cases.flatMap { item in seeds.map { (item, $0) } }
        let results = Results(count: work.count)
        DispatchQueue.concurrentPerform(iterations: work.count) { index in
            let (item, seed) = work[index]
            guard let building = buildings[item.building] else { return }
            results.set(index, Result { try item.run(building, seed: seed) })
        }
        var table = EstimateTable(title)
        for (place, item) in cases.enumerated() {
            let outcomes = try seeds.indices.map { try results.get(place * seeds.count + $0) }
            table.add(item, outcomes)
        }
        table.finish()
    }

    private static let radios = RadioProfile.named.compactMap { EstimateCase.Radio(named: $0.name) }

    /// The cases of the table in the manual.
    static let recorded: [EstimateCase] = {
        typealias Work = (EstimateCase.Building, EstimateCase.Work, Int)
        let hotel: [Work] = [
            (.hotel(5), .commission, 4), (.hotel(24), .commission, 4), (.hotel(60), .commission, 4),
            (.hotel(24), .commission, 1), (.hotel(120), .commission, 4), (.hotel(5), .change, 4),
            (.hotel(24), .change, 4), (.hotel(120), .change, 4), (.hotel(60), .regroup, 4), (.hotel(60), .regroup, 1),
            (.hotel(60), .regroup, 8), (.hotel(12), .readBack, 4), (.hotel(60), .readBack, 4),
            (.hotel(40), .removal, 4), (.hotel(24), .keyRefresh, 4), (.hotel(24), .silent(2), 4),
            (.hotel(60), .silent(9), 4), (.hotel(24), .neverHeard(3), 4), (.hotel(120), .neverHeard(9), 4),
        ]
        let examples: [Work] = [
            (.office, .commission, 4), (.office, .commission, 8), (.office, .change, 4), (.office, .readBack, 4),
            (.office, .neverHeard(4), 4), (.house, .commission, 4), (.house, .change, 2),
            (.house, .readBack, 4),
        ]
        let others: [Work] = [
            (.hotel(24), .commission, 4), (.hotel(60), .regroup, 4), (.hotel(60), .readBack, 4),
            (.office, .commission, 4),
            (.office, .change, 4), (.house, .commission, 4),
        ]
        let kinds = radios.map { ($0, hotel + examples) } + variants.map { ($0, others) }
        return kinds.flatMap { radio, works in
            works.map { EstimateCase(radio: radio, building: $0.0, work: $0.1, links: $0.2) }
        }
    }()

    /// Radios with other losses or fewer hops than the named ones.
    private static var variants: [EstimateCase.Radio] {
        radios.filter { $0.name == "office" }.flatMap { [$0.losing(0), $0.losing(0.30), $0.near] }
    }

    /// Cases that were never used to improve the estimate.
    static let heldOut: [EstimateCase] = radios.flatMap { radio in
        let works: [(EstimateCase.Building, EstimateCase.Work, Int)] = [
            (.hotel(11), .commission, 4), (.hotel(37), .commission, 6), (.hotel(90), .change, 4),
            (.hotel(19), .regroup, 2), (.hotel(37), .readBack, 3), (.hotel(90), .neverHeard(5), 4),
        ]
        return works.map { EstimateCase(radio: radio, building: $0.0, work: $0.1, links: $0.2) }
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
