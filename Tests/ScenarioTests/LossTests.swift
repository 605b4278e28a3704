import Testing

/// Tests the example over a bad radio.
@Suite("Lossy radio", .timeLimit(.minutes(45)))
struct LossTests {
    @Test("Two hops that lose a fifth of all packets still let the example be applied", arguments: 1...8)
    func loss(seed: Int) async throws {
        let house = try await House.make()
        defer { house.remove() }
        let radio = ["--hops", "2", "--loss", "0.2", "--seed", "\(seed)"]
        let apply = try await house.meshplan(["apply", "--via", "simulator", "--auto-approve"] + radio)
        #expect(apply.status == 0, "\(apply.output)")
        let plan = try await house.meshplan(["plan", "--detailed-exitcode"])
        #expect(plan.status == 0, "\(plan.output)")
    }

    /// A node that relays four copies of each PDU, 60 ms apart, has its own answer wait behind them, sometimes for more
    /// than a second. Then that one request is sent again.
    @Test("Where nothing is lost, at most one request is sent twice, for an answer that waits", arguments: [nil, 2, 3])
    func ideal(seed: Int?) async throws {
        let house = try await House.make()
        defer { house.remove() }
        let chance = seed.map { ["--seed", "\($0)"] } ?? []
        let apply = try await house.meshplan(["apply", "--via", "simulator", "--auto-approve"] + chance)
        #expect(apply.status == 0, "\(apply.output)")
        let figures = try #require(
            apply.output.firstMatch(of: #/Applied 25 steps\. ([0-9]+) messages(, 1 retry)?, 3\./#),
            "\(apply.output)"
        )
        #expect(Int(figures.1) == (figures.2 == nil ? 26 : 27), "\(apply.output)")
    }
}
