import MeshCore

/// When the next message may go out, so that a survey keeps its share of the air, or its time.
struct HopPace {
    /// However little a message takes: an advertiser is busy with its copies for some 50 ms.
    private static let shortest = Duration.milliseconds(100)
    /// So much of the time is planned; what is left is for answers that nobody awaited, and for waiting.
    private static let planned = 0.8

    private let budget: HopBudget
    let end: Instant
    /// How long the air was busy so far.
    private(set) var used = Duration.zero
    /// When the next message may go out.
    private(set) var freeAt: Instant

    init(_ budget: HopBudget, at now: Instant) {
        self.budget = budget
        freeAt = now
        end = if case .time(let duration) = budget { now.advanced(by: duration) } else { .distantFuture }
    }

    /// Whether a message may go out.
    func isFree(at now: Instant) -> Bool { now >= freeAt }

    /// When a share of the air is kept that is one of the whole time; at once if a time is kept.
    var settledAt: Instant { if case .airtime = budget { freeAt } else { .zero } }

    func isOver(at now: Instant) -> Bool { now >= end }

    /// A message takes so long of the air.
    ///
    /// - Parameter rest: what all further messages take, about.
    mutating func take(_ air: Duration, of rest: Duration, at now: Instant) {
        used += air
        let share: Double
        switch budget {
        case .airtime(let most): share = most
        case .time:
            let left = max(Double(now.duration(to: end).microseconds) * Self.planned, 1)
            share = Double((rest + air).microseconds) / left
        }
        let pause = Double(air.microseconds) / max(share, 1e-6)
        let free = max(freeAt, now).advanced(by: .microseconds(Int64(min(pause, 1e12))))
        freeAt = max(free, now.advanced(by: Self.shortest))
    }
}
