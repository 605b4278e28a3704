/// The chances of one rehearsal: the same seed throws the same dice on every machine (SplitMix64; Steele, Lea and Flood
/// 2014).
struct RehearsalDice {
    private var state: UInt64

    /// Dice with that seed.
    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x2545_F491_4F6C_DD1D
    }

    /// A number of 0..<1.
    mutating func unit() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) / 9_007_199_254_740_992
    }

    /// Whether something of that probability happens.
    mutating func happens(_ probability: Double) -> Bool { unit() < probability }

    /// A number around a mean, half of it less or more at most.
    mutating func around(_ mean: Double) -> Double { mean * (0.5 + unit()) }
}
