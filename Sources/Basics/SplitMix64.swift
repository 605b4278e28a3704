/// SplitMix64 (Steele, Lea and Flood 2014): a fast random generator. The same seed gives the same numbers on every
/// machine. Not for keys.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    @usableFromInline
    var state: UInt64

    /// A generator whose numbers depend only on `seed`.
    @inlinable
    package init(seed: UInt64) {
        state = seed
    }

    @inlinable
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A uniform number of 0..<1, with 53 random bits.
    @inlinable
    package mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
