import TestSupport
import Testing

@testable import MeshCore

@Suite("MeshStack")
struct MeshStackTests {
    @Test("messages that cannot be sent are refused before anything happens")
    func refusals() throws {
        var client = Sample.stack(Sample.client, elementCount: 2)
        let other = Sample.unicast(0x0005)
        func refuse(_ message: OutgoingMessage, _ error: StackError) {
            #expect(throws: error) { try client.send(message, at: .zero) }
        }
        refuse(Sample.message([1], from: other), .notAnElement(other))
        refuse(Sample.message([1], to: .unicast(Sample.unicast(4))), .invalidDestination(Address(rawValue: 4)))
        refuse(Sample.message([1], ttl: 128), .invalidTTL(128))
        refuse(Sample.message([]), .payloadSize(0))
        refuse(Sample.message([UInt8](repeating: 0, count: 381)), .payloadSize(381))
        var long = Sample.message([UInt8](repeating: 0, count: 377))
        long.transportMIC = .bits64
        refuse(long, .payloadSize(377))
        refuse(Sample.message([1], security: .device(node: other)), .unknownDeviceKey(other))
        let unknown = Sample.appIndex(9)
        refuse(Sample.message([1], security: .application(unknown)), .unknownAppKey(unknown))
        var subnet = Sample.message([1])
        subnet.netKeyIndex = Sample.netIndex(5)
        refuse(subnet, .unknownNetKey(Sample.netIndex(5)))
        for opcode in [0x00, 0x80] as [UInt8] {
            let control = OutgoingControlMessage(
                source: Sample.client,
                destination: Sample.node.address,
                opcode: opcode,
                parameters: [],
                ttl: 1
            )
            #expect(throws: StackError.invalidControlOpcode(opcode)) { try client.send(control, at: .zero) }
        }
        // Both elements can send, and no number was spent on refusals.
        let second = try client.send(Sample.message([1], from: Sample.unicast(4)), at: .zero).1.transmitted[0]
        #expect(try Sample.stack(Sample.node).decode(networkPDU: second).pdu.sequence == 0)
    }

    @Test("payloads of every size arrive as they were", arguments: [1, 11, 12, 20, 21, 32, 33, 379, 380])
    func sizes(size: Int) throws {
        for mic in [MICSize.bits32, .bits64] where size + mic.rawValue <= 384 {
            for forces in [false, true] {
                var client = Sample.stack(Sample.client)
                client.sar.segmentInterval = .zero
                var node = Sample.stack(Sample.node)
                var message = Sample.message((0..<size).map { UInt8(truncatingIfNeeded: $0) })
                message.transportMIC = mic
                message.forcesSegmentation = forces
                let pdus = try client.send(message, at: .zero).1.transmitted
                let expected = OutgoingMessage.pduCount(
                    payloadSize: size,
                    forcesSegmentation: forces,
                    transportMIC: mic
                )
                #expect(pdus.count == expected)
                #expect(pdus.allSatisfy { $0.count <= 29 })
                let delivered = pdus.reversed().flatMap { node.receive(networkPDU: $0, at: .zero) }.delivered
                #expect(delivered.map(\.payload) == [message.payload])
                #expect(delivered.first?.isSegmented == (pdus.count > 1 || forces || mic == .bits64))
            }
        }
    }

    @Test("heartbeats are read, other control messages handed on, malformed ones counted")
    func control() throws {
        var node = Sample.stack(Sample.node)
        var client = Sample.stack(Sample.client)
        func outcome(_ opcode: UInt8, _ parameters: [UInt8]) throws -> [StackAction] {
            let message = OutgoingControlMessage(
                source: Sample.node,
                destination: Sample.client.address,
                opcode: opcode,
                parameters: parameters,
                ttl: 3
            )
            let pdu = try node.send(message, at: .zero).1.transmitted[0]
            return client.receive(networkPDU: pdu, at: .zero)
        }
        let heartbeat = Heartbeat(initialTTL: 5, features: 0x0003)
        guard case .heartbeat(heartbeat, let message)? = try outcome(0x0A, heartbeat.parameters).first else {
            Issue.record("no heartbeat")
            return
        }
        #expect(heartbeat.hops(receivedTTL: message.ttl) == 3)
        #expect(heartbeat.parameters == hex("050003"))
        #expect(try outcome(0x0A, [1, 2]) == [.dropped(.malformedControl(.truncated(offset: 1, needed: 2)))])
        #expect(try outcome(0x0A, [1, 2, 3, 4]) == [.dropped(.malformedControl(.trailing(offset: 3, count: 1)))])
        guard case .control(let other)? = try outcome(0x0B, []).first else {
            Issue.record("no control message")
            return
        }
        #expect(other.opcode == 0x0B)
    }

