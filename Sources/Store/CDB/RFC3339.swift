import MeshCore

extension Timestamp {
    /// The time in the notation of RFC 3339, in UTC: `2026-11-21T06:16:58Z`.
    ///
    /// The date is computed in eras of 400 years that begin on the first of March, so a leap day is the last of its
    /// year.
    var rfc3339: String {
        // Years have four digits only; a time outside them does not occur in a database.
        let seconds = min(max(rawValue, -62_135_596_800), 253_402_300_799)
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let time = seconds - days * 86_400
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func digits(_ value: Int64, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
        return "\(date)T\(digits(time / 3_600, 2)):\(digits(time / 60 % 60, 2)):\(digits(time % 60, 2))Z"
    }
    /// Whether a text is a date and time in the notation of RFC 3339, with or without fractions of seconds and offsets
    /// from UTC.
    static func isRFC3339(_ text: String) -> Bool {
        text.wholeMatch(
            of:
                #/\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)/#
        ) != nil
    }
}
