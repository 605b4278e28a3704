import DefinitionModel
import MeshCore

/// A schedule as people say it: `every workday at 19:30 recall evening in room office`.
///
/// It is read word by word. A word that does not fit is reported at its own place, with the words that could stand
/// there.
struct ScheduleSentence {
    /// A word that does not fit.
    struct Problem: Error {
        var message: String
        var hint: String?
        /// Where the word begins, in characters from the beginning of the text, and its length.
        var offset: Int
        var length: Int
    }

    /// A word and where it begins.
    struct Word {
        var text: String
        var offset: Int
    }

    /// What is done, and by whom.
    struct Deed {
        var action: ScheduleAction
        /// Where the scene, or the word `on` or `off`, begins.
        var offset: Int
        /// The transition time as in messages.
        var transition: UInt8
    }

    /// Which nodes do it.
    enum Place {
        case everywhere
        case tags([(tag: Word, value: Word)])
        case nodes([Word])
    }

    private var words: ArraySlice<Word>
    private let end: Int

    init(_ text: String) {
        var words: [Word] = []
        var current = ""
        var offset = 0
        func finish(_ word: String, at end: Int) {
            guard !word.isEmpty else { return }
            let isListed = word.count > 1 && word.hasSuffix(",")
            words.append(Word(text: isListed ? String(word.dropLast()) : word, offset: end - word.count))
            if isListed { words.append(Word(text: ",", offset: end - 1)) }
        }
        for character in text {
            if character.isWhitespace {
                finish(current, at: offset)
                current = ""
            } else {
                current.append(character)
            }
            offset += 1
        }
        finish(current, at: offset)
        self.words = words[...]
        end = offset
    }

    // MARK: Words

    private var following: String? { words.first?.text.lowercased() }

    private mutating func takes(_ expected: String) -> Bool {
        guard following == expected else { return false }
        words.removeFirst()
        return true
    }

    /// The next word, if there is one.
    private mutating func take(_ what: String, _ hint: String) throws(Problem) -> Word {
        guard let word = words.popFirst() else {
            throw Problem(message: "the sentence ends before \(what)", hint: hint, offset: end, length: 1)
        }
        return word
    }

    private func unfit(_ word: Word, _ what: String, among allowed: [String], _ hint: String? = nil) -> Problem {
        let known = Suggestion.hint(for: word.text.lowercased(), among: allowed, are: "write one of")
        return Problem(
            message: "\(quoted(word.text)) is not \(what)",
            hint: hint ?? known,
            offset: word.offset,
            length: word.text.count
        )
    }

    private mutating func expect(_ allowed: [String], _ what: String) throws(Problem) -> String {
        let word = try take(what, "write one of: \(allowed.joined(separator: ", "))")
        let text = word.text.lowercased()
        guard allowed.contains(text) else { throw unfit(word, what, among: allowed) }
        return text
    }

    /// Nothing may follow.
    func expectEnd() throws(Problem) {
        guard let word = words.first else { return }
        throw Problem(
            message: "\(quoted(word.text)) is one word too many",
            hint: "the sentence is complete before it",
            offset: word.offset,
            length: word.text.count
        )
    }

    // MARK: When

    /// `every workday at 19:30`, `on 24 december at 18:00`, `every 15 minutes`, `once an hour`.
    mutating func time() throws(Problem) -> ScheduleTime {
        var time = ScheduleTime()
        switch following {
        case "once": try clock(&time)
        case "on":
            words.removeFirst()
            try date(&time)
            try clock(&time)
        case "every":
            let next = words.dropFirst().first?.text.lowercased() ?? ""
            if next == "hour" || next.first?.isNumber == true {
                try clock(&time)
                break
            }
            words.removeFirst()
            time.weekdays = try weekdays()
            if takes("of") { time.months = try months() }
            if takes("in") { time.year = try year(try take("a year", "write it like 2027")) }
            try clock(&time)
        default:
            _ = try expect(["every", "on", "once"], "a beginning of a time")
        }
        return time
    }

