import TestSupport
import Testing

@testable import MeshCore

@Suite("Segmentation and reassembly")
struct SegmentationTests {
    private let long = [UInt8](0..<40)

    /// Runs a stack alone and notes when it sends how many PDUs, and what comes of it.
    private func timeline(_ stack: inout MeshStack, _ first: [StackAction]) -> [(Int64, [StackAction])] {
        var timeline = [(Int64(0), first)]
        while let deadline = stack.nextDeadline {
            timeline.append((deadline.microseconds / 1000, stack.advance(to: deadline)))
        }
        return timeline
    }

    @Test("1.1: without acknowledgment three transmissions at the intervals of the states, then failure")
    func unicastTimers() throws {
        var client = Sample.stack(Sample.client)
        let (identifier, first) = try client.send(Sample.message([UInt8](0..<20), ttl: 5), at: .zero)
        let timeline = timeline(&client, first)
        // Two segments 60 ms apart, then 200 + 4 x 50 ms of waiting.
        #expect(timeline.map(\.0) == [0, 60, 460, 520, 920, 980, 1380])
        #expect(timeline.dropLast().allSatisfy { $0.1.transmitted.count == 1 })
        #expect(timeline.last?.1 == [.failed(identifier, .notAcknowledged)])
    }

    @Test("1.1: with TTL 0 the interval has no increment")
    func neighbourTimers() throws {
        var client = Sample.stack(Sample.client)
        let (_, first) = try client.send(Sample.message([UInt8](0..<20), ttl: 0), at: .zero)
        #expect(timeline(&client, first).map(\.0) == [0, 60, 260, 320, 520, 580, 780])
    }

    @Test("1.0.1: four transmissions of segments at once")
    func oldTimers() throws {
        var client = Sample.stack(Sample.client, sar: .version101)
        let (identifier, first) = try client.send(Sample.message([UInt8](0..<20), ttl: 5), at: .zero)
        let timeline = timeline(&client, first)
        #expect(timeline.map(\.0) == [0, 450, 900, 1350, 1800])
        #expect(timeline.map(\.1.transmitted.count) == [2, 2, 2, 2, 0])
        #expect(timeline.last?.1 == [.failed(identifier, .notAcknowledged)])
    }

    @Test("a message to a group goes out three times and is then complete")
    func multicast() throws {
        var client = Sample.stack(Sample.client)
        let message = Sample.message(
            [UInt8](0..<20),
            to: .group(Sample.group(0xC000)),
            security: .application(Sample.appKeyIndex)
        )
        let (identifier, first) = try client.send(message, at: .zero)
        let timeline = timeline(&client, first)
        #expect(timeline.map(\.0) == [0, 60, 310, 370, 620, 680])
        #expect(timeline.map(\.1.transmitted.count) == [1, 1, 1, 1, 1, 1])
        #expect(timeline.last?.1.completed == [identifier])
    }

    @Test("every retransmission has a new sequence number and the same SeqZero")
    func sequences() throws {
        var client = Sample.stack(Sample.client, next: 0x1FFE)
        let (_, first) = try client.send(Sample.message([UInt8](0..<20)), at: .zero)
        let pdus = timeline(&client, first).flatMap(\.1.transmitted)
        let decoded = try pdus.map { try Sample.stack(Sample.node).decode(networkPDU: $0).pdu }
        #expect(decoded.map(\.sequence) == [0x1FFE, 0x1FFF, 0x2000, 0x2001, 0x2002, 0x2003])
        for pdu in decoded {
            guard case .segment(let segment) = try LowerTransportPDU(decoding: pdu.transportPDU, isControl: false)
            else {
                Issue.record("not a segment")
                return
            }
            #expect(segment.seqZero == 0x1FFE)
            #expect(Segment.sequence(ofFirst: segment.seqZero, in: pdu.sequence) == 0x1FFE)
        }
    }

