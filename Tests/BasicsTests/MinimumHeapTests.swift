import Basics
import Testing

@Suite("MinimumHeap")
struct MinimumHeapTests {
    @Test("It gives what was taken in, the smallest first, whatever is taken in between")
    func order() {
        var generator = SplitMix64(seed: 1)
        for size in 0..<40 {
            var heap = MinimumHeap<UInt64>()
            var expected: [UInt64] = []
            for _ in 0..<size {
                // Few values, so that many are equal.
                let value = generator.next() % 16
                heap.insert(value)
                expected.append(value)
                expected.sort()
                #expect(heap.minimum == expected.first)
                if generator.next() % 3 == 0 { #expect(heap.popMinimum() == expected.removeFirst()) }
                #expect(heap.count == expected.count)
            }
            var taken: [UInt64] = []
            while let smallest = heap.popMinimum() { taken.append(smallest) }
            #expect(taken == expected)
            #expect(heap.isEmpty)
            #expect(heap.minimum == nil)
        }
    }
}

@Suite("SplitMix64")
struct SplitMix64Tests {
    @Test("It gives the published numbers")
    func published() {
        // The first numbers of the reference implementation for that seed.
        var generator = SplitMix64(seed: 1_234_567)
        let expected: [UInt64] = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        for number in expected { #expect(generator.next() == number) }
    }

    @Test("Its fractions are those of the same numbers, from 0 to below 1")
    func fractions() {
        var numbers = SplitMix64(seed: 3)
        var fractions = SplitMix64(seed: 3)
        for _ in 0..<100 {
            let fraction = fractions.unit()
            #expect(fraction == Double(numbers.next() / 2048) / 9_007_199_254_740_992)
            #expect((0..<1).contains(fraction))
        }
    }
}
