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

    private let question = RemoteProvisioningLink.Action.send(RemoteProvisioningLinkGet().encoded)

    private func status(_ state: RemoteProvisioningLinkState) -> [UInt8] {
        RemoteProvisioningLinkStatus(status: .success, state: state).encoded
    }

    @Test("a server that does not report a PDU is asked what has become of it, and gets it again if it does not say")
    func repetition() throws {
        var link = openLink()
        let message = RemoteProvisioningLink.Action.send(RemoteProvisioningPDUSend(number: 1, pdu: [0, 0]).encoded)
        var times: [Int64] = []
        #expect(link.send([0, 0], at: .zero) == [message])
        for expected in [question, question, message, question] {
            let deadline = try #require(link.nextDeadline)
            times.append(deadline.microseconds / 1_000_000)
            #expect(link.advance(to: deadline) == [expected])
        }
        #expect(times == [3, 9, 17, 25])
    }

    @Test("a server that has nothing to send has not got the PDU: it gets it again at once, and once for each question")
    func lostPDU() throws {
        var link = openLink()
        let message = RemoteProvisioningLink.Action.send(RemoteProvisioningPDUSend(number: 1, pdu: [0, 0]).encoded)
        _ = link.send([0, 0], at: .zero)
        #expect(link.receive(status(.active), at: .zero) == [], "nobody asked for that")
        let deadline = try #require(link.nextDeadline)
        #expect(link.advance(to: deadline) == [question])
        #expect(link.receive(status(.active), at: deadline) == [message])
        #expect(link.receive(status(.active), at: deadline) == [], "the same answer again")
    }

    /// bluetooth-meshd 5.87: its acknowledgment came 8.2 s after the PDU Send, and each repetition was a new PB-ADV
    /// transaction, whose predecessor's acknowledgment then fitted no more.
    @Test("a PDU is not repeated while the server sends it, which a slow device makes take 8.2 s")
    func slowDevice() throws {
        var link = openLink()
        var server = RestartingServer()
        var now = Instant.zero
        server.take(link.send([2, 0, 0, 0, 0, 0], at: now), at: now)
        while server.reportedAt == nil {
            let next = [link.nextDeadline, server.nextDeadline].compactMap(\.self).min()
            now = try #require(next)
            try #require(now < Instant.zero.advanced(by: .seconds(60)))
            for message in server.advance(to: now) { server.take(link.receive(message, at: now), at: now) }
            if let deadline = link.nextDeadline, deadline <= now { server.take(link.advance(to: now), at: now) }
        }
        #expect(server.transactions == 1 && server.questions == 1)
        #expect(server.reportedAt == Instant.zero.advanced(by: .milliseconds(8_200)))
    }

    @Test("a server that says for more than 30 s that it is sending gets the PDU again")
    func stuckServer() throws {
        var link = openLink()
        var sent: [Int64] = []
        var actions = link.send([0, 0], at: .zero)
        var now = Instant.zero
        while now < Instant.zero.advanced(by: .seconds(60)) {
            for case .send(let payload) in actions {
                let isQuestion = RemoteProvisioningLink.Action.send(payload) == question
                if !isQuestion { sent.append(now.microseconds / 1_000_000) }
                let answers = isQuestion ? link.receive(status(.outboundPacketTransfer), at: now) : []
                if answers.contains(.send(RemoteProvisioningPDUSend(number: 1, pdu: [0, 0]).encoded)) {
                    sent.append(now.microseconds / 1_000_000)
                }
            }
            now = try #require(link.nextDeadline)
            actions = link.advance(to: now)
        }
        #expect(sent == [0, 41])
    }

    @Test("60 s are asked for, but a device that does not answer is not waited for so long")
    func openingLimit() throws {
        var link = RemoteProvisioningLink(target: .device(uuid, timeout: 60))
        let open = RemoteProvisioningLinkOpen(target: .device(uuid, timeout: 60)).encoded
        #expect(link.open(at: .zero) == [.send(open)] && open.last == 0x3C)
        _ = link.receive(status(.opening), at: .zero)
        var now = Instant.zero
        while !link.isClosed {
            now = try #require(link.nextDeadline)
            if link.advance(to: now) == [question] { _ = link.receive(status(.opening), at: now) }
        }
        #expect(now == Instant.zero.advanced(by: .seconds(30)))
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

/// A Remote Provisioning Server that begins a repeated PDU anew, with a device that takes 8.2 s for each transaction.
private struct RestartingServer {
    private(set) var transactions = 0
    private(set) var questions = 0
    private(set) var reportedAt: Instant?
    private(set) var nextDeadline: Instant?
    private var number: UInt8 = 0
    private var answers: [[UInt8]] = []

    /// Takes what the client sends; its answers come at the next moment.
    mutating func take(_ actions: [RemoteProvisioningLink.Action], at now: Instant) {
        for case .send(let payload) in actions {
            switch try? decodeFoundationMessage(payload) {
            case let send as RemoteProvisioningPDUSend:
                transactions += 1
                number = send.number
                nextDeadline = now.advanced(by: .milliseconds(8_200))
            case is RemoteProvisioningLinkGet:
                questions += 1
                let state = RemoteProvisioningLinkState.outboundPacketTransfer
                answers.append(RemoteProvisioningLinkStatus(status: .success, state: state).encoded)
            default: break
            }
        }
    }

    /// Lets time pass: what the client hears.
    mutating func advance(to now: Instant) -> [[UInt8]] {
        var heard = answers
        answers = []
        if let deadline = nextDeadline, deadline <= now {
            nextDeadline = nil
            reportedAt = now
            heard.append(RemoteProvisioningPDUOutboundReport(number: number).encoded)
        }
        return heard
    }
}
