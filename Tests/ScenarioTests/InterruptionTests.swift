import Foundation
import TestSupport
import Testing

/// Kills applies at any moment, over the process simulator, which audits sequence numbers.
@Suite("Killed applies", .timeLimit(.minutes(45)))
struct InterruptionTests {
    /// The number of applies to kill.
    private static let rounds = ProcessInfo.processInfo.environment["MESHPLAN_KILL_ROUNDS"].flatMap(Int.init) ?? 200
    /// How many rounds run at once. They mostly wait for the disk and the radio.
    private static let atOnce = 4

    @Test("One more apply after kill -9 ends as an undisturbed one does, and no sequence number is used twice")
    func kill() async throws {
        let house = try await House.make()
        defer { house.remove() }
        // The first apply on a machine takes longer than all others, so the second one is measured.
        _ = try await apply(in: house, seed: 0)
        let undisturbed = try await apply(in: house, seed: 0)
        var generator = SplitMix64(seed: 1)
        var killed = 0
        // The load of the machine changes how long an apply takes, so every apply that ends by itself updates the
        // measure.
        var duration = undisturbed.seconds
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            func count(_ outcome: Outcome) {
                if outcome.wasKilled { killed += 1 } else { duration = min(duration, outcome.seconds) }
            }
            for round in 1...max(Self.rounds, 1) {
                if round > Self.atOnce, let outcome = try await group.next() { count(outcome) }
                let moment = Double.random(in: 0.001...duration * 1.1, using: &generator)
                group.addTask {
                    let disturbed = try await apply(in: house, seed: round, killedAfter: moment)
                    let differences = disturbed.database.difference(from: undisturbed.database)
                    #expect(differences.isEmpty, "round \(round), killed after \(moment) s")
                    return disturbed
                }
            }
            for try await outcome in group { count(outcome) }
        }
        #expect(killed * 3 >= Self.rounds, "only \(killed) of \(Self.rounds) applies were still running when killed")
    }

    private struct Outcome: Sendable {
        var wasKilled: Bool
        var seconds: Double
        var database: [String]
    }

    private func apply(in house: House, seed: Int, killedAfter moment: Double? = nil) async throws -> Outcome {
        let copy = try house.copy()
        defer { copy.remove() }
        guard let script = Bundle.module.url(forResource: "disturbed-apply", withExtension: "sh") else {
            throw ScenarioError("the script is not in the bundle")
        }
        var arguments = [script.path, House.meshplan.path, "\(seed)"]
        if let moment { arguments.append(String(format: "%.4f", moment)) }
        let result = try await copy.run(URL(filePath: "/bin/bash"), arguments)
        let lines = result.output.split(separator: "\n").map(String.init)
        // `timeout` makes bash report the kill in a line of its own.
        guard result.status == 0,
            let first = lines.firstIndex(where: { $0.hasPrefix("killed ") || $0.hasPrefix("finished ") })
        else { throw ScenarioError("seed \(seed), killed after \(moment ?? 0) s: \(result.output)") }
        let words = lines[first].split(separator: " ")
        return Outcome(
            wasKilled: words[0] == "killed",
            seconds: Double(words[1]) ?? 1,
            database: lines[(first + 1)...].map(comparable)
        )
    }

    /// A line of `show --json` without the serial, which counts transactions, and without observation times.
    private func comparable(_ line: String) -> String {
        line.replacing(#/"(serial|observed_at)":("[^"]*"|\d+),?/#, with: "")
    }
}
