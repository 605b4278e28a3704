/// A small seeded generator, for tests that must be the same every time (Steele, Lea and Flood 2014).
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    /// Makes a generator. The same seed gives the same numbers.
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

    /// Returns true with a probability of `percent` %.
    package mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    /// Returns each element with that probability, in the original order.
    package mutating func some<Element>(of elements: [Element], _ percent: Int = 50) -> [Element] {
        elements.filter { _ in chance(percent) }
    }
}
