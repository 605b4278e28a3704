import MeshCore

extension FuzzTarget {
    /// Segments and acknowledgments of several sources, as a faulty or hostile member of the network sends them:
    /// authentic in the network layer. Each record is a network PDU: an octet for source and destination, two for the
    /// sequence number, one for the tenths of a second since the record before, one with CTL and whether its TTL is
    /// 0; then the lower transport PDU. The first record says whether the stack sends a message, and how long it is.
    package static let segmentation = FuzzTarget(
        "segmentation",
        "segmented messages of several sources, put together and acknowledged",
        shape: .records,
        maximumSize: 4096,
        seeds: segmentationSeeds,
        dictionary: [[0x1F, 0xFF], [0x20, 0x00], [0x7F, 0xFC], [0xFF, 0xFF, 0xFF, 0xFF], [0x80], [0x8A], [100]],
        run: { (input: [UInt8], trace: inout FuzzTrace) throws(FuzzViolation) in
            guard var play = SegmentationPlay(FuzzRecords.decode(input).first ?? []) else { return }
            for record in FuzzRecords.decode(input).dropFirst() { try play.receive(record, &trace) }
            try play.end(&trace)
        }
    )

    private static let segmentationSeeds: [[UInt8]] = {
        func record(
            from place: UInt8,
            _ sequence: UInt16,
            after tenths: UInt8 = 0,
            isControl: Bool = true,
            _ pdu: [UInt8]
        ) -> [UInt8] {
            [place, UInt8(sequence >> 8), UInt8(sequence & 0xFF), tenths, isControl ? 1 : 0] + pdu
        }
        func segment(_ seqZero: UInt16, _ offset: UInt8, of last: UInt8, _ bytes: [UInt8]? = nil) -> [UInt8] {
            let filling = [UInt8](repeating: offset, count: 8)
            let content = Segment.Content.control(opcode: 0x21)
            return Segment(content: content, seqZero: seqZero, offset: offset, last: last, bytes: bytes ?? filling)
                .encoded
        }
        func acknowledgment(_ seqZero: UInt16, _ segments: UInt32) -> [UInt8] {
            SegmentAcknowledgment(seqZero: seqZero, blockAck: segments).encoded
        }
        return [
            // Two messages, the second in another order and with pauses.
            [
                [0], record(from: 0, 7, segment(7, 0, of: 1)), record(from: 0, 8, segment(7, 1, of: 1, [1, 2])),
                record(from: 0, 11, segment(9, 2, of: 2)), record(from: 0, 10, after: 3, segment(9, 1, of: 2)),
                record(from: 0, 12, after: 90, segment(9, 0, of: 2)), record(from: 0, 13, segment(9, 0, of: 2)),
            ],
            // SegN changes within a message, a segment comes with other octets, and one behind the last.
            [
                [0], record(from: 0, 7, segment(7, 0, of: 2)), record(from: 0, 8, segment(7, 1, of: 1)),
                record(from: 0, 9, segment(7, 1, of: 2)),
                record(from: 0, 10, segment(7, 1, of: 2, [UInt8](repeating: 9, count: 8))),
                record(from: 0, 11, [0xA1, 0x00, 0x1C, 0xC2] + [UInt8](repeating: 3, count: 8)),
                record(from: 0, 12, segment(7, 2, of: 2, [1])), record(from: 0, 13, segment(7, 2, of: 2, [2, 2])),
            ],
            // A message begins before the one before is whole, and SeqZero has passed its end.
            [
                [0], record(from: 0, 0x1FFE, segment(0x1FFE, 0, of: 1)), record(from: 0, 0x2001, segment(0, 0, of: 1)),
                record(from: 0, 0x2002, segment(0x1FFE, 1, of: 1)), record(from: 0, 0x2003, segment(0, 1, of: 1)),
                record(from: 0, 0x3FFF, segment(0x1FFE, 1, of: 1)),
            ],
            // Sources and destinations interleave; a message to a group, and one that is never whole.
            [
                [0], record(from: 0, 7, segment(7, 0, of: 1)), record(from: 1, 7, segment(7, 0, of: 1)),
                record(from: 0x10, 8, segment(8, 0, of: 1)), record(from: 1, 8, segment(7, 1, of: 1, [5])),
                record(from: 0x10, 9, segment(8, 1, of: 1, [6])), record(from: 0, 10, after: 120, segment(7, 1, of: 1)),
            ],
            // Acknowledgments of no message, of segments that do not exist, and in the end of all.
            [
                [1, 40], record(from: 1, 1, acknowledgment(3, 1)), record(from: 1, 2, acknowledgment(0x1FFF, 0xFF)),
                record(from: 2, 1, acknowledgment(0x1FFF, 0x1F)),
                record(from: 1, 3, after: 4, acknowledgment(0x1FFF, 5)),
                record(from: 1, 4, after: 4, acknowledgment(0x1FFF, 0x1F)),
                record(from: 1, 5, acknowledgment(0x1FFF, 0)),
            ],
            [[1, 255], record(from: 1, 1, after: 1, acknowledgment(0x1FFF, 0))],
            // Access messages without a key for them, and a heartbeat in segments.
            [
                [0], record(from: 0, 7, isControl: false, [0x80, 0x00, 0x1C, 0x00] + [UInt8](repeating: 7, count: 12)),
                record(from: 3, 9, [0x8A, 0x00, 0x24, 0x00, 5, 0, 3]),
            ],
        ].map(FuzzRecords.encode)
    }()
}

