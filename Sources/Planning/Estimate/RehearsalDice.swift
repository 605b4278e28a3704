import Basics

/// The chances of one rehearsal. The same seed gives the same chances on every machine.
struct RehearsalDice {
    private var generator: SplitMix64

    /// Dice with that seed.
    init(seed: UInt64) {
        generator = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x2545_F491_4F6C_DD1D)
    }

    /// A number of 0..<1.
    mutating func unit() -> Double { generator.unit() }

    /// Whether something of that probability happens.
    mutating func happens(_ probability: Double) -> Bool { unit() < probability }

    /// A number between half of a mean and one and a half times the mean.
    mutating func around(_ mean: Double) -> Double { mean * (0.5 + unit()) }
}