    @Test("the receiver acknowledges what it has after the delay, and everything at once")
    func acknowledgments() throws {
        var client = Sample.stack(Sample.client)
        client.sar.segmentInterval = .zero
        var node = Sample.stack(Sample.node)
        let segments = try client.send(Sample.message(long), at: .zero).1.transmitted
        #expect(segments.count == 4)
        #expect(node.receive(networkPDU: segments[1], at: .ms(1000)).isEmpty)
        // min(SegN + 0.5, 2.5) segment intervals of 60 ms.
        #expect(node.nextDeadline == .ms(1150))
        #expect(node.receive(networkPDU: segments[3], at: .ms(1100)).isEmpty)
        #expect(try blockAcks(node.advance(to: .ms(1150))) == [0b1010])
        #expect(node.nextDeadline == .ms(11100))
        _ = node.receive(networkPDU: segments[0], at: .ms(1200))
        let last = node.receive(networkPDU: segments[2], at: .ms(1210))
        #expect(try blockAcks(last) == [0b1111])
        #expect(last.delivered.map(\.payload) == [long])
        #expect(node.nextDeadline == nil)
    }

    private func blockAcks(_ actions: [StackAction]) throws -> [UInt32] {
        try actions.transmitted.map { bytes in
            let pdu = try Sample.stack(Sample.unicast(0x7000)).decode(networkPDU: bytes).pdu
            guard
                case .acknowledgment(let acknowledgment) = try LowerTransportPDU(
                    decoding: pdu.transportPDU,
                    isControl: pdu.isControl
                )
            else { throw DecodeError.unknownType(0) }
            #expect(!acknowledgment.isOnBehalfOf)
            return acknowledgment.blockAck
        }
    }

    @Test("a message that waits for a cancelled one is sent")
    func cancelled() throws {
        var client = Sample.stack(Sample.client)
        let (first, _) = try client.send(Sample.message(long), at: .zero)
        let (second, actions) = try client.send(Sample.message(long), at: .zero)
        #expect(actions.isEmpty)
        client.cancel(first)
        #expect(client.nextDeadline.map { $0 <= .ms(1) } == true)
        #expect(client.advance(to: .ms(1)).transmitted.count == 1)
        #expect(client.nextDeadline == .ms(61))
        client.cancel(second)
        #expect(client.nextDeadline == nil)
    }

    @Test("what is sent in one subnet is neither acknowledged nor continued by members of another")
    func otherSubnet() throws {
        let guests = Sample.netIndex(1)
        var keys = Sample.keys()
        keys.set(NetKey(index: guests, name: "", key: Sample.deviceKey))
        var client = Sample.stack(Sample.client, keys: keys)
        client.sar.segmentInterval = .zero
        let segments = try client.send(Sample.message(long), at: .zero).1.transmitted
        func forged(_ transport: LowerTransportPDU, from: UnicastAddress, to: UnicastAddress) throws -> [UInt8] {
            let isControl = if case .acknowledgment = transport { true } else { false }
            return try NetworkPDU(
                ivIndex: Sample.ivIndex.value,
                isControl: isControl,
                ttl: 3,
                sequence: 4,
                source: from,
                destination: to.address,
                transportPDU: transport.encoded
            ).encoded(with: NetworkCredentials(flooding: Sample.deviceKey))
        }
        let refusal = LowerTransportPDU.acknowledgment(
            SegmentAcknowledgment(isOnBehalfOf: true, seqZero: 0, blockAck: 0)
        )
        let answer = try forged(refusal, from: Sample.unicast(0x0700), to: Sample.client)
        #expect(client.receive(networkPDU: answer, at: .ms(1)) == [.dropped(.unexpectedAcknowledgment)])

        var node = Sample.stack(Sample.node, keys: keys)
        _ = node.receive(networkPDU: segments[0], at: .ms(1))
        let content = Segment.Content.access(aid: nil, mic: .bits32)
        let bytes = [UInt8](repeating: 0xEE, count: 12)
        let segment = Segment(content: content, seqZero: 0, offset: 1, last: 3, bytes: bytes)
        let injected = try forged(.segment(segment), from: Sample.client, to: Sample.node)
        #expect(node.receive(networkPDU: injected, at: .ms(2)) == [.dropped(.inconsistentSegment)])
        let rest = segments.dropFirst().flatMap { node.receive(networkPDU: $0, at: .ms(3)) }
        #expect(rest.delivered.map(\.payload) == [long])
    }

