package import MeshCore

/// The client of one connection to a mesh service. It agrees on a packet size, finds the service and its
/// characteristics, turns notifications on, and then carries packets (Core Vol 3 Part F and G, Mesh Protocol 7.1 and
/// 7.2).
///
/// A state machine without input or output of its own. It takes whole PDUs of the attribute protocol; its output must
/// be sent in order. One request is under way at a time. The device may be a client too; it finds a server without
/// attributes here.
package struct GATTClient: Sendable {
    /// What the owner of the connection must do.
    package enum Output: Hashable, Sendable {
        case send([UInt8])
        /// The link is open. Packets up to that many octets can be sent and received.
        case opened(maximumPacketSize: Int)
        /// A packet was notified on Data Out.
        case received([UInt8])
        /// The connection is of no use; the owner must close it. No output follows.
        case failed(GATTFailure)
    }

    /// What has been found of the service, in the order in which it is found.
    struct Layout: Hashable, Sendable {
        var service = HandleRange.all
        /// The handle of the value of Data In.
        var dataIn: UInt16 = 0
        /// The handle of the value of Data Out.
        var dataOut: UInt16 = 0
        /// Whether the device has the other mesh service.
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
        /// The handles that the request concerns.
        let range: HandleRange
        let deadline: Instant
    }

    package let service: MeshService
    /// When the stages ended.
    package internal(set) var stages = GATTStages()
    /// How many received PDUs were of no use: malformed, for other handles, or unexpected.
    package internal(set) var ignored = 0

    let timing: GATTTiming
    var phase = Phase.idle
    var layout = Layout()
    var transaction: Transaction?
    /// The PDU size that both sides accept.
    var mtu = GATTClient.defaultMTU
    private var deadline = Instant.distantFuture
    private var requests = 0
    /// Packets that were notified before the subscription was confirmed.
    private var early: [[UInt8]] = []

    /// The size that every device accepts (Core Vol 3 Part G 5.2.1).
    static let defaultMTU: UInt16 = 23
    /// The size to ask for: every PDU then has room for the longest value, 512 octets.
    static let maximumMTU: UInt16 = 517
    /// The longest value of a characteristic (Core Vol 3 Part F 3.2.9).
    static let maximumValueSize = 512
    /// The most requests until the link is open. A device with a hundred services and a small MTU stays below that.
    static let requestLimit = 128
    /// The most packets to keep until the link is open. A node sends one or two beacons by then.
    static let earlyLimit = 64

    package init(service: MeshService, timing: GATTTiming = GATTTiming()) {
        self.service = service
        self.timing = timing
    }

    /// When to call ``advance(to:)``; nil if nothing is pending.
    package var nextDeadline: Instant? {
        guard case .opening = phase else { return nil }
        return transaction.map { min($0.deadline, deadline) } ?? deadline
    }

    /// The connection is established; sends the first request.
    package mutating func connected(at now: Instant) -> [Output] {
        guard phase == .idle else { return [] }
        stages.connected = now
        deadline = now.advanced(by: timing.overall)
        return request(.exchangeMTURequest(GATTClient.maximumMTU), for: .exchangingMTU, at: now)
    }

    /// Does what is due at that time.
    package mutating func advance(to now: Instant) -> [Output] {
        guard case .opening(let step) = phase else { return [] }
        if let transaction, transaction.deadline <= now { return fail(.unanswered(step, after: timing.transaction)) }
        if deadline <= now { return fail(.tooSlow(step, after: timing.overall)) }
        return []
    }

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
    /// - Throws: ``BearerError`` if the packet is empty or larger than ``Output/opened(maximumPacketSize:)`` announced.
    package func write(_ packet: [UInt8]) throws(BearerError) -> [UInt8]? {
        guard phase == .open else { return nil }
        guard (1...maximumPacketSize).contains(packet.count) else {
            throw BearerError(
                "a packet of \(packet.count) octets cannot be written, 1 to \(maximumPacketSize) are possible"
            )
        }
        return ATTPDU.writeCommand(AttributeValue(layout.dataIn, packet)).encoded
    }

    /// The most octets that fit one PDU beside opcode and handle, and fit one value.
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

    /// Confirms an indication; all are confirmed. This client subscribes to none. Servers send only one without a
    /// subscription: Service Changed (Core Vol 3 Part G 7.1), with the first and the last handle that have changed.
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

    /// Answers a request like a server without attributes that supports one request, Exchange MTU (Core Vol 3 Part F
    /// 3.4.2).
    private mutating func answer(to pdu: [UInt8], opcode: UInt8) -> ATTPDU {
        guard opcode == 0x02 else { return .errorResponse(request: opcode, handle: 0, .requestNotSupported) }
        guard case .exchangeMTURequest(let size)? = try? ATTPDU(decoding: pdu) else {
            return .errorResponse(request: opcode, handle: 0, .invalidPDU)
        }
        if phase != .open { agree(on: size) }
        return .exchangeMTUResponse(GATTClient.maximumMTU)
    }

    /// Both directions use one size: the smaller of what the two sides accept, whichever side asked.
    mutating func agree(on size: UInt16) {
        mtu = max(GATTClient.defaultMTU, min(size, GATTClient.maximumMTU))
    }
}
