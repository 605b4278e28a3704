import MeshCore
import TestSupport
import Testing

@Suite("A client's link of Remote Provisioning")
struct RemoteProvisioningLinkTests {
    private let uuid = DeviceUUID(rawValue: Octets16(high: 7, low: 8))

    private func openLink() -> RemoteProvisioningLink {
        var link = RemoteProvisioningLink(target: .device(uuid, timeout: 5))
        _ = link.open(at: .zero)
        _ = link.receive(RemoteProvisioningLinkStatus(status: .success, state: .opening).encoded, at: .zero)
        _ = link.receive(RemoteProvisioningLinkReport(status: .success, state: .active).encoded, at: .zero)
        return link
    }

    @Test("PDUs are sent one after the other, each after the report of the one before")
    func oneAtATime() {
        var link = openLink()
        #expect(link.isOpen)
        let first = RemoteProvisioningPDUSend(number: 1, pdu: [0, 0]).encoded
        #expect(link.send([0, 0], at: .zero) == [.send(first)])
        #expect(link.send([2], at: .zero) == [])
        let second = RemoteProvisioningPDUSend(number: 2, pdu: [2]).encoded
        #expect(link.receive(RemoteProvisioningPDUOutboundReport(number: 0).encoded, at: .zero) == [])
        #expect(link.receive(RemoteProvisioningPDUOutboundReport(number: 1).encoded, at: .zero) == [.send(second)])
        #expect(link.receive(RemoteProvisioningPDUOutboundReport(number: 1).encoded, at: .zero) == [])
    }

    @Test("a PDU that is not reported is sent again with its number, ever more rarely")
    func repetition() throws {
        var link = openLink()
        let message = RemoteProvisioningPDUSend(number: 1, pdu: [0, 0]).encoded
        var times: [Int64] = []
        _ = link.send([0, 0], at: .zero)
        for _ in 0..<4 {
            let deadline = try #require(link.nextDeadline)
            times.append(deadline.microseconds / 1_000_000)
            #expect(link.advance(to: deadline) == [.send(message)])
        }
        #expect(times == [3, 9, 17, 25])
    }

    @Test("a report of a PDU that was not sent ends the link, as does one that skips a PDU")
    func outOfStep() {
        let close = RemoteProvisioningLink.Action.send(RemoteProvisioningLinkClose(reason: .fail).encoded)
        var link = openLink()
        let report = RemoteProvisioningPDUOutboundReport(number: 1).encoded
        #expect(link.receive(report, at: .zero) == [close, .closed(.outOfStep)])
        link = openLink()
        let skipping = RemoteProvisioningPDUReport(number: 2, pdu: [1]).encoded
        #expect(link.receive(skipping, at: .zero) == [close, .closed(.pduMissing(number: 1))])
        #expect(link.send([1], at: .zero) == [] && link.close(.success, at: .zero) == [])
    }

    @Test("a lost report of the link's end is found out by asking")
    func vanished() throws {
        var link = openLink()
        let poll = try #require(link.nextDeadline)
        #expect(poll == Instant.zero.advanced(by: .seconds(10)))
        #expect(link.advance(to: poll) == [.send(RemoteProvisioningLinkGet().encoded)])
        let idle = RemoteProvisioningLinkStatus(status: .success, state: .idle).encoded
        #expect(link.receive(idle, at: poll) == [.closed(.vanished)])
    }

    @Test("the end that the device makes comes with its reason")
    func closedByDevice() {
        var link = openLink()
        let report = RemoteProvisioningLinkReport(status: .linkClosedByDevice, state: .idle, reason: .fail)
        #expect(link.receive(report.encoded, at: .zero) == [.closed(.reported(.linkClosedByDevice, .fail))])
    }

    @Test("a late report that the client closed the link before this one is not about this one")
    func lateReport() {
        var link = openLink()
        let report = RemoteProvisioningLinkReport(status: .linkClosedByClient, state: .idle)
        #expect(link.receive(report.encoded, at: .zero) == [] && link.isOpen)
    }

    @Test("a closing that nobody confirms is told apart from one that is")
    func unconfirmed() throws {
        var link = openLink()
        let close = RemoteProvisioningLink.Action.send(RemoteProvisioningLinkClose(reason: .success).encoded)
        #expect(link.close(.success, at: .zero) == [close])
        var repetitions = 0
        while true {
            let deadline = try #require(link.nextDeadline)
            let actions = link.advance(to: deadline)
            guard actions == [close] else {
                #expect(actions == [.closed(.closedByClient(isConfirmed: false))])
                break
            }
            repetitions += 1
        }
        #expect(repetitions >= 2 && link.isClosed)
    }

    @Test("nothing that a hostile server sends traps, or opens what is closed")
    func hostile() {
        var generator = SplitMix64(seed: 99)
        for _ in 0..<3_000 {
            var link = openLink()
            var now = Instant.zero
            for _ in 0..<12 {
                now = now.advanced(by: .milliseconds(Int64.random(in: 0...9_000, using: &generator)))
                let wasClosed = link.isClosed
                let payload =
                    [0x80, UInt8.random(in: 0x4F...0x5F, using: &generator)]
                    + (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                        UInt8.random(in: 0...7, using: &generator)
                    }
                var actions = link.receive(payload, at: now) + link.advance(to: now)
                if Bool.random(using: &generator) { actions += link.send([1], at: now) }
                #expect(!wasClosed || (link.isClosed && actions.isEmpty))
            }
        }
    }
}