/// One stack that receives what members of its network send, beside what was sent.
private struct SegmentationPlay {
    /// Whom segments are from and for, and what else makes a message of them.
    private struct Message: Hashable {
        var source: UnicastAddress
        var destination: Address
        var sequence: UInt32
        var content: Segment.Content
        var last: UInt8
    }

    private struct Pair: Hashable {
        var source: UnicastAddress
        var destination: Address
    }

    private static let key = KeyMaterial(Octets16(high: 1, low: 2))
    /// The sequence number of the stack's own message.
    private static let ownSequence: UInt32 = 0x1FFF

    private let credentials = NetworkCredentials(KeyDerivation.k2(key, purpose: [0]))
    private let own: UnicastAddress
    private var stack: MeshStack
    private var now = Instant.zero
    /// What each segment of a message was sent with.
    private var sent: [Message: [UInt8: Set<[UInt8]>]] = [:]
    /// The segments that were sent for each SeqZero.
    private var offsets: [Pair: [UInt16: UInt32]] = [:]
    private var delivered: [Pair: UInt32] = [:]
    /// The stack's own message while its outcome is open, and which segments it has.
    private var transmission: (identifier: TransmissionIdentifier, all: UInt32)?
    /// Which of them were acknowledged, and whether some acknowledgment refuses them.
    private var acknowledged: UInt32 = 0
    private var isRefused = false

    /// Nil if an address does not exist, which none of them is.
    init?(_ settings: [UInt8]) {
        guard let own = UnicastAddress(rawValue: 0x0001), let peer = UnicastAddress(rawValue: 0x0101) else {
            return nil
        }
        self.own = own
        var keys = KeyRing()
        keys.set(NetKey(index: .primary, name: "", key: Self.key))
        let flags = settings.first ?? 0
        stack = MeshStack(
            address: own,
            elementCount: 2,
            ivIndex: IVIndex(value: 0),
            keys: keys,
            sequenceNumbers: SequenceCounter(Self.ownSequence),
            sar: flags & 2 == 0 ? .standard : .version101
        )
        guard flags & 1 == 1 else { return }
        let size = max(12, Int(settings.dropFirst().first ?? 12))
        let message = OutgoingControlMessage(
            source: own,
            destination: peer.address,
            opcode: 0x21,
            parameters: [UInt8](repeating: 1, count: size),
            ttl: 5
        )
        guard let (identifier, _) = try? stack.send(message, at: now) else { return }
        transmission = (identifier, UInt32.max >> UInt32(32 - (size + 7) / 8))
    }

    mutating func receive(_ record: [UInt8], _ trace: inout FuzzTrace) throws(FuzzViolation) {
        var reader = ByteReader(record)
        guard let place = try? reader.readUInt8(), let sequence = try? reader.readUInt16(),
            let tenths = try? reader.readUInt8(), let flags = try? reader.readUInt8(),
            let source = UnicastAddress(rawValue: 0x0100 + UInt16(place & 0x0F))
        else { return }
        let destinations: [UInt16] = [0x0001, 0xC000, 0x0002, 0x0009]
        let pdu = NetworkPDU(
            ivIndex: 0,
            isControl: flags & 1 == 1,
            ttl: flags & 2 == 0 ? 5 : 0,
            sequence: UInt32(sequence),
            source: source,
            destination: Address(rawValue: destinations[Int(place >> 4 & 3)]),
            transportPDU: Array(reader.readRest())
        )
        try pass(until: now.advanced(by: .milliseconds(Int64(tenths) * 100)), &trace)
        guard let bytes = try? pdu.encoded(with: credentials) else { return trace.note("unsendable") }
        let lower = try? LowerTransportPDU(decoding: pdu.transportPDU, isControl: pdu.isControl)
        var message: Message?
        switch lower {
        case .segment(let segment): message = note(segment, in: pdu)
        case .acknowledgment(let acknowledgment): note(acknowledgment, in: pdu)
        case .access, .control, nil: break
        }
        for action in stack.receive(networkPDU: bytes, at: now) {
            if case .control(let whole) = action { try check(whole, message, pdu, &trace) }
            if case .heartbeat(_, let whole) = action { try check(whole, message, pdu, &trace) }
            try check(action, &trace)
        }
    }

    /// Lets the last deadlines pass: nothing may remain.
    mutating func end(_ trace: inout FuzzTrace) throws(FuzzViolation) {
        try pass(until: now.advanced(by: .seconds(60)), &trace)
        try demand(stack.nextDeadline == nil, "something is still due a minute after the last PDU")
        try demand(transmission == nil, "a message has no outcome a minute after the last PDU")
    }

