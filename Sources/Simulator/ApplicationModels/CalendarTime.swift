/// A day of the Gregorian calendar, counted from 2000-01-01, a Saturday.
struct CalendarDay: Hashable {
    let year: Int64
    /// 1 to 12.
    let month: Int64
    /// 1 to 31.
    let day: Int64

    static func length(of month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        default: 31
        }
    }

    /// The day after so many days.
    init(number: Int64) {
        // Days since 0000-03-01, when the leap day is the last of a year.
        let days = number + 730_425
        let era = days / 146_097
        let inEra = days % 146_097
        let yearOfEra = (inEra - inEra / 1_460 + inEra / 36_524 - inEra / 146_096) / 365
        let inYear = inEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * inYear + 2) / 153
        day = inYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The day of the week, 0 for Monday.
    static func weekday(number: Int64) -> Int64 { (number + 5) % 7 }
}

/// When an entry of a scheduler is due: what its fields allow (Mesh Model 5.1.4.2).
struct ScheduleRule: Hashable {
    /// 0 to 99, or 100 for any.
    let year: Int64
    let months: Int64
    /// 1 to 31, or 0 for any. A day that a month does not have is its last.
    let day: Int64
    /// 0 to 23, 24 for any, 25 for one of the day.
    let hour: Int64
    /// 0 to 59, 60 for any, 61 and 62 for every 15 and 20, 63 for one of the hour.
    let minute: Int64
    /// The same within the minute.
    let second: Int64
    /// A bit for each day, the lowest for Monday.
    let weekdays: Int64
    /// Chooses where a field leaves it to chance.
    let chance: Int64

    /// The first due second after a local time, both in seconds since 2000-01-01; nil if there is none within a
    /// hundred years.
    func next(after time: Int64) -> Int64? {
        guard months != 0, weekdays != 0, time >= 0 else { return nil }
        let today = time / 86_400
        for number in today...(today + 36_525) where allows(number) {
            let rest = number == today ? time % 86_400 : -1
            if let second = secondOfDay(after: rest, number) { return number * 86_400 + second }
        }
        return nil
    }

    private func allows(_ number: Int64) -> Bool {
        guard weekdays >> CalendarDay.weekday(number: number) & 1 == 1 else { return false }
        let date = CalendarDay(number: number)
        guard year == 100 || date.year % 100 == year, months >> (date.month - 1) & 1 == 1 else { return false }
        return day == 0 || date.day == min(day, CalendarDay.length(of: date.month, date.year))
    }

    private func secondOfDay(after rest: Int64, _ day: Int64) -> Int64? {
        let hours = hour == 24 ? Array(0..<24) : hour == 25 ? [(chance + day * 7) % 24] : [hour]
        for hour in hours where hour * 3_600 + 3_599 > rest {
            for minute in Self.choices(minute, chance + hour) where hour * 3_600 + minute * 60 + 59 > rest {
                for second in Self.choices(second, chance + minute) {
                    let time = hour * 3_600 + minute * 60 + second
                    if time > rest { return time }
                }
            }
        }
        return nil
    }

    private static func choices(_ field: Int64, _ chance: Int64) -> [Int64] {
        switch field {
        case 60: Array(0..<60)
        case 61: [0, 15, 30, 45]
        case 62: [0, 20, 40]
        case 63: [chance * 37 % 60]
        default: [field]
        }
    }
}
