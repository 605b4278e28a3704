import Fuzzing
import TestSupport
import Testing

@Suite("Fuzz targets")
struct FuzzTargetTests {
    /// How many outcomes a few thousand inputs must reach at least, so that a target that has lost its teeth is noticed.
    static let expected: [String: Int] = [:]

    @Test(
        "nothing that must hold breaks within a few thousand inputs",
        arguments: FuzzTarget.all.map(\.name),
        [1, 2] as [UInt64]
    )
    func sound(name: String, seed: UInt64) throws {
        let target = try required(FuzzTarget.named(name))
        var fuzzer = Fuzzer(target, seed: seed)
        let count = target.shape == .text ? 300 : 3_000
        while fuzzer.executions < count {
            let input = fuzzer.prepare()
            #expect(input.count <= target.maximumSize)
            do { try fuzzer.run() } catch {
                Issue.record("\(error), execution \(fuzzer.executions) of seed \(seed): \(input)")
                return
            }
        }
        print("OUTCOMES", name, seed, fuzzer.outcomes)
        #expect(fuzzer.outcomes >= Self.expected[name] ?? 0)
    }

    @Test("the same seed gives the same inputs, another one others")
    func repeatable() throws {
        func inputs(_ seed: UInt64) throws -> [[UInt8]] {
            var fuzzer = Fuzzer(FuzzTarget.attributeProtocol, seed: seed)
            return try (0..<500).map { _ in
                let input = fuzzer.prepare()
                try fuzzer.run()
                return input
            }
        }
        let first = try inputs(7)
        #expect(try inputs(7) == first)
        #expect(try inputs(8) != first)
    }

    @Test("an error behind a length and a type is found, and its input is at hand")
    func planted() throws {
        let target = FuzzTarget("planted", "breaks for one input", maximumSize: 32, seeds: [[1, 2, 3, 4, 5, 6]]) {
            (input: [UInt8], trace: inout FuzzTrace) throws(FuzzViolation) in
            guard input.count == 9, input[0] == 0xFF else { return trace.note(input.count) }
            trace.note("first")
            guard input[1] == 0x80 else { return }
            throw FuzzViolation("found")
        }
        var fuzzer = Fuzzer(target, seed: 3)
        #expect(throws: FuzzViolation("found")) {
            for _ in 0..<200_000 {
                _ = fuzzer.prepare()
                try fuzzer.run()
            }
        }
        #expect(fuzzer.input.count == 9)
        #expect(fuzzer.input.starts(with: [0xFF, 0x80]))
        var trace = FuzzTrace()
        #expect(throws: FuzzViolation("found")) { try target.run(fuzzer.input, &trace) }
    }

    @Test("records have one reading, whatever their lengths say")
    func records() {
        let records: [[UInt8]] = [[], [1], [2, 3], [UInt8](repeating: 4, count: 300)]
        #expect(FuzzRecords.decode(FuzzRecords.encode(records)) == records)
        #expect(FuzzRecords.decode([0xFF, 0xFF, 1, 2]) == [[1, 2]])
        #expect(FuzzRecords.decode([0, 1, 9, 7]) == [[9]])
        #expect(FuzzRecords.decode([]).isEmpty)
    }
}
