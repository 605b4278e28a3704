/// Identifies a segmented message: its source, its destination and its SeqAuth (Mesh Protocol 3.5.3.1).
struct SegmentedMessageIdentity: Hashable {
    var source: UnicastAddress
    var destination: Address
    var ivIndex: UInt32
    /// The sequence number of the first segment.
    var sequence: UInt32

    /// SeqAuth: the IV index, then the sequence number.
    var sequenceAuthentication: UInt64 { UInt64(ivIndex) << 24 | UInt64(sequence) }
}

/// A reassembled message.
struct ReassembledMessage: Hashable {
    var identity: SegmentedMessageIdentity
    var content: Segment.Content
    var netKeyIndex: NetKeyIndex
    var ttl: UInt8
    /// The upper transport PDU.
    var upper: [UInt8]
}

/// Reassembles segmented messages and acknowledges their segments (Mesh Protocol 3.5.3.4).
///
/// A value machine. ``maximumReassemblies`` and ``maximumFinished`` limit its memory.
struct SegmentReceiver {
    /// The result of a segment or of time passing.
    enum Output: Hashable {
        /// Send an acknowledgment to the source of the message.
        case acknowledge(SegmentAcknowledgment, SegmentedMessageIdentity, NetKeyIndex, ttl: UInt8)
        case completed(ReassembledMessage)
        /// A segment, or an incomplete message, was discarded.
        case dropped(DropReason)
    }

    static let maximumReassemblies = 64
    /// How many finished messages are remembered, to acknowledge late segments again.
    static let maximumFinished = 256

    private struct Pair: Hashable {
        var source: UnicastAddress
        var destination: Address
    }

    private struct Reassembly {
        var identity: SegmentedMessageIdentity
        var content: Segment.Content
        var netKeyIndex: NetKeyIndex
        var ttl: UInt8
        var last: UInt8
        var received: UInt32 = 0
        var segments: [[UInt8]]
        var discardDeadline: Instant
        var acknowledgmentDeadline: Instant?

        var isComplete: Bool { received == SegmentReceiver.allSegments(last) }
    }

    /// A message that was completed, or given up (`blockAck` 0).
    private struct Finished {
        var identity: SegmentedMessageIdentity
        var blockAck: UInt32
        var quietUntil: Instant
    }

    private struct Repetition {
        var output: Output
        var pair: Pair
        var remaining: Int
        var deadline: Instant
    }

    var parameters: SARParameters
    private var reassemblies: [Reassembly] = []
    private var finished: [Pair: Finished] = [:]
    private var finishedOrder: [Pair] = []
    private var oldestFinished = 0
    private var repetitions: [Repetition] = []

    init(parameters: SARParameters) {
        self.parameters = parameters
    }

    /// When ``advance(to:)`` must be called next; nil if nothing is due.
    var nextDeadline: Instant? {
        var earliest: Instant?
        func note(_ deadline: Instant?) {
            guard let deadline else { return }
            earliest = earliest.map { min($0, deadline) } ?? deadline
        }
        for reassembly in reassemblies {
            note(reassembly.discardDeadline)
            note(reassembly.acknowledgmentDeadline)
        }
        for repetition in repetitions { note(repetition.deadline) }
        return earliest
    }

