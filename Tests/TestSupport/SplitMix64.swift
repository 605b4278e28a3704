/// A small generator with a seed, for tests that must be the same every time (Steele, Lea and Flood 2014).
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    /// The same seed gives the same numbers.
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

    /// True in so many of a hundred cases.
    package mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    /// Each element with that chance, in their order.
    package mutating func some<Element>(of elements: [Element], _ percent: Int = 50) -> [Element] {
        elements.filter { _ in chance(percent) }
    }
}
