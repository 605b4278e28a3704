import ArgumentParser

/// An age on the command line: `30m`, `12h`, `7d`.
struct AgeArgument: ExpressibleByArgument, CustomStringConvertible {
    /// The age in seconds, at least 0.
    var seconds: Int64

    private static let units: [(String, Int64)] = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("w", 604_800)]

    init(seconds: Int64) {
        self.seconds = seconds
    }

    /// Parses a whole number with a unit; 0 needs none.
    init?(argument: String) {
        if argument == "0" {
            seconds = 0
            return
        }
        guard let unit = Self.units.first(where: { argument.hasSuffix($0.0) }),
            let number = Int64(argument.dropLast(unit.0.count)), (0...100_000).contains(number)
        else { return nil }
        seconds = number * unit.1
    }

    var description: String { Self.text(seconds: seconds) }

    /// An age in the largest unit that gives a whole number.
    static func text(seconds: Int64) -> String {
        guard seconds > 0, let unit = units.last(where: { seconds % $0.1 == 0 }) else { return "0" }
        return "\(seconds / unit.1)\(unit.0)"
    }
}
