package import MeshCore

/// The client of one connection to a mesh service: agrees on a packet size, finds the service with its characteristics,
/// turns notifications on, and then carries packets (Core Vol 3 Part F and G, Mesh Protocol 7.1 and 7.2).
///
/// A machine without input or output of its own: PDUs of the attribute protocol come in whole, and what comes out is to
/// be sent in order. One request is under way at a time. The device may be a client as well; it finds a server without
/// attributes here.
package struct GATTClient: Sendable {
    /// What the owner of the connection is to do.
    package enum Output: Hashable, Sendable {
        /// Send this PDU.
        case send([UInt8])
        /// The link is open; packets of at most that many octets can be written and will be received.
        case opened(maximumPacketSize: Int)
        /// A packet was notified on Data Out.
        case received([UInt8])
        /// The connection is of no use and is to be closed; nothing follows.
        case failed(GATTFailure)
    }

    /// What has been found of the service, in the order in which it is found.
    struct Layout: Hashable, Sendable {
        /// The service's handles.
        var service = HandleRange.all
        /// The value of Data In.
        var dataIn: UInt16 = 0
        /// The value of Data Out.
        var dataOut: UInt16 = 0
        /// Whether the other mesh service was met.
        var hasOther = false
    }

    enum Phase: Hashable, Sendable {
        case idle
        case opening(GATTStep)
        case open
        case ended
    }

    /// A request that has no response yet.
    struct Transaction: Hashable, Sendable {
        let opcode: UInt8
        /// The handles that it asks about.
        let range: HandleRange
        let deadline: Instant
    }

    /// The service that is looked for.
    package let service: MeshService
    /// When the stages ended.
    package internal(set) var stages = GATTStages()
    /// PDUs that came and were of no use: malformed, for other handles, or nobody asked for them.
    package internal(set) var ignored = 0

    let timing: GATTTiming
    var phase = Phase.idle
    var layout = Layout()
    var transaction: Transaction?
    /// The size of PDUs that both sides take.
    var mtu = GATTClient.defaultMTU
    private var deadline = Instant.distantFuture
    private var requests = 0
    /// Packets that were notified before the response to the subscription.
    private var early: [[UInt8]] = []

    /// What every device takes (Core Vol 3 Part G 5.2.1).
    static let defaultMTU: UInt16 = 23
    /// What is asked for: room for the longest value, 512 octets, in every PDU.
    static let maximumMTU: UInt16 = 517
    /// The longest value of a characteristic (Core Vol 3 Part F 3.2.9).
    static let maximumValueSize = 512
    /// The most requests until the link is open; a device of a hundred services with a small MTU stays below.
    static let requestLimit = 128
    /// The most packets that are kept until the link is open; a node has a beacon or two to tell by then.
    static let earlyLimit = 64

    /// A client before its connection.
    package init(service: MeshService, timing: GATTTiming = GATTTiming()) {
        self.service = service
        self.timing = timing
    }

    /// When ``advance(to:)`` is to be called, nil if there is nothing to wait for.
    package var nextDeadline: Instant? {
        guard case .opening = phase else { return nil }
        return transaction.map { min($0.deadline, deadline) } ?? deadline
    }

    /// The connection is there: begins.
    package mutating func connected(at now: Instant) -> [Output] {
        guard phase == .idle else { return [] }
        stages.connected = now
        deadline = now.advanced(by: timing.overall)
        return request(.exchangeMTURequest(GATTClient.maximumMTU), for: .exchangingMTU, at: now)
    }

    /// Lets time pass.
    package mutating func advance(to now: Instant) -> [Output] {
        guard case .opening(let step) = phase else { return [] }
        if let transaction, transaction.deadline <= now { return fail(.unanswered(step, after: timing.transaction)) }
        if deadline <= now { return fail(.tooSlow(step, after: timing.overall)) }
        return []
    }

    /// Takes in one PDU.
    package mutating func receive(_ pdu: [UInt8], at now: Instant) -> [Output] {
        guard phase != .idle, phase != .ended else { return [] }
        let overdue = advance(to: now)
        guard overdue.isEmpty else { return overdue }
        guard let opcode = pdu.first else {
            ignored += 1
            return []
        }
        switch ATTPDU.kind(ofOpcode: opcode) {
        case .notification: return notified(pdu)
        case .response: return responded(pdu, opcode: opcode, at: now)
        case .indication: return indicated(pdu)
        case .request: return [.send(answer(to: pdu, opcode: opcode).encoded)]
        case .command, .confirmation:
            ignored += 1
            return []
        }
    }

    /// The PDU that writes a packet to Data In.
    ///
    /// - Returns: nil unless the link is open.
    /// - Throws: if the packet is empty or larger than ``Output/opened(maximumPacketSize:)`` has said.
    package func write(_ packet: [UInt8]) throws(BearerError) -> [UInt8]? {
        guard phase == .open else { return nil }
        guard (1...maximumPacketSize).contains(packet.count) else {
            throw BearerError(
                "a packet of \(packet.count) octets cannot be written, 1 to \(maximumPacketSize) are possible"
            )
        }
        return ATTPDU.writeCommand(AttributeValue(layout.dataIn, packet)).encoded
    }

    /// What fits into one PDU beside opcode and handle, and into a value.
    private var maximumPacketSize: Int { min(Int(mtu) - 3, GATTClient.maximumValueSize) }
}

