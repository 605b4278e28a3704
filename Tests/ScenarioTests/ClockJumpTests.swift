import Foundation
import Testing

/// Tests clocks that jump between and during runs.
@Suite(
    "Jumps of the clock",
    .enabled(if: Fault.isPossible, "the clock is set by a preloaded library, on Linux only"),
    .timeLimit(.minutes(45))
)
struct ClockJumpTests {
    private static let year = 31_556_952

    /// The errors of the clock, in seconds.
    static let jumps = [
        -year,
        // To 1970, and to a century before.
        -Int(Date.now.timeIntervalSince1970), -Int(Date.now.timeIntervalSince1970) - 100 * year,
        100 * year,
        // Beyond the year 10000.
        300_000 * year,
    ]

    @Test("No run minds where the clock is, nor that it was elsewhere before", arguments: jumps)
    func jump(seconds: Int) async throws {
        let villa = try House.villa()
        defer { villa.remove() }
        let route = House.villaRoute
        try await villa.succeed([["init", "--network", "villa"]])
        // The clock jumps during the runs, is wrong from the start, jumps back during the runs, and is right again.
        let clocks = [
            Fault.clock(offBy: 0, then: seconds, fromCall: 40, in: villa.folder),
            Fault.clock(offBy: seconds, then: seconds, fromCall: 1, in: villa.folder),
            Fault.clock(offBy: seconds, then: 0, fromCall: 20, in: villa.folder),
            Fault.clock(offBy: 0, then: 0, fromCall: 1, in: villa.folder),
        ]
        for clock in clocks {
            for arguments in [
                ["apply", "--auto-approve"] + route, ["refresh", "--older-than", "1h"] + route, ["refresh"] + route,
                ["keys", "refresh", "home", "--auto-approve"] + route, ["drift"], ["show"], ["show", "node.lamp"],
                ["plan", "--refresh", "stale"] + route, ["state", "verify"], ["plan", "--detailed-exitcode"],
                ["state", "rm", "group.spare", "--auto-approve"],
            ] {
                let ending = try await villa.observe(House.meshplan, arguments, environment: clock)
                let story: Comment = "\(arguments), the clock off by \(seconds) s: \(ending.output)"
                #expect(ending.status == 0 && !ending.wasKilled, story)
                #expect(!ending.output.contains("violation"), story)
                // There is neither a negative duration nor an age from the future.
                #expect(ending.output.firstMatch(of: #/(^|[ (])-[0-9.]+ ?(s|ms|m|min|h|d|day|year)/#) == nil, story)
            }
        }
    }
}