    private mutating func weekdays() throws(Problem) -> UInt8 {
        let groups = ["day", "workday", "weekday", "weekend"]
        var days: UInt8 = 0
        repeat {
            let word = try take("a day", "write `day`, `workday`, `weekend`, or names such as `monday and friday`")
            switch word.text.lowercased() {
            case "day": days |= 0x7F
            case "workday", "weekday": days |= ScheduleTime.workdays
            case "weekend": days |= ScheduleTime.weekend
            case let name:
                guard let day = Self.position(of: name, in: ScheduleTime.weekdayNames) else {
                    throw unfit(word, "a day", among: groups + ScheduleTime.weekdayNames)
                }
                days |= 1 << UInt8(day)
            }
        } while takes("and") || takes(",")
        return days
    }

    private mutating func months() throws(Problem) -> UInt16 {
        if takes("every") {
            _ = try expect(["month"], "`month`")
            return 0xFFF
        }
        var months: UInt16 = 0
        repeat {
            let word = try take("a month", "write a name such as `june`, or `every month`")
            guard let month = Self.position(of: word.text.lowercased(), in: ScheduleTime.monthNames) else {
                throw unfit(word, "a month", among: ScheduleTime.monthNames)
            }
            months |= 1 << UInt16(month)
        } while takes("and") || takes(",")
        return months
    }

    /// The place of a name that may be given by its first three letters, and of a weekday in the plural.
    private static func position(of word: String, in names: [String]) -> Int? {
        let singular = word.hasSuffix("s") && word.count > 3 ? String(word.dropLast()) : word
        return names.firstIndex { $0 == word || $0 == singular || word.count == 3 && $0.hasPrefix(word) }
    }

    /// `24 december`, `24 december 2026`, `1 of every month`.
    private mutating func date(_ time: inout ScheduleTime) throws(Problem) {
        let word = try take("the day of a month", "write a date such as `24 december`, or `1 of every month`")
        guard let day = Int(word.text), (1...31).contains(day) else {
            let isWeekday = Self.position(of: word.text.lowercased(), in: ScheduleTime.weekdayNames) != nil
            let hint = isWeekday ? "write `every \(word.text.lowercased())`" : "write a number from 1 to 31"
            throw unfit(word, "the day of a month", among: [], hint)
        }
        time.day = UInt8(day)
        _ = takes("of")
        time.months = try months()
        if let next = following, next.first?.isNumber == true { time.year = try year(try take("a year", "")) }
        let lengths = [31, time.year == 100 || time.year % 4 == 0 ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        let fits = lengths.indices.contains { time.months >> $0 & 1 == 1 && day <= lengths[$0] }
        guard fits else {
            let name = ScheduleTime.monthNames[time.months.trailingZeroBitCount % 12]
            let year = time.year == 100 ? "" : " of 20\(time.year < 10 ? "0" : "")\(time.year)"
            throw Problem(
                message: "there is no day \(day) in \(name)\(year)",
                hint: "the last one is \(lengths[time.months.trailingZeroBitCount % 12])",
                offset: word.offset,
                length: word.text.count
            )
        }
    }

    private func year(_ word: Word) throws(Problem) -> UInt8 {
        guard let year = Int(word.text), (2000...2099).contains(year) else {
            throw unfit(word, "a year that nodes can hold", among: [], "write one from 2000 to 2099")
        }
        return UInt8(year - 2000)
    }

    private mutating func clock(_ time: inout ScheduleTime) throws(Problem) {
        switch try expect(["at", "every", "once"], "a time of day") {
        case "at": try timeOfDay(&time)
        case "every":
            let word = try take("an interval", "write `15 minutes`, `20 minutes` or `hour`")
            switch word.text.lowercased() {
            case "hour": time.minute = 0
            case "15", "20":
                _ = try expect(["minutes"], "`minutes`")
                time.minute = word.text == "15" ? 61 : 62
            default:
                let hint = "schedulers know `every 15 minutes`, `every 20 minutes` and `every hour`"
                throw unfit(word, "an interval that schedulers know", among: [], hint)
            }
        default:
            if try expect(["a", "an"], "`an hour` or `a day`") == "an" {
                _ = try expect(["hour"], "`hour`")
                time.minute = 63
            } else {
                _ = try expect(["day"], "`day`")
                time.hour = 25
            }
        }
    }

    private mutating func timeOfDay(_ time: inout ScheduleTime) throws(Problem) {
        let word = try take("a time of day", "write it like 19:30")
        let parts = word.text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            (1...2).contains(part.count) && part.utf8.allSatisfy(Numbers.isDigit) ? UInt8(part) : nil
        }
        guard (2...3).contains(parts.count), numbers.count == parts.count, numbers[0] < 24,
            numbers.dropFirst().allSatisfy({ $0 < 60 })
        else { throw unfit(word, "a time of day", among: [], "write one from 00:00 to 23:59, like 19:30") }
        time.hour = numbers[0]
        time.minute = numbers[1]
        time.second = numbers.count == 3 ? numbers[2] : 0
    }

