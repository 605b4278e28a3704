import MeshCore
import TestSupport
import Testing

@Suite("How sequence numbers stand")
struct SequenceHealthTests {
    private static let day: Int64 = 86_400
    private let now = Timestamp(rawValue: 1_800_000_000)

    private func health(
        _ ivIndex: IVIndex = IVIndex(value: 10),
        changedDaysAgo days: Int64? = nil,
        known: Bool = true,
        reserved: (ivIndex: UInt32, limit: UInt32)?
    ) -> SequenceHealth {
        var network = network()
        network.ivIndex = ivIndex
        network.ivIndexChangedAt = days.map { Timestamp(rawValue: now.rawValue - $0 * Self.day) }
        return SequenceHealth(of: .first, in: network, isIVIndexKnown: known, reserved: reserved, at: now)
    }

    @Test("numbers of the present IV index are used; those of a lower one are not")
    func use() {
        #expect(health(reserved: nil).used == 0)
        #expect(health(reserved: (10, 300)).used == 300)
        #expect(health(reserved: (10, 300)).left == (1 << 24) - 300)
        #expect(health(reserved: (9, 300)).used == 0)
        #expect(
            health(IVIndex(value: 10, isUpdateInProgress: true), reserved: (9, 300)).used == 300,
            "they go on until it ends"
        )
        #expect(health(reserved: (10, .max)).left == 0, "hostile rows do not trap")
    }

    @Test(
        "the thresholds",
        arguments: [
            (0, []), ((1 << 23) - 1, []), (1 << 23, [.low]), ((1 << 24) - (1 << 20), [.low]),
            ((1 << 24) - (1 << 20) + 1, [.urgent]), ((1 << 24) - 1, [.urgent]), (1 << 24, [.exhausted]),
        ] as [(UInt32, [SequenceHealth.Finding])]
    )
    func thresholds(used: UInt32, findings: [SequenceHealth.Finding]) {
        #expect(health(reserved: (10, used)).findings == findings)
    }

    @Test("the time that is left is told at the rate since the IV index changed")
    func rate() {
        #expect(health(changedDaysAgo: 100, reserved: (10, 1 << 20)).secondsLeft == 1500 * Self.day)
        #expect(health(changedDaysAgo: nil, reserved: (10, 1 << 20)).secondsLeft == nil)
        #expect(health(changedDaysAgo: 0, reserved: (10, 1 << 20)).secondsLeft == nil, "too short to tell a rate")
        #expect(health(changedDaysAgo: 30, reserved: nil).secondsLeft == nil)
        // Three quarters in 27 days: the last quarter lasts 9, and new numbers take up to 10.
        #expect(health(changedDaysAgo: 27, reserved: (10, 3 << 22)).findings == [.urgent])
        #expect(health(changedDaysAgo: 33, reserved: (10, 3 << 22)).findings == [.low])
    }

    @Test("an old copy, an update without end, a clock put back and an unknown IV index are told, the gravest first")
    func states() {
        #expect(health(reserved: (12, 5)).findings == [.behindReservation(12)])
        let updating = IVIndex(value: 10, isUpdateInProgress: true)
        let since = Timestamp(rawValue: now.rawValue - 7 * Self.day)
        #expect(health(updating, changedDaysAgo: 6, reserved: nil).findings == [], "144 hours are just over")
        #expect(health(updating, changedDaysAgo: 7, reserved: nil).findings == [.updateOverdue(since: since)])
        let ahead = Timestamp(rawValue: now.rawValue + Self.day)
        #expect(health(changedDaysAgo: -1, reserved: nil).findings == [.clockBehind(ahead)])
        #expect(health(IVIndex(value: 0), known: false, reserved: nil).findings == [.ivIndexUnknown])
        let all = health(changedDaysAgo: -1, known: false, reserved: (12, 1 << 24))
        #expect(all.findings == [.exhausted, .behindReservation(12), .clockBehind(ahead), .ivIndexUnknown])
        #expect(all.findings.map(\.isGrave) == [true, true, false, false])
    }
}
