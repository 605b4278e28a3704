/// What the schedulers of some nodes do at certain times.
package struct ScheduleDefinition: Hashable, Sendable {
    package var name: Located<String>
    package var time: Located<ScheduleTime>
    package var action: Located<ScheduleAction>
    /// The transition time as in messages: 0 for none (Mesh Model 3.1.3).
    package var transition: UInt8
    package var nodes: NodeSelector

    package init(
        name: Located<String>,
        time: Located<ScheduleTime>,
        action: Located<ScheduleAction>,
        transition: UInt8,
        nodes: NodeSelector
    ) {
        self.name = name
        self.time = time
        self.action = action
        self.transition = transition
        self.nodes = nodes
    }
}

/// When an entry of a scheduler is due, in the numbers of messages (Mesh Model 5.1.4.2).
package struct ScheduleTime: Hashable, Sendable {
    /// The last two digits of the year; 100 for any.
    package var year: UInt8 = 100
    /// Bit 0 is January.
    package var months: UInt16 = 0xFFF
    /// The day of the month; 0 for any.
    package var day: UInt8 = 0
    /// 24 for any, 25 for once a day at random.
    package var hour: UInt8 = 24
    /// 61 for every 15 minutes, 62 for every 20, 63 for once an hour at random.
    package var minute: UInt8 = 0
    package var second: UInt8 = 0
    /// Bit 0 is Monday.
    package var weekdays: UInt8 = 0x7F

    package init() {}

    /// Monday to Friday.
    package static let workdays: UInt8 = 0x1F
    /// Saturday and Sunday.
    package static let weekend: UInt8 = 0x60
    /// The names of the weekdays, from Monday.
    package static let weekdayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    /// The names of the months, from January.
    package static let monthNames = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
}

/// What a scheduler does.
package enum ScheduleAction: Hashable, Sendable {
    /// It switches the lamps of its element and those that follow off.
    case off
    case on
    case recall(String)
}

// MARK: - In words

extension ScheduleTime {
    /// The time as definitions say it: `every workday at 19:30`.
    package var words: String {
        let clock = clockWords
        if day != 0 {
            let months = monthList
            let date = months.count == 1 ? "\(day) \(months[0])" : "\(day) of \(monthWords)"
            return "on \(date)\(year == 100 ? "" : " 20\(Self.twoDigits(year))") \(clock)"
        }
        let months = self.months & 0xFFF == 0xFFF ? "" : " of \(monthWords)"
        return "every \(dayWords)\(months)\(year == 100 ? "" : " in 20\(Self.twoDigits(year))") \(clock)"
    }

    private var clockWords: String {
        switch (hour, minute) {
        case (25, _): return "once a day"
        case (24, 61): return "every 15 minutes"
        case (24, 62): return "every 20 minutes"
        case (24, 63): return "once an hour"
        case (24, 0): return "every hour"
        default:
            let seconds = second == 0 ? "" : ":" + Self.twoDigits(second)
            return "at \(Self.twoDigits(hour)):\(Self.twoDigits(minute))\(seconds)"
        }
    }

    private var dayWords: String {
        switch weekdays {
        case 0x7F: "day"
        case Self.workdays: "workday"
        case Self.weekend: "weekend"
        default: Self.list(Self.weekdayNames.enumerated().filter { weekdays >> $0.offset & 1 == 1 }.map(\.element))
        }
    }

    private var monthList: [String] {
        Self.monthNames.enumerated().filter { months >> $0.offset & 1 == 1 }.map(\.element)
    }

    private var monthWords: String {
        let months = monthList
        return months.count == 12 ? "every month" : Self.list(months)
    }

    private static func list(_ words: [String]) -> String { words.joined(separator: " and ") }

    private static func twoDigits(_ number: UInt8) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