    @Test("1.0.1: the acknowledgment waits for 150 ms and 50 ms a hop")
    func oldAcknowledgment() throws {
        var client = Sample.stack(Sample.client, sar: .version101)
        var node = Sample.stack(Sample.node, sar: .version101)
        let segments = try client.send(Sample.message(long, ttl: 4), at: .zero).1.transmitted
        _ = node.receive(networkPDU: segments[0], at: .zero)
        #expect(node.nextDeadline == .ms(350))
    }

    @Test("acknowledgments of long messages are repeated if the state says so")
    func repeatedAcknowledgments() throws {
        var client = Sample.stack(Sample.client)
        client.sar.segmentInterval = .zero
        var node = Sample.stack(Sample.node)
        node.sar.acknowledgmentRetransmissions = 2
        let segments = try client.send(Sample.message([UInt8](repeating: 7, count: 50)), at: .zero).1.transmitted
        #expect(segments.count == 5)
        let last = segments.flatMap { node.receive(networkPDU: $0, at: .zero) }
        #expect(try blockAcks(last) == [0b11111])
        #expect(try blockAcks(node.advance(to: .ms(60))) == [0b11111])
        #expect(try blockAcks(node.advance(to: .ms(120))) == [0b11111])
        #expect(node.nextDeadline == nil)
    }

    @Test("late segments of a complete message are acknowledged again, once a burst, and not delivered again")
    func reacknowledged() throws {
        var client = Sample.stack(Sample.client)
        client.sar.segmentInterval = .zero
        var node = Sample.stack(Sample.node)
        let first = try client.send(Sample.message(long), at: .zero).1.transmitted
        #expect(first.flatMap { node.receive(networkPDU: $0, at: .zero) }.delivered.count == 1)
        let again = client.advance(to: .ms(400)).transmitted
        #expect(again.count == 4)
        let late = again.flatMap { node.receive(networkPDU: $0, at: .ms(420)) }
        #expect(try blockAcks(late) == [0b1111])
        #expect(late.delivered.isEmpty)
        #expect(late.dropped == [DropReason](repeating: .alreadyReceived, count: 4))
        #expect(client.receive(networkPDU: late.transmitted[0], at: .ms(430)).completed.count == 1)
    }

    @Test("an incomplete message is given up 10 s after its last new segment, for good")
    func discarded() throws {
        var client = Sample.stack(Sample.client)
        client.sar.segmentInterval = .zero
        var node = Sample.stack(Sample.node)
        let segments = try client.send(Sample.message(long), at: .zero).1.transmitted
        _ = node.receive(networkPDU: segments[0], at: .zero)
        _ = node.receive(networkPDU: segments[1], at: .ms(9000))
        _ = node.advance(to: .ms(18999))
        #expect(node.advance(to: .ms(19000)) == [.dropped(.incomplete)])
        #expect(node.nextDeadline == nil)
        #expect(node.receive(networkPDU: segments[2], at: .ms(19001)) == [.dropped(.alreadyReceived)])
    }

    @Test("an acknowledgment of nothing ends the transmission")
    func cancelledByReceiver() throws {
        var client = Sample.stack(Sample.client, next: 0x3129AB)
        let (identifier, _) = try client.send(Sample.message(long), at: .zero)
        var node = Sample.stack(Sample.node)
        for (parameters, outcome) in [
            ("26b000000001", [StackAction.dropped(.unexpectedAcknowledgment)]),
            ("26ac00000010", [.dropped(.unexpectedAcknowledgment)]),
            ("26ac00000000", [.failed(identifier, .cancelledByReceiver)]),
        ] {
            let pdu = NetworkPDU(
                ivIndex: 0x1234_5678,
                isControl: true,
                ttl: 0,
                sequence: try node.sequenceNumbers.next(for: Sample.node, ivIndex: 0x1234_5678),
                source: Sample.node,
                destination: Sample.client.address,
                transportPDU: [0] + hex(parameters)
            )
            let bytes = try pdu.encoded(with: NetworkCredentials(flooding: Sample.netKey))
            #expect(client.receive(networkPDU: bytes, at: .ms(10)) == outcome)
        }
        #expect(client.nextDeadline == nil)
        #expect(node.advance(to: .ms(1)).isEmpty)
    }

