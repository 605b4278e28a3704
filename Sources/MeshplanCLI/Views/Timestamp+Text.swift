import MeshCore

extension Timestamp {
    /// The seconds from this time to another; negative if the other is earlier. Clocks and databases may contain any
    /// time, so the result is capped at the largest number.
    func seconds(to other: Timestamp) -> Int64 {
        let (difference, overflow) = other.rawValue.subtractingReportingOverflow(rawValue)
        guard overflow else { return difference }
        return other < self ? .min : .max
    }

    /// A time in the form of RFC 3339, in UTC, with milliseconds: `2026-11-21T06:30:00.250Z`.
    ///
    /// - Parameter milliseconds: since 1970.
    static func text(milliseconds: Int64) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(flooringBy: 1_000)
        let fraction = String(rest)
        return Timestamp(rawValue: seconds).text.dropLast()
            + ".\(String(repeating: "0", count: max(3 - fraction.utf8.count, 0)))\(fraction)Z"
    }

    /// A time in the form of RFC 3339, in UTC as events have it: `2026-11-21T06:30:00.250Z`. Nil for anything else.
    init?(text: String) {
        guard text.hasSuffix("Z"), text.utf8.count >= 20 else { return nil }
        self.init(compact: text.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z")
    }

    /// The time in the form of RFC 3339, in UTC: `2026-11-21T06:30:00Z`.
    var text: String {
        let (date, clock) = parts
        return "\(date)T\(clock)Z"
    }

    /// The date and the minute in a time zone, which is named: `2026-11-21 06:30 UTC`, `2026-11-21 07:30 UTC+01:00`.
    ///
    /// - Parameter quarters: how far east of UTC the zone is, in steps of 15 minutes; negative in the west.
    func minute(inZone quarters: Int) -> String {
        // No zone is further from UTC.
        let quarters = min(max(quarters, -56), 56)
        let (local, overflow) = rawValue.addingReportingOverflow(Int64(quarters) * 900)
        let (date, clock) = (overflow ? self : Timestamp(rawValue: local)).parts
        let (hours, rest) = abs(overflow ? 0 : quarters).quotientAndRemainder(dividingBy: 4)
        let offset = hours == 0 && rest == 0 ? "" : Self.digits(Int64(hours)) + ":" + Self.digits(Int64(rest) * 15)
        return "\(date) \(clock.prefix(5)) UTC\(offset.isEmpty ? "" : quarters < 0 ? "-" : "+")\(offset)"
    }

    private static func digits(_ value: Int64, _ count: Int = 2) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
    }

    /// The date and the time of day in UTC: `2026-11-21`, `06:30:00`.
    private var parts: (date: String, clock: String) {
        let (days, seconds) = rawValue.quotientAndRemainder(flooringBy: 86_400)
        // Days since 0000-03-01, in eras of 400 years. A year that begins in March has its leap day at the end.
        let shifted = days + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(flooringBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Self.digits($0) }
        return (
            "\(Self.digits(year, 4))-\(Self.digits(month))-\(Self.digits(day))", clock.joined(separator: ":")
        )
    }
}

extension Int64 {
    /// The quotient and remainder for a positive divisor; the remainder is never negative.
    fileprivate func quotientAndRemainder(flooringBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
