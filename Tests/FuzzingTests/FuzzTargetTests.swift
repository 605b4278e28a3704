import Fuzzing
import TestSupport
import Testing

@Suite("Fuzz targets")
struct FuzzTargetTests {
    /// How many outcomes a thousand inputs must reach at least, so that one is noticed that reaches nothing any more.
    static let expected = [
        "advertising": 10, "att": 40, "client-frame": 20, "server-frame": 20, "frame-stream": 35, "proxy-pdu": 15,
        "beacon": 15, "network-pdu": 60, "access-message": 150, "composition": 8, "provisioning-pdu": 50,
        "cdb-json": 12, "hci": 20, "yaml": 20, "catalogue-message": 300, "vendor-models": 20,
        "hub-request": 8, "hub-reply": 8, "lower-transport-pdu": 20, "segmentation": 20,
    ]

    @Test(
        "nothing that must hold breaks within a thousand inputs",
        arguments: FuzzTarget.all.map(\.name),
        [1, 2] as [UInt64]
    )
    func sound(name: String, seed: UInt64) throws {
        let target = try required(FuzzTarget.named(name))
        var fuzzer = Fuzzer(target, seed: seed)
        let count = target.shape == .text ? 150 : 1_000
        while fuzzer.executions < count {
            let input = fuzzer.prepare()
            #expect(input.count <= target.maximumSize)
            do { try fuzzer.run() } catch {
                Issue.record("\(error), execution \(fuzzer.executions) of seed \(seed): \(input)")
                return
            }
        }
        let expected = try #require(Self.expected[name], "a new target needs a number here")
        #expect(fuzzer.outcomes >= expected)
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

    @Test("an error behind a type and a length is found, and its input is at hand")
    func planted() {
        let target = FuzzTarget("planted", "breaks for one input", maximumSize: 32, seeds: [[1, 2, 3, 4, 5, 6]]) {
            (input: [UInt8], trace: inout FuzzTrace) throws(FuzzViolation) in
            guard input.starts(with: [0xFF, 0x80]) else { return trace.note(input.first == 0xFF) }
            trace.note("type")
            guard input.count == 9 else { return }
            throw FuzzViolation("found")
        }
        var fuzzer = Fuzzer(target, seed: 3)
        #expect(throws: FuzzViolation("found")) {
            for _ in 0..<100_000 {
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
