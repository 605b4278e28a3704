/// A number with a unit as people write it: `40%`, `3000 K`, `100ms`, `-7.5`.
package struct Quantity {
    package let number: Double
    /// The unit as it is written; empty if there is none.
    package let unit: String

    /// Reads a number and what follows it; nil if the text does not begin with a number.
    package init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }
        guard digits.contains(where: \.isNumber), let number = Double(digits), number.isFinite else { return nil }
        self.number = number
        unit = String(text.dropFirst(digits.count)).trimmed
    }

    /// The number in another unit; nil if the units measure different things. Without a unit, the number is in `unit`.
    package func number(in target: String) -> Double? {
        if unit.isEmpty || unit == target { return number }
        if let own = Self.seconds[unit], let other = Self.seconds[target] {
            // Dividing last keeps 0.1 s from 100 ms exact.
            return own < other ? number / (other / own) : number * (own / other)
        }
        return Self.spellings[unit] == target ? number : nil
    }

    private static let seconds: [String: Double] = ["ms": 0.001, "s": 1, "min": 60, "m": 60, "h": 3600, "d": 86400]
    private static let spellings = ["C": "°C", "deg": "°", "lux": "lx", "Ohm": "Ω"]
}

/// Numbers with a fixed count of decimals.
enum DecimalText {
    /// The nearest whole number, from zero if two are as near. Written out, as the module does without a mathematics
    /// library.
    static func rounded(_ number: Double) -> Double {
        // Beyond this every number is whole; what is no number stays so.
        guard abs(number) < 4e15 else { return number }
        let whole = Double(Int64(number))
        let rest = number - whole
        return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
    }

    /// The number rounded to so many decimals, without zeros at their end; nil if it is too large for that.
    static func text(_ number: Double, decimals: Int) -> String? {
        var power = 1.0
        for _ in 0..<decimals { power *= 10 }
        let scaled = rounded(number * power)
        guard abs(scaled) < 9e15 else { return nil }
        let digits = String(abs(Int64(scaled)))
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.utf8.count)) + digits
        let sign = scaled < 0 ? "-" : ""
        guard decimals > 0 else { return sign + padded }
        var fraction = padded.suffix(decimals)
        while fraction.last == "0" { fraction.removeLast() }
        return sign + padded.dropLast(decimals) + (fraction.isEmpty ? "" : "." + fraction)
    }
}

extension String {
    /// The text without spaces around it.
    var trimmed: String {
        var text = self[...]
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

/// A day of the Gregorian calendar.
struct CalendarDay: CustomStringConvertible {
    let daysSince1970: Int

    init(daysSince1970: Int) { self.daysSince1970 = daysSince1970 }

    /// Reads `2026-11-23`; nil for anything else and for days that do not exist.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
            (1970...48_000).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        // Years begin in March here, so that the leap day is the last one.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        daysSince1970 = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        guard description == text else { return nil }
    }

    var description: String {
        let days = daysSince1970 + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let pad = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(pad(month))-\(pad(dayOfYear - (153 * shifted + 2) / 5 + 1))"
    }
}
