internal import ArgumentParser
internal import MeshCore

/// A duration on the command line, as definitions write it: `500ms`, `5s`, `2m`.
struct DurationArgument: ExpressibleByArgument, CustomStringConvertible {
    /// 0 up to a day.
    var milliseconds: Int

    /// That many milliseconds.
    init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// Reads a number with a unit; 0 needs none.
    init?(argument: String) {
        if argument == "0" {
            milliseconds = 0
            return
        }
        let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = String(argument[digits.endIndex...])
        guard let factor = DurationText.units.first(where: { $0.0 == unit })?.1, let number = Double(digits) else {
            return nil
        }
        let value = (number * Double(factor)).rounded()
        guard (0...86_400_000).contains(value) else { return nil }
        milliseconds = Int(value)
    }

    /// The time as a duration.
    var duration: Duration { .milliseconds(milliseconds) }

    /// The text that reads as this duration.
    var description: String { milliseconds == 0 ? "0" : DurationText.text(milliseconds: milliseconds) }
}