    @Test("a network PDU of a foreign network, of no key, or of the wrong size is refused with the reason")
    func refusedPDUs() throws {
        var node = Sample.stack(Sample.node)
        #expect(node.receive(networkPDU: [], at: .zero) == [.dropped(.network(.malformed(.length(0))))])
        let short = [UInt8](repeating: 0x68, count: 13)
        #expect(node.receive(networkPDU: short, at: .zero) == [.dropped(.network(.malformed(.length(13))))])
        let long = [UInt8](repeating: 0x68, count: 30)
        #expect(node.receive(networkPDU: long, at: .zero) == [.dropped(.network(.malformed(.length(30))))])
        let foreign = [UInt8](repeating: 0x11, count: 20)
        #expect(node.receive(networkPDU: foreign, at: .zero) == [.dropped(.network(.unknownNID(0x11)))])
        for size in 14...29 {
            let noise = [UInt8](repeating: 0x68, count: size)
            #expect(node.receive(networkPDU: noise, at: .zero) == [.dropped(.network(.notAuthentic))])
        }
    }

    @Test("a proxy and its client agree on a filter, without replays")
    func proxyConfiguration() throws {
        var client = Sample.stack(Sample.client)
        var proxy = Sample.stack(Sample.node, next: 40)
        var filter = ProxyFilter()
        let request = try client.encode(.addAddresses([Sample.client.address]))
        let incoming = try proxy.receive(proxyConfiguration: request)
        #expect(incoming.source == Sample.client)
        #expect(incoming.message == .addAddresses([Sample.client.address]))
        let handled = filter.handle(incoming.message)
        let answer = try #require(handled)
        let response = try proxy.encode(answer)
        let status = try client.receive(proxyConfiguration: response)
        #expect(status.message == .filterStatus(.acceptList, listSize: 1))
        #expect(status.netKeyIndex == .primary)
        #expect(throws: ProxyConfigurationRefusal(.replayed)) { try proxy.receive(proxyConfiguration: request) }
        #expect(throws: ProxyConfigurationRefusal(.network(.notAuthentic))) {
            let message = try client.send(Sample.message([1]), at: .zero).1.transmitted[0]
            _ = try proxy.receive(proxyConfiguration: message)
        }
        #expect(proxy.receive(networkPDU: request, at: .zero) == [.dropped(.network(.notAuthentic))])
        #expect(throws: StackError.payloadSize(13)) {
            try client.encode(.addAddresses([Address](repeating: Sample.client.address, count: 6)))
        }
    }

    @Test("copies share prepared keys; the same key is derived once")
    func schedules() {
        let schedules = KeySchedules()
        #expect(schedules.subnet(Sample.netKey) === schedules.subnet(Sample.netKey))
        #expect(schedules.application(Sample.appKey) === schedules.application(Sample.appKey))
        #expect(schedules.device(Sample.deviceKey) === schedules.device(Sample.deviceKey))
    }
}

@Suite("Lower transport PDU")
struct LowerTransportPDUTests {
    private static let ones = String(repeating: "01", count: 16)

    @Test(
        "forms that no PDU has are refused",
        arguments: [
            ("", false), ("", true), ("00", false), ("0001020304", false), ("00" + ones, false),
            ("01 0102030405", false), ("80", false), ("800001", false), ("80000000", false),
            ("80000000" + ones.prefix(26), false), ("80000001 0102", false), ("80000020 01", false),
            ("81000000 01", false), ("00", true), ("0a" + ones.prefix(24), true), ("80000000 01", true),
            ("8a000000", true), ("8a000000" + ones.prefix(18), true), ("8a000001 01", true),
        ]
    )
    func refused(bytes: String, isControl: Bool) {
        #expect(throws: DecodeError.self) { try LowerTransportPDU(decoding: hex(bytes), isControl: isControl) }
    }

    @Test("reserved bits are ignored and sent as zero")
    func reserved() throws {
        let acknowledgment = try LowerTransportPDU(decoding: hex("00a6af00000002"), isControl: true)
        #expect(acknowledgment.encoded == hex("00a6ac00000002"))
        let segment = try LowerTransportPDU(decoding: hex("8a800000 01"), isControl: true)
        #expect(segment.encoded == hex("8a000000 01"))
    }

