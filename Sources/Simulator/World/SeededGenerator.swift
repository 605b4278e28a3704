/// A fast generator of which the same seed always gives the same numbers (SplitMix64). Not for keys.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator whose numbers follow from `seed`.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Whether something happens that happens with `probability`, 0...1; draws nothing where it is certain.
    package mutating func happens(_ probability: Double) -> Bool {
        if probability <= 0 { return false }
        if probability >= 1 { return true }
        return Double(next() >> 11) < probability * 9_007_199_254_740_992
    }

    /// A number of microseconds out of the range, each alike; draws nothing where the range holds one number.
    package mutating func microseconds(in range: ClosedRange<Int64>) -> Int64 {
        if range.lowerBound == range.upperBound { return range.lowerBound }
        return Int64.random(in: range, using: &self)
    }
}
