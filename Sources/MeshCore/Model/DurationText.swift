/// Durations as definitions write them: a number and a unit without a space, `20ms`, `1.5s`, `10m`.
package enum DurationText {
    /// The units in ascending order, each with its milliseconds.
    package static let units = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]

    /// The duration in the largest unit that needs no decimals, or in seconds with one decimal.
    package static func text(milliseconds: Int) -> String {
        for (unit, factor) in units.reversed() where milliseconds >= factor {
            if milliseconds % factor == 0 { return "\(milliseconds / factor)\(unit)" }
            if factor == 1000, milliseconds % 100 == 0 {
                return "\(milliseconds / 1000).\(milliseconds % 1000 / 100)s"
            }
        }
        return "\(milliseconds)ms"
    }
}
