import DefinitionModel
import MeshCore

/// Durations with units: `20ms`, `10s`, `1.5s`, `5m`, `1h`.
enum Durations {
    /// The milliseconds of a duration, at most a year.
    static func milliseconds(_ text: String) throws(ScalarProblem) -> Int {
        if let milliseconds = wholeMilliseconds(text) { return milliseconds }
        let bytes = text.utf8
        let end = bytes.firstIndex { !Numbers.isDigit($0) && $0 != UInt8(ascii: ".") } ?? bytes.endIndex
        let number = text[..<end]
        let unit = String(text[end...])
        let point = number.utf8.firstIndex(of: UInt8(ascii: "."))
        let whole = number[..<(point ?? end)]
        let fraction = point.map { number[number.utf8.index(after: $0)...] } ?? ""
        guard !whole.isEmpty, point == nil || !fraction.isEmpty, !fraction.utf8.contains(UInt8(ascii: ".")) else {
            throw ScalarProblem("\(quoted(text)) is not a duration", hint: "write it like 20ms, 10s, 5m or 1h")
        }
        guard !unit.isEmpty else {
            throw ScalarProblem(
                "\(quoted(text)) has no unit",
                hint: "write \(number)ms, \(number)s, \(number)m or \(number)h"
            )
        }
        guard let factor = DurationText.units.first(where: { $0.0 == unit })?.1 else {
            throw ScalarProblem("\(quoted(text)) has an unknown unit", hint: "units are ms, s, m and h")
        }
        guard whole.utf8.count <= 11, fraction.utf8.count <= 6, let scaled = Int(String(whole + fraction)) else {
            throw ScalarProblem("\(quoted(text)) has too many digits")
        }
        let divisor = (0..<fraction.utf8.count).reduce(1) { power, _ in power * 10 }
        let (product, overflow) = scaled.multipliedReportingOverflow(by: factor)
        guard !overflow else { throw ScalarProblem("\(quoted(text)) is too long") }
        guard product % divisor == 0 else {
            throw ScalarProblem("\(quoted(text)) has a fraction of a millisecond")
        }
        return product / divisor
    }

    /// The milliseconds of a duration of up to nine digits and a unit; nil for anything else. A large definition holds
    /// tens of thousands of these.
    private static func wholeMilliseconds(_ text: String) -> Int? {
        var text = text
        return text.withUTF8 { bytes in
            let end = bytes.firstIndex { !Numbers.isDigit($0) } ?? bytes.endIndex
            guard (1...9).contains(end) else { return nil }
            let number = bytes[..<end].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            let unit = DurationText.units.first { $0.0.utf8.elementsEqual(bytes[end...]) }
            return unit.map { number * $0.1 }
        }
    }

    /// The steps, counted from 0, of an interval that is a multiple of `step` milliseconds; at most `count` steps.
    static func interval(_ text: String, step: Int, count: Int = 32) throws(ScalarProblem) -> UInt8 {
        let milliseconds = try milliseconds(text)
        let range = step...(count * step)
        guard range.contains(milliseconds), milliseconds % step == 0 else {
            let below = min(max(milliseconds / step * step, range.lowerBound), range.upperBound)
            let above = min(max(below + (milliseconds > below ? step : 0), range.lowerBound), range.upperBound)
            throw ScalarProblem(
                "an interval of \(quoted(text)) cannot be set",
                hint: "\(nearest(below, above)); it can be \(format(range.lowerBound)) to \(format(range.upperBound))"
                    + " in steps of \(format(step))"
            )
        }
        return UInt8(milliseconds / step - 1)
    }

    /// A publish period (Mesh Protocol 4.2.3.2): up to 63 steps of 100 ms, 1 s, 10 s or 10 min.
    static func period(_ text: String) throws(ScalarProblem) -> PublishPeriod {
        let milliseconds = try milliseconds(text)
        if let period = PublishPeriod(milliseconds: milliseconds) { return period }
        var below = 0
        var above = Int.max
        for resolution in PublishPeriod.Resolution.allCases {
            let step = resolution.milliseconds
            below = max(below, min(milliseconds / step, 63) * step)
            let up = (milliseconds / step + 1) * step
            if up <= 63 * step { above = min(above, up) }
        }
        let longest = 63 * PublishPeriod.Resolution.tenMinutes.milliseconds
        if above == Int.max { above = longest }
        let lowest = below == 0 ? above : below
        throw ScalarProblem(
            "a period of \(quoted(text)) cannot be set",
            hint: "\(nearest(lowest, above)); it is up to 63 steps of 100ms, 1s, 10s or 10m"
        )
    }

    /// The seconds during which a device draws attention to itself, 0 to 255.
    static func attention(_ text: String) throws(ScalarProblem) -> UInt8 {
        let milliseconds = try milliseconds(text)
        guard milliseconds % 1000 == 0, let seconds = UInt8(exactly: milliseconds / 1000) else {
            throw ScalarProblem(
                "a device cannot draw attention to itself for \(quoted(text))",
                hint: "write whole seconds, 0s to 255s"
            )
        }
        return seconds
    }

    /// The period of heartbeats (Mesh Protocol 4.2.18.3): a power of two in seconds, up to 65536. A node counts 65535
    /// of the longest.
    static func heartbeatPeriod(_ text: String) throws(ScalarProblem) -> HeartbeatPeriodLog {
        let milliseconds = try milliseconds(text)
        let longest = 65_536_000
        if milliseconds > 0, milliseconds % 1000 == 0, milliseconds <= longest,
            let period = HeartbeatPeriodLog(seconds: UInt32(min(milliseconds / 1000, 65_535)))
        {
            return period
        }
        var below = 1000
        while below * 2 <= min(milliseconds, longest) { below *= 2 }
        let above = milliseconds < 1000 || below == longest ? below : below * 2
        throw ScalarProblem(
            "a period of \(quoted(text)) cannot be set",
            hint: "\(nearest(below, above)); it is a power of two of seconds, 1s to 65536s"
        )
    }

    /// How often the random in private beacons changes, in steps of 10 s (Mesh Protocol 1.1, 4.2.44.2); 0 means with
    /// every beacon.
    static func randomUpdateInterval(_ text: String) throws(ScalarProblem) -> UInt8 {
        if try milliseconds(text) == 0 { return 0 }
        return try interval(text, step: 10_000, count: 255) + 1
    }

    /// For how many seconds a node advertises after a solicitation: 1 to 255, or 0 for `off`.
    static func onDemandPrivateProxy(_ text: String) throws(ScalarProblem) -> UInt8 {
        if let isOn = try? Words.boolean(text) {
            if !isOn { return 0 }
            throw ScalarProblem("\(quoted(text)) does not say for how long", hint: "write 1s to 255s, or off")
        }
        return try interval(text, step: 1000, count: 255) + 1
    }

    private static func nearest(_ below: Int, _ above: Int) -> String {
        below == above ? "the nearest is \(format(below))" : "the nearest are \(format(below)) and \(format(above))"
    }

    private static func format(_ milliseconds: Int) -> String { DurationText.text(milliseconds: milliseconds) }
}
