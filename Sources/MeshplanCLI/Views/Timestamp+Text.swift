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

    /// The time in the form of RFC 3339, in UTC: `2026-11-21T06:30:00Z`.
    var text: String {
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
        func digits(_ value: Int64, _ count: Int = 2) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
        }
        let date = "\(digits(year, 4))-\(digits(month))-\(digits(day))"
        return "\(date)T\(digits(seconds / 3600)):\(digits(seconds / 60 % 60)):\(digits(seconds % 60))Z"
    }
}

extension Int64 {
    /// The quotient and remainder for a positive divisor; the remainder is never negative.
    fileprivate func quotientAndRemainder(flooringBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