    /// Receives a segment.
    ///
    /// - Parameter replay: asked when a message starts, and updated when it is complete.
    mutating func receive(
        _ segment: Segment,
        in pdu: NetworkPDU,
        netKeyIndex: NetKeyIndex,
        replay: inout ReplayProtection,
        at now: Instant
    ) -> [Output] {
        guard let sequence = Segment.sequence(ofFirst: segment.seqZero, in: pdu.sequence) else {
            return [.dropped(.malformedTransport(.prohibited(field: "SeqZero", value: UInt64(segment.seqZero))))]
        }
        let identity = SegmentedMessageIdentity(
            source: pdu.source,
            destination: pdu.destination,
            ivIndex: pdu.ivIndex,
            sequence: sequence
        )
        let pair = Pair(source: pdu.source, destination: pdu.destination)
        if let over = finished[pair], over.identity == identity {
            return repeatAcknowledgment(of: over, pair, segment, pdu, netKeyIndex, at: now)
        }
        if let index = reassemblies.firstIndex(where: { $0.identity.isBetween(pdu.source, pdu.destination) }) {
            let known = reassemblies[index].identity.sequenceAuthentication
            if known == identity.sequenceAuthentication {
                guard reassemblies[index].netKeyIndex == netKeyIndex else { return [.dropped(.inconsistentSegment)] }
                return add(segment, to: index, pdu, replay: &replay, at: now)
            }
            guard identity.sequenceAuthentication > known else { return [.dropped(.superseded)] }
            // A pair has one message at a time. A newer one means that the sender has given up the older one.
            reassemblies.remove(at: index)
        }
        switch replay.verdict(pdu.source, ivIndex: pdu.ivIndex, segment: pdu.sequence, first: sequence) {
        case .replayed: return [.dropped(.replayed)]
        case .full: return [.dropped(.replayListFull)]
        case .accepted: break
        }
        guard reassemblies.count < SegmentReceiver.maximumReassemblies else {
            let refusal = SegmentAcknowledgment(seqZero: segment.seqZero, blockAck: 0)
            return
                (pdu.destination.kind == .unicast
                ? [.acknowledge(refusal, identity, netKeyIndex, ttl: pdu.ttl)] : []) + [.dropped(.tooManyReassemblies)]
        }
        reassemblies.append(
            Reassembly(
                identity: identity,
                content: segment.content,
                netKeyIndex: netKeyIndex,
                ttl: pdu.ttl,
                last: segment.last,
                segments: [[UInt8]](repeating: [], count: Int(segment.last) + 1),
                discardDeadline: now.advanced(by: parameters.discardTimeout)
            )
        )
        return add(segment, to: reassemblies.count - 1, pdu, replay: &replay, at: now)
    }

    private mutating func add(
        _ segment: Segment,
        to index: Int,
        _ pdu: NetworkPDU,
        replay: inout ReplayProtection,
        at now: Instant
    ) -> [Output] {
        guard segment.content == reassemblies[index].content, segment.last == reassemblies[index].last else {
            return [.dropped(.inconsistentSegment)]
        }
        let bit: UInt32 = 1 << UInt32(segment.offset)
        if reassemblies[index].received & bit == 0 {
            reassemblies[index].received |= bit
            reassemblies[index].segments[Int(segment.offset)] = segment.bytes
            reassemblies[index].discardDeadline = now.advanced(by: parameters.discardTimeout)
        }
        reassemblies[index].ttl = pdu.ttl
        cancelRepetitions(reassemblies[index].identity)
        guard reassemblies[index].isComplete else {
            if pdu.destination.kind == .unicast, reassemblies[index].acknowledgmentDeadline == nil {
                let delay = parameters.acknowledgmentDelay(last: segment.last, ttl: pdu.ttl)
                reassemblies[index].acknowledgmentDeadline = now.advanced(by: delay)
            }
            return []
        }
        let complete = reassemblies.remove(at: index)
        let identity = complete.identity
        replay.record(identity.source, ivIndex: identity.ivIndex, sequence: identity.sequence, isSegmented: true)
        finish(complete, at: now)
        let message = ReassembledMessage(
            identity: identity,
            content: complete.content,
            netKeyIndex: complete.netKeyIndex,
            ttl: complete.ttl,
            upper: complete.segments.flatMap { $0 }
        )
        guard identity.destination.kind == .unicast else { return [.completed(message)] }
        return [acknowledge(complete, at: now), .completed(message)]
    }

