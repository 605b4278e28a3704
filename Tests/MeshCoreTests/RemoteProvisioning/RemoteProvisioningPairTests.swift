import MeshCore
import TestSupport
import Testing

@Suite("Provisioning over a link of Remote Provisioning")
struct RemoteProvisioningPairTests {
    /// What must hold however it ends.
    private func expectConsistency(_ pair: RemoteProvisioningPair, _ comment: Comment) {
        #expect((pair.node == nil) != (pair.failure == nil), comment)
        #expect(pair.end != nil && pair.link.isClosed && pair.link.nextDeadline == nil, comment)
        if let node = pair.node { #expect(pair.provisioned?.key == node.deviceKey, comment) }
        if let provisioned = pair.provisioned {
            #expect(pair.stored == provisioned.key, comment)
            #expect(pair.node != nil || pair.failure?.mayBeProvisioned == true, comment)
        }
        // Nothing reaches the device twice or out of order.
        let types = pair.toDevice.map { $0[0] }
        #expect(types == Array([0x00, 0x02, 0x03, 0x05, 0x06, 0x07].prefix(types.count)), comment)
        #expect(pair.server.linkState == .idle && pair.server.nextDeadline == nil, comment)
    }

    @Test("a device becomes a node, in order and each message once")
    func completes() {
        var pair = RemoteProvisioningPair()
        pair.run()
        expectConsistency(pair, "undisturbed")
        #expect(pair.node?.address == ProvisioningFixture.data.address)
        #expect(pair.end == .closedByClient(isConfirmed: true))
        #expect(pair.closeReasons == [.success])
        #expect(pair.toDevice.count == 6)
        let sent = pair.transcript.filter { $0.opcode == RemoteProvisioningPDUSend.opcode }
        #expect(sent.compactMap { $0.payload.dropFirst(2).first } == [1, 2, 3, 4, 5, 6])
    }

    @Test("any message between client and server may be lost; what the device sent is missed, all else is said again")
    func dropped() {
        var reference = RemoteProvisioningPair()
        reference.run()
        #expect(reference.transcript.count > 20)
        for lost in reference.transcript.indices {
            var pair = RemoteProvisioningPair()
            pair.disturb = { number, _ in number == lost ? 0 : 1 }
            pair.run()
            let comment: Comment = "\(lost): \(reference.transcript[lost].opcode)"
            expectConsistency(pair, comment)
            let isReport = reference.transcript[lost].opcode == RemoteProvisioningPDUReport.opcode
            #expect((pair.node != nil) == !isReport, comment)
            if isReport {
                #expect(pair.end == .reported(.linkClosedAsCannotDeliverPDUReport, nil), comment)
                #expect(pair.closeReasons == [.fail], comment)
            }
        }
    }

    @Test("a report that is lost and that the server takes for delivered ends the session in its time")
    func unnoticedLoss() {
        var reference = RemoteProvisioningPair()
        reference.run()
        for (lost, message) in reference.transcript.enumerated()
        where message.opcode == RemoteProvisioningPDUReport.opcode {
            var pair = RemoteProvisioningPair()
            pair.isReportFailureNoticed = false
            pair.disturb = { number, _ in number == lost ? 0 : 1 }
            pair.run()
            expectConsistency(pair, "\(lost)")
            #expect(pair.node == nil)
            #expect(pair.failure?.reason == .timedOut, "\(lost)")
        }
    }

    @Test("a message that comes twice does no harm")
    func duplicated() {
        var reference = RemoteProvisioningPair()
        reference.run()
        for doubled in reference.transcript.indices {
            var pair = RemoteProvisioningPair()
            pair.disturb = { number, _ in number == doubled ? 2 : 1 }
            pair.run()
            expectConsistency(pair, "\(doubled)")
            #expect(pair.node != nil, "\(doubled): \(reference.transcript[doubled].opcode)")
        }
    }

    @Test("with a third of all messages lost, both sides agree in the end", arguments: 0..<40)
    func lossy(seed: Int) {
        var pair = RemoteProvisioningPair(seed: UInt64(seed))
        var generator = SplitMix64(seed: UInt64(seed) + 1_000)
        let losses = (0..<1_000).map { _ in Int.random(in: 0..<3, using: &generator) == 0 }
        pair.disturb = { number, message in
            // Reports are acknowledged by the lower transport layer, requests in segments too.
            let isReliable = [
                RemoteProvisioningPDUReport.opcode, RemoteProvisioningLinkReport.opcode,
            ].contains(message.opcode)
            return !isReliable && losses[number % 1_000] ? 0 : 1
        }
        pair.run()
        expectConsistency(pair, "\(seed)")
    }

    @Test("a device that does not answer is reported by the server, also when its report is lost", arguments: [0, 1])
    func noDevice(copies: Int) {
        var pair = RemoteProvisioningPair()
        pair.makeDevice = { _ in nil }
        pair.disturb = { _, message in message.opcode == RemoteProvisioningLinkReport.opcode ? copies : 1 }
        pair.run()
        #expect(pair.node == nil)
        #expect(pair.end == (copies == 1 ? .reported(.linkOpenFailed, nil) : .notOpened))
        #expect(pair.now <= Instant.zero.advanced(by: .seconds(25)))
    }

    @Test("a server that says nothing is given up")
    func silentServer() {
        var pair = RemoteProvisioningPair()
        pair.disturb = { _, message in message.isToServer ? 0 : 1 }
        pair.run()
        #expect(pair.end == .silent)
        #expect(pair.now == Instant.zero.advanced(by: RemoteProvisioningLinkPolicy().silenceLimit))
    }

    @Test("a link that a killed client left open is closed, and the device is provisioned over a new one")
    func leftOver() {
        var pair = RemoteProvisioningPair()
        let other = DeviceUUID(rawValue: Octets16(high: 9, low: 9))
        for target: RemoteProvisioningLinkOpen.Target in [.device(other, timeout: 60), pairTarget] {
            pair = RemoteProvisioningPair()
            let open = RemoteProvisioningLinkOpen(target: target).encoded
            _ = pair.server.receive(
                open,
                from: RemoteProvisioningPair.client,
                own: RemoteProvisioningPair.own,
                at: .zero
            )
            _ = pair.server.linkOpened(at: .zero)
            pair.run()
            #expect(pair.node != nil, "\(target)")
            #expect(pair.closeReasons == [.fail, .success])
        }
    }

    private var pairTarget: RemoteProvisioningLinkOpen.Target { .device(RemoteProvisioningPair.uuid, timeout: nil) }

    @Test("a link of somebody else is left alone")
    func foreignLink() throws {
        var pair = RemoteProvisioningPair()
        let other = RemoteProvisioningServer.Client(
            address: try #require(UnicastAddress(rawValue: 5)),
            netKeyIndex: .primary
        )
        let open = RemoteProvisioningLinkOpen(target: .device(RemoteProvisioningPair.uuid, timeout: 60)).encoded
        _ = pair.server.receive(open, from: other, own: RemoteProvisioningPair.own, at: .zero)
        _ = pair.server.linkOpened(at: .zero)
        pair.run()
        #expect(pair.end == .refused(.invalidState))
        #expect(pair.closeReasons.isEmpty || pair.now >= Instant.zero.advanced(by: .seconds(60)))
    }
}