    @Test("somebody else's acknowledgment counts only on behalf of a Low Power node")
    func foreignAcknowledgment() throws {
        var client = Sample.stack(Sample.client, next: 0x3129AB)
        let (identifier, _) = try client.send(Sample.message([UInt8](0..<20)), at: .zero)
        for (sequence, parameters, outcome) in [
            (1, "26ac00000003", [StackAction.dropped(.unexpectedAcknowledgment)]),
            (2, "a6ac00000003", [.completed(identifier)]),
        ] {
            let pdu = NetworkPDU(
                ivIndex: 0x1234_5678,
                isControl: true,
                ttl: 0,
                sequence: UInt32(sequence),
                source: Sample.unicast(0x2345),
                destination: Sample.client.address,
                transportPDU: [0] + hex(parameters)
            )
            let bytes = try pdu.encoded(with: NetworkCredentials(flooding: Sample.netKey))
            #expect(client.receive(networkPDU: bytes, at: .ms(10)) == outcome)
        }
    }

    @Test("one segmented message at a time goes to a destination; others need not wait")
    func queue() throws {
        var client = Sample.stack(Sample.client)
        client.sar.segmentInterval = .zero
        client.keys.setDeviceKey(Sample.deviceKey, of: Sample.unicast(0x0500))
        var node = Sample.stack(Sample.node)
        let (first, firstActions) = try client.send(Sample.message(long), at: .zero)
        let (second, secondActions) = try client.send(Sample.message([9] + long), at: .zero)
        let other = Sample.message(
            long,
            to: .unicast(Sample.unicast(0x0500)),
            security: .device(node: Sample.unicast(0x0500))
        )
        let (_, otherActions) = try client.send(other, at: .zero)
        #expect(firstActions.transmitted.count == 4)
        #expect(secondActions.isEmpty)
        #expect(otherActions.transmitted.count == 4)
        // What fits one PDU does not wait.
        #expect(try client.send(Sample.message([1, 2]), at: .zero).1.transmitted.count == 1)

        let acknowledgment = firstActions.transmitted.flatMap { node.receive(networkPDU: $0, at: .zero) }.transmitted
        let next = client.receive(networkPDU: acknowledgment[0], at: .ms(5))
        #expect(next.completed == [first])
        #expect(next.transmitted.count == 4)
        let delivered = next.transmitted.flatMap { node.receive(networkPDU: $0, at: .ms(6)) }
        #expect(delivered.delivered.map(\.payload) == [[9] + long])
        #expect(client.receive(networkPDU: delivered.transmitted[0], at: .ms(7)).completed == [second])
    }

    @Test("a cancelled message sends nothing more and makes room for the next")
    func cancel() throws {
        var client = Sample.stack(Sample.client)
        let (first, _) = try client.send(Sample.message(long), at: .zero)
        let (second, _) = try client.send(Sample.message(long), at: .zero)
        let (third, _) = try client.send(Sample.message(long), at: .zero)
        client.cancel(first)
        client.cancel(second)
        let timeline = timeline(&client, client.advance(to: .ms(1)))
        #expect(timeline.first?.1.transmitted.count == 1)
        #expect(timeline.last?.1 == [.failed(third, .notAcknowledged)])
    }

    @Test("more messages than there is room for are refused with an acknowledgment of nothing")
    func tooMany() throws {
        var node = Sample.stack(Sample.node)
        for index in 0...UInt16(SegmentReceiver.maximumReassemblies) {
            let source = Sample.unicast(0x2000 + index)
            var sender = Sample.stack(source)
            let segment = try sender.send(Sample.message(long, from: source), at: .zero).1.transmitted[0]
            let actions = node.receive(networkPDU: segment, at: .zero)
            if index < SegmentReceiver.maximumReassemblies {
                #expect(actions.isEmpty)
            } else {
                #expect(try blockAcks(actions) == [0])
                #expect(actions.dropped == [.tooManyReassemblies])
            }
        }
    }