    /// Sends acknowledgments that are due, and gives up messages that have waited too long.
    mutating func advance(to now: Instant) -> [Output] {
        var outputs: [Output] = []
        var index = 0
        while index < reassemblies.count {
            if reassemblies[index].discardDeadline <= now {
                let abandoned = reassemblies.remove(at: index)
                cancelRepetitions(abandoned.identity)
                finish(abandoned, at: now)
                outputs.append(.dropped(.incomplete))
                continue
            }
            if let deadline = reassemblies[index].acknowledgmentDeadline, deadline <= now {
                reassemblies[index].acknowledgmentDeadline = nil
                outputs.append(acknowledge(reassemblies[index], at: now))
            }
            index += 1
        }
        index = 0
        while index < repetitions.count {
            guard repetitions[index].deadline <= now else {
                index += 1
                continue
            }
            outputs.append(repetitions[index].output)
            repetitions[index].remaining -= 1
            repetitions[index].deadline = now.advanced(by: repetitionInterval)
            if repetitions[index].remaining <= 0 { repetitions.remove(at: index) } else { index += 1 }
        }
        return outputs
    }

    private mutating func acknowledge(_ reassembly: Reassembly, at now: Instant) -> Output {
        let identity = reassembly.identity
        let output = Output.acknowledge(
            SegmentAcknowledgment(
                seqZero: UInt16(truncatingIfNeeded: identity.sequence & 0x1FFF),
                blockAck: reassembly.received
            ),
            identity,
            reassembly.netKeyIndex,
            ttl: reassembly.ttl
        )
        if Int(reassembly.last) > parameters.segmentsThreshold, parameters.acknowledgmentRetransmissions > 0,
            repetitions.count < SegmentReceiver.maximumReassemblies
        {
            repetitions.append(
                Repetition(
                    output: output,
                    pair: Pair(source: identity.source, destination: identity.destination),
                    remaining: parameters.acknowledgmentRetransmissions,
                    deadline: now.advanced(by: repetitionInterval)
                )
            )
        }
        return output
    }

    private var repetitionInterval: Duration { max(parameters.receiverSegmentInterval, .milliseconds(10)) }

    /// The sender does not know that its message is complete. Tell it again, but only once for a burst of segments.
    private mutating func repeatAcknowledgment(
        of over: Finished,
        _ pair: Pair,
        _ segment: Segment,
        _ pdu: NetworkPDU,
        _ netKeyIndex: NetKeyIndex,
        at now: Instant
    ) -> [Output] {
        guard over.blockAck != 0, pdu.destination.kind == .unicast, over.quietUntil <= now else {
            return [.dropped(.alreadyReceived)]
        }
        let quiet = parameters.acknowledgmentDelay(last: segment.last, ttl: pdu.ttl)
        finished[pair]?.quietUntil = now.advanced(by: quiet)
        let acknowledgment = SegmentAcknowledgment(seqZero: segment.seqZero, blockAck: over.blockAck)
        return [.acknowledge(acknowledgment, over.identity, netKeyIndex, ttl: pdu.ttl), .dropped(.alreadyReceived)]
    }

    private mutating func finish(_ reassembly: Reassembly, at now: Instant) {
        let identity = reassembly.identity
        let pair = Pair(source: identity.source, destination: identity.destination)
        let over = Finished(
            identity: identity,
            blockAck: reassembly.isComplete ? reassembly.received : 0,
            quietUntil: now
        )
        guard finished.updateValue(over, forKey: pair) == nil else { return }
        if finishedOrder.count < SegmentReceiver.maximumFinished {
            finishedOrder.append(pair)
        } else {
            let forgotten = finishedOrder[oldestFinished]
            finished[forgotten] = nil
            finishedOrder[oldestFinished] = pair
            oldestFinished = (oldestFinished + 1) % SegmentReceiver.maximumFinished
        }
    }

    private mutating func cancelRepetitions(_ identity: SegmentedMessageIdentity) {
        repetitions.removeAll { $0.pair.source == identity.source && $0.pair.destination == identity.destination }
    }

    private static func allSegments(_ last: UInt8) -> UInt32 {
        UInt32.max >> UInt32(31 - min(last, 31))
    }
}

extension SegmentedMessageIdentity {
    fileprivate func isBetween(_ source: UnicastAddress, _ destination: Address) -> Bool {
        self.source == source && self.destination == destination
    }
}
