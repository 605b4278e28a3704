import Execution
import MeshCore
import Planning

/// How far a run is, for people: one line that a terminal rewrites, or a line every ten seconds where none can be
/// rewritten.
struct RunProgress {
    /// How often a line is written that stays.
    private static let interval: Int64 = 10_000
    /// The most nodes to name that are being talked to.
    private static let mostNamed = 2

    /// What is counted: steps, or nodes that are read back.
    private let noun: String
    /// The steps that have ended, and all of them.
    var steps = (decided: 0, total: 0)
    /// The devices that are nodes by now, and all that are to be.
    var devices = (done: 0, total: 0)
    /// What happens to the device that was heard last.
    var activity: String?
    /// How many nodes do not answer.
    var pending = 0
    /// What the run has told of itself last.
    private(set) var figures: RunFigures?
    private var expectation: Expectation
    private var lastLine: Int64?

    /// How long the run will take as the plan says, which is worked out when it is needed first.
    private enum Expectation {
        case unknown(() -> Double?)
        case known(Double?)
    }

    /// Nothing so far.
    ///
    /// - Parameters:
    ///   - noun: what is counted.
    ///   - estimate: the seconds that the run will take; nil if nobody knows.
    init(of noun: String = "step", estimate: @escaping () -> Double? = { nil }) {
        self.noun = noun
        expectation = .unknown(estimate)
    }

    mutating func take(_ figures: RunFigures) { self.figures = figures }

    /// The line at the bottom of a terminal; nil before there are steps. What is least important is left out if the
    /// line is too long.
    mutating func status(_ style: Style, _ name: (DeviceUUID) -> String) -> String? {
        guard steps.total > 0 else { return nil }
        let bars = 10
        let filled = steps.decided * bars / steps.total
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: bars - filled)
        var parts: [(rank: Int, text: String)] = [(0, "[\(bar)] \(steps.decided) of \(count(steps.total, noun))")]
        if devices.done < devices.total {
            parts = [
                (0, "provisioning \(devices.done) of \(devices.total)"),
                (3, "\(steps.decided) of \(count(steps.total, noun))"),
            ]
        }
        if let time = time() { parts.append((activity == nil ? 1 : 2, time)) }
        if pending > 0 { parts.append((3, "\(pending) pending")) }
        if let figures {
            if figures.retries > 0 { parts.append((4, count(figures.retries, "retry", plural: "retries"))) }
            if figures.messages > 0 { parts.append((5, count(figures.messages, "message"))) }
            if figures.links > 0 { parts.append((6, count(figures.links, "link"))) }
        }
        if let who = activity ?? asked(name) { parts.append((activity == nil ? 2 : 1, who)) }
        let dot = style.drawsBoxes ? " · " : " - "
        while parts.count > 1, parts.map(\.text).joined(separator: dot).displayWidth > style.width - 1 {
            guard let last = parts.map(\.rank).max(), last > 1 else { break }
            parts.removeAll { $0.rank == last }
        }
        return parts.map(\.text).joined(separator: dot)
    }

    /// The line that stays, if it is due.
    ///
    /// - Parameter now: the calendar time in milliseconds; ten seconds of it pass between two lines.
    mutating func line(at now: Int64, _ name: (DeviceUUID) -> String) -> String? {
        guard steps.total > 0, let figures else { return nil }
        guard let last = lastLine, now >= last else {
            lastLine = now
            return nil
        }
        guard now - last >= Self.interval else { return nil }
        lastLine = now
        let parts = [
            time(), "\(steps.decided) of \(count(steps.total, noun))",
            devices.done < devices.total ? "provisioned \(devices.done) of \(devices.total)" : nil,
            figures.messages > 0 ? count(figures.messages, "message") : nil,
            figures.retries > 0 ? count(figures.retries, "retry", plural: "retries") : nil,
            pending > 0 ? "\(pending) pending" : nil, figures.links > 0 ? count(figures.links, "link") : nil,
            activity ?? asked(name),
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    /// Who is being talked to: `lamp-7, lamp-9 +6`.
    private func asked(_ name: (DeviceUUID) -> String) -> String? {
        guard let asked = figures?.asked, !asked.isEmpty else { return nil }
        let more = asked.count - Self.mostNamed
        return asked.prefix(Self.mostNamed).map(name).joined(separator: ", ") + (more > 0 ? " +\(more)" : "")
    }

    /// `1:04, 2:30 left`.
    private mutating func time() -> String? {
        guard let figures else { return nil }
        let elapsed = Double(figures.elapsed.microseconds) / 1e6
        guard let left = remaining(after: elapsed) else { return Self.clock(elapsed) }
        return "\(Self.clock(elapsed)), \(Self.clock(left)) left"
    }

    /// The seconds that are left: at first by the estimate, and the more of the run is over, the more by its own pace.
    private mutating func remaining(after elapsed: Double) -> Double? {
        if case .unknown(let estimate) = expectation { expectation = .known(estimate()) }
        guard case .known(let estimate?) = expectation, steps.total > 0 else { return nil }
        let share = Double(steps.decided) / Double(steps.total)
        guard share > 0 else { return max(estimate - elapsed, 0) }
        let trust = min(2 * share, 1)
        return max((1 - trust) * estimate + trust * elapsed / share - elapsed, 0)
    }

    /// `0:07`, `12:30`, `1:02:30`.
    private static func clock(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0), 1e7).rounded())
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let hours = whole / 3_600
        let minutes = whole / 60 % 60
        return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":" + two(whole % 60)
    }
}
