import Basics

/// The chances of a simulated world. The same seed always gives the same numbers. Not for keys.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var generator: SplitMix64

    /// A generator whose numbers depend only on `seed`.
    package init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
    }

    package mutating func next() -> UInt64 { generator.next() }

    /// Decides whether something with `probability` (0...1) happens. Draws no number if the result is certain.
    package mutating func happens(_ probability: Double) -> Bool {
        if probability <= 0 { return false }
        if probability >= 1 { return true }
        return Double(next() >> 11) < probability * 9_007_199_254_740_992
    }

    /// A uniform number of microseconds from the range. Draws no number if the range holds only one.
    package mutating func microseconds(in range: ClosedRange<Int64>) -> Int64 {
        if range.lowerBound == range.upperBound { return range.lowerBound }
        return Int64.random(in: range, using: &self)
    }
}
