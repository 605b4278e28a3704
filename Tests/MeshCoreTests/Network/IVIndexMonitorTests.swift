import MeshCore
import TestSupport
import Testing

@Suite("The limits of the IV index")
struct IVIndexMonitorTests {
    private static let hour: Int64 = 3_600_000_000

    /// So many hours on a clock that began at 0.
    private static func hours(_ hours: Int64) -> Instant { Instant(microseconds: hours * hour) }

    /// What is known, since when and when it was last recovered, in hours; what is heard; when; what comes of it.
    struct Case: CustomTestStringConvertible, Sendable {
        var known: IVIndex
        var changedAt: Int64?
        var recoveredAt: Int64?
        var heard: IVIndex
        var now: Int64
        var verdict: IVIndexMonitor.Verdict

        var testDescription: String {
            "\(known) since \(changedAt ?? -1)/\(recoveredAt ?? -1) hears \(heard) at \(now)"
        }

        init(
            _ known: IVIndex,
            since changedAt: Int64?,
            recovered recoveredAt: Int64? = nil,
            hears heard: IVIndex,
            at now: Int64,
            _ verdict: IVIndexMonitor.Verdict
        ) {
            self.known = known
            self.changedAt = changedAt
            self.recoveredAt = recoveredAt
            self.heard = heard
            self.now = now
            self.verdict = verdict
        }
    }

    private static func normal(_ value: UInt32) -> IVIndex { IVIndex(value: value) }
    private static func updating(_ value: UInt32) -> IVIndex { IVIndex(value: value, isUpdateInProgress: true) }

    private static let cases: [Case] = [
        // An update begins after 96 hours in normal operation, and ends after 96 hours.
        Case(normal(7), since: 0, hears: updating(8), at: 95, .ignored(.tooSoon(until: hours(96)))),
        Case(normal(7), since: 0, hears: updating(8), at: 96, .changed(updating(8))),
        Case(updating(8), since: 0, hears: normal(8), at: 95, .ignored(.tooSoon(until: hours(96)))),
        Case(updating(8), since: 0, hears: normal(8), at: 96, .changed(normal(8))),
        // The time of a recovery does not matter to an update.
        Case(normal(7), since: 0, recovered: 0, hears: updating(8), at: 96, .changed(updating(8))),
        // A recovery is possible at once after an update, and the next one 192 hours after the last.
        Case(normal(7), since: 0, hears: normal(8), at: 1, .changed(normal(8))),
        Case(normal(7), since: 0, hears: normal(49), at: 1, .changed(normal(49))),
        Case(normal(7), since: 0, hears: normal(50), at: 1000, .ignored(.tooFarAhead)),
        Case(updating(8), since: 0, hears: updating(9), at: 1, .changed(updating(9))),
        Case(
            normal(7),
            since: 0,
            recovered: 0,
            hears: normal(8),
            at: 191,
            .ignored(.recoveredLately(until: hours(192)))
        ),
        Case(normal(7), since: 0, recovered: 0, hears: normal(8), at: 192, .changed(normal(8))),
        Case(
            updating(8),
            since: 0,
            recovered: 0,
            hears: normal(9),
            at: 100,
            .ignored(.recoveredLately(until: hours(192)))
        ),
        // Nothing goes back, however long ago.
        Case(normal(7), since: 0, hears: normal(6), at: 1000, .ignored(.older)),
        Case(normal(7), since: nil, hears: updating(7), at: 1000, .ignored(.older)),
        // Times before the clock began, as those that a database remembers are.
        Case(normal(7), since: -95, hears: updating(8), at: 0, .ignored(.tooSoon(until: hours(1)))),
        Case(normal(7), since: -96, hears: updating(8), at: 0, .changed(updating(8))),
        Case(
            normal(7),
            since: -500,
            recovered: -191,
            hears: normal(9),
            at: 0,
            .ignored(.recoveredLately(until: hours(1)))
        ),
        Case(normal(7), since: -500, recovered: -192, hears: normal(9), at: 0, .changed(normal(9))),
    ]

    @Test("what is heard is taken over only at the time for it", arguments: cases)
    func times(_ row: Case) {
        let times = IVIndexMonitor.Times(
            changedAt: row.changedAt.map(Self.hours),
            recoveredAt: row.recoveredAt.map(Self.hours)
        )
        let monitor = IVIndexMonitor(row.known, times: times)
        #expect(monitor.verdict(row.heard, mayRaise: true, at: Self.hours(row.now)) == row.verdict)
    }

