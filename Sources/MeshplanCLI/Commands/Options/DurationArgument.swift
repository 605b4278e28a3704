import ArgumentParser
import DefinitionModel
import MeshCore

/// A duration on the command line, in the form of definitions: `500ms`, `5s`, `2m`.
struct DurationArgument: CustomStringConvertible {
    /// The duration in milliseconds, from 0 to a day.
    var milliseconds: Int

    init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// Parses the value of an option.
    ///
    /// - Throws: `ValidationError` that explains the form of durations.
    static func parse(_ text: String) throws -> DurationArgument {
        guard let duration = DurationArgument(argument: text) else {
            throw ValidationError("A duration is a number with a unit, a day at most, such as 500ms, 30s, 5m or 2h.")
        }
        return duration
    }

    /// Parses a number with a unit; 0 needs none. Nil for anything else.
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

    /// The time as a `Duration`.
    var duration: Duration { .milliseconds(milliseconds) }

    var description: String { milliseconds == 0 ? "0" : DurationText.text(milliseconds: milliseconds) }
}
