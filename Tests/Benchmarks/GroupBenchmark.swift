import Catalogue
import Execution
import Foundation
import MeshCore
import Simulator

/// `meshplan-bench group [LAMPS] [SEEDS]`: sets the lightness of a group of lamps, three hops away, of which each loses
/// 5 % of the PDUs. It compares `set` with what others do: the same unacknowledged message five times, 75 ms apart.
///
/// The times are simulated, so they do not depend on this machine. When a fade begins is read from the lamps' models.
enum GroupBenchmark {
    private static let plainCount = 5
    private static let plainInterval = Duration.milliseconds(75)
    /// Long enough that nobody misses a fade between two looks.
    private static let transition = 5_000
    private static let lightness = "40%"

    /// What became of one command.
    private struct Outcome {
        var reached = 0
        /// The milliseconds between the first and the last fade of lamps that nobody had to repair.
        var spread = 0.0
        var repaired = 0
        /// The milliseconds from the first fade to the last one of all.
        var last = 0.0
        /// The seconds of the command.
        var taken = 0.0
        var advertised = 0
    }

    static func run(_ arguments: [String]) throws {
        var arguments = BenchmarkArguments("group [LAMPS] [SEEDS]", arguments)
        let count = try arguments.number(or: 100, in: 2...2_000)
        let seeds = UInt64(try arguments.number(or: 5, in: 1...1_000))
        try arguments.end()
        print("\(count) lamps, \(GroupAir.hops) hops, 5 % loss per hop, \(seeds) seeds; worst of each column\n")
        print("| air | way | all reached in | lamps missed | fades within | repaired | last fade after | command |")
        print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        var ratios: [String] = []
        for air in GroupAir.allCases {
            let plain = try (1...seeds).map { try set(count, air, seed: $0, isPlain: true) }
            let group = try (1...seeds).map { try set(count, air, seed: $0, isPlain: false) }
            row(air, "\(plainCount) copies, unacknowledged", plain, count)
            row(air, "set", group, count)
            let ratio = median(plain.map(\.spread)) / max(median(group.map(\.spread)), 1)
            let cost = median(group.map { Double($0.advertised) }) / max(median(plain.map { Double($0.advertised) }), 1)
            ratios.append(
                "\(air.rawValue): fades begin within a time \(text(ratio)) times as short, with \(text(cost)) times "
                    + "as many PDUs advertised (medians)"
            )
        }
        print("\n" + ratios.joined(separator: "\n"))
    }

    private static func row(_ air: GroupAir, _ way: String, _ outcomes: [Outcome], _ count: Int) {
        let complete = outcomes.count { $0.reached == count }
        let missed = count - (outcomes.map(\.reached).min() ?? 0)
        let cells = [
            air.rawValue, way, "\(complete) of \(outcomes.count) runs", "\(missed)",
            "\(text(outcomes.map(\.spread).max() ?? 0)) ms", "\(outcomes.map(\.repaired).max() ?? 0)",
            "\(text(outcomes.map(\.last).max() ?? 0)) ms", "\(text(outcomes.map(\.taken).max() ?? 0)) s",
        ]
        print("| " + cells.joined(separator: " | ") + " |")
    }

    private static func set(_ count: Int, _ air: GroupAir, seed: UInt64, isPlain: Bool) throws -> Outcome {
        let site = try GroupSite(count, air, seed: seed)
        guard let state = StateCatalogue.state(named: "lightness") else { throw BenchmarkFailure("no lightness") }
        let change = try StateChange(state, words: [lightness], transition: transition)
        guard let target = change.wanted.integer("lightness") else { throw BenchmarkFailure("no lightness") }
        let resolved = try TargetResolver(site.network).resolve(.group(site.group.name))
        let places = try StateChangePlaces(change, on: resolved, in: site.network)
        let setting = StateSetting(change, at: places, in: site.network, transaction: UInt8(truncatingIfNeeded: seed))
        let bearer = FadeWatchingBearer(site.world, target: target)
        var taken = Duration.zero
        let outcomes = try site.operate(bearer, with: places.needs) { session in
            Result { () throws(StateError) -> [StateSettingOutcome] in
                let nodes = places.places.map { site.network.nodes[$0.node] }
                if let key = places.keys.first { session.connect(toReach: nodes, under: key) }
                let begin = session.now
                defer {
                    taken = begin.duration(to: session.now)
                    // Until every fade has ended.
                    session.pause(for: .milliseconds(2 * transition))
                }
                guard isPlain else {
                    let cover = places.cover(change, named: site.group.address, in: site.network)
                    return try setting.setTogether(cover, in: session)
                }
                try plain(change, to: site.group, places.keys, UInt8(truncatingIfNeeded: seed), in: session)
                return places.places.map { _ in .sent }
            }
        }.get()
        return outcome(of: outcomes, places, site, bearer.begins, target, taken)
    }

    private static func plain(
        _ change: StateChange,
        to group: Group,
        _ keys: [AppKey],
        _ transaction: UInt8,
        in session: OperatingSession
    ) throws(StateError) {
        let payload = try change.payload(transaction: transaction, isAcknowledged: false)
        guard case .group(let address) = group.address, let key = keys.first else { return }
        for copy in 0..<plainCount {
            if copy > 0 { session.pause(for: plainInterval) }
            _ = session.post(payload, to: .group(address), under: key)
        }
    }

    private static func outcome(
        of outcomes: [StateSettingOutcome],
        _ places: StateChangePlaces,
        _ site: GroupSite,
        _ begins: [DeviceUUID: Instant],
        _ target: Int64,
        _ taken: Duration
    ) -> Outcome {
        var outcome = Outcome()
        outcome.reached = site.world.lights.count { $0.level == target }
        outcome.taken = Double(taken.microseconds) / 1e6
        outcome.advertised = site.world.statistics.advertised
        var together: [Int64] = []
        for (place, result) in zip(places.places, outcomes) {
            if result == .repaired { outcome.repaired += 1 }
            let begin = begins[site.network.nodes[place.node].uuid]
            if let begin, result != .repaired { together.append(begin.microseconds) }
        }
        let all = begins.values.map(\.microseconds)
        outcome.spread = Double((together.max() ?? 0) - (together.min() ?? 0)) / 1e3
        outcome.last = Double((all.max() ?? 0) - (all.min() ?? 0)) / 1e3
        return outcome
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    private static func text(_ value: Double) -> String { String(format: "%.1f", value) }
}