    @Test("SeqZero names the nearest sequence number not above")
    func sequence() {
        #expect(Segment.sequence(ofFirst: 0x09AB, in: 0x3129AB) == 0x3129AB)
        #expect(Segment.sequence(ofFirst: 0x09AB, in: 0x3129AA) == 0x3109AB)
        #expect(Segment.sequence(ofFirst: 0x1FFF, in: 0x2000) == 0x1FFF)
        #expect(Segment.sequence(ofFirst: 1, in: 0) == nil)
        #expect(Segment.sequence(ofFirst: 0, in: 0xFF_FFFF) == 0xFF_E000)
    }

    @Test("acknowledgments are cut and extended without being accepted")
    func acknowledgment() throws {
        let bytes = hex("00a6ac00000002")
        for length in 0..<bytes.count {
            #expect(throws: DecodeError.self) {
                try LowerTransportPDU(decoding: Array(bytes.prefix(length)), isControl: true)
            }
        }
        #expect(throws: DecodeError.self) { try LowerTransportPDU(decoding: bytes + [0], isControl: true) }
    }

    @Test(
        "A full replay list takes no message of a new source, and goes on with those that it knows",
        arguments: [1, 20]
    )
    func fullReplayList(size: Int) throws {
        var node = Sample.stack(Sample.node, replay: ReplayProtection(capacity: 1))
        let payload = [UInt8](repeating: 7, count: size)
        var client = Sample.stack(Sample.client)
        client.sar.segmentInterval = .zero
        let stranger = Sample.unicast(0x0004)
        var other = Sample.stack(stranger)
        other.sar.segmentInterval = .zero
        func send(_ stack: inout MeshStack, from source: UnicastAddress) throws -> [StackAction] {
            let pdus = try stack.send(Sample.message(payload, from: source), at: .zero).1.transmitted
            return pdus.flatMap { node.receive(networkPDU: $0, at: .zero) }
        }
        #expect(try send(&client, from: Sample.client).delivered.map(\.payload) == [payload])
        let refused = try send(&other, from: stranger)
        #expect(refused.delivered.isEmpty && Set(refused.dropped) == [.replayListFull])
        var again = Sample.stack(Sample.client, next: 100)
        again.sar.segmentInterval = .zero
        #expect(try send(&again, from: Sample.client).delivered.count == 1)
    }

    @Test("Messages that wait have a bound: what is beyond it is refused, until one is withdrawn")
    func tooManyTransmissions() throws {
        var client = Sample.stack(Sample.client)
        let long = Sample.message([UInt8](repeating: 7, count: 30))
        // To one destination there is one message in segments at a time, so that all but the first wait.
        var identifiers: [TransmissionIdentifier] = []
        for _ in 0...OutgoingQueue.maximumWaiting { identifiers.append(try client.send(long, at: .zero).0) }
        #expect(throws: StackError.tooManyTransmissions) { try client.send(long, at: .zero) }
        // What needs no segments does not wait.
        #expect(try client.send(Sample.message([1]), at: .zero).1.transmitted.count == 1)
        client.cancel(identifiers[7])
        _ = try client.send(long, at: .zero)
        #expect(throws: StackError.tooManyTransmissions) { try client.send(long, at: .zero) }
    }

    @Test("A message under way fails when its network key is removed, one that waits when its application key is")
    func removedKeys() throws {
        var client = Sample.stack(Sample.client)
        let long = Sample.message([UInt8](repeating: 7, count: 30), security: .application(Sample.appKeyIndex))
        let (active, _) = try client.send(long, at: .zero)
        // To one destination there is one message in segments at a time.
        let (waiting, _) = try client.send(long, at: .zero)
        client.keys.removeAppKey(Sample.appKeyIndex)
        client.cancel(active)
        let unsealed = client.advance(to: .ms(1)).failures
        #expect(unsealed.map(\.0) == [waiting] && unsealed.map(\.1) == [.keyRemoved])
        client.keys = Sample.keys()
        let (unsecured, _) = try client.send(long, at: .ms(2))
        client.keys.removeNetKey(.primary)
        let failures = client.advance(to: .ms(60_000)).failures
        #expect(failures.map(\.0) == [unsecured] && failures.map(\.1) == [.keyRemoved])
    }
}

extension [StackAction] {
    fileprivate var failures: [(TransmissionIdentifier, TransmissionFailure)] {
        compactMap { if case .failed(let identifier, let failure) = $0 { (identifier, failure) } else { nil } }
    }
}