    @Test("an update leaves the time of the last recovery as it is; a recovery sets both")
    func changes() {
        var monitor = IVIndexMonitor(Self.normal(1))
        monitor.change(to: Self.updating(2), at: Self.hours(10))
        #expect(monitor.times == IVIndexMonitor.Times(changedAt: Self.hours(10)))
        monitor.change(to: Self.normal(5), at: Self.hours(20))
        #expect(monitor.times == IVIndexMonitor.Times(changedAt: Self.hours(20), recoveredAt: Self.hours(20)))
        monitor.change(to: Self.updating(6), at: Self.hours(200))
        #expect(monitor.times == IVIndexMonitor.Times(changedAt: Self.hours(200), recoveredAt: Self.hours(20)))
    }

    @Test("a network records the same of itself, and corrects a supposition without counting that as a recovery")
    func records() {
        let (first, second) = (Timestamp(rawValue: 1_700_000_000), Timestamp(rawValue: 1_700_001_000))
        var known = network()
        known.record(Self.updating(11), isCorrection: false, at: first)
        #expect(known.ivIndexChangedAt == first && known.ivIndexRecoveredAt == nil)
        known.record(Self.normal(30), isCorrection: false, at: second)
        #expect(known.ivIndexChangedAt == second && known.ivIndexRecoveredAt == second)
        var imported = network()
        imported.ivIndex = Self.normal(0)
        imported.record(Self.normal(30), isCorrection: true, at: first)
        #expect(imported.ivIndexChangedAt == nil && imported.ivIndexRecoveredAt == nil)
        var heard = network()
        heard.ivIndex = Self.normal(0)
        heard.record(Self.normal(5), isCorrection: false, at: second)
        #expect(heard.ivIndexChangedAt == second && heard.ivIndexRecoveredAt == second, "it was known to be at 0")
    }

    @Test(
        "who understands whom",
        arguments: [
            (normal(7), normal(7), true), (normal(7), updating(8), true), (updating(8), normal(8), true),
            (normal(7), normal(8), false), (updating(8), updating(9), false), (updating(8), normal(9), false),
            (normal(7), updating(9), false), (normal(0), updating(1), true),
        ]
    )
    func understanding(left: IVIndex, right: IVIndex, isMutual: Bool) {
        #expect(left.isUnderstood(with: right) == isMutual)
        #expect(right.isUnderstood(with: left) == isMutual)
    }

    @Test("What is stated is corrected by any beacon until it is used, and then like what is known")
    func stated() {
        var monitor = IVIndexMonitor(Self.normal(9), certainty: .stated(isUsed: false))
        #expect(monitor.isKnown)
        #expect(monitor.verdict(Self.normal(5), mayRaise: true, at: .zero) == .changed(Self.normal(5)))
        #expect(monitor.verdict(Self.normal(500), mayRaise: true, at: .zero) == .changed(Self.normal(500)))
        #expect(monitor.verdict(Self.normal(9), mayRaise: true, at: .zero) == .unchanged)
        #expect(monitor.verdict(Self.normal(10), mayRaise: false, at: .zero) == .ignored(.secondarySubnet))
        monitor.use()
        #expect(monitor.certainty == .stated(isUsed: true))
        #expect(monitor.verdict(Self.normal(5), mayRaise: true, at: .zero) == .ignored(.older))
        #expect(monitor.verdict(Self.normal(500), mayRaise: true, at: .zero) == .ignored(.tooFarAhead))
        #expect(monitor.verdict(Self.normal(12), mayRaise: true, at: .zero) == .changed(Self.normal(12)))
        let wasStated = monitor.confirm()
        #expect(wasStated && monitor.certainty == .known)
        let isStillStated = monitor.confirm()
        #expect(!isStillStated)
        var corrected = IVIndexMonitor(Self.normal(9), certainty: .stated(isUsed: false))
        corrected.change(to: Self.normal(5), at: Self.hours(3))
        #expect(corrected.current == Self.normal(5) && corrected.certainty == .known)
        #expect(corrected.times == IVIndexMonitor.Times(), "since when the network is there is not known")
        var supposed = IVIndexMonitor(Self.normal(0), certainty: .supposed)
        supposed.use()
        #expect(!supposed.isKnown, "what is supposed does not become known by being used")
    }
}
