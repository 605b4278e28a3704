/// A fast random generator (SplitMix64). The same seed always gives the same numbers. Not for keys.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator whose numbers depend only on `seed`.
    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

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
