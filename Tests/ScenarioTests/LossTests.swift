import Testing

/// Tests the example over a bad radio.
@Suite("Lossy radio", .timeLimit(.minutes(5)))
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

    @Test("Where nothing is lost, no request is sent twice")
    func ideal() async throws {
        let house = try await House.make()
        defer { house.remove() }
        // With another seed, two PDUs of one sender may overtake each other. The node then drops the later one as a
        // replay, and it is sent again.
        let apply = try await house.meshplan(["apply", "--via", "simulator", "--auto-approve", "--seed", "2"])
        #expect(apply.status == 0, "\(apply.output)")
        #expect(apply.output.contains("Applied 47 steps. 26 messages, 3."), "\(apply.output)")
    }
}