    @Test("a newer message from the same source replaces an unfinished one, an older one does not")
    func superseded() throws {
        var client = Sample.stack(Sample.client)
        client.sar.segmentInterval = .zero
        let (first, firstActions) = try client.send(Sample.message(long), at: .zero)
        client.cancel(first)
        let newer = try client.send(Sample.message(long), at: .zero).1.transmitted
        var node = Sample.stack(Sample.node)
        _ = node.receive(networkPDU: firstActions.transmitted[0], at: .zero)
        _ = node.receive(networkPDU: newer[0], at: .zero)
        #expect(node.receive(networkPDU: firstActions.transmitted[1], at: .zero) == [.dropped(.superseded)])
        #expect(newer.dropFirst().flatMap { node.receive(networkPDU: $0, at: .zero) }.delivered.count == 1)
    }

    @Test("segments that contradict each other are not mixed")
    func inconsistent() throws {
        var node = Sample.stack(Sample.node)
        func pdu(_ sequence: UInt32, _ segment: Segment) throws -> [UInt8] {
            try NetworkPDU(
                ivIndex: 0x1234_5678,
                isControl: false,
                ttl: 3,
                sequence: sequence,
                source: Sample.client,
                destination: Sample.node.address,
                transportPDU: segment.encoded
            ).encoded(with: NetworkCredentials(flooding: Sample.netKey))
        }
        let bytes = [UInt8](repeating: 1, count: 12)
        let content = Segment.Content.access(aid: nil, mic: .bits32)
        let long = Segment.Content.access(aid: nil, mic: .bits64)
        let start = Segment(content: content, seqZero: 5, offset: 0, last: 2, bytes: bytes)
        #expect(node.receive(networkPDU: try pdu(5, start), at: .zero).isEmpty)
        let otherLast = Segment(content: content, seqZero: 5, offset: 1, last: 3, bytes: bytes)
        #expect(node.receive(networkPDU: try pdu(6, otherLast), at: .zero) == [.dropped(.inconsistentSegment)])
        let otherMIC = Segment(content: long, seqZero: 5, offset: 1, last: 2, bytes: bytes)
        #expect(node.receive(networkPDU: try pdu(7, otherMIC), at: .zero) == [.dropped(.inconsistentSegment)])
        let before = Segment(content: content, seqZero: 0x1FFF, offset: 1, last: 2, bytes: bytes)
        #expect(
            node.receive(networkPDU: try pdu(8, before), at: .zero)
                == [.dropped(.malformedTransport(.prohibited(field: "SeqZero", value: 0x1FFF)))]
        )
    }

    @Test("segmented control messages go through", arguments: [12, 100, 256])
    func control(size: Int) throws {
        var client = Sample.stack(Sample.client)
        client.sar.segmentInterval = .zero
        var node = Sample.stack(Sample.node)
        let message = OutgoingControlMessage(
            source: Sample.client,
            destination: Sample.node.address,
            opcode: 0x55,
            parameters: (0..<size).map { UInt8(truncatingIfNeeded: $0) },
            ttl: 3
        )
        let (identifier, actions) = try client.send(message, at: .zero)
        #expect(actions.transmitted.count == (size + 7) / 8)
        let outcome = actions.transmitted.flatMap { node.receive(networkPDU: $0, at: .zero) }
        let incoming = IncomingControlMessage(
            source: Sample.client,
            destination: Sample.node.address,
            opcode: 0x55,
            parameters: message.parameters,
            netKeyIndex: .primary,
            ttl: 3
        )
        #expect(outcome.contains(.control(incoming)))
        #expect(client.receive(networkPDU: outcome.transmitted[0], at: .zero).completed == [identifier])
    }
}