    private mutating func pass(until end: Instant, _ trace: inout FuzzTrace) throws(FuzzViolation) {
        var steps = 0
        while let deadline = stack.nextDeadline, deadline <= end {
            steps += 1
            try demand(steps <= 10_000, "time does not pass")
            for action in stack.advance(to: max(now, deadline)) { try check(action, &trace) }
            now = max(now, deadline)
        }
        now = end
    }

    // MARK: What was sent

    private mutating func note(_ segment: Segment, in pdu: NetworkPDU) -> Message? {
        guard let sequence = Segment.sequence(ofFirst: segment.seqZero, in: pdu.sequence) else { return nil }
        let message = Message(
            source: pdu.source,
            destination: pdu.destination,
            sequence: sequence,
            content: segment.content,
            last: segment.last
        )
        sent[message, default: [:]][segment.offset, default: []].insert(segment.bytes)
        let pair = Pair(source: pdu.source, destination: pdu.destination)
        offsets[pair, default: [:]][segment.seqZero, default: 0] |= 1 << UInt32(segment.offset)
        return message
    }

    private mutating func note(_ acknowledgment: SegmentAcknowledgment, in pdu: NetworkPDU) {
        guard let transmission, acknowledgment.seqZero == UInt16(Self.ownSequence), pdu.destination == own.address,
            acknowledgment.isOnBehalfOf || pdu.source.rawValue == 0x0101
        else { return }
        if acknowledgment.blockAck == 0 { isRefused = true }
        if acknowledgment.blockAck & ~transmission.all == 0 { acknowledged |= acknowledgment.blockAck }
    }

    // MARK: What the stack makes of it

    /// A message that comes out of a PDU is that PDU, or is made of the segments of one message alone.
    private mutating func check(
        _ whole: IncomingControlMessage,
        _ message: Message?,
        _ pdu: NetworkPDU,
        _ trace: inout FuzzTrace
    ) throws(FuzzViolation) {
        try demand(whole.source == pdu.source && whole.destination == pdu.destination, "a message of somebody else")
        guard let message else { return }
        trace.note(["delivered", "\(message.last)"])
        try demand(message.content == .control(opcode: whole.opcode), "a message has another opcode than its segments")
        let pair = Pair(source: message.source, destination: message.destination)
        let former = delivered.updateValue(message.sequence, forKey: pair)
        try demand(former.map { $0 < message.sequence } ?? true, "a message is delivered again, or after a newer one")
        let size = message.content.segmentSize
        for offset in 0...message.last {
            let start = Int(offset) * size
            let part =
                offset == message.last
                ? Array(whole.parameters.dropFirst(start)) : Array(whole.parameters.dropFirst(start).prefix(size))
            try demand(sent[message]?[offset]?.contains(part) == true, "segment \(offset) was never sent so")
        }
    }

    private mutating func check(_ action: StackAction, _ trace: inout FuzzTrace) throws(FuzzViolation) {
        switch action {
        case .dropped(let reason): trace.note(kindOf: DroppedPDU(reason: reason))
        case .completed(let identifier):
            trace.note("completed")
            try demand(transmission?.identifier == identifier, "a message has two outcomes")
            try demand(transmission?.all == acknowledged, "a message is complete without all acknowledgments")
            transmission = nil
        case .failed(let identifier, let failure):
            trace.note(kindOf: failure)
            try demand(transmission?.identifier == identifier, "a message has two outcomes")
            try demand(failure != .cancelledByReceiver || isRefused, "a message was refused by nobody")
            transmission = nil
        case .transmit(let bytes, let destination): try check(bytes, destination, &trace)
        default: break
        }
    }

    /// Acknowledgments go to whoever sent segments, and name none that were not sent.
    private func check(_ bytes: [UInt8], _ destination: Address, _ trace: inout FuzzTrace) throws(FuzzViolation) {
        let pdu = try demandSuccess("an own PDU cannot be opened") {
            try NetworkPDU(decoding: bytes, with: credentials, ivIndex: 0)
        }
        try demand(pdu.destination == destination, "an own PDU goes elsewhere")
        let lower = try demandSuccess("an own PDU cannot be read") {
            try LowerTransportPDU(decoding: pdu.transportPDU, isControl: pdu.isControl)
        }
        guard case .acknowledgment(let acknowledgment) = lower else { return }
        trace.note(["acknowledged", "\(acknowledgment.blockAck.nonzeroBitCount)"])
        let known = UnicastAddress(rawValue: destination.rawValue).flatMap { source in
            offsets[Pair(source: source, destination: pdu.source.address)]?[acknowledgment.seqZero]
        }
        let isKnown = known.map { acknowledgment.blockAck & ~$0 == 0 } ?? false
        try demand(isKnown, "segments are acknowledged that nobody sent")
    }

    /// The numbers of all elements together.
    private final class SequenceCounter: SequenceNumberSource {
        private var number: UInt32

        init(_ first: UInt32) { number = first }

        func next(for source: UnicastAddress, ivIndex: UInt32) throws(SequenceNumberError) -> UInt32 {
            defer { number += 1 }
            return number
        }
    }

    /// A reason as an error, so that its numbers do not count as another outcome.
    private struct DroppedPDU: Error {
        var reason: DropReason
    }
}
