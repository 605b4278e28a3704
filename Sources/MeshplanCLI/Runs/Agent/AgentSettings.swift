/// What an agent is to do. Without more it only plans: everything that sends is off.
struct AgentSettings: Hashable {
    /// How many seconds pass from one look at the definitions to the next.
    var lookEvery: Int64 = 10
    /// Whether plans are applied whose digest is approved.
    var applies = false
    /// How nodes are read back; nil if they are not.
    var sampling: AgentSampling?
    /// The time of day in seconds from midnight, local time, from which tests are played each night; nil for never.
    var testsAt: Int64?

    /// When tests are next due, in seconds since 1970; nil for never. A time that has passed means at once.
    ///
    /// - Parameters:
    ///   - last: the day of the last tests, counted from 1970 in local time; nil before the first look.
    ///   - now: in seconds since 1970.
    ///   - ahead: how many seconds local time is ahead of UTC.
    func nextTests(after last: Int64?, at now: Int64, ahead: Int64) -> Int64? {
        guard let testsAt else { return nil }
        let (day, time) = Self.day(now, ahead)
        // An agent that is started during the day waits for the night.
        let isDone = last.map { $0 == day } ?? (time >= testsAt)
        return now + testsAt - time + (isDone ? 86_400 : 0)
    }

    /// The day, counted from 1970, and the seconds since its beginning in local time.
    static func day(_ now: Int64, _ ahead: Int64) -> (day: Int64, time: Int64) {
        let local = now + ahead
        let time = ((local % 86_400) + 86_400) % 86_400
        return ((local - time) / 86_400, time)
    }
}

/// A node that can be read back, as the database knows it.
struct AgentNode: Hashable {
    /// Its UUID, as texts have it.
    var uuid: String
    /// When it was last read back, in seconds since 1970; nil for never.
    var readAt: Int64?
    /// How long reading it back occupies the air if all relays repeat every PDU, in microseconds.
    var airtime: Int64
    /// How many messages reading it back takes if nothing is lost.
    var messages = 1
}

/// Which nodes are read back when: those first that were not read for longest, within a budget of airtime.
///
/// Airtime may be spent once it has accrued, so over any time no more than the budget is spent, and at most an hour's
/// worth at the start. A session reads a few nodes, so that a lamp never waits long for its turn on the air.
struct AgentSampling: Hashable {
    /// The share of the air that reading back may take, in millionths.
    var budget: Int64 = 5_000
    /// The time in seconds in which each node is to be read at least once.
    var within: Int64 = 7 * 86_400

    /// The pause between two sessions of a network, in seconds.
    static let pause: Int64 = 900
    /// The fewest nodes that a session may take.
    private static let usualNodes = 16

    /// A node that was read less than this many seconds ago is not read again: its battery and the air are worth more.
    var leastAge: Int64 { min(86_400, within / 2) }

    /// What accrues within some seconds, in microseconds of airtime.
    func accrued(within seconds: Int64) -> Int64 { min(max(seconds, 0), 366 * 86_400) * budget }

    var start: Int64 { accrued(within: 3_600) }

    /// The most that is saved up: a day's worth, or what the most expensive node takes.
    func most(for nodes: [AgentNode]) -> Int64 { max(accrued(within: 86_400), nodes.map(\.airtime).max() ?? 0) }

    /// The nodes of the next session.
    ///
    /// - Parameters:
    ///   - asked: when nodes were last asked without having to answer, by UUID.
    ///   - allowance: the airtime that may be spent, in microseconds.
    ///   - now: in seconds since 1970.
    func chosen(from nodes: [AgentNode], asked: [String: Int64], allowance: Int64, at now: Int64) -> [AgentNode] {
        // A time in the future says nothing: a clock was wrong.
        func last(_ node: AgentNode) -> Int64 {
            [node.readAt, asked[node.uuid]].compactMap(\.self).filter { $0 <= now }.max() ?? .min
        }
        let most = max(Self.usualNodes, nodes.count * Int(Self.pause) * 2 / Int(max(within, 1)))
        var left = allowance
        var chosen: [AgentNode] = []
        for (time, node) in nodes.map({ (last($0), $0) }).sorted(by: { ($0.0, $0.1.uuid) < ($1.0, $1.1.uuid) }) {
            guard chosen.count < most, time <= now - leastAge, node.airtime <= left
            else { break }
            left -= node.airtime
            chosen.append(node)
        }
        return chosen
    }

    /// The share of the air, in millionths, that it takes to read all nodes once in time.
    func needed(for nodes: [AgentNode]) -> Int64 {
        let all = nodes.reduce(Int64(0)) { $0.addingReportingOverflow($1.airtime).partialValue }
        return (all + within - 1) / max(within, 1)
    }
}
