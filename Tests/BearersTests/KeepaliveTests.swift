import MeshCore
import Testing

@testable import Bearers

@Suite("Heartbeats and the allowance to connect")
struct HeartbeatTests {
    private func at(_ milliseconds: Int) -> Instant { Instant.zero.advanced(by: .milliseconds(milliseconds)) }

    @Test("a beat is due after our own silence, the other side is given up after three times theirs")
    func deadlines() {
        var keepalive = Keepalive(interval: .milliseconds(100), theirs: .milliseconds(40), at: at(0))
        #expect(keepalive.nextDeadline == at(100))
        #expect(!keepalive.isBeatDue(at: at(99)) && keepalive.isBeatDue(at: at(100)))
        keepalive.sent(at: at(90))
        #expect(!keepalive.isBeatDue(at: at(189)) && keepalive.isBeatDue(at: at(190)))
        #expect(keepalive.nextDeadline == at(120))
        #expect(!keepalive.isOtherSilent(at: at(119)) && keepalive.isOtherSilent(at: at(120)))
        keepalive.heard(at: at(110))
        #expect(!keepalive.isOtherSilent(at: at(229)) && keepalive.isOtherSilent(at: at(230)))
        #expect(keepalive.nextDeadline == at(190))
        #expect(keepalive.patience == .milliseconds(120))
    }

    @Test(
        "the longest silence fits into the octets of a hello",
        arguments: [
            (Duration.zero, UInt16(1)), (.milliseconds(1), 1), (.seconds(5), 5_000), (.seconds(65), 65_000),
            (.seconds(66), .max), (.seconds(1 << 40), .max), (.seconds(-3), 1),
        ]
    )
    func milliseconds(duration: Duration, value: UInt16) {
        #expect(duration.heartbeatMilliseconds == value)
    }

    @Test("so many at once, then one in each interval, and never more than so many again")
    func allowance() {
        var allowance = ConnectAllowance(at: at(0))
        let first = (0..<ConnectAllowance.burst + 1).map { _ in allowance.spend(at: at(0)) }
        #expect(first == [Bool](repeating: true, count: ConnectAllowance.burst) + [false])
        #expect([249, 250, 499, 500].map { allowance.spend(at: at($0)) } == [false, true, false, true])
        // A day later it is full, and no fuller.
        var taken = 0
        while allowance.spend(at: at(86_400_000)) { taken += 1 }
        #expect(taken == ConnectAllowance.burst)
    }
}