extension GATTClient {
    /// Sends a request, unless there have been too many.
    mutating func request(
        _ pdu: ATTPDU,
        for step: GATTStep,
        about range: HandleRange = .all,
        at now: Instant
    ) -> [Output] {
        requests += 1
        guard requests <= GATTClient.requestLimit else { return fail(.endless(step)) }
        phase = .opening(step)
        transaction = Transaction(
            opcode: pdu.opcode,
            range: range,
            deadline: now.advanced(by: timing.transaction)
        )
        return [.send(pdu.encoded)]
    }

    /// The link is open.
    mutating func open(at now: Instant) -> [Output] {
        stages.subscribed = now
        phase = .open
        defer { early = [] }
        return [.opened(maximumPacketSize: maximumPacketSize)] + early.map { .received($0) }
    }

    mutating func fail(_ failure: GATTFailure) -> [Output] {
        phase = .ended
        transaction = nil
        early = []
        return [.failed(failure)]
    }

    private mutating func notified(_ pdu: [UInt8]) -> [Output] {
        switch try? ATTPDU(decoding: pdu) {
        case .notification(let value): return notified(value).map { [$0] } ?? []
        case .multipleNotification(let values): return values.compactMap { notified($0) }
        default:
            ignored += 1
            return []
        }
    }

    private mutating func notified(_ value: AttributeValue) -> Output? {
        guard value.handle == layout.dataOut, (1...GATTClient.maximumValueSize).contains(value.value.count) else {
            ignored += 1
            return nil
        }
        if phase == .open { return .received(value.value) }
        if early.count < GATTClient.earlyLimit { early.append(value.value) } else { ignored += 1 }
        return nil
    }

    /// Indications are confirmed, all of them. This client subscribes to none, and the only one that servers send all
    /// the same is Service Changed (Core Vol 3 Part G 7.1): the first and the last handle that are no longer what they
    /// were.
    private mutating func indicated(_ pdu: [UInt8]) -> [Output] {
        let confirmation = Output.send(ATTPDU.confirmation.encoded)
        guard case .indication(let value)? = try? ATTPDU(decoding: pdu), isChange(value) else {
            ignored += 1
            return [confirmation]
        }
        return [confirmation] + fail(.servicesChanged)
    }

    private func isChange(_ value: AttributeValue) -> Bool {
        guard layout.service != .all, !layout.service.contains(value.handle) else { return false }
        var reader = ByteReader(value.value)
        guard let first = try? reader.readUInt16LittleEndian(), let last = try? reader.readUInt16LittleEndian(),
            reader.isAtEnd
        else { return false }
        return HandleRange(first, last).map { $0.overlaps(layout.service) } ?? false
    }

    /// The answer of a server without attributes that knows one request, Exchange MTU (Core Vol 3 Part F 3.4.2).
    private mutating func answer(to pdu: [UInt8], opcode: UInt8) -> ATTPDU {
        guard opcode == 0x02 else { return .errorResponse(request: opcode, handle: 0, .requestNotSupported) }
        guard case .exchangeMTURequest(let size)? = try? ATTPDU(decoding: pdu) else {
            return .errorResponse(request: opcode, handle: 0, .invalidPDU)
        }
        if phase != .open { agree(on: size) }
        return .exchangeMTUResponse(GATTClient.maximumMTU)
    }

    /// Both directions have one size, the lesser of what the two sides take, whoever has asked.
    mutating func agree(on size: UInt16) {
        mtu = max(GATTClient.defaultMTU, min(size, GATTClient.maximumMTU))
    }
}