    // MARK: What

    /// `recall evening over 5s`, `switch off`.
    mutating func deed() throws(Problem) -> Deed {
        let action: ScheduleAction
        let word: Word
        if try expect(["recall", "switch"], "what is done") == "recall" {
            word = try take("the name of a scene", "write a name of `scenes:`")
            guard Name.isValid(word.text) else { throw unfit(word, "a name", among: []) }
            action = .recall(word.text)
        } else {
            word = try take("`on` or `off`", "write `switch on` or `switch off`")
            guard let isOn = ["on": true, "off": false][word.text.lowercased()] else {
                throw unfit(word, "`on` or `off`", among: ["on", "off"])
            }
            action = isOn ? .on : .off
        }
        let transition = takes("over") ? try self.transition() : 0
        return Deed(action: action, offset: word.offset, transition: transition)
    }

    private mutating func transition() throws(Problem) -> UInt8 {
        let word = try take("a transition time", "write it like 5s")
        do throws(ScalarProblem) {
            let milliseconds = try Durations.milliseconds(word.text)
            guard let octet = TransitionWords.octet(milliseconds: milliseconds) else {
                throw ScalarProblem(
                    "\(quoted(word.text)) is a transition time that messages cannot hold",
                    hint: "they hold 62 steps of 100ms, 1s, 10s or 10m"
                )
            }
            return octet
        } catch {
            throw Problem(message: error.message, hint: error.hint, offset: word.offset, length: word.text.count)
        }
    }

    // MARK: Where

    /// `in room office and floor 2`, `on lamp-1 and lamp-2`, `everywhere`.
    mutating func place() throws(Problem) -> Place {
        switch try expect(["everywhere", "in", "on"], "the place") {
        case "everywhere": return .everywhere
        case "in":
            var tags: [(tag: Word, value: Word)] = []
            repeat {
                let tag = try take("a tag", "write a tag and its value, such as `in room office`")
                guard Name.isValid(tag.text) else { throw unfit(tag, "a tag", among: []) }
                let hint = "write a tag and its value, such as `in room \(tag.text)`"
                let value = try take("the value of the tag \(quoted(tag.text))", hint)
                tags.append((tag, value))
            } while takes("and") || takes(",")
            return .tags(tags)
        default:
            var nodes: [Word] = []
            repeat {
                let node = try take("the name of a node", "write a name or a pattern, such as `on lamp-*`")
                guard Name.isValidPattern(node.text) else { throw unfit(node, "the name of a node", among: []) }
                nodes.append(node)
            } while takes("and") || takes(",")
            return .nodes(nodes)
        }
    }
}

/// Transition times as messages hold them (Mesh Model 3.1.3): steps in the lower six bits, their length above.
enum TransitionWords {
    private static let lengths = [100, 1_000, 10_000, 600_000]

    /// The octet of exactly that time; nil if messages cannot hold it.
    static func octet(milliseconds: Int) -> UInt8? {
        for (index, length) in lengths.enumerated() where milliseconds % length == 0 && milliseconds / length <= 62 {
            return UInt8(index << 6 | milliseconds / length)
        }
        return nil
    }

    /// The time of an octet, in milliseconds.
    static func milliseconds(_ octet: UInt8) -> Int { lengths[Int(octet >> 6)] * Int(octet & 0x3F) }
}
