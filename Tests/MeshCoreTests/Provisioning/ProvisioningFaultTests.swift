import TestSupport
import Testing

@testable import MeshCore

@Suite("Provisioning over a disturbed link")
struct ProvisioningFaultTests {
    /// What must hold however a session ends.
    private func expectConsistency(_ pair: ProvisioningPair, _ comment: Comment) {
        #expect((pair.node == nil) != (pair.provisionerFailure == nil), comment)
        #expect(pair.provisioned == nil || pair.deviceFailure == nil, comment)
        if let node = pair.node {
            #expect(pair.provisioned?.key == node.deviceKey, comment)
            #expect(pair.provisioned?.data.address == node.address, comment)
        }
        if let provisioned = pair.provisioned {
            // Whoever became a node has the key and address that were stored, and the provisioner knows it may be one.
            #expect(pair.stored?.key == provisioned.key, comment)
            #expect(pair.stored?.address == provisioned.data.address, comment)
            #expect(pair.node != nil || pair.provisionerFailure?.mayBeProvisioned == true, comment)
        }
        #expect(pair.provisioner.nextDeadline == nil && pair.device.nextDeadline == nil, comment)
    }

    private func messageCount(_ method: ProvisioningFixture.Method) -> Int {
        var pair = ProvisioningFixture.pair(method)
        pair.run()
        return pair.transcript.count
    }

    @Test("any message that is lost ends both sides after 60 seconds", arguments: ProvisioningFixture.kinds)
    func dropped(method: ProvisioningFixture.Method) {
        let count = messageCount(method)
        #expect(count >= 10)
        for lost in 0..<count {
            var pair = ProvisioningFixture.pair(method)
            pair.disturb = { number, pdu in number == lost ? [] : [pdu] }
            pair.run()
            expectConsistency(pair, "\(lost)")
            #expect(pair.node == nil, "\(lost)")
            let sent = pair.transcript[lost]
            // What the provisioner sends without waiting for an answer, the device finds out of order.
            let isFollowed = sent.pdu[0] == 0x02 || sent.pdu[0] == 0x03 && method.isPublicKeyOutOfBand
            if sent.isFromProvisioner && isFollowed {
                #expect(pair.provisionerFailure?.reason == .reportedByDevice(.unexpectedPDU), "\(lost)")
            } else {
                #expect(pair.provisionerFailure?.reason == .timedOut, "\(lost)")
                let wait = method.isPublicKeyOutOfBand && lost > 3 ? ProvisionerSession.agreementTime : .zero
                #expect(pair.now == Instant.zero.advanced(by: .seconds(60) + wait), "\(lost)")
            }
            #expect(pair.provisionerFailure?.mayBeProvisioned == (lost >= count - 2), "\(lost)")
            #expect((pair.provisioned != nil) == (lost == count - 1), "\(lost)")
        }
    }

    @Test("a message that comes twice never makes two sides with different keys", arguments: ProvisioningFixture.kinds)
    func duplicated(method: ProvisioningFixture.Method) {
        let count = messageCount(method)
        for doubled in 0..<count {
            var pair = ProvisioningFixture.pair(method)
            pair.disturb = { number, pdu in number == doubled ? [pdu, pdu] : [pdu] }
            pair.run()
            expectConsistency(pair, "\(doubled)")
            // Once the device is a node, repetitions do no harm; before, they are out of order.
            #expect((pair.node != nil) == (doubled >= count - 2), "\(doubled)")
        }
    }

    @Test("no altered octet of any message lets a session complete", arguments: ProvisioningFixture.kinds)
    func corrupted(method: ProvisioningFixture.Method) {
        var reference = ProvisioningFixture.pair(method)
        reference.run()
        for (altered, message) in reference.transcript.enumerated() {
            for octet in message.pdu.indices {
                for mask in [0x01, 0x80, 0xFF] as [UInt8] {
                    var pair = ProvisioningFixture.pair(method)
                    pair.disturb = { number, pdu in
                        guard number == altered, pdu.indices.contains(octet) else { return [pdu] }
                        var changed = pdu
                        changed[octet] ^= mask
                        return [changed]
                    }
                    pair.run()
                    expectConsistency(pair, "\(altered) \(octet) \(mask)")
                    #expect(pair.node == nil, "\(altered) \(octet) \(mask)")
                }
            }
        }
    }

    @Test("no message that is too short or too long lets a session complete", arguments: ProvisioningFixture.kinds)
    func lengths(method: ProvisioningFixture.Method) {
        var reference = ProvisioningFixture.pair(method)
        reference.run()
        for (altered, message) in reference.transcript.enumerated() {
            for length in 0...message.pdu.count + 16 where length != message.pdu.count {
                var pair = ProvisioningFixture.pair(method)
                pair.disturb = { number, pdu in
                    number == altered ? [Array((pdu + [UInt8](repeating: 0, count: 16)).prefix(length))] : [pdu]
                }
                pair.run()
                expectConsistency(pair, "\(altered) \(length)")
                #expect(pair.node == nil, "\(altered) \(length)")
                if message.isFromProvisioner, length > 0 {
                    #expect(pair.deviceFailure?.reason.errorCode == .invalidFormat, "\(altered) \(length)")
                }
            }
        }
    }

    @Test("random octets trap neither side in any stage")
    func noise() {
        var generator = SplitMix64(seed: 7)
        for round in 0..<400 {
            let method = ProvisioningFixture.kinds[round % ProvisioningFixture.kinds.count]
            let hit = Int.random(in: 0..<12, using: &generator)
            let noise = (0..<Int.random(in: 0...70, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            var bytes = noise
            if !bytes.isEmpty { bytes[0] %= 12 }
            var pair = ProvisioningFixture.pair(method)
            pair.disturb = { number, pdu in number == hit ? [bytes, pdu] : [pdu] }
            pair.run()
            expectConsistency(pair, "\(round)")
        }
    }

    @Test("two sessions that are mixed up do not complete")
    func mixed() {
        for other in 0..<12 {
            var stranger = ProvisioningFixture.pair(ProvisioningFixture.simple, seed: 2)
            stranger.run()
            let transcript = stranger.transcript
            guard other < transcript.count else { continue }
            var pair = ProvisioningFixture.pair(ProvisioningFixture.simple, seed: 1)
            pair.disturb = { number, pdu in number == other ? [transcript[number].pdu] : [pdu] }
            pair.run()
            expectConsistency(pair, "\(other)")
            // Invite, Capabilities, Start and Complete are the same in all sessions.
            #expect((pair.node != nil) == [0, 1, 2, transcript.count - 1].contains(other), "\(other)")
        }
    }
}
