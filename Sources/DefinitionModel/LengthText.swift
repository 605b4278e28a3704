/// Writes lengths with their unit.
package enum LengthText {
    /// The units in ascending order, each with its millimetres.
    package static let units = [("mm", 1), ("cm", 10), ("m", 1_000)]

    /// A length in metres without trailing zeros: `3.5m`, `12m`, `0.075m`.
    package static func text(millimetres: Int) -> String {
        let rest = millimetres % 1_000
        guard rest != 0 else { return "\(millimetres / 1_000)m" }
        var digits = String(rest)
        digits = String(repeating: "0", count: 3 - digits.utf8.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(millimetres / 1_000).\(digits)m"
    }
}
