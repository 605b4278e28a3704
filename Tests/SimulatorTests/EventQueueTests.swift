import MeshCore
import Simulator
import Testing

@Suite("EventQueue")
struct EventQueueTests {
    @Test("Events come in the order of time, those of one instant in the order of adding")
    func order() {
        var queue = EventQueue<Int>()
        var generator = SeededGenerator(seed: 1)
        var expected: [(Int64, Int)] = []
        for number in 0..<2_000 {
            let time = generator.microseconds(in: 0...99)
            queue.add(number, at: Instant(microseconds: time))
            expected.append((time, number))
        }
        expected.sort { $0 < $1 }
        var taken: [(Int64, Int)] = []
        while let (time, number) = queue.next(until: .distantFuture) { taken.append((time.microseconds, number)) }
        #expect(taken.map(\.0) == expected.map(\.0))
        #expect(taken.map(\.1) == expected.map(\.1))
        #expect(queue.count == 0)
    }

    @Test("Nothing is taken before its time")
    func deadline() {
        var queue = EventQueue<String>()
        queue.add("late", at: Instant(microseconds: 20))
        queue.add("early", at: Instant(microseconds: 10))
        #expect(queue.nextTime == Instant(microseconds: 10))
        #expect(queue.next(until: Instant(microseconds: 9)) == nil)
        #expect(queue.next(until: Instant(microseconds: 10))?.event == "early")
        #expect(queue.next(until: Instant(microseconds: 19)) == nil)
        #expect(queue.next(until: Instant(microseconds: 20))?.event == "late")
        #expect(queue.nextTime == nil)
    }
}

@Suite("SeededGenerator")
struct SeededGeneratorTests {
    @Test("The numbers are those of SplitMix64")
    func reference() {
        // The first outputs for seed 1234567 that the author of the algorithm gives with it.
        var generator = SeededGenerator(seed: 1_234_567)
        let first: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        #expect(first.map { _ in generator.next() } == first)
    }

    @Test("Chances come out as asked for", arguments: [0.0, 0.1, 0.5, 0.9, 1.0])
    func chance(probability: Double) {
        var generator = SeededGenerator(seed: 5)
        let count = (0..<20_000).count { _ in generator.happens(probability) }
        #expect(abs(Double(count) / 20_000 - probability) < 0.015)
    }
}

@Suite("SequenceRanges")
struct SequenceRangesTests {
    @Test("Ranges hold what a set holds, in as few ranges as possible")
    func againstSet() {
        var generator = SeededGenerator(seed: 9)
        var ranges = SequenceRanges()
        var set: Set<UInt32> = []
        for _ in 0..<400 {
            let start = UInt32(generator.next() % 900)
            let end = start + UInt32(generator.next() % 4)
            ranges.insert(start...end)
            set.formUnion(start...end)
        }
        for number in UInt32(0)...910 { #expect(ranges.contains(number) == set.contains(number)) }
        #expect(ranges.highest == set.max())
        for (left, right) in zip(ranges.ranges, ranges.ranges.dropFirst()) {
            #expect(left.upperBound + 1 < right.lowerBound)
        }
    }

    @Test("The ends of the number space do not overflow")
    func ends() {
        var ranges = SequenceRanges()
        ranges.insert(.max)
        ranges.insert(0)
        ranges.insert(.max - 1)
        #expect(ranges.ranges == [0...0, (.max - 1)...(.max)])
    }
}
